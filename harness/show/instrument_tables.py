"""The tables of the instruments, as pages and the terminal show them.

Shares are in percent, their differences in points (hundredths), with one decimal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.evidence import metric_named
from harness.measure.instruments.loss import FATES, Fate, LossRow, Moves
from harness.measure.instruments.rank import BUCKETS, RankRow
from harness.measure.instruments.shown import CLASSES, ShownRow
from harness.points import Point
from harness.words import code

from .markdown import Table
from .numbers import MISSING, value_text
from .point_tables import NO_CATEGORY

_SHARE = metric_named("evidence_turns_touched")
"""Any metric that is a fraction: how shares look."""
_RARE_BUCKETS = ("unreached", "not ranked")


def first_item_table(rows: Sequence[ShownRow], published: Mapping[str, int] | None = None) -> Table:
    """Questions by the place of the first item that quotes an answer session."""
    places = tuple(rows[0].first_item)
    body = [
        _with_type(
            row.category,
            rows,
            [*(f"{row.first_item[place]:,}" for place in places), f"{_classed(row):,}"],
            row.point,
        )
        for row in rows
    ]
    if published:
        counts = [published[place] for place in places]
        cells = [*(f"{count:,}" for count in counts), f"{sum(counts):,}"]
        body.append(_with_type(None, rows, cells, "published, every item"))
    return _typed_table(("point", *places, "questions"), rows, body)


def classes_table(rows: Sequence[ShownRow]) -> Table:
    """Questions by what their context showed."""
    body = [
        _with_type(
            row.category,
            rows,
            [
                *(f"{row.classes[name]:,}" for name in CLASSES),
                f"{row.unlabelled:,}",
                f"{row.expected:,}",
            ],
            row.point,
        )
        for row in rows
    ]
    headings = ("point", *(name.value for name in CLASSES), "without labels", "questions")
    return _typed_table(headings, rows, body)


def wrong_table(rows: Sequence[ShownRow]) -> Table:
    """Wrong answers by what the context showed, of the points with grades."""
    graded = [row for row in rows if row.wrong is not None]
    body = []
    for row in graded:
        wrong = row.wrong or {}
        cells = [
            f"{row.graded:,}",
            f"{row.all_wrong:,}",
            *(f"{wrong[name]:,}" for name in CLASSES),
            f"{row.wrong_unlabelled:,}",
        ]
        body.append(_with_type(row.category, rows, cells, row.point))
    headings = (
        "point",
        "graded",
        "wrong",
        *(name.value for name in CLASSES),
        "without labels",
    )
    return _typed_table(headings, rows, body)


def loss_table(rows: Sequence[LossRow]) -> Table:
    """Evidence turns by what became of them, with their shares."""
    body = []
    for row in rows:
        outside = row.fates[Fate.OUTSIDE]
        cells = [
            f"{row.turns:,}",
            *(_counted(row.fates[fate], row.turns) for fate in FATES),
            _counted(outside, row.in_quoted_records, bare=True),
        ]
        body.append(_with_type(row.category, rows, cells, row.point))
    headings = (
        "point",
        "evidence turns",
        *(fate.value for fate in FATES),
        "outside, of turns in quoted records (%)",
    )
    return _typed_table(headings, rows, body)


def moves_table(moves: Sequence[Moves]) -> Table:
    """What moved where: from the class at the point compared with to that at the point."""
    body = []
    for each in moves:
        for before in FATES:
            for after in FATES:
                count = each.counts.get((before, after), 0)
                if before != after and count:
                    cells = [before.value, after.value, f"{count:,}"]
                    body.append(_with_type(each.category, moves, cells, each.point))
        if not each.moved:
            cells = ["nothing moved", MISSING, "0"]
            body.append(_with_type(each.category, moves, cells, each.point))
    return _typed_table(("point", "from", "to", "evidence turns"), moves, body, left=3)


def rank_table(rows: Sequence[RankRow]) -> Table:
    """Turns in quoted records by the rank of the best passage that reaches them."""
    shown = [
        name
        for name in BUCKETS
        if name not in _RARE_BUCKETS or any(row.buckets[name] for row in rows)
    ]
    body = [
        _with_type(
            row.category,
            rows,
            [f"{row.turns:,}", *(_counted(row.buckets[name], row.turns) for name in shown)],
            row.point,
        )
        for row in rows
    ]
    headings = ("point", "turns in quoted records", *(name.replace("-", "–") for name in shown))
    return _typed_table(headings, rows, body)


def rank_checks_table(rows: Sequence[RankRow]) -> Table:
    """Whether what was recomputed is what was quoted."""
    headings = (
        "point",
        "ranked by",
        "quoted records",
        "reproduced",
        "quoted heads that divide",
        "quoted as ranked",
    )
    body = [
        (
            code(row.point),
            "its own order" if row.divided_heads is None else code(row.ranking),
            f"{row.quoted_records:,}",
            f"{row.reproduced:,}",
            MISSING if row.divided_heads is None else f"{row.divided_heads:,}",
            MISSING if row.explained is None else f"{row.explained:,}",
        )
        for row in rows
    ]
    return Table(headings, tuple(body), left=2)


def _typed_table(
    headings: Sequence[str],
    rows: Sequence[ShownRow | LossRow | RankRow | Moves],
    body: Sequence[tuple[str, ...]],
    left: int = 1,
) -> Table:
    typed = _is_typed(rows)
    first = (headings[0], "type", *headings[1:]) if typed else tuple(headings)
    return Table(first, tuple(body), left=left + typed)


def _with_type(
    category: str | None,
    rows: Sequence[ShownRow | LossRow | RankRow | Moves],
    cells: Sequence[str],
    point: Point | str,
) -> tuple[str, ...]:
    named = point if isinstance(point, str) else code(point)
    return (named, category or NO_CATEGORY, *cells) if _is_typed(rows) else (named, *cells)


def _is_typed(rows: Sequence[ShownRow | LossRow | RankRow | Moves]) -> bool:
    """Whether the rows are of categories: then a point has several."""
    return any(row.category is not None for row in rows)


def _classed(row: ShownRow) -> int:
    return row.expected - row.unlabelled


def _percent(value: float) -> str:
    return value_text(_SHARE, value)


def _counted(count: int, whole: int, *, bare: bool = False) -> str:
    """`103 (11.5 %)`, or the percentage alone; a dash of nothing."""
    if not whole:
        return MISSING if bare else f"{count:,}"
    share = _percent(count / whole)
    return share if bare else f"{count:,} ({share} %)"
