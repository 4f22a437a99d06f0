"""The list of all questions of a dataset: ids and types, no text, in the published order."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from harness.errors import Faults, InputError, nearest

_KEYS = ("question_id", "question_type")


@dataclass(frozen=True, slots=True)
class ListedQuestion:
    """One question of the list; its position in the list is its index."""

    question_id: str
    question_type: str


def read_question_list(path: Path) -> tuple[ListedQuestion, ...]:
    """Read a question list; raises `InputError` naming every fault by line and key."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError as error:
        raise InputError(
            f"{path}, the list of the dataset's questions, does not exist",
            "Restore it, or correct `questions` in the register.",
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 at its byte {error.start:,}") from error
    faults = Faults()
    questions: list[ListedQuestion] = []
    lines_of: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        question = _question(line, number, faults)
        if question is None:
            continue
        first = lines_of.setdefault(question.question_id, number)
        if first != number:
            faults.add(
                f"line {number}, question_id: {question.question_id!r} is also in line {first}"
            )
        questions.append(question)
    if not questions and not faults:
        faults.add("holds no question")
    faults.raise_if_any(str(path), "Restore the list from its source.")
    return tuple(questions)


def _question(line: str, number: int, faults: Faults) -> ListedQuestion | None:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        faults.add(f"line {number}: not JSON ({error.msg} at character {error.pos})")
        return None
    if not isinstance(value, dict):
        faults.add(f"line {number}: expected an object with {' and '.join(_KEYS)}")
        return None
    before = len(faults)
    for key in value.keys() - set(_KEYS):
        faults.add(f"line {number}: unknown key {key!r}{nearest(key, _KEYS)}")
    for key in _KEYS:
        if not (isinstance(value.get(key), str) and value[key]):
            faults.add(f"line {number}, {key}: {value.get(key)!r} is not a text")
    if len(faults) > before:
        return None
    return ListedQuestion(value["question_id"], value["question_type"])
