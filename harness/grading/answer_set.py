"""Which prompt each question of a part has at a point: what answers are graded by.

A set holds no answer. It lies in the store of answers that it is of, and is written before the
first prompt is asked: an answer is found in the store under the reader's identity, the prompt's
hash and the number of the repeat.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from harness.datasets.cohort import ALL
from harness.decode import (
    Check,
    Count,
    FieldError,
    Format,
    JsonObject,
    Parsed,
    Positive,
    Sha256,
    Text,
    decode_file,
)
from harness.points import Point, parse_point
from harness.readers.entry import AnswerKey
from harness.storage.atomic import write_text
from harness.storage.hashing import sha256_of_json
from harness.trial.grade import RegistrationReference
from harness.trial.grades import SplitReference
from harness.trial.json_text import json_text, json_value

SETS = "sets"
"""Folder of the sets in a store of answers."""

_PARTS = (ALL, "dev", "test")
_SLUG = re.compile(r"[^A-Za-z0-9.]+")
_LONGEST_NAME = 60


def _part_wrong(part: str) -> str | None:
    return None if part in _PARTS else f"is {part!r}, expected one of {', '.join(_PARTS)}"


@dataclass(frozen=True, slots=True)
class PromptedQuestion:
    """A question, the hash of its prompt and of the context in it, and the run's token counts."""

    question_id: Text
    prompt_sha256: Sha256
    context_sha256: Sha256
    context_tokens: Count | None
    prompt_tokens_estimated: Count | None


@dataclass(frozen=True, kw_only=True)
class AnswerSet:
    """The questions of a part at a point, for one reader, `repeats` times each.

    `run_sha256` is the content hash of the run, `template_sha256` that of the prompt's template.
    `reader` is an identity, `reader_about` what it is the hash of, `reader_name` for people.
    `split` and `registration` are None where none was given. `seed` orders the prompts.
    """

    point: Annotated[Point, Parsed(parse_point)]
    part: Annotated[str, Check(_part_wrong)]
    split: SplitReference | None
    registration: RegistrationReference | None
    run: Text
    run_sha256: Sha256
    dataset_sha256: Sha256 | None
    template_sha256: Sha256
    reader: Sha256
    reader_name: Text
    reader_about: JsonObject
    repeats: Positive
    seed: Count
    questions: tuple[PromptedQuestion, ...]
    path: Path | None = field(default=None, init=False, compare=False)

    def __post_init__(self) -> None:
        if (self.split is None) != (self.part == ALL):
            raise FieldError("part", f"is {self.part!r}, and a part is of a split")

    @classmethod
    def read(cls, path: Path) -> AnswerSet:
        """Read a set; raises `InputError` with every fault."""
        answers = decode_file(ANSWERS, path)
        object.__setattr__(answers, "path", path)
        return answers

    def write(self, store: Path) -> Path:
        """Write the set into a store, under a name that is its content's; return its path."""
        path = self.path_in(store)
        write_text(path, json_text(self._tree, ANSWERS.name))
        return path

    def path_in(self, store: Path) -> Path:
        """Return where the set lies in a store."""
        return store / SETS / self.file_name

    @cached_property
    def identity(self) -> str:
        """Hex SHA-256 of everything but the path of the run and the reader's name."""
        tree = {key: value for key, value in self._tree.items() if key not in _NAMES}
        return sha256_of_json(tree)

    @property
    def asks(self) -> str:
        """Hash of what is asked of whom: the identity but for the number of repeats and the
        order."""
        kept = {k: v for k, v in self._tree.items() if k not in {*_NAMES, "repeats", "seed"}}
        return sha256_of_json(kept)

    @property
    def file_name(self) -> str:
        """The point and the part for people, and the beginning of the identity."""
        words = _SLUG.sub("-", f"{self.part}-{self.point}").strip("-")[:_LONGEST_NAME]
        return f"{words}-{self.identity[:12]}.json"

    def key(self, question: PromptedQuestion, repeat: int = 1) -> AnswerKey:
        """Return where the answer to a question lies in the store."""
        return AnswerKey(self.reader, question.prompt_sha256, repeat)

    def every_key(self) -> Iterator[AnswerKey]:
        """Yield every key of the set, questions that share a prompt once."""
        prompts = dict.fromkeys(question.prompt_sha256 for question in self.questions)
        for repeat in range(1, self.repeats + 1):
            yield from (AnswerKey(self.reader, prompt, repeat) for prompt in prompts)

    @property
    def _tree(self) -> dict[str, Any]:
        tree: dict[str, Any] = json_value(self)
        del tree["path"]
        return tree


_NAMES = ("run", "reader_name")
ANSWERS = Format("harness.answers/1", AnswerSet, hint="Ask again with: harness answer RUN …")
