"""Published values of the instruments, beside ours or where we have none."""

from __future__ import annotations

from collections.abc import Sequence

from harness.measure.curves import Curves
from harness.measure.loss import Fate, LossRow
from harness.measure.rank import RankRow
from harness.measure.shown import CLASSES
from harness.points import Point
from harness.words import Kind, Text, number

from .evidence_tables import POINT
from .instrument_tables import rank_words
from .published import Published
from .published_instruments import PublishedComparison, PublishedInstruments
from .table import Column, Limits, PartOf, Table, WithLimits

_RANKED = ("1", "2", "3", "4-5", "later")
_PART = "all500"


def published_cells(curves: Curves, published: Published) -> dict[str, Text]:
    """By point of the curves: the published value of the measure, and the tokens it was got at."""
    cells: dict[str, Text] = {}
    for curve in curves.curves:
        for point in (curve_point.point for curve_point in curve.points):
            value = _published(published, point, curves.measure.name)
            cost = _published(published, point, "context_tokens")
            if value is not None:
                tokens = "" if cost is None else f" at {number(cost, Kind.TOKENS)} tokens"
                cells[str(point)] = f"{number(value, Kind.SHARE)}{tokens}"
    return cells


def accuracy_cells(curves: Curves, published: PublishedInstruments) -> dict[str, Text]:
    """By point of the curves: the published accuracy."""
    points = [curve_point.point for curve in curves.curves for curve_point in curve.points]
    accuracies = {point: published.accuracy_of(point) for point in points}
    return {
        str(point): number(of.accuracy / 100, Kind.SHARE)
        for point, of in accuracies.items()
        if of is not None
    }


def accuracies_table(published: PublishedInstruments) -> Table:
    """Return the published accuracies along the curves, which have one decimal."""
    rows = [
        {
            "point": of.point,
            "accuracy": of.accuracy / 100,
            "difference": "every item" if of.difference is None else of.difference / 100,
            "interval": None if of.interval is None else _limits(of.interval),
        }
        for of in published.accuracies
    ]
    columns = (
        POINT,
        Column("accuracy", "accuracy", Kind.SHARE),
        Column("difference", "less every item", Kind.SHARE_POINTS),
        Column("interval", "95 % interval", Kind.SHARE_POINTS),
    )
    return Table(columns, rows)


def comparisons_table(published: PublishedInstruments) -> Table:
    """Return the published comparisons of the curves at equal cost."""
    columns = (
        POINT,
        Column("against", "less", Kind.CODE),
        Column("difference", "accuracy", Kind.SHARE_POINTS, cell=_difference),
        Column("verdict", "published verdict"),
    )
    return Table(columns, published.comparisons)


def _difference(of: PublishedComparison) -> WithLimits:
    limits = _limits(of.interval)
    return WithLimits(of.difference / 100, limits.lower, limits.upper)


def _limits(points: tuple[float, float]) -> Limits:
    return Limits(points[0] / 100, points[1] / 100)


def published_wrong_table(published: PublishedInstruments) -> Table:
    """Return published wrong answers by what the context showed."""
    rows = [
        {
            "label": of.label,
            "wrong": of.wrong,
            **{name.value: of.classes[name] for name in CLASSES},
        }
        for of in published.wrong
    ]
    columns = (Column(name, name, Kind.COUNT) for name in ("wrong", *(c.value for c in CLASSES)))
    return Table((Column("label", "published point"), *columns), rows)


def outside_table(published: PublishedInstruments, rows: Sequence[LossRow]) -> Table:
    """Return turns outside the quote in a quoted record, published and ours under both
    denominators."""
    body = []
    for point, share in published.outside.items():
        ours = next((row for row in rows if row.point.policy == point.policy), None)
        if ours is None:
            continue
        lost = ours.fates[Fate.OUTSIDE] + ours.fates[Fate.CUT_OFF]
        body.append(
            {
                "point": ours.point,
                "published": share / 100,
                "of_quoted": PartOf(lost, ours.in_quoted_records, share=True),
                "of_all": PartOf(lost, ours.turns, share=True),
            }
        )
    columns = (
        POINT,
        Column("published", "published", Kind.SHARE),
        Column("of_quoted", "ours, of turns in quoted records", Kind.SHARE),
        Column("of_all", "ours, of all evidence turns", Kind.SHARE),
    )
    return Table(columns, body)


def ranks_table(published: PublishedInstruments, row: RankRow) -> Table:
    """Return the published ranks and ours, at every item."""
    theirs = {
        "of": "published",
        "turns": published.ranked_turns,
        **{name: published.ranks[name] / 100 for name in _RANKED if name in published.ranks},
        "reproduced": published.reproduced,
    }
    ours = {
        "of": "ours",
        "turns": row.turns,
        **{name: PartOf(row.buckets[name], row.turns, share=True) for name in _RANKED},
        "reproduced": PartOf(row.reproduced, row.quoted_records),
    }
    columns = (
        Column("of", ""),
        Column("turns", "turns in quoted records", Kind.COUNT),
        *(Column(name, rank_words(name), Kind.SHARE) for name in _RANKED),
        Column("reproduced", "quoted ranges reproduced", Kind.COUNT),
    )
    return Table(columns, (theirs, ours))


def _published(published: Published, point: Point, metric: str) -> float | None:
    return next(
        (
            figure.value
            for figure in published.figures
            if figure.metric.name == metric
            and figure.split == _PART
            and figure.category is None
            and figure.point.policy == point.policy
        ),
        None,
    )
