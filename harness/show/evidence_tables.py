"""Evidence metrics at points: values with their denominators, paired differences, spending.

Rows of values are those of `harness.evidence.evidence_table`, on a terminal and on a page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from harness.evidence import (
    EVIDENCE_METRICS,
    METRICS,
    Better,
    Bootstrap,
    CohortCounts,
    Metric,
    MetricValue,
    PairedDifference,
    first_item_histogram,
    metric_named,
)
from harness.measure.equal_cost import SAME_COST
from harness.points import Point
from harness.recording.absent import Absence
from harness.replay.run import Run
from harness.replay.sources.omnimemeval.checks import imported_of, what_is_lost
from harness.statistics.warnings import FEW_PAIRS
from harness.words import (
    MINUS,
    MISSING,
    Code,
    Emphasis,
    Kind,
    Text,
    count,
    joined,
    kind_of_unit,
    percent,
    plain_of,
)

from .figures import COMPARED, Figures, LossesAndGains, Spending, Values
from .printing import DOUBTFUL
from .table import Column, Limits, MeanOf, OfKind, PartOf, Table, WithLimits

COSTS_FIRST = tuple(sorted(METRICS, key=lambda metric: metric.unit != "tokens"))
NO_CATEGORY = "no type"
SCORED = Emphasis("questions scored")
POINT = Column("point", "point", Kind.CODE)
_COST = metric_named("context_tokens")
_IDS_SHOWN = 10

Row = Mapping[str, Any]
ComparisonsByPoint = Mapping[str, Sequence[LossesAndGains]]
"""By point; one comparison per count."""


def in_words(name: str) -> str:
    """Return a key as words, so that a narrow column can break it."""
    return name.replace("_", " ")


def metric_column(metric: Metric, *, change: bool = False) -> Column:
    """Return the column of a metric's values, or of differences between them."""
    kind = kind_of_unit(metric.unit)
    return Column(metric.name, in_words(metric.name), kind.of_change if change else kind)


def metric_title(metric: Metric) -> str:
    """Return `answer sessions shown (%)`."""
    return metric_column(metric).title


def value_rows(values: Values, points: Iterable[Point]) -> list[dict[str, Any]]:
    """Return rows as `evidence_table` has them, of values by metric and point."""
    return [
        _row(str(point), {name: by_point[str(point)] for name, by_point in values.items()})
        for point in points
    ]


def _row(point: str, values: Mapping[str, MetricValue]) -> dict[str, Any]:
    return {
        "point": point,
        **{name: value.value for name, value in values.items()},
        "denominators": {
            name: {
                "expected": value.expected,
                "scored": value.scored,
                "excluded": dict(value.excluded),
            }
            for name, value in values.items()
        },
    }


def values_table(rows: Sequence[Row], metrics: Sequence[Metric]) -> Table:
    """Return one row per point, below the number of questions that enter each column; the notes say
    which questions each metric leaves out, and why."""
    return _values_table(rows, [metric_column(metric) for metric in metrics], metrics)


def _values_table(
    rows: Sequence[Row], columns: Sequence[Column], metrics: Sequence[Metric] = ()
) -> Table:
    scored = {column.key: _scored(rows, column.key) for column in columns}
    with_numbers = [
        column if isinstance(scored[column.key], PartOf) else _with_own_number(column)
        for column in columns
    ]
    notes = denominators(rows, metrics) if metrics else ()
    return Table((POINT, *with_numbers), rows, notes=notes, before=({"point": SCORED, **scored},))


def _scored(rows: Sequence[Row], key: str) -> PartOf | str:
    """Count the questions that enter; a stand-in where the number differs from row to row."""
    counts = [row["denominators"][key] for row in rows]
    first = PartOf(counts[0]["scored"], counts[0]["expected"])
    same = all(denominators["scored"] == first.count for denominators in counts)
    return first if same else f"n of {count(first.whole)}"


def _with_own_number(column: Column) -> Column:
    def cell(row: Row) -> MeanOf:
        return MeanOf(row[column.key], row["denominators"][column.key]["scored"])

    return replace(column, cell=cell)


def category_tables(figures: Figures, arm: str) -> list[tuple[str, Table]]:
    """Return for the evidence metrics and the context tokens, the points of an arm: over all
    questions, and over each type."""
    parts: dict[str, Values] = {"all": figures.values}
    parts |= {name or NO_CATEGORY: values for name, values in figures.by_category}
    tables = []
    for metric in (*EVIDENCE_METRICS, _COST):
        kind = kind_of_unit(metric.unit)
        rows = [
            _row(str(point), {name: of[metric.name][str(point)] for name, of in parts.items()})
            for point in figures.points_of(arm)
        ]
        tables.append(
            (
                metric_title(metric),
                _values_table(rows, [Column(name, name, kind, has_unit=False) for name in parts]),
            )
        )
    return tables


