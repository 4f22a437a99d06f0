"""The instruments as rows for JSON and CSV: every number, shares as fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.measure.instruments.curves import Curve, CurvePoint, Curves
from harness.measure.instruments.equal_cost import AtEqualCost
from harness.measure.instruments.loss import FATES, LossRow, Moves
from harness.measure.instruments.rank import RankRow
from harness.measure.instruments.shown import CLASSES, ShownRow
from harness.statistics.counts import Interval
from harness.statistics.difference import PairedDifference

Row = dict[str, Any]


def curve_rows(
    curves: Curves, equal: Sequence[AtEqualCost], category: str | None, *, by_category: bool
) -> list[Row]:
    """A row a point of every curve, its comparison at equal cost inside."""
    at_cost = {row.point.point: row for row in equal}
    return [
        {
            "point": str(each.point),
            **({"category": category} if by_category else {}),
            **_curve_point(curves, curve, each),
            "at_equal_cost": _equal_cost(at_cost.get(each.point)),
        }
        for curve in curves.curves
        for each in curve.points
    ]


def _curve_point(curves: Curves, curve: Curve, each: CurvePoint) -> Row:
    return {
        "curve": curve.arm,
        "measure": curves.measure.name,
        "value": each.value,
        curves.cost: each.cost,
        "questions": curves.questions,
        "scored": curves.scored,
        "full": str(curves.full),
        "is_full": each.is_full,
        **_difference(each.difference),
        "band_lower": None if each.band is None else each.band.lower,
        "band_upper": None if each.band is None else each.band.upper,
        "margin": str(curves.margin),
        "holds": each.holds,
        "band_holds": each.band_holds,
        "smallest": each is curve.smallest,
        "smallest_by_band": each is curve.smallest_by_band,
    }


def _difference(found: PairedDifference | None) -> Row:
    interval: Interval | None = None if found is None else found.interval
    return {
        "difference": None if found is None else found.difference,
        "lower": None if interval is None else interval.lower,
        "upper": None if interval is None else interval.upper,
        "wins": None if found is None else found.wins,
        "losses": None if found is None else found.losses,
    }


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


def shown_row(row: ShownRow, metrics: Mapping[str, Any], *, by_category: bool) -> Row:
    """A point's evidence metrics, histogram and classes; `metrics` is its row of
    `evidence_table`."""
    values = {key: value for key, value in metrics.items() if key not in ("point", "category")}
    wrong = None if row.wrong is None else {name.value: row.wrong[name] for name in CLASSES}
    return {
        "point": str(row.point),
        **({"category": row.category} if by_category else {}),
        **values,
        "questions": row.expected,
        "unlabelled": row.unlabelled,
        "first_item": dict(row.first_item),
        "shown": {name.value: row.classes[name] for name in CLASSES},
        "graded": row.graded,
        "wrong": row.all_wrong,
        "wrong_by_shown": wrong,
        "wrong_unlabelled": None if wrong is None else row.wrong_unlabelled,
    }


def loss_row(row: LossRow, moves: Sequence[Moves], *, by_category: bool) -> Row:
    """The turns of a point by class, and with a point to compare with what moved."""
    found: Row = {
        "point": str(row.point),
        **({"category": row.category} if by_category else {}),
        "evidence_turns": row.turns,
        "in_quoted_records": row.in_quoted_records,
    }
    for fate in FATES:
        name = fate.value.replace(" ", "_")
        found[name] = row.fates[fate]
        found[f"{name}_share"] = row.fates[fate] / row.turns if row.turns else None
    if moves:
        own = [each for each in moves if (each.point, each.category) == (row.point, row.category)]
        found["against"] = str(moves[0].against)
        found["moved"] = [
            {"from": before.value, "to": after.value, "turns": each.counts[before, after]}
            for each in own
            for before in FATES
            for after in FATES
            if before != after and (before, after) in each.counts
        ]
    return found


def rank_row(row: RankRow, *, by_category: bool) -> Row:
    """The turns in quoted records by rank, and the checks."""
    return {
        "point": str(row.point),
        **({"category": row.category} if by_category else {}),
        "ranking": str(row.ranking),
        "turns_in_quoted_records": row.turns,
        "ranks": dict(row.buckets),
        "rank_shares": {
            name: count / row.turns if row.turns else None for name, count in row.buckets.items()
        },
        "quoted_records": row.quoted_records,
        "reproduced": row.reproduced,
        "divided_heads": row.divided_heads,
        "explained": row.explained,
    }
