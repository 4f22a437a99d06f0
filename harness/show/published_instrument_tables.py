"""Published values of the instruments, beside ours or where we have none."""

from __future__ import annotations

from collections.abc import Sequence

from harness.evidence import metric_named
from harness.measure.instruments.curves import Curves
from harness.measure.instruments.loss import Fate, LossRow
from harness.measure.instruments.rank import RankRow
from harness.measure.instruments.shown import CLASSES
from harness.points import Point
from harness.words import code

from .markdown import Table
from .numbers import MISSING, signed_text, value_text
from .published import Published
from .published_instruments import PublishedInstruments

_SHARE = metric_named("evidence_turns_touched")
_RANKED = ("1", "2", "3", "4-5", "later")
_PART = "all500"


def published_cells(curves: Curves, published: Published) -> dict[Point, tuple[str, ...]]:
    """By point of the curves: the published value of the measure, and the tokens it was got at."""
    found: dict[Point, tuple[str, ...]] = {}
    for curve in curves.curves:
        for each in curve.points:
            value = _published(published, each.point, curves.measure.name)
            cost = _published(published, each.point, "context_tokens")
            if value is not None:
                tokens = "" if cost is None else f" at {cost:,.1f} tokens"
                found[each.point] = (f"{value_text(_SHARE, value)}{tokens}",)
    return found


def accuracy_cells(curves: Curves, published: PublishedInstruments) -> dict[Point, tuple[str, ...]]:
    """By point of the curves: the published accuracy."""
    return {
        each.point: (f"{found.accuracy:.1f}",)
        for curve in curves.curves
        for each in curve.points
        if (found := published.accuracy_of(each.point)) is not None
    }


def accuracies_table(published: PublishedInstruments) -> Table:
    """The published accuracies along the curves."""
    rows = []
    for each in published.accuracies:
        cells = [f"{each.accuracy:.1f}"]
        if each.difference is None or each.interval is None:
            cells += ["every item", MISSING]
        else:
            cells += [_points(each.difference), _limits(each.interval)]
        rows.append((code(each.point), *cells))
    return Table(("point", "accuracy (%)", "less every item", "95 % interval"), tuple(rows))


def comparisons_table(published: PublishedInstruments) -> Table:
    """The published comparisons of the curves at equal cost."""
    rows = tuple(
        (
            code(each.point),
            code(each.against),
            f"{_points(each.difference)} {_limits(each.interval)}",
            each.verdict,
        )
        for each in published.comparisons
    )
    return Table(("point", "less", "accuracy, points", "published verdict"), rows, left=2)


def published_wrong_table(published: PublishedInstruments) -> Table:
    """Published wrong answers by what the context showed."""
    rows = tuple(
        (each.label, f"{each.wrong:,}", *(f"{each.classes[name]:,}" for name in CLASSES))
        for each in published.wrong
    )
    return Table(("published point", "wrong", *(name.value for name in CLASSES)), rows)


def outside_table(published: PublishedInstruments, rows: Sequence[LossRow]) -> Table:
    """Turns outside the quote in a quoted record, published and ours under both denominators."""
    body = []
    for point, share in published.outside.items():
        ours = next((row for row in rows if row.point.policy == point.policy), None)
        if ours is None:
            continue
        lost = ours.fates[Fate.OUTSIDE] + ours.fates[Fate.CUT_OFF]
        body.append(
            (
                code(ours.point),
                f"{share:.1f}",
                _ratio(lost, ours.in_quoted_records),
                _ratio(lost, ours.turns),
            )
        )
    headings = (
        "point",
        "published (%)",
        "ours, of turns in quoted records (%)",
        "ours, of all evidence turns (%)",
    )
    return Table(headings, tuple(body))


def ranks_table(published: PublishedInstruments, row: RankRow) -> Table:
    """The published ranks and ours, at every item."""
    headings = (
        "",
        "turns in quoted records",
        *(name.replace("-", "–") + " (%)" for name in _RANKED),
        "quoted ranges reproduced",
    )
    shares = [
        f"{published.ranks[name]:.1f}" if name in published.ranks else MISSING for name in _RANKED
    ]
    theirs = (
        "published",
        _count(published.ranked_turns),
        *shares,
        _count(published.reproduced),
    )
    ours = (
        "ours",
        f"{row.turns:,}",
        *(_ratio(row.buckets[name], row.turns) for name in _RANKED),
        f"{row.reproduced:,} of {row.quoted_records:,}",
    )
    return Table(headings, (theirs, ours))


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


def _count(value: int | None) -> str:
    return MISSING if value is None else f"{value:,}"


def _ratio(count: int, whole: int) -> str:
    return value_text(_SHARE, count / whole if whole else None)


def _points(value: float) -> str:
    return signed_text(_SHARE, value / 100)


def _limits(interval: tuple[float, float]) -> str:
    return f"({_points(interval[0])}, {_points(interval[1])})"