def denominators(rows: Sequence[Row], metrics: Sequence[Metric]) -> tuple[Text, ...]:
    """Return which questions each metric leaves out and why, one line per such reason."""
    groups: dict[str, list[Metric]] = {}
    for metric in metrics:
        counts = [row["denominators"][metric.name] for row in rows]
        groups.setdefault(_excluded(counts), []).append(metric)
    return tuple(
        (*joined([Code(metric.name) for metric in group]), f": {excluded}.")
        for excluded, group in groups.items()
    )


def _excluded(counts: Sequence[Row]) -> str:
    first = counts[0]
    expected = count(first["expected"])
    if all(row["excluded"] == first["excluded"] for row in counts):
        left_out = excluded_text(first["excluded"])
        return f"{count(first['scored'])} of {expected} scored; left out: {left_out}"
    reasons = dict.fromkeys(reason for row in counts for reason in row["excluded"])
    ranges = [
        f"{_range([row['excluded'].get(reason, 0) for row in counts])} {reason}"
        for reason in reasons
    ]
    scored = _range([row["scored"] for row in counts])
    return f"{scored} of {expected} scored, by point; left out: {', '.join(ranges)}"


def excluded_text(excluded: Mapping[str, int]) -> str:
    """Return `21 no evidence turns, 3 no gold`, or `none`."""
    return ", ".join(f"{count(number)} {reason}" for reason, number in excluded.items()) or "none"


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def interval_words(level: float, resamples: int, seed: int) -> str:
    """Return how the intervals of paired differences were made."""
    return (
        f"{percent(level)} percentile bootstrap interval ({count(resamples)} resamples of the "
        f"questions, seed {seed})"
    )


def default_interval_words() -> str:
    made = Bootstrap()
    return interval_words(made.level, made.resamples, made.seed)


def interval_cell(difference: PairedDifference) -> WithLimits:
    """Return a paired difference as a cell; what is around its table says what the mark means."""
    return WithLimits(
        difference.difference,
        difference.lower,
        difference.upper,
        difference.level,
        doubtful=difference.difference is not None and bool(difference.warnings),
    )


def no_interval(differences: Iterable[PairedDifference]) -> str:
    """Say what the mark beside differences means, with how many each reason is of; empty where
    none is marked."""
    counts: Counter[str] = Counter()
    for difference in differences:
        if difference.difference is not None:
            counts.update(difference.warnings)
    reasons = ", ".join(f"{warning} ({number})" for warning, number in sorted(counts.items()))
    return f"{DOUBTFUL} No interval is shown, since it would mislead: {reasons}." if reasons else ""


def band_cell(row: Row) -> Limits | str | None:
    """Return the band of a row that has counts of questions, or why it has none."""
    if row["band_lower"] is not None:
        return Limits(row["band_lower"], row["band_upper"])
    if row["wins"] is None:
        return None
    differing = row["wins"] + row["losses"]
    if differing < FEW_PAIRS:
        return f"none: {differing} differ" if differing != 1 else "none: 1 differs"
    return None


def row_interval(row: Row) -> WithLimits:
    """Return the difference of a row, by its keys, as a cell."""
    has_value = row["difference"] is not None
    return WithLimits(
        row["difference"],
        row["lower"],
        row["upper"],
        row.get("level"),
        doubtful=has_value and bool(row["warnings"]),
    )


_QUESTIONS = (
    Column("wins", "better in", Kind.COUNT),
    Column("losses", "worse in", Kind.COUNT),
    Column("ties", "same in", Kind.COUNT, optional=True),
    Column("pairs", "pairs", Kind.COUNT, optional=True),
)


def metric_differences_table(rows: Sequence[Row], metric: Metric, against: str) -> Table:
    """Compute the paired difference of every point of `evidence_table` rows but `against`, in one
    metric."""
    differences = [
        {"point": row["point"], **row["differences"][metric.name]}
        for row in rows
        if row["point"] != against
    ]
    kind = kind_of_unit(metric.unit).of_change
    columns = [POINT, Column("difference", "difference", kind, cell=row_interval), *_QUESTIONS]
    if any(row["warnings"] for row in differences):
        columns.append(Column("warnings", f"{DOUBTFUL} no interval", width=28))
    unit = "in points (hundredths)" if kind.unit else f"in {metric.unit}"
    title = (f"{metric.name}: difference from ", Code(against), f", {unit}")
    return Table(tuple(columns), differences, title=title)


