"""The list of all questions of a dataset: ids and types, no text, in the published order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.decode import Format, Text, decode_lines
from harness.errors import InputError


@dataclass(frozen=True, slots=True)
class ListedQuestion:
    """One question of the list; its position in the list is its index."""

    question_id: Text
    question_type: Text


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
