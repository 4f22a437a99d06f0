"""Drawing a split over a dataset's full list of questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.errors import Faults, UsageError
from harness.words import counted

from .question_list import ListedQuestion
from .split import Restriction, Split, SplitQuestion, drawn_categories, drawn_indices


def draw_split(
    questions: Sequence[ListedQuestion],
    *,
    seed: int,
    dev: int,
    dataset_sha256: str,
    present: Iterable[ListedQuestion] | None = None,
    keep_list: bool = False,
) -> Split:
    """Draw `dev` of the full list, then keep those that are `present` (None: all are).

    `keep_list` keeps the list in the split, for questions that no register lists.

    So the split of data that lacks questions agrees with the split of the whole dataset. Raises
    `UsageError` when there are not so many questions, `InputError` when `present` has a question
    that is not in the list, or is there with another type.
    """
    if not 0 < dev < len(questions):
        raise UsageError(
            f"cannot draw {counted(dev, 'dev question')} of {len(questions)}",
            f"Give --dev from 1 to {len(questions) - 1}, so that test questions are left.",
        )
    restriction = None
    if present is not None:
        restriction = _restriction(questions, tuple(present))
    missing = frozenset(restriction.missing) if restriction else frozenset()
    drawn = [(index, questions[index]) for index in drawn_indices(seed, dev, len(questions))]
    return Split(
        seed=seed,
        drawn=dev,
        of=len(questions),
        dataset_sha256=dataset_sha256,
        restricted_to=restriction,
        dev=tuple(
            SplitQuestion(index, question.question_id, question.question_type)
            for index, question in drawn
            if question.question_id not in missing
        ),
        questions=tuple(questions) if keep_list else None,
    )


def draw_by_category(
    questions: Sequence[ListedQuestion], *, seed: int, dev: int, dataset_sha256: str
) -> Split:
    """Draw `dev` of the categories; all questions of these are dev.

    Raises `UsageError` when there are not so many categories.
    """
    count = len({question.question_type for question in questions})
    if not 0 < dev < count:
        raise UsageError(
            f"cannot draw {dev} dev categories of {count}",
            f"Give --dev from 1 to {count - 1}, so that test questions are left.",
        )
    drawn = drawn_categories(questions, seed, dev)
    chosen = [
        SplitQuestion(index, question.question_id, question.question_type)
        for index, question in enumerate(questions)
        if question.question_type in drawn
    ]
    return Split(
        seed=seed,
        drawn=len(chosen),
        of=len(questions),
        dataset_sha256=dataset_sha256,
        dev=tuple(chosen),
        questions=tuple(questions),
        categories=drawn,
    )


def _restriction(
    questions: Sequence[ListedQuestion], present: Sequence[ListedQuestion]
) -> Restriction | None:
    listed = {question.question_id: question.question_type for question in questions}
    faults = Faults()
    for question in present:
        wanted = listed.get(question.question_id)
        if wanted is None:
            faults.add(f"question {question.question_id!r} is not in the dataset's list")
        elif wanted != question.question_type:
            faults.add(
                f"question {question.question_id!r}, question_type: {question.question_type!r}, "
                f"the dataset's list has {wanted!r}"
            )
    faults.raise_if_any("the data is not of this dataset", "Check --data and the dataset's name.")
    present_ids = {question.question_id for question in present}
    missing = tuple(name for name in listed if name not in present_ids)
    return Restriction(len(present_ids), missing) if missing else None
