"""Invariant 9: raising a budget never takes anything away.

For every arm with a setting that `grows`, points that differ in that setting alone are compared
case by case, each with the next larger one. What the smaller point shows and the larger does not is
a loss: an item, an excerpt's record, or characters of a quote. A word, such as `full` or `window`,
is taken as larger than every number, but for a case on which its budget is the smaller one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from harness.model import Range, Selection, Value
from harness.points import Point, load_arm
from harness.words import counted


@dataclass(frozen=True, slots=True)
class ShownRanges:
    """What a selection shows: ranges by item place and record position. `budget` as it had it."""

    ranges: Mapping[tuple[int, int], tuple[Range, ...]]
    budget: int | None = None


@dataclass(frozen=True, slots=True)
class GrowthPair:
    """Two points of one arm; the larger is the next by the setting that grows.

    `by_word`: whether that setting of the larger is a word.
    """

    arm: str
    smaller: Point
    larger: Point
    by_word: bool = False


@dataclass(frozen=True, slots=True)
class Loss:
    """What the smaller point of a pair shows and the larger does not."""

    pair: GrowthPair
    lost: str
    item: int
    record: int | None


def growth_pairs(points: Sequence[Point], earlier: Sequence[Point] = ()) -> list[GrowthPair]:
    """Return the pairs to compare among all points, but for pairs of two `earlier` ones."""
    pairs = _pairs(dict.fromkeys([*earlier, *points]))
    return [pair for pair in pairs if pair.smaller in points or pair.larger in points]


def _pairs(points: Iterable[Point]) -> list[GrowthPair]:
    families: dict[tuple[str, str, tuple[tuple[str, Value], ...]], list[Point]] = {}
    for point in points:
        for parameter in load_arm(point.arm).parameters:
            if parameter.grows:
                other_settings = tuple(
                    (name, value)
                    for name, value in point.settings.items()
                    if name != parameter.name
                )
                families.setdefault((point.arm, parameter.name, other_settings), []).append(point)
    pairs = []
    for (arm, name, _), family in families.items():
        in_order = sorted(family, key=lambda point: _size(point.settings[name]))
        pairs += [
            GrowthPair(arm, smaller, larger, isinstance(larger.settings[name], str))
            for smaller, larger in pairwise(in_order)
        ]
    return pairs


def _size(value: Value) -> float:
    return float("inf") if isinstance(value, str) else float(value)


def shown_by(selection: Selection) -> ShownRanges:
    """Return what a selection shows, for comparison."""
    ranges = {
        (item.item, quote.record): quote.ranges
        for item in selection.items
        for quote in (item.head, *item.excerpts)
    }
    return ShownRanges(ranges, selection.budget)


def losses(pair: GrowthPair, smaller: ShownRanges, larger: ShownRanges) -> Iterator[Loss]:
    """Yield what `larger` lacks of `smaller`, each lost item once."""
    if pair.by_word and _less(larger.budget, smaller.budget):
        # on this case the word's budget is the smaller one, so the pair is compared the other way
        # round
        pair = GrowthPair(pair.arm, pair.larger, pair.smaller)
        smaller, larger = larger, smaller
    items = {item for item, _ in larger.ranges}
    lost_items: set[int] = set()
    for (item, record), ranges in smaller.ranges.items():
        larger_ranges = larger.ranges.get((item, record))
        if larger_ranges == ranges or item in lost_items:
            continue
        if item not in items:
            lost_items.add(item)
            yield Loss(pair, "item", item, None)
        elif larger_ranges is None:
            yield Loss(pair, "excerpt", item, record)
        elif not all(_inside(quoted, larger_ranges) for quoted in ranges):
            yield Loss(pair, "characters", item, record)


def broken_growth(lost: Iterable[tuple[str, str, str, str]]) -> tuple[str, ...]:
    """Say of which arms that promise growth a larger point lacks what a smaller shows.

    `lost` has the arm, the smaller and the larger point, and the id of the case, of every loss.
    """
    cases: dict[tuple[str, str, str], set[str]] = {}
    for arm, smaller, larger, case_id in lost:
        if load_arm(arm).promises_growth:
            cases.setdefault((arm, smaller, larger), set()).add(case_id)
    return tuple(
        f"the arm {arm!r} promises growth and does not keep it: {larger} lacks what {smaller} "
        f"shows in {counted(len(ids), 'case')}"
        for (arm, smaller, larger), ids in sorted(cases.items())
    )


def _less(budget: int | None, other: int | None) -> bool:
    return budget is not None and other is not None and budget < other


def _inside(quoted: Range, ranges: Sequence[Range]) -> bool:
    return any(start <= quoted[0] and quoted[1] <= end for start, end in ranges)
