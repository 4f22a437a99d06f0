"""Pinning what a plan names: a path relative to the directory the command runs in, and its hash."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from harness.datasets.question_list import ListedQuestion, read_question_list
from harness.datasets.register import Dataset
from harness.datasets.split import Part, Split, read_split
from harness.errors import HarnessError, InputError, UsageError
from harness.points import Point
from harness.storage.content import content_size_and_sha256
from harness.words import counted

from .grade import Status
from .grades import Grades
from .plan import DatasetPin, ExclusionRule


def relative_path(text: str) -> str:
    """Return a relative path as it is; raises `ValueError` with the fix for an absolute one."""
    if not os.path.isabs(text):
        return text
    inside = within_working_directory(Path(text))
    fix = (
        f"write {inside!r}"
        if inside is not None
        else "run the command in a directory that holds it, and write it relative to that"
    )
    raise ValueError(f"{text!r} is an absolute path, which holds on this machine only; {fix}")


def recorded_path(path: Path) -> str:
    """Spell a path of the command line as it is recorded: relative to the working directory.

    Raises `UsageError` for an absolute one outside of it.
    """
    inside = within_working_directory(path) if path.is_absolute() else path.as_posix()
    if inside is None:
        raise UsageError(
            f"{path} is outside the directory the command runs in",
            "Run the command in a directory that holds it: paths are recorded relative to that.",
        )
    return inside


def within_working_directory(path: Path) -> str | None:
    """Spell an absolute path relative to the working directory; None if it is not below."""
    here = Path.cwd()
    for base, target in ((here, path), (here.resolve(), path.resolve())):
        if target.is_relative_to(base):
            return target.relative_to(base).as_posix()
    return None


def ids_of_test_part(split: Split, questions: Sequence[ListedQuestion]) -> tuple[str, ...]:
    """Return the ids of the test part, in the order of the dataset's list.

    Raises `InputError` naming what shows that the split is not of these questions.
    """
    if split.of != len(questions):
        raise InputError(
            f"it was drawn from {counted(split.of, 'question')}, there are {len(questions):,}"
        )
    misplaced = [
        drawn.question_id
        for drawn in split.dev
        if (questions[drawn.index].question_id, questions[drawn.index].question_type)
        != (drawn.question_id, drawn.question_type)
    ]
    if misplaced:
        raise InputError(
            f"{len(misplaced)} of its {counted(len(split.dev), 'dev question')} "
            f"are not at their place in the "
            f"dataset's list of questions (the first is {misplaced[0]!r})"
        )
    missing = frozenset(split.restricted_to.missing) if split.restricted_to else frozenset()
    listed = [question.question_id for question in questions]
    if unknown := sorted(missing - frozenset(listed)):
        raise InputError(f"its missing question {unknown[0]!r} is not in the dataset's list")
    return split.partition(name for name in listed if name not in missing).test


def pinned_split(
    file: Path, pin: DatasetPin | None, dataset: Dataset | None
) -> tuple[Split, tuple[str, ...]]:
    """Open the split in `file`; return it and the ids of its test part, in the dataset's order.

    The list of questions is that of `dataset`, else the split's own; without either there are none.
    Raises `InputError` for a split that is not of the dataset.
    """
    split = read_split(file)
    if dataset is None:
        if split.questions is None:
            return split, ()
        if pin is not None and split.dataset_sha256 != pin.sha256:
            raise _other_dataset(split, pin.sha256)
        return split, ids_of_test_part(split, split.questions)
    if pin is not None:
        _check_dataset(split, dataset, pin.sha256)
    try:
        return split, ids_of_test_part(split, read_question_list(dataset.questions))
    except InputError as error:
        raise InputError(
            f"{file} is not a split of {dataset.name}: {error.message}", error.hint
        ) from error


def _check_dataset(split: Split, dataset: Dataset, sha256: str) -> None:
    if split.dataset_sha256 is not None:
        if split.dataset_sha256 != sha256:
            raise _other_dataset(split, sha256)
        return
    # the published format does not say of which data it is, so only the registered data is sure
    registered = _content_sha256(dataset)
    if registered != sha256:
        raise InputError(
            f"the split does not say for which data it was drawn, and dataset.sha256, {sha256}, is "
            f"not that of {dataset.name}, {registered}",
            "Draw the split again, with its data: harness dataset split NAME --data FILE …",
        )


def _other_dataset(split: Split, sha256: str) -> InputError:
    return InputError(
        f"the split was drawn for a dataset of sha256 {split.dataset_sha256}, dataset.sha256 is "
        f"{sha256}",
        "Name the split that was drawn for this dataset, or correct dataset.sha256.",
    )


def _content_sha256(dataset: Dataset) -> str:
    """Hash the unpacked content; what is fetched is published as it is."""
    if dataset.path is not None:
        return content_size_and_sha256(dataset.path)[1]
    return dataset.sha256


def pinned_grades(folder: Path, control: Point, split_sha256: str | None) -> Grades:
    """Open the grades in `folder`, which must be those of the control on the test part of the
    split; no outcome is read. Raises `InputError` for any others."""
    grades = Grades.open(folder)
    if grades.point != control:
        raise InputError(f"{folder} has the grades of {grades.point}, not of {control}")
    if grades.part == Part.DEV.value:
        raise InputError(
            f"{folder} has the grades of dev questions",
            "A control's grades are of the test part; give those of dev as --dev-grades.",
        )
    if split_sha256 is not None and grades.split_sha256 != split_sha256:
        raise InputError(
            f"{folder} has the grades of the split of sha256 {grades.split_sha256}, the plan's is "
            f"{split_sha256}",
            "Import them again with the plan's split.",
        )
    return grades


def excluded_ids(grades: Grades, rule: ExclusionRule) -> frozenset[str]:
    """Return the questions that the grades leave out by that rule."""
    return frozenset(
        row.question_id
        for row in grades.rows()
        if row.status is Status.EXCLUDED and row.reason == rule.value
    )


def one_line(error: Exception) -> str:
    """Return an error's message and hint as one fault."""
    if not isinstance(error, HarnessError):
        return str(error)
    return " ".join(". ".join(filter(None, (error.message, error.hint))).split())
