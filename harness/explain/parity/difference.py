"""Comparing two sources of selections, pair by pair, and which point with which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.errors import InputError, UsageError, nearest
from harness.points import Point, parse_point, parse_points
from harness.points.external import EXTERNAL
from harness.progress import progress
from harness.words import counted

from .comparison import FIELDS, SelectionDiff, compare
from .pairing import Pair, paired
from .run_selections import SelectionLine
from .selections import SelectionSource


@dataclass(frozen=True, slots=True)
class PointPair:
    """A point of the left source, and the point of the right one to compare it with."""

    left: str
    right: str

    @property
    def name(self) -> str:
        """What the pair is called: the point, or both."""
        return f"{self.left} ~ {self.right}" if self.two_points else self.left

    @property
    def two_points(self) -> bool:
        """Whether two points are compared with one another, not a point with itself."""
        return self.left != self.right


def point_pairs(points: Sequence[str], against: Sequence[str]) -> tuple[PointPair, ...]:
    """Return what to compare with what: without `against`, each point with itself; else the first
    of `points` with the first of `against`, and so on.

    A bare arm name stands for its default points; beside another arm's, they must have the same
    settings. Raises `UsageError`.
    """
    parse_points(spec for spec in (*points, *against) if not _imported(spec))  # all faults together
    if not against:
        named = [str(point) for spec in points for point in _points(spec)]
        return tuple(PointPair(point, point) for point in dict.fromkeys(named))
    if len(points) != len(against):
        raise UsageError(
            f"{len(points)} --point and {len(against)} --against-point were given",
            "Give as many of one as of the other: the first is compared with the first.",
        )
    pairs = (
        pair
        for spec, other in zip(points, against, strict=True)
        for pair in _matched(spec, _points(spec), other, _points(other))
    )
    return tuple(dict.fromkeys(pairs))


def _matched(
    spec: str, left: Sequence[Point], other: str, right: Sequence[Point]
) -> list[PointPair]:
    same_settings = [point.changed for point in left] == [point.changed for point in right]
    if not same_settings and not len(left) == len(right) == 1:
        raise UsageError(
            f"{spec} stands for {_counted(left)}, {other} for {_counted(right)}, and their "
            "settings do not match one to one",
            f"Name one of each, such as --point '{left[0]}' --against-point '{right[0]}'",
        )
    return [PointPair(str(one), str(two)) for one, two in zip(left, right, strict=True)]


def _points(spec: str) -> list[Point]:
    return [parse_point(spec)] if _imported(spec) else parse_points([spec])


def _imported(spec: str) -> bool:
    """Return whether it is a point whose selections were imported; nothing computes it."""
    return spec.strip().startswith(EXTERNAL.name)


def _counted(points: Sequence[Point]) -> str:
    return counted(len(points), "point")


@dataclass(frozen=True, slots=True)
class DifferentPair:
    """A pair that differs, or a selection that one side has alone (without a `comparison`)."""

    case_id: str
    point: str
    comparison: SelectionDiff | None = None
    only_left: bool = False
    only_right: bool = False


@dataclass(frozen=True, slots=True)
class PointCount:
    """The cases at a point: those that are equal, those that are not, those that one side has
    alone; and in how many cases each field differs."""

    point: str
    equal: int
    different: int
    only_left: int
    only_right: int
    fields: tuple[tuple[str, int], ...]

    @property
    def pairs(self) -> int:
        """Cases that both sides have."""
        return self.equal + self.different


@dataclass(frozen=True, slots=True)
class DiffReport:
    """What a comparison of two sources found.

    `differences` are the first ones, as many as were asked for: those that differ, then those that
    one side has alone.
    """

    counts: tuple[PointCount, ...]
    differences: tuple[DifferentPair, ...]

    @property
    def pairs(self) -> int:
        return sum(count.pairs for count in self.counts)

    @property
    def different(self) -> int:
        """Pairs that differ."""
        return sum(count.different for count in self.counts)

    @property
    def only_left(self) -> int:
        return sum(count.only_left for count in self.counts)

    @property
    def only_right(self) -> int:
        return sum(count.only_right for count in self.counts)

    @property
    def all_differences(self) -> int:
        return self.different + self.only_left + self.only_right


def differences_of(
    left: SelectionSource,
    right: SelectionSource,
    points: Sequence[PointPair] = (),
    case_ids: Sequence[str] = (),
    *,
    shown: int | None = None,
    quiet: bool = True,
) -> DiffReport:
    """Compare the selections of both sources for each case, at each point or at `points`.

    Where two points are compared with one another, their budgets, which are settings, are not.
    `case_ids`: these cases alone. `shown`: how many differences are kept; None for all. Raises what
    a source raises, and `InputError` for a case that neither has.
    """
    sides = (
        _Side(left, {pair: pair.left for pair in points}, case_ids),
        _Side(right, {pair: pair.right for pair in points}, case_ids),
    )
    two_points = {pair.name for pair in points if pair.two_points}
    tally = _Tally(shown)
    pairs = paired(sides[0].lines(), sides[1].lines())
    for pair in progress(pairs, total=None, label="diff", unit="pair", quiet=quiet):
        tally.add(pair, ("budget",) if pair.point in two_points else ())
    for case_id in case_ids:
        seen = sides[0].seen | sides[1].seen
        if case_id not in seen:
            raise InputError(
                f"neither {left.name} nor {right.name} has a case {case_id!r}"
                f"{nearest(case_id, seen)}"
            )
    return tally.report()


class _Side:
    """One source, with its points under the names of the pairs that they belong to."""

    def __init__(
        self, source: SelectionSource, points: dict[PointPair, str], case_ids: Sequence[str]
    ) -> None:
        self._source = source
        self._names: dict[str, list[str]] = {}
        for pair, point in points.items():
            self._names.setdefault(point, []).append(pair.name)
        self._case_ids = frozenset(case_ids)
        self.seen: dict[str, None] = {}

    def lines(self) -> Iterator[SelectionLine]:
        for line in self._source.selections(self._names or None):
            self.seen[line.case_id] = None
            if self._case_ids and line.case_id not in self._case_ids:
                continue
            for name in self._names.get(line.point, [line.point]):
                yield SelectionLine(line.case_id, name, line.selection)


class _Tally:
    """Counts by point, and the first differences."""

    def __init__(self, shown: int | None) -> None:
        self._shown = shown
        self._counts: dict[str, Counter[str]] = {}
        self._fields: dict[str, Counter[str]] = {}
        self._different: list[DifferentPair] = []
        self._alone: list[DifferentPair] = []

    def add(self, pair: Pair, leave_out: Sequence[str]) -> None:
        counts = self._counts.setdefault(pair.point, Counter())
        if pair.left is None or pair.right is None:
            only_left = pair.right is None
            counts["only_left" if only_left else "only_right"] += 1
            alone = DifferentPair(
                pair.case_id, pair.point, only_left=only_left, only_right=not only_left
            )
            self._keep(self._alone, alone)
            return
        comparison = compare(pair.left, pair.right, leave_out=leave_out)
        counts["equal" if comparison.same else "different"] += 1
        if not comparison.same:
            self._fields.setdefault(pair.point, Counter()).update(comparison.differing)
            self._keep(self._different, DifferentPair(pair.case_id, pair.point, comparison))

    def _keep(self, kept: list[DifferentPair], one: DifferentPair) -> None:
        if self._shown is None or len(kept) < self._shown:
            kept.append(one)

    def _by_field(self, point: str) -> tuple[tuple[str, int], ...]:
        counts = self._fields.get(point, Counter())
        return tuple((name, counts[name]) for name in FIELDS if counts[name])

    def report(self) -> DiffReport:
        counts = tuple(
            PointCount(
                point,
                counts["equal"],
                counts["different"],
                counts["only_left"],
                counts["only_right"],
                self._by_field(point),
            )
            for point, counts in self._counts.items()
        )
        return DiffReport(counts, tuple([*self._different, *self._alone][: self._shown]))
