"""Answers of a store as JSON Lines; those to test questions only once they were opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.datasets.split import Part
from harness.errors import InputError, UsageError
from harness.readers.entry import VARYING, AnswerEntry, AnswerKey
from harness.readers.store import AnswerStore
from harness.trial.grades import Grades
from harness.trial.seal import seal_of

from .answer_set import AnswerSet
from .answer_sets import store_of

Line = dict[str, Any] | None
"""None in the place of an answer that is sealed."""


def store_lines(store: AnswerStore, *, stable: bool) -> Iterator[Line]:
    """Yield what each key of a store came to, sorted by key.

    Prompts that were asked for a test part are sealed. `stable` leaves out what differs from one
    asking to the next, so that stores of the same answers give the same lines.
    """
    for key, entry in store.entries():
        if store.is_sealed(key.prompt):
            yield None
        else:
            yield {**_place(key), **_content(entry, stable=stable)}


def set_lines(
    answers: AnswerSet, store: AnswerStore, *, opened: bool, stable: bool
) -> Iterator[Line]:
    """Yield the answer to each question of a set in each repeat, where there is one; `opened` where
    `check_opened` says so."""
    for repeat in range(1, answers.repeats + 1):
        for question in answers.questions:
            key = answers.key(question, repeat)
            entry = store.get(key) or store.last_error(key)
            if entry is not None and not opened and store.is_sealed(key.prompt):
                yield None
            elif entry is not None:
                of = {
                    "question_id": question.question_id,
                    "context_sha256": question.context_sha256,
                }
                yield {**of, **_place(key), **_content(entry, stable=stable)}


def check_opened(answers: AnswerSet, grades: Path | None) -> bool:
    """Return whether grades of answers to test questions were opened; False for other answers.

    Raises `InputError` where they were not, and for grades of something else.
    """
    if answers.part != Part.TEST.value:
        if grades is not None:
            raise UsageError(
                "--grades is about answers to test questions",
                f"{answers.path} has none: leave it out.",
            )
        return False
    sealed = f"{answers.path} is of test questions, whose answers are sealed"
    if grades is None:
        raise InputError(
            sealed, "Once harness judge has opened grades of them, name these with --grades GRADES."
        )
    opened = Grades.open(grades)
    graded = opened.content.graded
    if graded is None or graded.answers != answers.identity:
        raise InputError(
            f"{grades} are not grades of the answers of {answers.path}",
            "Name those that harness grade made of them.",
        )
    if seal_of(opened).holds:
        raise InputError(sealed, f"The ledger has no opening that holds {grades} (harness judge).")
    return True


def store_at(path: Path) -> tuple[AnswerSet | None, Path]:
    """Return the set, if `path` is one, and the folder of the store.

    Raises `InputError` for a folder that is not a store.
    """
    answers = None if path.is_dir() else AnswerSet.read(path)
    folder = path if answers is None else store_of(answers)
    if not AnswerStore.is_at(folder):
        raise InputError(f"{folder} is not a store of answers", "Name what harness answer wrote.")
    return answers, folder


def _place(key: AnswerKey) -> dict[str, Any]:
    return {"reader": key.reader, "prompt_sha256": key.prompt, "repeat": key.repeat}


def _content(entry: AnswerEntry, *, stable: bool) -> dict[str, Any]:
    values = entry.as_json()
    return {name: values[name] for name in values if not stable or name not in VARYING}
