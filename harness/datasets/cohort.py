"""Which questions something is done for, and which list of questions they are of.

The list is that of the register's dataset whose questions agree with the split: as many, and every
dev question at its index. A list or a data file that is named takes its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.errors import InputError, UsageError
from harness.storage.hashing import sha256_of_json
from harness.words import counted

from .question_list import NO_TYPE, ListedQuestion, read_question_list
from .register import Dataset, find_register, read_register
from .split import Part, Split

ALL = "all"
OTHER_PART = "other part of the split"
RESTRICTED = "not in the data of the split"


@dataclass(frozen=True, slots=True)
class Cohort:
    """The questions that something is done for: the `part` (`dev`, `test` or `all`) of a split.

    `ids` are in the order of where they come from. `left_out` says why other questions of the same
    source are not among them. `split_sha256` is None where no split was given.
    """

    ids: tuple[str, ...]
    part: str = ALL
    split_sha256: str | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_split(cls, split: Split, part: str, question_ids: Sequence[str]) -> Cohort:
        """Take the part of the split among the questions, in their order; it may be empty.

        Raises `InputError` when the questions cannot be of the split's dataset, or one of them is
        not in the data that the split is restricted to.
        """
        partition = split.partition(question_ids)
        parts = {
            Part.DEV.value: partition.dev,
            Part.TEST.value: partition.test,
            ALL: tuple(question_ids),
        }
        ids = parts[part]
        expected = frozenset(ids)
        left_out = dict.fromkeys(
            (name for name in (*question_ids, *split.dev_ids) if name not in expected), OTHER_PART
        )
        if split.restricted_to is not None:
            left_out |= dict.fromkeys(split.restricted_to.missing, RESTRICTED)
        return cls(ids, part, split.sha256, left_out)

    @classmethod
    def of_registration(
        cls, test_ids: Sequence[str], excluded: Iterable[tuple[str, Iterable[str]]]
    ) -> Cohort:
        """Take the test questions less what each rule excludes; the first that applies is why."""
        left_out: dict[str, str] = {}
        for rule, question_ids in excluded:
            left_out |= {name: rule for name in question_ids if name not in left_out}
        ids = tuple(name for name in test_ids if name not in left_out)
        return cls(ids, Part.TEST.value, None, left_out)

    @classmethod
    def of_run(cls, case_ids: Iterable[str], work: Mapping[str, Any]) -> Cohort:
        """Take the cases of a run, whose manifest's `work` says of which part of which split."""
        return cls(tuple(case_ids), str(work["part"]), work["split_sha256"])

    def without(self, question_ids: Iterable[str], reason: str) -> Cohort:
        """Leave out the given questions as well, where they are not left out already."""
        gone = frozenset(question_ids)
        left_out = {name: reason for name in self.ids if name in gone}
        ids = tuple(name for name in self.ids if name not in gone)
        return Cohort(ids, self.part, self.split_sha256, {**self.left_out, **left_out})

    @property
    def sha256(self) -> str:
        """Hash of the ids as canonical JSON, in their own order."""
        return sha256_of_json(list(self.ids))


def ids_sha256(question_ids: Iterable[str]) -> str:
    """Hash a set of ids: the canonical JSON list of them in code point order."""
    return sha256_of_json(sorted(question_ids))


@dataclass(frozen=True, slots=True)
class QuestionSource:
    """All questions of a dataset, in its order, and where the list comes from."""

    questions: tuple[ListedQuestion, ...]
    name: str

    def types_of(self, question_ids: Iterable[str]) -> dict[str, str]:
        """Return the type of each question that has one."""
        types = {question.question_id: question.question_type for question in self.questions}
        return {name: types[name] for name in question_ids if types.get(name, NO_TYPE) != NO_TYPE}


def question_source(
    split: Split,
    *,
    data: Path | None = None,
    questions: Path | None = None,
    register: Path | None = None,
) -> QuestionSource:
    """Find the dataset's questions: in `data`, in the list `questions`, in the split of one's own
    cases, else in the register.

    Raises `UsageError` when both are given or no dataset of the register has the split's questions,
    and `InputError` for a list that disagrees with the split.
    """
    if data is not None and questions is not None:
        raise UsageError(
            "--data and --questions both say which questions there are", "Use one of them."
        )
    if data is not None:
        from .verify import read_contents

        return QuestionSource(read_contents(data).questions, f"data {data.as_posix()}")
    if questions is not None:
        listed = read_question_list(questions)
        disagreement = next(_disagreements(split, listed), None)
        if disagreement is not None:
            raise InputError(
                f"{questions} is not the list that the split was drawn from: {disagreement}",
                "Use the full list of the split's dataset.",
            )
        return QuestionSource(listed, f"list {questions.as_posix()}")
    if split.questions is not None:
        return QuestionSource(split.questions, "the split itself")
    return _registered(split, find_register(register))


def _registered(split: Split, register: Path) -> QuestionSource:
    """Return the list of the register's dataset that agrees with the split."""
    agreeing = [
        (dataset, listed)
        for dataset, listed in _lists(read_register(register).datasets)
        if next(_disagreements(split, listed), None) is None
    ]
    # two datasets may have one list; the hash then says which is meant
    agreeing.sort(key=lambda pair: pair[0].sha256 != split.dataset_sha256)
    if not agreeing:
        raise UsageError(
            f"no dataset of {register} has the questions of this split",
            "Name them with --questions LIST or --data DATA.",
        )
    dataset, listed = agreeing[0]
    return QuestionSource(listed, f"register {dataset.name}")


def _lists(datasets: Iterable[Dataset]) -> Iterator[tuple[Dataset, tuple[ListedQuestion, ...]]]:
    for dataset in datasets:
        if dataset.questions.is_file():
            yield dataset, read_question_list(dataset.questions)


def _disagreements(split: Split, listed: Sequence[ListedQuestion]) -> Iterator[str]:
    """Yield what keeps the list from being the one that the split was drawn from."""
    if len(listed) != split.of:
        yield f"it has {counted(len(listed), 'question')}, the split was drawn from {split.of:,}"
        return
    for question in split.dev:
        placed = listed[question.index]
        if (placed.question_id, placed.question_type) != (
            question.question_id,
            question.question_type,
        ):
            yield (
                f"question {question.index} is {placed.question_id!r} ({placed.question_type}), "
                f"the split has {question.question_id!r} ({question.question_type})"
            )
