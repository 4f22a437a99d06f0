"""Tables of metrics with a row a point; their first row gives the questions scored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.evidence import (
    EVIDENCE_METRICS,
    METRICS,
    CohortCounts,
    Metric,
    MetricValue,
    first_item_histogram,
    metric_named,
)
from harness.points import Point
from harness.words import code

from .figures import Figures, Values
from .markdown import Table, codes
from .numbers import MISSING, excluded_text, heading, mean_text, scored_text, value_text
from .spending import Spending

_COSTS_FIRST = tuple(sorted(METRICS, key=lambda metric: metric.unit != "tokens"))
SCORED = "*questions scored*"
NO_CATEGORY = "no type"


def metrics_table(values: Values, points: Sequence[Point]) -> Table:
    """Costs first, then every evidence metric."""
    columns = [_column(metric, values[metric.name], points) for metric in _COSTS_FIRST]
    headings = ("point", *(heading(metric) for metric in _COSTS_FIRST))
    return _table(headings, points, columns)


def category_tables(figures: Figures, arm: str) -> list[tuple[Metric, Table]]:
    """For the evidence metrics and the context tokens, the points of an arm: over all questions,
    and over each type."""
    points = figures.points_of(arm)
    parts = figures.by_category
    headings = ("point", "all", *(name or NO_CATEGORY for name, _ in parts))
    tables = []
    for metric in (*EVIDENCE_METRICS, metric_named("context_tokens")):
        kinds = [figures.values, *(values for _, values in parts)]
        columns = [_column(metric, values[metric.name], points) for values in kinds]
        tables.append((metric, _table(headings, points, columns)))
    return tables


def spending_table(
    figures: Figures, spent: Mapping[str, Spending], points: Sequence[Point]
) -> Table:
    """Means over all questions, and the spread of the context tokens."""
    headings = (
        "point",
        "items shown",
        "context characters",
        "context tokens",
        "their median",
        "their largest",
        "prompt tokens estimated",
    )
    rows = [(SCORED, *_spending_scored(figures))]
    by_name = {metric.name: metric for metric in METRICS}
    for point in map(str, points):
        spending = spent[point]
        tokens, prompt = (
            value_text(by_name[name], figures.values[name][point].value)
            for name in ("context_tokens", "prompt_tokens_estimated")
        )
        largest = spending.largest_tokens
        rows.append(
            (
                code(point),
                f"{spending.items:,.2f}",
                mean_text(spending.context_characters),
                tokens,
                mean_text(spending.median_tokens),
                MISSING if largest is None else f"{largest:,}",
                prompt,
            )
        )
    return Table(headings, tuple(rows))


def first_item_table(cohort: CohortCounts, points: Sequence[Point]) -> Table:
    """How many questions, by the place of the first item that quotes an answer session."""
    counts = dict(zip(cohort.points, first_item_histogram(cohort), strict=True))
    places = list(next(iter(counts.values())))
    rows = [
        (
            code(point),
            *(f"{counts[str(point)][place]:,}" for place in places),
            f"{sum(counts[str(point)].values()):,} of {len(cohort.case_ids):,}",
        )
        for point in points
    ]
    return Table(("point", *places, "questions scored"), tuple(rows))


def denominators(values: Values) -> tuple[str, ...]:
    """Which questions each metric leaves out and why, a line for each such reason."""
    groups: dict[str, list[Metric]] = {}
    for metric in _COSTS_FIRST:
        groups.setdefault(_excluded(values[metric.name].values()), []).append(metric)
    return tuple(
        f"{codes([metric.name for metric in metrics])}: {excluded}."
        for excluded, metrics in groups.items()
    )


def _table(
    headings: tuple[str, ...], points: Sequence[Point], columns: Sequence[Sequence[str]]
) -> Table:
    names = [SCORED, *(code(point) for point in points)]
    return Table(headings, tuple(zip(names, *columns, strict=True)))


def _column(
    metric: Metric, values: Mapping[str, MetricValue], points: Sequence[Point]
) -> list[str]:
    """The questions scored, then the value of each point, with its own number where they differ."""
    found = [values[str(point)] for point in points]
    texts = [value_text(metric, value.value) for value in found]
    if len({value.scored for value in found}) == 1:
        return [scored_text(found[0]), *texts]
    numbered = [f"{text} (n={value.scored:,})" for text, value in zip(texts, found, strict=True)]
    return [f"n of {found[0].expected:,}", *numbered]


def _spending_scored(figures: Figures) -> tuple[str, ...]:
    everyone = f"{len(figures.cohort.case_ids):,} of {len(figures.cohort.case_ids):,}"
    tokens, prompt = (
        scored_text(next(iter(figures.values[name].values())))
        for name in ("context_tokens", "prompt_tokens_estimated")
    )
    return everyone, everyone, tokens, tokens, tokens, prompt


def _excluded(values: Iterable[MetricValue]) -> str:
    found = list(values)
    first = found[0]
    if all(value.excluded == first.excluded for value in found):
        return f"{scored_text(first)} scored; left out: {excluded_text(first.excluded)}"
    reasons = dict.fromkeys(reason for value in found for reason in value.excluded)
    ranges = [
        f"{_range([value.excluded.get(reason, 0) for value in found])} {reason}"
        for reason in reasons
    ]
    scored = _range([value.scored for value in found])
    return f"{scored} of {first.expected:,} scored, by point; left out: {', '.join(ranges)}"


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
