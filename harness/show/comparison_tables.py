"""Tables of points beside another point: paired differences, and losses against every item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from harness.evidence import Better, Metric, PairedDifference, metric_named
from harness.measure.instruments.equal_cost import SAME_COST
from harness.points import Point
from harness.words import code

from .every_item import LossesAndGains
from .figures import COMPARED, Figures
from .markdown import Table
from .numbers import MINUS, MISSING, change_text, difference_text, heading, value_text
from .point_tables import NO_CATEGORY, SCORED

MISLEADING = "†"
IDS_SHOWN = 10
_COST = metric_named("context_tokens")

Comparisons = Mapping[str, Sequence[LossesAndGains]]
"""By point; one comparison a count."""


def differences_table(figures: Figures) -> Table:
    """The difference of every other point to the one compared with, for each metric of them."""
    others = _others(figures, figures.points)
    expected = len(figures.cohort.case_ids)
    rows = [(SCORED, *(_pairs(figures, metric.name, expected) for metric in COMPARED))]
    for point in others:
        differences = [figures.differences[metric.name][point] for metric in COMPARED]
        rows.append((code(point), *map(_difference, COMPARED, differences)))
    return Table(("point", *(heading(metric) for metric in COMPARED)), tuple(rows))


def same_cost_table(figures: Figures) -> Table:
    """Of every other arm the point whose contexts cost about what those of the base cost.

    No rows where tokens were not counted.
    """
    costs = {name: value.value for name, value in figures.values[_COST.name].items()}
    base = costs[str(figures.against)]
    metrics = [metric for metric in COMPARED if metric != _COST]
    headings = ("nearest point", heading(_COST), "cost difference", "same cost")
    expected = len(figures.cohort.case_ids)
    scored = [_pairs(figures, metric.name, expected) for metric in (_COST, *metrics)]
    rows = [(SCORED, scored[0], scored[0], "", *scored[1:])]
    for arm in figures.arms if base else ():
        if arm == figures.against.arm:
            continue
        gaps = {str(point): _gap(costs[str(point)], base) for point in figures.points_of(arm)}
        point = min(gaps, key=lambda name: abs(gaps[name]))
        cells = (
            code(point),
            value_text(_COST, costs[point]),
            change_text(gaps[point]),
            "yes" if abs(gaps[point]) <= SAME_COST else "no",
        )
        differences = [figures.differences[metric.name][point] for metric in metrics]
        rows.append((*cells, *map(_difference, metrics, differences)))
    columns = (*headings, *(heading(metric) for metric in metrics))
    return Table(columns, tuple(rows) if len(rows) > 1 else ())


def misleading(figures: Figures, points: Sequence[Point]) -> str:
    """What the mark beside differences of the points stands for, with counts; perhaps empty."""
    counts: Counter[str] = Counter()
    for metric in COMPARED:
        for point in _others(figures, points):
            difference = figures.differences[metric.name][point]
            if _mark(difference):
                counts.update(difference.warnings)
    return ", ".join(f"{warning} ({count})" for warning, count in sorted(counts.items()))


def wins_table(figures: Figures, points: Sequence[Point]) -> Table:
    """For each of the points and metrics, the questions in which the point is better or worse."""
    headings = ("point", "metric", "difference", "better in", "worse in", "same in", "pairs")
    rows = []
    for point in _others(figures, points):
        for metric in COMPARED:
            difference = figures.differences[metric.name][point]
            if difference.pairs:
                counts = (difference.wins, difference.losses, difference.ties, difference.pairs)
                better = " (lower is better)" if metric.better is Better.LOWER else ""
                name = f"{heading(metric)}{better}"
                texts = [f"{count:,}" for count in counts]
                rows.append((code(point), name, _difference(metric, difference), *texts))
    return Table(headings, tuple(rows), left=2)


def losses_table(comparisons: Comparisons, expected: int) -> Table:
    """In how many questions each point shows less than every item would, and in how many more."""
    first = next(iter(comparisons.values()))
    headings = ["point"]
    scored = [SCORED]
    for comparison in first:
        headings += [f"fewer {comparison.count.noun}", f"more {comparison.count.noun}"]
        scored += [f"{comparison.scored:,} of {expected:,}"] * 2
    rows = [tuple(scored)]
    for point, found in comparisons.items():
        counts = [len(ids) for comparison in found for ids in (comparison.lost, comparison.gained)]
        rows.append((code(point), *(f"{count:,}" for count in counts)))
    return Table(tuple(headings), tuple(rows))


def losses_by_category_table(comparisons: Comparisons, number: int) -> Table:
    """One count, with questions that lost and gained by type: `−3 / +1`."""
    first = next(iter(comparisons.values()))[number]
    headings = ("point", *(name or NO_CATEGORY for name in first.by_category))
    rows = [(SCORED, *(f"{scored:,}" for _, _, scored in first.by_category.values()))]
    for point, found in comparisons.items():
        cells = found[number].by_category.values()
        texts = [f"{_minus(lost)} / {_plus(gained)}" for lost, gained, _ in cells]
        rows.append((code(point), *texts))
    return Table(headings, tuple(rows))


def shown_ids(ids: Sequence[str]) -> str:
    """The first ids, and how many more there are."""
    shown = ", ".join(code(" ".join(name.split())) for name in ids[:IDS_SHOWN])
    rest = len(ids) - IDS_SHOWN
    return f"{shown} and {rest:,} more" if rest > 0 else shown or MISSING


def _others(figures: Figures, points: Sequence[Point]) -> list[str]:
    return [str(point) for point in points if point != figures.against]


def _pairs(figures: Figures, name: str, expected: int) -> str:
    differences = list(figures.differences[name].values())
    return f"{differences[0].pairs:,} of {expected:,}" if differences else MISSING


def _difference(metric: Metric, difference: PairedDifference) -> str:
    return difference_text(metric, difference) + _mark(difference)


def _gap(cost: float | None, base: float | None) -> float:
    """By how much of `base` the cost is over it."""
    return (cost or 0.0) / (base or 1.0) - 1.0


def _mark(difference: PairedDifference) -> str:
    has_interval = difference.difference is not None and difference.warnings
    return f" {MISLEADING}" if has_interval else ""


def _minus(count: int) -> str:
    return f"{MINUS}{count:,}" if count else "0"


def _plus(count: int) -> str:
    return f"+{count:,}" if count else "0"
