"""The tables of curves and of curves at equal cost, as pages and the terminal show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.evidence import metric_named
from harness.measure.instruments.curves import Curves
from harness.measure.instruments.equal_cost import AtEqualCost
from harness.points import Point
from harness.statistics.counts import Interval
from harness.statistics.difference import PairedDifference
from harness.words import code

from .markdown import Table
from .numbers import MISSING, change_text, heading, signed_text, value_text

_SHARE = metric_named("evidence_turns_touched")
"""Any metric that is a fraction: how shares look."""


def curves_table(curves: Curves, published: Mapping[Point, tuple[str, ...]] | None = None) -> Table:
    """A row a point, by curve and cost; `published` has further cells, by point, under the heading
    `published`."""
    headings = [
        "point",
        curves.cost.replace("_", " "),
        heading(curves.measure),
        f"less {curves.full}",
        "band of all",
        f"holds {_margin(curves)}",
        "better in",
        "worse in",
    ]
    headings += ["published"] if published else []
    rows = []
    for curve in curves.curves:
        for each in curve.points:
            row = [
                code(each.point),
                f"{each.cost:,.1f}",
                _percent(each.value),
                "every item" if each.difference is None else _difference(each.difference),
                _interval(each.band),
                _holds(each.holds, each.band_holds),
                MISSING if each.difference is None else f"{each.difference.wins:,}",
                MISSING if each.difference is None else f"{each.difference.losses:,}",
            ]
            if published:
                row += published.get(each.point, (MISSING,))
            rows.append(tuple(row))
    return Table(tuple(headings), tuple(rows))


def curve_sentences(curves: Curves) -> tuple[str, ...]:
    """Of each curve the smallest point that holds the margin, by itself and by the band."""
    found = []
    for curve in curves.curves:
        smallest, by_band = curve.smallest, curve.smallest_by_band
        if smallest is None or by_band is None:
            found.append(f"{code(curve.arm)}: no point holds {_margin(curves)}.")
            continue
        if smallest.is_full:
            found.append(
                f"{code(curve.arm)}: no point short of every item holds {_margin(curves)}."
            )
            continue
        banded = "none" if by_band.is_full else code(by_band.point)
        text = (
            f"{code(curve.arm)}: the smallest point that holds {_margin(curves)} is "
            f"{code(smallest.point)}; by the band of all points it is {banded}."
        )
        failing = curve.dearer_that_fail
        if failing:
            text += (
                f" {len(failing)} dearer point{'s do' if len(failing) > 1 else ' does'} not hold "
                f"it: {', '.join(code(each.point) for each in failing)}."
            )
        found.append(text)
    return tuple(found)


def equal_cost_table(rows: Sequence[AtEqualCost]) -> Table:
    """Each point beside the other curve at its own cost, and beside its nearest point."""
    headings = (
        "point",
        "cost",
        "value (%)",
        "between",
        "interpolated (%)",
        "less interpolated",
        "nearest point",
        "its cost",
        "cost difference",
        "same cost",
        "less nearest",
        "the point is",
    )
    body = []
    for row in rows:
        between, nearest = row.interpolated, row.nearest
        body.append(
            (
                code(row.point.point),
                f"{row.point.cost:,.1f}",
                _percent(row.point.value),
                "outside the curve"
                if between is None
                else f"{code(between.below)} and {code(between.above)}",
                MISSING if between is None else _percent(between.value),
                MISSING if between is None else _difference(between.difference),
                code(nearest.point),
                f"{nearest.cost:,.1f}",
                change_text(nearest.gap),
                "yes" if nearest.same_cost else "no",
                _difference(nearest.difference),
                nearest.verdict,
            )
        )
    return Table(headings, tuple(body))


def _percent(value: float) -> str:
    return value_text(_SHARE, value)


def _margin(curves: Curves) -> str:
    return str(curves.margin).split(">= ", 1)[1].replace("-", "−")


def _holds(holds: bool | None, band_holds: bool | None) -> str:
    if holds is None:
        return MISSING
    text = "yes" if holds else "no"
    if band_holds is None or band_holds == holds:
        return text
    return f"{text}; band {'yes' if band_holds else 'no'}"


def _difference(difference: PairedDifference) -> str:
    return f"{signed_text(_SHARE, difference.difference)} {_interval(difference.interval)}"


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return MISSING
    lower, upper = signed_text(_SHARE, interval.lower), signed_text(_SHARE, interval.upper)
    return f"({lower}, {upper})"
