"""Accuracy by question type, its mean over types, and of abstention questions by themselves.

The mean over types weighs every type alike; it is the headline of LongMemEval's own evaluation, as
is the accuracy of abstention questions, which also count into their types.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from harness.datasets.layout import is_abstention
from harness.datasets.question_list import read_question_list
from harness.datasets.register import find_register, read_register
from harness.errors import HarnessError

from .grades import Grades


@dataclass(frozen=True, slots=True)
class TypeAccuracy:
    """The accuracy of the `n` graded questions of one type; None for those that have none.

    `errors`: questions of the type whose answer or judgment failed; they are not among the `n`.
    """

    question_type: str | None
    n: int
    correct: int
    accuracy: float | None
    errors: int = 0


@dataclass(frozen=True, slots=True)
class AccuracyByType:
    """Accuracies by type, by name; `mean_over_types` is None where a question has no type, and
    `abstention` where there is no such question."""

    types: tuple[TypeAccuracy, ...]
    mean_over_types: float | None
    abstention: TypeAccuracy | None


def types_of(grades: Grades) -> Mapping[str, str | None] | None:
    """Return the types of the questions of the grades: those that were read with them, else those
    of the first registered dataset that lists all of them; None where neither is known."""
    known = grades.content.question_types
    if known is not None:
        return {name: known.get(name) for name in grades.expected_ids}
    return _listed_types(grades.expected_ids)


def _listed_types(questions: Collection[str]) -> Mapping[str, str | None] | None:
    wanted = frozenset(questions)
    try:
        for dataset in read_register(find_register(None)).datasets:
            listed = read_question_list(dataset.questions)
            types = {question.question_id: question.question_type for question in listed}
            if wanted <= types.keys():
                return {name: types[name] for name in questions}
    except HarnessError:
        pass  # without a register, types are not known
    return None


def accuracy_by_type(
    correct: Mapping[str, bool],
    types: Mapping[str, str | None] | None,
    errors: Collection[str] = (),
) -> AccuracyByType:
    """Compute the accuracies of questions; without `types` of abstention questions alone.

    `errors` are questions of the same pass that failed.
    """
    of_type: dict[str | None, list[str]] = {}
    for question in (*correct, *errors) if types is not None else ():
        of_type.setdefault((types or {}).get(question), []).append(question)
    named = sorted(of_type, key=lambda name: (name is None, name or ""))
    rows = tuple(_accuracy(name, of_type[name], correct) for name in named)
    shares = [Fraction(row.correct, row.n) for row in rows if row.n]
    mean = float(sum(shares) / len(shares)) if shares and None not in of_type else None
    abstention = [question for question in (*correct, *errors) if is_abstention(question)]
    return AccuracyByType(
        rows, mean, _accuracy("abstention", abstention, correct) if abstention else None
    )


def _accuracy(
    name: str | None, questions: Collection[str], correct: Mapping[str, bool]
) -> TypeAccuracy:
    graded = [correct[question] for question in questions if question in correct]
    accuracy = sum(graded) / len(graded) if graded else None
    return TypeAccuracy(name, len(graded), sum(graded), accuracy, len(questions) - len(graded))
