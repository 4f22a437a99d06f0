"""`judge`: a reader is asked whether the response is right.

It is shown the question, the gold answer and the response, under a text of our own for the kind of
question. Its reply is yes or no; any other is an error, never a wrong answer.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated

from harness.decode import Check, Format, decode_file, decode_toml, keys
from harness.errors import InputError
from harness.storage.hashing import sha256_of_json

from .grader import Answered, AskingGrader

_FIELD = re.compile(r"\{(question|answer|response)\}")
_REPLY = re.compile(r"(yes|no)\.?", re.IGNORECASE)


def _lacks(text: str) -> str | None:
    present = set(_FIELD.findall(text))
    missing = [f"{{{name}}}" for name in ("question", "answer", "response") if name not in present]
    return f"lacks {' and '.join(missing)}" if missing else None


Wording = Annotated[str, Check(_lacks)]
"""A text with `{question}`, `{answer}` and `{response}`; other braces stay as they are."""


@dataclass(frozen=True, slots=True)
class JudgeTemplates:
    """What the judge is asked, by kind of question. `single_session` is for every type that is not
    another kind, several sessions included."""

    __pydantic_config__ = keys(single_session="single-session", knowledge_update="knowledge-update")

    single_session: Wording
    preference: Wording
    temporal: Wording
    knowledge_update: Wording
    abstention: Wording

    @classmethod
    def of_one(cls, text: str) -> JudgeTemplates:
        """Ask the same of every kind."""
        return cls(text, text, text, text, text)

    @property
    def sha256(self) -> str:
        return sha256_of_json(asdict(self))

    def of(self, answered: Answered) -> str:
        """Return the template for the kind of question."""
        kind = answered.question_type or ""
        if answered.abstention:
            return self.abstention
        if kind.endswith("preference"):
            return self.preference
        if kind.startswith("temporal"):
            return self.temporal
        return self.knowledge_update if kind == "knowledge-update" else self.single_session


TEMPLATES = Format(
    "the texts of a judge",
    JudgeTemplates,
    hint="docs/formats/grades.md describes them; harness/grading/graders/judge_prompts.toml has "
    "ours.",
)


@cache
def bundled_templates() -> JudgeTemplates:
    text = resources.files(__package__).joinpath("judge_prompts.toml").read_text("utf-8")
    return decode_toml(TEMPLATES, text, place="the bundled texts of the judge")


def read_templates(path: Path) -> JudgeTemplates:
    """Read a judge's own text: a `.toml` with one for each kind of question, or a text for all.

    Raises `InputError` naming what a text lacks.
    """
    if path.suffix == ".toml":
        return decode_file(TEMPLATES, path)
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the text {path}: {error}", "Check --template.") from error
    lacking = _lacks(text)
    if lacking is not None:
        raise InputError(f"the template {path} {lacking}", "Write all three fields into it.")
    return JudgeTemplates.of_one(text)


def _prompt(answered: Answered, templates: JudgeTemplates) -> str:
    values = {
        "question": answered.question,
        "answer": answered.gold,
        "response": answered.response,
    }
    # one pass: a response that holds the words {answer} stays as it is
    return _FIELD.sub(lambda match: values[match[1]], templates.of(answered))


def _verdict(reply: str) -> bool | None:
    match = _REPLY.fullmatch(reply.strip())
    return None if match is None else match[1].lower() == "yes"


GRADER = AskingGrader(
    name="judge",
    version=1,
    about="a reader (--judge) is asked whether the response is right; yes or no, else an error",
    prompt=_prompt,
    verdict=_verdict,
    templates=bundled_templates,
    read_templates=read_templates,
)
