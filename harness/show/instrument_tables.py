"""The instruments' tables, on pages and on a terminal; their rows are what CSV and JSON hold.

Shares are fractions in rows and percentages in columns, their differences points (hundredths).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from harness.measure.answers import GradedPoints
from harness.measure.curves import Curve, CurvePoint, Curves
from harness.measure.equal_cost import AtEqualCost
from harness.measure.loss import FATES, Fate, LossRow, Moves
from harness.measure.rank import BUCKETS, RankRow
from harness.measure.shown import CLASSES, ShownRow
from harness.points import Point
from harness.statistics.difference import PairedDifference
from harness.words import MINUS, MISSING, Code, Emphasis, Kind, Sentence, Text, joined

from .evidence_tables import (
    COST_GAP,
    NO_CATEGORY,
    POINT,
    band_cell,
    in_words,
    metric_column,
    no_interval,
    row_interval,
)
from .grade_tables import type_accuracy
from .table import Column, Limits, PartOf, Table, WithLimits, count_of

Row = dict[str, Any]
TOO_CLOSE = "too close to call"
_RARE_BUCKETS = ("unreached", "not ranked")


def curve_rows(
    curves: Curves,
    equal: Sequence[AtEqualCost] = (),
    category: str | None = None,
    *,
    by_category: bool = False,
) -> list[Row]:
    """Return one row per point of every curve, its comparison at equal cost inside."""
    at_cost = {row.point.point: row for row in equal}
    return [
        {
            "point": str(point.point),
            **({"category": category} if by_category else {}),
            **_curve_point(curves, curve, point),
            "at_equal_cost": _equal_cost(at_cost.get(point.point)),
            "caveats": _caveats(curves, point),
        }
        for curve in curves.curves
        for point in curve.points
    ]


def _caveats(curves: Curves, point: CurvePoint) -> list[str]:
    """Return what goes with the numbers of a point, of which each is compared with the full one."""
    own = curves.caveats.get(point.point, ())
    theirs = curves.caveats.get(curves.full, ()) if point.point != curves.full else ()
    close = (TOO_CLOSE,) if point.too_close else ()
    return [*close, *own, *(f"{curves.full}: {caveat}" for caveat in theirs)]


def caveat_lines(caveats: Mapping[Point, Sequence[str]]) -> list[Text]:
    """Say what goes with the numbers of each point."""
    return [
        (Code(point), f": {caveat}.") for point, caveats in caveats.items() for caveat in caveats
    ]


def _curve_point(curves: Curves, curve: Curve, point: CurvePoint) -> Row:
    return {
        "curve": curve.arm,
        "measure": curves.measure.name,
        "value": point.value,
        curves.cost: point.cost,
        "questions": curves.questions,
        "scored": curves.scored,
        "full": str(curves.full),
        "is_full": point.is_full,
        **_difference(point.difference),
        "band_lower": None if point.band is None else point.band.lower,
        "band_upper": None if point.band is None else point.band.upper,
        "margin": str(curves.margin),
        "holds": point.holds,
        "band_holds": point.band_holds,
        "smallest": point is curve.smallest,
        "smallest_by_band": point is curve.smallest_by_band,
        "tango_lower": None if point.tango is None else point.tango.lower,
        "tango_upper": None if point.tango is None else point.tango.upper,
        "holds_by_percentile": point.holds_by_percentile,
    }


def _difference(difference: PairedDifference | None) -> Row:
    names = ("difference", "lower", "upper", "wins", "losses")
    found = {name: None if difference is None else getattr(difference, name) for name in names}
    return found | {"warnings": None if difference is None else list(difference.warnings)}


def _equal_cost(row: AtEqualCost | None) -> Row | None:
    if row is None:
        return None
    between, nearest = row.interpolated, row.nearest
    return {
        "curve": row.other,
        "interpolated": None
        if between is None
        else {
            "below": str(between.below),
            "above": str(between.above),
            "weight": between.weight,
            "value": between.value,
            **_difference(between.difference),
        },
        "nearest": {
            "point": str(nearest.point),
            "cost": nearest.cost,
            "gap": nearest.gap,
            "same_cost": nearest.same_cost,
            "verdict": nearest.verdict,
            **_difference(nearest.difference),
        },
    }


def curves_table(
    curves: Curves, rows: Sequence[Row], published: Mapping[str, Text] | None = None
) -> Table:
    """Return one row per point, by curve and cost; `published` has further cells, by point."""
    value = metric_column(curves.measure)
    columns = [
        POINT,
        Column(curves.cost, in_words(curves.cost), Kind.TOKENS),
        Column("value", value.heading, value.kind),
        Column("difference", f"less {curves.full}", value.kind.of_change, cell=_to_every_item),
        Column(
            "band_lower",
            "band of all",
            value.kind.of_change,
            cell=band_cell,
        ),
        *(
            [_score(value.kind.of_change)]
            if any(row["tango_lower"] is not None for row in rows)
            else []
        ),
        Column("holds", f"holds {_margin(curves)}", cell=_holds),
        Column("wins", "better in", Kind.COUNT),
        Column("losses", "worse in", Kind.COUNT),
    ]
    if published:
        columns.append(
            Column("published", "published", cell=lambda row: published.get(row["point"]))
        )
    return Table(tuple(columns), rows)


def _score(kind: Kind) -> Column:
    """Return the score interval of right and wrong, which is valid where few questions differ."""
    return Column("tango_lower", "score interval", kind, cell=_score_limits)


def _score_limits(row: Row) -> Limits | None:
    return None if row["tango_lower"] is None else Limits(row["tango_lower"], row["tango_upper"])


def _to_every_item(row: Row) -> WithLimits | str:
    return "every item" if row["difference"] is None else row_interval(row)


def _margin(curves: Curves) -> str:
    return str(curves.margin).split(">= ", 1)[1].replace("-", MINUS)


def _holds(row: Row) -> bool | str | None:
    """Return whether the point holds the margin, with what else is said of it where that
    differs."""
    holds = row["holds"]
    others = {"band": row["band_holds"], "published rule": row["holds_by_percentile"]}
    differing = [
        f"{name} {'yes' if other else 'no'}"
        for name, other in others.items()
        if other is not None and other != holds
    ]
    if row["caveats"][:1] == [TOO_CLOSE]:
        return f"no, {TOO_CLOSE}"
    if not differing:
        return None if holds is None else bool(holds)
    return "; ".join(["yes" if holds else "no", *differing])


def curve_warnings(curves: Curves, equal: Sequence[AtEqualCost] = ()) -> str:
    """Say what the mark beside differences means, at equal cost too; perhaps nothing."""
    differences = [point.difference for curve in curves.curves for point in curve.points]
    for row in equal:
        between = row.interpolated
        differences += [None if between is None else between.difference, row.nearest.difference]
    return no_interval(difference for difference in differences if difference is not None)


def curve_sentences(curves: Curves) -> tuple[Text, ...]:
    """Of each curve the smallest point that holds the margin, by itself and by the band."""
    return tuple(_sentence(curve, _margin(curves)) for curve in curves.curves)


def _sentence(curve: Curve, margin: str) -> Text:
    arm = Code(curve.arm)
    smallest, by_band = curve.smallest, curve.smallest_by_band
    published = curve.smallest_by_percentile
    by_rule: Sentence = ()
    if published is not None and published is not smallest and not published.is_full:
        by_rule = (" By the published rule it is ", Code(published.point), ".")
    if smallest is None:
        return (arm, f": no point holds {margin}.", *by_rule)
    if smallest.is_full:
        return (arm, f": no point short of every item holds {margin}.", *by_rule)
    sentence = (
        arm,
        f": the smallest point that holds {margin} is ",
        Code(smallest.point),
        "; by the band of all points it is ",
        "none" if by_band is None or by_band.is_full else Code(by_band.point),
        ".",
        *by_rule,
    )
    failing = curve.costlier_that_fail
    if not failing:
        return sentence
    points = joined([Code(point.point) for point in failing])
    verb = "points do" if len(failing) > 1 else "point does"
    return (*sentence, f" {len(failing)} more expensive {verb} not hold it: ", *points, ".")


def equal_cost_table(curves: Curves, rows: Sequence[Row]) -> Table:
    """Compare each point with the other curve at its own cost, and with its nearest point."""
    value = metric_column(curves.measure)
    change = value.kind.of_change
    columns = (
        POINT,
        Column(curves.cost, "cost", Kind.TOKENS),
        Column("value", "value", value.kind),
        Column("between", "between", cell=_between),
        Column("interpolated", "interpolated", value.kind, cell=_inner("interpolated", "value")),
        Column("less_interpolated", "less interpolated", change, cell=_less("interpolated")),
        Column("nearest", "nearest point", Kind.CODE, cell=_inner("nearest", "point")),
        Column("nearest_cost", "its cost", Kind.TOKENS, cell=_inner("nearest", "cost")),
        *(
            Column(column.key, column.heading, column.kind, cell=_inner("nearest", column.key))
            for column in COST_GAP
        ),
        Column("less_nearest", "less nearest", change, cell=_less("nearest")),
        Column("verdict", "the point is", cell=_inner("nearest", "verdict")),
    )
    return Table(columns, [row for row in rows if row["at_equal_cost"] is not None])


def _inner(part: str, key: str) -> Callable[[Row], Any]:
    """Return the value of a part of the comparison at equal cost; None where the part is
    missing."""

    def cell(row: Row) -> Any:
        inner = row["at_equal_cost"][part]
        return None if inner is None else inner[key]

    return cell


def _less(part: str) -> Callable[[Row], WithLimits | None]:
    def cell(row: Row) -> WithLimits | None:
        inner = row["at_equal_cost"][part]
        return None if inner is None else row_interval(inner)

    return cell


def _between(row: Row) -> Text:
    between = row["at_equal_cost"]["interpolated"]
    if between is None:
        return "outside the curve"
    return (Code(between["below"]), " and ", Code(between["above"]))


def shown_row(
    row: ShownRow,
    metrics: Mapping[str, Any] | None = None,
    graded: GradedPoints | None = None,
    *,
    by_category: bool = False,
) -> Row:
    """Return a point's evidence metrics, histogram and classes; `metrics` is its row of
    `evidence_table`. Accuracies by type are of all types, so rows of one type have none."""
    answers = None if graded is None or row.category is not None else graded.of(row.point)
    values = {key: of for key, of in (metrics or {}).items() if key not in ("point", "category")}
    wrong = None if row.wrong is None else {name.value: row.wrong[name] for name in CLASSES}
    return {
        **_head(row, by_category=by_category),
        **values,
        "questions": row.expected,
        "unlabelled": row.unlabelled,
        "first_item": dict(row.first_item),
        "shown": {name.value: row.classes[name] for name in CLASSES},
        "graded": row.graded,
        "wrong": row.all_wrong,
        "wrong_by_shown": wrong,
        "wrong_unlabelled": None if wrong is None else row.wrong_unlabelled,
        "by_type": None if answers is None else asdict(answers.by_type),
        "caveats": [] if graded is None else list(graded.caveats_of(row.point)),
    }


def graded_tables(graded: GradedPoints) -> tuple[Table | None, list[Text]]:
    """Return the accuracies by question type, types down and points across (None without answers),
    and what goes with the answers of each point."""
    named = [(str(each.point), len(each.correct), each.by_type) for each in graded.answers]
    return type_accuracy(named), caveat_lines({each.point: each.caveats for each in graded.answers})


def first_item_table(rows: Sequence[Row], published: Mapping[str, int] | None = None) -> Table:
    """Return questions by the place of the first item that quotes an answer session."""
    further = []
    if published:
        total = sum(published.values())
        name = Emphasis("published, every item")
        further = [{"point": name, "first_item": published, "questions": total, "unlabelled": 0}]
    columns = (
        *_points(rows),
        *_counts("first_item", rows[0]["first_item"]),
        Column(
            "questions",
            "questions",
            Kind.COUNT,
            cell=lambda row: row["questions"] - row["unlabelled"],
        ),
    )
    return Table(columns, [*rows, *further])


def classes_table(rows: Sequence[Row]) -> Table:
    """Return questions by what their context showed."""
    columns = (
        *_points(rows),
        *_counts("shown", (name.value for name in CLASSES)),
        Column("unlabelled", "without labels", Kind.COUNT),
        Column("questions", "questions", Kind.COUNT),
    )
    return Table(columns, rows)


def wrong_table(rows: Sequence[Row]) -> Table:
    """Return wrong answers by what the context showed, of the points with grades."""
    columns = (
        *_points(rows),
        Column("graded", "graded", Kind.COUNT),
        Column("wrong", "wrong", Kind.COUNT),
        *_counts("wrong_by_shown", (name.value for name in CLASSES)),
        Column("wrong_unlabelled", "without labels", Kind.COUNT),
    )
    return Table(columns, [row for row in rows if row["wrong_by_shown"] is not None])


def loss_row(row: LossRow, moves: Sequence[Moves] = (), *, by_category: bool = False) -> Row:
    """Return the turns of a point by class, and with a point to compare with what moved."""
    counts: Row = {
        **_head(row, by_category=by_category),
        "evidence_turns": row.turns,
        "in_quoted_records": row.in_quoted_records,
    }
    for fate in FATES:
        counts[_key(fate)] = row.fates[fate]
        counts[f"{_key(fate)}_share"] = row.fates[fate] / row.turns if row.turns else None
    if moves:
        own = [of for of in moves if (of.point, of.category) == (row.point, row.category)]
        counts["against"] = str(moves[0].against)
        counts["moved"] = [
            {"from": before.value, "to": after.value, "turns": of.counts[before, after]}
            for of in own
            for before in FATES
            for after in FATES
            if before != after and (before, after) in of.counts
        ]
    return counts


def _key(fate: Fate) -> str:
    return fate.value.replace(" ", "_")


def loss_table(rows: Sequence[Row]) -> Table:
    """Return evidence turns by what became of them, with their shares."""
    columns = (
        *_points(rows),
        Column("evidence_turns", "evidence turns", Kind.COUNT),
        *(
            Column(
                _key(fate),
                fate.value,
                Kind.COUNT,
                cell=count_of(_key(fate), "evidence_turns", share=True),
            )
            for fate in FATES
        ),
        Column(
            "in_quoted_records",
            "outside, of turns in quoted records",
            Kind.SHARE,
            cell=count_of(_key(Fate.OUTSIDE), "in_quoted_records", share=True),
        ),
    )
    return Table(columns, rows)


def moves_table(moves: Sequence[Moves]) -> Table:
    """Return what moved where: from the class at the point compared with to that at the point."""
    typed = any(of.category is not None for of in moves)
    rows = []
    for of in moves:
        head = _head(of, by_category=typed)
        moved = [
            {**head, "from": before.value, "to": after.value, "turns": number}
            for before in FATES
            for after in FATES
            if before != after and (number := of.counts.get((before, after), 0))
        ]
        rows += moved or [{**head, "from": "nothing moved", "to": MISSING, "turns": 0}]
    columns = (Column("from", "from"), Column("to", "to"))
    return Table((*_points(rows), *columns, Column("turns", "evidence turns", Kind.COUNT)), rows)


def rank_row(row: RankRow, *, by_category: bool = False) -> Row:
    """Return the turns in quoted records by rank, and the checks."""
    return {
        **_head(row, by_category=by_category),
        "ranking": str(row.ranking),
        "turns_in_quoted_records": row.turns,
        "ranks": dict(row.buckets),
        "rank_shares": {
            name: number / row.turns if row.turns else None for name, number in row.buckets.items()
        },
        "quoted_records": row.quoted_records,
        "reproduced": row.reproduced,
        "divided_heads": row.divided_heads,
        "explained": row.explained,
    }


def rank_table(rows: Sequence[Row]) -> Table:
    """Return turns in quoted records by the rank of the best passage that reaches them."""
    buckets = [
        name
        for name in BUCKETS
        if name not in _RARE_BUCKETS or any(row["ranks"][name] for row in rows)
    ]
    columns = (
        *_points(rows),
        Column("turns_in_quoted_records", "turns in quoted records", Kind.COUNT),
        *(Column(name, rank_words(name), Kind.COUNT, cell=_ranked(name)) for name in buckets),
    )
    return Table(columns, rows)


def rank_words(bucket: str) -> str:
    """Return `4–5`, with the dash of a range."""
    return bucket.replace("-", "–")


def _ranked(name: str) -> Callable[[Row], PartOf]:
    return lambda row: PartOf(row["ranks"][name], row["turns_in_quoted_records"], share=True)


def rank_checks_table(rows: Sequence[Row]) -> Table:
    """Return whether what was recomputed is what was quoted."""
    columns = (
        POINT,
        Column("ranking", "ranked by", cell=_ranked_by),
        Column("quoted_records", "quoted records", Kind.COUNT),
        Column("reproduced", "reproduced", Kind.COUNT),
        Column("divided_heads", "quoted heads that divide", Kind.COUNT),
        Column("explained", "quoted as ranked", Kind.COUNT),
    )
    return Table(columns, rows)


def _ranked_by(row: Row) -> Text:
    return "its own order" if row["divided_heads"] is None else Code(row["ranking"])


def _head(row: ShownRow | LossRow | RankRow | Moves, *, by_category: bool) -> Row:
    return {"point": str(row.point), **({"category": row.category} if by_category else {})}


def _points(rows: Sequence[Row]) -> tuple[Column, ...]:
    """Return the point, and the type where rows are of types: then a point has several."""
    if not any("category" in row for row in rows):
        return (POINT,)
    return (POINT, Column("category", "type", cell=lambda row: row["category"] or NO_CATEGORY))


def _counts(key: str, names: Iterable[str]) -> tuple[Column, ...]:
    """Return one column per entry of the counts at `key`."""
    return tuple(Column(name, name, Kind.COUNT, cell=_entry(key, name)) for name in names)


def _entry(key: str, name: str) -> Callable[[Row], Any]:
    return lambda row: row[key][name]