def differences_table(figures: Figures) -> Table:
    """Compute the difference of every other point to the one compared with, for each metric of
    them."""
    rows = [
        {"point": point, **_differences(figures, point, COMPARED)}
        for point in _other_points(figures, figures.points)
    ]
    before = {"point": SCORED, **_pairs(figures, COMPARED)}
    columns = [metric_column(metric, change=True) for metric in COMPARED]
    return Table((POINT, *columns), rows, before=(before,))


def same_cost_table(figures: Figures) -> Table:
    """Of every other arm the point whose contexts cost about what those of the base cost.

    No rows where tokens were not counted.
    """
    costs = {name: value.value for name, value in figures.values[_COST.name].items()}
    base = costs[str(figures.against)]
    metrics = [metric for metric in COMPARED if metric != _COST]
    rows = []
    for arm in figures.arms if base else ():
        if arm == figures.against.arm:
            continue
        gaps = {
            str(point): (costs[str(point)] or 0.0) / (base or 1.0) - 1.0
            for point in figures.points_of(arm)
        }
        point = min(gaps, key=lambda name: abs(gaps[name]))
        rows.append(
            {
                "point": point,
                "cost": costs[point],
                "gap": gaps[point],
                "same_cost": abs(gaps[point]) <= SAME_COST,
                **_differences(figures, point, metrics),
            }
        )
    pairs = _pairs(figures, (_COST, *metrics))
    before = {"point": SCORED, "cost": pairs[_COST.name], "gap": pairs[_COST.name], **pairs}
    columns = (
        Column("point", "nearest point", Kind.CODE),
        Column("cost", in_words(_COST.name), Kind.TOKENS),
        *COST_GAP,
        *(metric_column(metric, change=True) for metric in metrics),
    )
    return Table(columns, rows, before=(before,) if rows else ())


COST_GAP = (
    Column("gap", "cost difference", Kind.RELATIVE),
    Column("same_cost", "same cost"),
)
"""By how much more a point costs than another one, and whether that counts as the same cost."""


def _differences(figures: Figures, point: str, metrics: Sequence[Metric]) -> dict[str, WithLimits]:
    return {
        metric.name: interval_cell(figures.differences[metric.name][point]) for metric in metrics
    }


def _pairs(figures: Figures, metrics: Sequence[Metric]) -> dict[str, PartOf | str]:
    """Return the questions that enter the differences of each metric."""
    expected = len(figures.cohort.case_ids)
    pairs: dict[str, PartOf | str] = {}
    for metric in metrics:
        differences = list(figures.differences[metric.name].values())
        pairs[metric.name] = PartOf(differences[0].pairs, expected) if differences else MISSING
    return pairs


def _other_points(figures: Figures, points: Sequence[Point]) -> list[str]:
    return [str(point) for point in points if point != figures.against]


def misleading(figures: Figures, points: Sequence[Point]) -> str:
    """Say what the mark next to differences of the points means; perhaps empty."""
    return no_interval(
        figures.differences[metric.name][point]
        for metric in COMPARED
        for point in _other_points(figures, points)
    )


def wins_table(figures: Figures, points: Sequence[Point]) -> Table:
    """Return, for each of the points and metrics, the questions in which the point is better or
    worse."""
    rows = []
    for point in _other_points(figures, points):
        for metric in COMPARED:
            difference = figures.differences[metric.name][point]
            if difference.pairs:
                kind = kind_of_unit(metric.unit).of_change
                better = " (lower is better)" if metric.better is Better.LOWER else ""
                rows.append(
                    {
                        "point": point,
                        "metric": f"{metric_column(metric, change=True).title}{better}",
                        "difference": OfKind(interval_cell(difference), kind),
                        **{column.key: getattr(difference, column.key) for column in _QUESTIONS},
                    }
                )
    difference_column = Column("difference", "difference", Kind.RATIO_CHANGE)
    return Table((POINT, Column("metric", "metric"), difference_column, *_QUESTIONS), rows)


def spending_table(
    figures: Figures, spent: Mapping[str, Spending], points: Sequence[Point]
) -> Table:
    """Return means over all questions, and the spread of the context tokens."""
    columns = (
        POINT,
        Column("items", "items shown", Kind.RATIO),
        Column("context_characters", "context characters", Kind.CHARACTERS),
        Column("context_tokens", "context tokens", Kind.TOKENS),
        Column("median_tokens", "their median", Kind.TOKENS),
        Column("largest_tokens", "their largest", Kind.COUNT),
        Column("prompt_tokens_estimated", "prompt tokens estimated", Kind.TOKENS),
    )
    tokens = ("context_tokens", "prompt_tokens_estimated")
    rows = []
    for point in map(str, points):
        spending = spent[point]
        rows.append(
            {
                "point": point,
                **{
                    column.key: getattr(spending, column.key)
                    for column in columns
                    if hasattr(spending, column.key)
                },
                **{name: figures.values[name][point].value for name in tokens},
            }
        )
    everyone = PartOf(len(figures.cohort.case_ids), len(figures.cohort.case_ids))
    first = {name: next(iter(figures.values[name].values())) for name in tokens}
    scored = {name: PartOf(value.scored, value.expected) for name, value in first.items()}
    before = {
        "point": SCORED,
        "items": everyone,
        "context_characters": everyone,
        **scored,
    } | dict.fromkeys(("median_tokens", "largest_tokens"), scored["context_tokens"])
    return Table(columns, rows, before=(before,))


