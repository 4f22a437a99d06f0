"""How many answers at a point were right, and what a right answer cost in prompt tokens.

    accuracy = correct / graded, with the interval of Wilson (harness.statistics.judges)

    prompt tokens per correct answer = prompt tokens of the graded questions, as the reader's API
                                       reported them, / correct

A question whose answer failed, was not asked or could not be graded is in none of these numbers and
is counted apart; the evidence next to an accuracy is over the graded questions too. Without a
correct answer, or where a graded question has no reported tokens, there is no cost of a correct
answer. Abstention questions, where they are graded, are in the accuracy and have one of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from harness.datasets.cohort import ids_sha256
from harness.datasets.layout import is_abstention
from harness.evidence import CohortCounts, MetricValue, metric_named, metric_values
from harness.points import Point
from harness.statistics.counts import DEFAULT_LEVEL, Interval
from harness.statistics.judges import wilson_interval
from harness.trial.grade import Counts, Status, count_grades
from harness.words import counted

from .answers import AnswersByPoint, GradedPoints

BESIDE = (metric_named("answer_sessions_shown"), metric_named("evidence_turns_touched"))
"""The evidence next to an accuracy."""

_ESTIMATE = metric_named("prompt_tokens_estimated")

FEW_ANSWERS = 30
"""With fewer graded answers, an interval around one half is more than 34 points wide."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The graded answers to some questions at a point; `counts` says what became of all of them,
    `questions_sha256` which are graded.

    `evidence` has the metrics of `BESIDE` over the graded questions, in their order.
    `prompt_tokens_api` is the sum over the `tokens_reported` graded questions that have it,
    `mean_prompt_tokens_estimated` the run's own count over all graded ones, None without tokens.
    `caveats` go with every number.
    """

    point: Point
    part: str
    reader: str | None
    counts: Counts
    questions_sha256: str
    correct: int
    abstention_graded: int
    abstention_correct: int
    prompt_tokens_api: int
    tokens_reported: int
    mean_prompt_tokens_estimated: float | None
    evidence: tuple[MetricValue, ...]
    caveats: tuple[str, ...]

    @property
    def graded(self) -> int:
        return self.counts.graded

    @property
    def accuracy(self) -> float | None:
        return _ratio(self.correct, self.graded)

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of Wilson; None where nothing is graded."""
        return wilson_interval(self.correct, self.graded, DEFAULT_LEVEL)

    @property
    def abstention_accuracy(self) -> float | None:
        return _ratio(self.abstention_correct, self.abstention_graded)

    @property
    def mean_prompt_tokens_api(self) -> float | None:
        """Mean over the graded questions whose tokens were reported."""
        return _ratio(self.prompt_tokens_api, self.tokens_reported)

    @property
    def tokens_per_correct(self) -> float | None:
        """Reported prompt tokens of all graded questions per correct answer."""
        if self.tokens_reported < self.graded:
            return None
        return _ratio(self.prompt_tokens_api, self.correct)


def accuracies(graded: GradedPoints, cohort: CohortCounts) -> tuple[Accuracy, ...]:
    """Return the accuracy at each point of the cohort whose answers may be shown, over the
    cohort's questions."""
    return tuple(
        _accuracy(answers, cohort)
        for answers in graded.answers
        if str(answers.point) in cohort.points
    )


def _accuracy(answers: AnswersByPoint, cohort: CohortCounts) -> Accuracy:
    inside = set(cohort.case_ids)
    rows = [row for row in answers.rows if row.question_id in inside]
    graded = [row for row in rows if row.status is Status.GRADED]
    right = {row.question_id for row in graded if answers.correct[row.question_id]}
    reported = [row.prompt_tokens_api for row in graded if row.prompt_tokens_api is not None]
    of_graded = cohort.among({row.question_id for row in graded})
    place = cohort.points.index(str(answers.point))
    estimated, *evidence = (
        metric_values(metric, of_graded)[place] for metric in (_ESTIMATE, *BESIDE)
    )
    abstaining = [row.question_id for row in graded if is_abstention(row.question_id)]
    return Accuracy(
        point=answers.point,
        part=answers.part,
        reader=answers.reader,
        counts=count_grades(rows),
        questions_sha256=ids_sha256(row.question_id for row in graded),
        correct=len(right),
        abstention_graded=len(abstaining),
        abstention_correct=len(right.intersection(abstaining)),
        prompt_tokens_api=sum(reported),
        tokens_reported=len(reported),
        mean_prompt_tokens_estimated=estimated.value,
        evidence=tuple(evidence),
        caveats=(*answers.caveats, *_own_caveats(len(graded), len(reported))),
    )


def _own_caveats(graded: int, reported: int) -> Iterator[str]:
    if graded < FEW_ANSWERS:
        yield f"few: {counted(graded, 'graded answer')}"
    if 0 < reported < graded:
        yield f"tokens reported for {reported:,} of {graded:,}"


def _ratio(count: int, of: int) -> float | None:
    return float(Fraction(count, of)) if of else None
