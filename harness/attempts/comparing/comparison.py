"""Comparing two reports: figures, what was lost, and one state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from harness.attempts.scoring.attempts import Attempt

from .comparability import changed_components, incomparable
from .features import Exercised, exercised
from .measures import TOKENS_PER_CORRECT, Compared, Resampling, compared
from .report import Report
from .summary import correct_of


class ComparisonState(Enum):
    """What the comparison says: the first of these that holds."""

    INCOMPARABLE = "incomparable"
    REGRESSED = "regressed"
    NOT_EXERCISED = "inconclusive (feature not exercised)"
    UNCHANGED = "unchanged"
    IMPROVED = "improved"
    INCONCLUSIVE = "inconclusive (interval)"


@dataclass(frozen=True, slots=True)
class Ask:
    """What to compare by. `only`: the one component that should have changed. `feature`: one that
    must have been at work. `policies`: readers' policies on identical binaries."""

    only: str | None = None
    feature: str | None = None
    policies: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A task or a category: correct repeats and tokens in both arms, and how many attempts each."""

    name: str
    attempts: int
    correct_before: int
    correct_after: int
    tokens_before: int
    tokens_after: int

    @property
    def regressed(self) -> bool:
        return self.correct_after < self.correct_before


@dataclass(frozen=True, slots=True)
class ReportComparison:
    """`reasons` say why the two are incomparable; then there are no figures.

    `change`: of the tokens per correct answer, as a fraction of BEFORE's.
    """

    before: Report
    after: Report
    ask: Ask
    state: ComparisonState
    reasons: tuple[str, ...] = ()
    measures: tuple[Compared, ...] = ()
    resampling: Resampling | None = None
    tasks: tuple[Group, ...] = ()
    categories: tuple[Group, ...] = ()
    changed: tuple[str, ...] = ()
    exercised: Exercised | None = None

    @property
    def tokens_per_correct(self) -> Compared:
        return next(measure for measure in self.measures if measure.measure == TOKENS_PER_CORRECT)

    @property
    def change(self) -> float | None:
        tokens = self.tokens_per_correct
        if not tokens.before or tokens.after is None:
            return None
        return tokens.after / tokens.before - 1


def compare(before: Report, after: Report, ask: Ask) -> ReportComparison:
    """Compare two reports.

    Raises `UsageError` for a feature that does not exist.
    """
    at_work = None if ask.feature is None else exercised(ask.feature, after)
    reasons = tuple(incomparable(before, after, only=ask.only, policies=ask.policies))
    if reasons:
        return ReportComparison(before, after, ask, ComparisonState.INCOMPARABLE, reasons)
    measures, resampling = compared(before.attempts, after.attempts)
    tasks = _groups(before, after, lambda attempt: attempt.task)
    categories = _groups(before, after, lambda attempt: attempt.category)
    tokens = next(measure for measure in measures if measure.measure == TOKENS_PER_CORRECT)
    return ReportComparison(
        before,
        after,
        ask,
        _state(before, after, tokens, (*tasks, *categories), at_work),
        measures=measures,
        resampling=resampling,
        tasks=tasks,
        categories=categories,
        changed=tuple(changed_components(before, after)),
        exercised=at_work,
    )


def _state(
    before: Report,
    after: Report,
    tokens: Compared,
    groups: Iterable[Group],
    at_work: Exercised | None,
) -> ComparisonState:
    lower, upper = tokens.lower, tokens.upper
    correct = [report.summary["correct"] for report in (before, after)]
    totals = [report.summary["known_total_tokens"] for report in (before, after)]
    if any(group.regressed for group in groups) or (lower is not None and lower > 0):
        return ComparisonState.REGRESSED
    if at_work is not None and not at_work.attempts:
        return ComparisonState.NOT_EXERCISED
    if totals[0] == totals[1] and correct[0] == correct[1]:
        return ComparisonState.UNCHANGED
    if upper is not None and upper < 0 and correct[1] >= correct[0]:
        return ComparisonState.IMPROVED
    return ComparisonState.INCONCLUSIVE


def _groups(before: Report, after: Report, key: Callable[[Attempt], str]) -> tuple[Group, ...]:
    """Return correct attempts and tokens by task or category, sorted by name."""
    sides = [_by(report.attempts, key) for report in (before, after)]
    return tuple(
        Group(
            name,
            len(sides[0][name]),
            *(sum(map(correct_of, side[name])) for side in sides),
            *(sum(attempt.trace.usage.total for attempt in side[name]) for side in sides),
        )
        for name in sorted(sides[0])
    )


def _by(attempts: Iterable[Attempt], key: Callable[[Attempt], str]) -> dict[str, list[Attempt]]:
    groups: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        groups[key(attempt)].append(attempt)
    return groups