def first_item_table(cohort: CohortCounts, points: Sequence[Point]) -> Table:
    """Return how many questions, by the place of the first item that quotes an answer session."""
    counts = dict(zip(cohort.points, first_item_histogram(cohort), strict=True))
    places = list(next(iter(counts.values())))
    expected = len(cohort.case_ids)
    rows = [
        {
            "point": point,
            **counts[str(point)],
            "scored": PartOf(sum(counts[str(point)].values()), expected),
        }
        for point in points
    ]
    columns = [Column(place, place, Kind.COUNT) for place in places]
    return Table((POINT, *columns, Column("scored", "questions scored", Kind.COUNT)), rows)


def losses_table(comparisons: ComparisonsByPoint, expected: int) -> Table:
    """In how many questions each point shows less than every item would, and in how many more."""
    columns = [POINT]
    before: dict[str, Any] = {"point": SCORED}
    for comparison in next(iter(comparisons.values())):
        for key, words in (("lost", "fewer"), ("gained", "more")):
            noun = comparison.count.noun
            columns.append(Column(f"{key} {noun}", f"{words} {noun}", Kind.COUNT))
            before[f"{key} {noun}"] = PartOf(comparison.scored, expected)
    rows = [
        {
            "point": point,
            **{
                f"{key} {comparison.count.noun}": len(getattr(comparison, key))
                for comparison in of_point
                for key in ("lost", "gained")
            },
        }
        for point, of_point in comparisons.items()
    ]
    return Table(tuple(columns), rows, before=(before,))


def losses_by_category_table(comparisons: ComparisonsByPoint, number: int) -> Table:
    """Return one count, with questions that lost and gained by type: `−3 / +1`."""
    first = next(iter(comparisons.values()))[number].by_category
    columns = [Column(name or NO_CATEGORY, name or NO_CATEGORY, Kind.COUNT) for name in first]
    scored = {name or NO_CATEGORY: of_type for name, (_, _, of_type) in first.items()}
    rows = [
        {
            "point": point,
            **{
                name or NO_CATEGORY: f"{_lost(lost)} / {_gained(gained)}"
                for name, (lost, gained, _) in of_point[number].by_category.items()
            },
        }
        for point, of_point in comparisons.items()
    ]
    return Table((POINT, *columns), rows, before=({"point": SCORED, **scored},))


def _lost(number: int) -> str:
    return f"{MINUS}{count(number)}" if number else "0"


def _gained(number: int) -> str:
    return f"+{count(number)}" if number else "0"


def first_ids(ids: Sequence[str]) -> Text:
    """Return the first ids, and how many more there are."""
    codes = joined([Code(" ".join(name.split())) for name in ids[:_IDS_SHOWN]])
    rest = len(ids) - _IDS_SHOWN
    return (*codes, f" and {count(rest)} more") if rest > 0 else codes or MISSING


def run_notes(
    run: Run,
    points: Sequence[Point],
    metrics: Sequence[Metric],
    absent: Sequence[Absence] = (),
) -> list[str]:
    """Return encodings of the token columns, points that are the same policy, what an import lost,
    the signals that are `absent`, and where to read more."""
    lines = []
    tokens = run.manifest.work.get("tokens")
    encodings = {"context_tokens": "context", "prompt_tokens_estimated": "prompt"}
    names = [metric.name for metric in metrics if metric.name in encodings]
    if tokens and names:
        encoded = [f"{name} in {tokens[encodings[name]]['encoding']}" for name in names]
        lines.append(f"Encodings: {', '.join(encoded)}.")
    aliases: dict[str, list[str]] = {}
    for point in points:
        aliases.setdefault(run.computed_as[str(point)], []).append(str(point))
    lines += [f"The same policy: {', '.join(of)}." for of in aliases.values() if len(of) > 1]
    lines += [f"Imported: {sentence}." for sentence in what_is_lost(imported_of(run).checks)]
    lines += [f"Signals: {plain_of(absence.sentence())}." for absence in absent]
    return [*lines, "Definitions: harness evidence --help, and docs/metrics.md."]
