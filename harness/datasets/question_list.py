"""The list of all questions of a dataset: ids and types, no text, in the published order."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from harness.decode import Format, Sha256, Text, decode_lines
from harness.errors import InputError

NO_TYPE = "without a type"
"""Type of a question whose source gives it none."""


@dataclass(frozen=True, slots=True)
class ListedQuestion:
    """One question of the list; its position in the list is its index.

    `question_sha256`: hash of its text (`question_hash`), by which what is joined to it by position
    proves to be of it; None where it is not known.
    """

    question_id: Text
    question_type: Text
    question_sha256: Sha256 | None = field(default=None, compare=False)


def question_hash(question: str) -> str:
    """Return the hex SHA-256 of a question's text, without the white space around it."""
    return hashlib.sha256(question.strip().encode("utf-8")).hexdigest()


_QUESTION = Format("listed question", ListedQuestion, hint="Restore the list from its source.")


def read_question_list(path: Path) -> tuple[ListedQuestion, ...]:
    """Read a question list; raises `InputError` naming every fault by line and key."""
    if not path.exists():
        raise InputError(
            f"{path}, the list of the dataset's questions, does not exist",
            "Restore it, or correct `questions` in the register.",
        )
    lines = decode_lines(
        _QUESTION,
        str(path),
        identity=lambda question: f"question {question.question_id!r}",
        needed="question",
    )
    return tuple(question for _, question in lines)
