"""Which questions are expected: the part of a split, over the dataset's full list of questions.

The list is that of the register's dataset whose questions agree with the split: as many, and every
dev question at its index. A list or a data file that is named takes its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.datasets.question_list import ListedQuestion, read_question_list
from harness.datasets.register import Dataset, find_register, read_register
from harness.datasets.split import Split
from harness.errors import InputError, UsageError
from harness.storage.hashing import sha256_of_json

OTHER_PART = "other part of the split"
RESTRICTED = "not in the data of the split"


@dataclass(frozen=True, slots=True)
class QuestionSource:
    """All questions of a dataset, in its order, and where the list comes from."""

    questions: tuple[ListedQuestion, ...]
    name: str


@dataclass(frozen=True, slots=True)
class GradedCohort:
    """The questions that are expected, in the dataset's order.

    `elsewhere`: the dataset's other questions, with the reason why each is not expected; their rows
    are left out and counted. `listed` is the whole list.
    """

    part: str
    ids: tuple[str, ...]
    elsewhere: Mapping[str, str]
    listed: tuple[ListedQuestion, ...]
    source: str

    @property
    def sha256(self) -> str:
        """The hash of the expected ids, as canonical JSON in the dataset's order."""
        return sha256_of_json(list(self.ids))


def question_source(
    split: Split,
    *,
    data: Path | None = None,
    questions: Path | None = None,
    register: Path | None = None,
) -> QuestionSource:
    """The dataset's questions: of `data`, of the list `questions`, else of the register.

    Raises `UsageError` when both are given or no dataset of the register has the split's questions,
    and `InputError` for a list that disagrees with the split.
    """
    if data is not None and questions is not None:
        raise UsageError(
            "--data and --questions both say which questions there are", "Give one of them."
        )
    if data is not None:
        from harness.datasets.verify import read_contents

        return QuestionSource(read_contents(data).questions, f"data {data.as_posix()}")
    if questions is not None:
        listed = read_question_list(questions)
        disagreement = next(_disagreements(split, listed), None)
        if disagreement is not None:
            raise InputError(
                f"{questions} is not the list that the split was drawn from: {disagreement}",
                "Give the full list of the split's dataset.",
            )
        return QuestionSource(listed, f"list {questions.as_posix()}")
    return _registered(split, find_register(register))


def cohort_of(split: Split, part: str, source: QuestionSource) -> GradedCohort:
    """The questions of the part (`dev`, `test` or `all`) that the dataset has.

    Raises `InputError` when the split is not one of these questions, or the part has none of them.
    """
    restricted = () if split.restricted_to is None else split.restricted_to.missing
    there = [question.question_id for question in source.questions]
    ids = [question_id for question_id in there if question_id not in set(restricted)]
    partition = split.partition(ids)
    chosen = {"dev": partition.dev, "test": partition.test, "all": tuple(ids)}[part]
    if not chosen:
        raise InputError(
            f"the part {part!r} of the split has no question of the {source.name}",
            "Choose another --part.",
        )
    expected = frozenset(chosen)
    elsewhere = dict.fromkeys(
        (question_id for question_id in (*ids, *split.dev_ids) if question_id not in expected),
        OTHER_PART,
    )
    elsewhere |= dict.fromkeys(restricted, RESTRICTED)
    return GradedCohort(part, chosen, elsewhere, source.questions, source.name)


def _registered(split: Split, register: Path) -> QuestionSource:
    """The list of the register's dataset that agrees with the split."""
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
    """What keeps the list from being the one that the split was drawn from."""
    if len(listed) != split.of:
        yield f"it has {len(listed):,} questions, the split was drawn from {split.of:,}"
        return
    for question in split.dev:
        found = listed[question.index]
        if (found.question_id, found.question_type) != (
            question.question_id,
            question.question_type,
        ):
            yield (
                f"question {question.index} is {found.question_id!r} ({found.question_type}), the "
                f"split has {question.question_id!r} ({question.question_type})"
            )
