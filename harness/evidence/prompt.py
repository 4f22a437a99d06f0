"""The whole answer prompt: a template with the context, the date and the question filled in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from harness.errors import InputError
from harness.model import Query
from harness.storage.hashing import sha256_of_text

_FIELD = re.compile(r"\{(context|date|question)\}")
_REQUIRED = ("context", "question")
NO_DATE = "unknown"


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A template text with `{context}`, `{question}` and perhaps `{date}`; other braces stay."""

    text: str

    @classmethod
    def read(cls, path: Path) -> PromptTemplate:
        """Read the template in a UTF-8 file; raises `InputError` if a field is missing."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read the template {path}: {error}") from error
        return cls.of(text, str(path))

    @classmethod
    def of(cls, text: str, named: str) -> PromptTemplate:
        """Make a template of a text; raises `InputError` if a field is missing."""
        present = set(_FIELD.findall(text))
        missing = [f"{{{name}}}" for name in _REQUIRED if name not in present]
        if missing:
            raise InputError(
                f"the template {named} lacks {' and '.join(missing)}",
                "A template has {context}, {question} and, if wanted, {date}.",
            )
        return cls(text)

    @property
    def sha256(self) -> str:
        return sha256_of_text(self.text)

    def fill(self, context: str, query: Query) -> str:
        """Return the prompt of one question."""
        values = {"context": context, "date": query.date or NO_DATE, "question": query.text}
        # one pass: a context that holds the words {question} must stay as it is
        return _FIELD.sub(lambda match: values[match[1]], self.text)


def _bundled() -> PromptTemplate:
    text = resources.files("harness.evidence").joinpath("answer_prompt.txt").read_text("utf-8")
    return PromptTemplate(text)


DEFAULT_TEMPLATE = _bundled()
