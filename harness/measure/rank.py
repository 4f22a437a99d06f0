"""Rank in record: how good the passage is, inside its record, that reaches an evidence turn.

Of every evidence turn whose record is quoted at a point (at least one character of it): the
passages of that record are ranked by their inside rank, the record's own ranking, whatever the
other records hold; equal ranges count once. The turn's *rank* is the place, from 1, of the best
passage that shares a character with it. It is `unreached` where no offered passage does, since
passages that are too long are cut, and `not ranked` where the ranking offers no passage of the
record.

The ranking is computed again from the recording: that of the point's own ordering, and for a point
without one (`items`, the curves) that of another point, whose ordering ranks the heads' passages as
these quotes are filled.

Two checks say whether what was recomputed is what was shown:

- *reproduced*: of the quoted records, how many get the same ranges when the point's policy selects
  from the recording again;
- *explained*, for a point that borrows its ranking: of the quoted heads that the ranking divides,
  how many are quoted as the ranking says: the best passages in their order, as many as there are,
  or the first of them cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from harness.errors import UsageError
from harness.evidence.case_evidence import merge
from harness.model import (
    Case,
    CaseView,
    Ordering,
    PassageSequence,
    Positions,
    Range,
    Role,
    Selection,
    SequencePolicy,
    view_of,
)
from harness.points import Point, role_points
from harness.points.external import EXTERNAL

from .subject import MeasuredRun
from .turns import EvidenceTurn, Key, cases_of, evidence_turns, quoted_ranges

BUCKETS = ("1", "2", "3", "4-5", "later", "unreached", "not ranked")


@dataclass(frozen=True, slots=True)
class RankRow:
    """A point, or one category of questions at it: its turns in quoted records, by rank.

    The counts of `buckets` add up to `turns`. `quoted_records` counts quoted records of the window,
    `reproduced` those whose ranges were got again, `divided_heads` and `explained` are the second
    check, None for a point with an ordering of its own. The checks are not split by category.
    """

    point: Point
    ranking: Point
    category: str | None
    turns: int
    buckets: Mapping[str, int]
    quoted_records: int
    reproduced: int
    divided_heads: int | None
    explained: int | None


@dataclass(frozen=True, slots=True)
class RankedTurn:
    """A turn in a quoted record, and the bucket of its rank."""

    turn: EvidenceTurn
    bucket: str


@dataclass
class _Tally:
    """What is counted of one point, case by case."""

    point: Point
    ranking: Point
    borrowed: bool
    turns: list[RankedTurn] = field(default_factory=list)
    quoted_records: int = 0
    reproduced: int = 0
    divided_heads: int = 0
    explained: int = 0


@dataclass(frozen=True, eq=False)
class TurnRanks:
    """The ranked turns of every point."""

    points: tuple[Point, ...]
    _tallies: Mapping[Point, _Tally]

    @property
    def categories(self) -> tuple[str | None, ...]:
        categories = {
            entry.turn.category for tally in self._tallies.values() for entry in tally.turns
        }
        return tuple(sorted(categories, key=lambda name: (name is None, name or "")))

    def row(self, point: Point, *, by: tuple[str | None] | None = None) -> RankRow:
        """Return the counts at a point; with `by`, of one category."""
        tally = self._tallies[point]
        buckets = Counter(
            entry.bucket for entry in tally.turns if by is None or entry.turn.category == by[0]
        )
        return RankRow(
            point=point,
            ranking=tally.ranking,
            category=None if by is None else by[0],
            turns=buckets.total(),
            buckets={name: buckets[name] for name in BUCKETS},
            quoted_records=tally.quoted_records,
            reproduced=tally.reproduced,
            divided_heads=tally.divided_heads if tally.borrowed else None,
            explained=tally.explained if tally.borrowed else None,
        )


def rank_turns(
    subject: MeasuredRun,
    points: Sequence[Point],
    *,
    ranking: Point | None = None,
    quiet: bool = True,
) -> TurnRanks:
    """Rank the evidence turns of the subject at the points, from the recording.

    `ranking` lends its order to points without one; by default the point with that role. Raises
    `UsageError` for a `ranking` without an ordering, and where one is needed and there is none.
    """
    lender = ranking or next(iter(role_points(Role.RANKING)), None)
    tallies = {point: _tally(point, lender) for point in points}
    quoted = quoted_ranges(subject.run, points, subject.case_ids)
    heads = quoted_ranges(subject.run, points, subject.case_ids, heads_only=True)
    recording = subject.open_recording()
    for case in cases_of(recording, subject.case_ids, "ranks", quiet=quiet):
        ranked = _RankedCase(case)
        for point, tally in tallies.items():
            ranked.count(tally, quoted[point], heads[point])
    return TurnRanks(tuple(points), tallies)


def bucket_of(place: int) -> str:
    """Return the bucket of a rank, counted from 1."""
    if place <= 3:
        return str(place)
    return "4-5" if place <= 5 else "later"


def is_explained(quoted: Sequence[Range], passages: Sequence[Range]) -> bool:
    """Return whether the quoted ranges are the best `passages` (best first), some number of them,
    or the first characters of the best one."""
    shown = merge(quoted)
    if not passages or not shown:
        return False
    start, end = passages[0]
    if len(shown) == 1 and shown[0][0] == start and shown[0][1] <= end:
        return True
    characters = sum(last - first for first, last in shown)
    taken: list[Range] = []
    for passage in passages:
        taken.append(passage)
        union = merge(taken)
        if union == shown:
            return True
        if sum(last - first for first, last in union) > characters:
            return False
    return False


def _tally(point: Point, lender: Point | None) -> _Tally:
    if point.arm == EXTERNAL.name:
        raise UsageError(
            f"{point} was selected by another system, whose ranking is not known",
            "Choose points of our arms with --point.",
        )
    if isinstance(point.policy, SequencePolicy):
        return _Tally(point, point, borrowed=False)
    if lender is None:
        raise UsageError(
            f"{point} has no order of passages to rank by", "Name a point with one: --ranking SPEC."
        )
    if not isinstance(lender.policy, SequencePolicy):
        known = next((f", such as {known}" for known in role_points(Role.RANKING)), "")
        raise UsageError(
            f"--ranking {lender} has no order of passages to rank by",
            f"Name a point of an arm with one{known}.",
        )
    return _Tally(point, lender, borrowed=True)


class _RankedCase:
    """One case: its view, and the orderings that were computed of it."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._view: CaseView
        self._records: Positions
        self._view, self._records = view_of(case)
        self._position = {
            record.record_id: place for place, record in enumerate(self._records.records)
        }
        self._turns = evidence_turns(case)
        self._sequences: dict[Ordering, PassageSequence] = {}
        self._passages: dict[tuple[Ordering, str], list[Range]] = {}

    def count(
        self,
        tally: _Tally,
        quoted: Mapping[Key, Sequence[Range]],
        heads: Mapping[Key, Sequence[Range]],
    ) -> None:
        """Add the case to the tally; `quoted` are the ranges that the run has, `heads` those of
        them that quote a record as an item's head."""
        ordering = _ordering_of(tally.ranking)
        stored = {
            name: merge(quoted[self._case.case_id, name])
            for name in self._position
            if (self._case.case_id, name) in quoted
        }
        selection = self._selection(tally.point)
        again = _quoted_records(selection, self._records)
        tally.quoted_records += len(stored)
        tally.reproduced += sum(again.get(name) == ranges for name, ranges in stored.items())
        if tally.borrowed:
            self._explain(tally, ordering, heads)
        for turn in self._turns:
            if turn.record_id in stored:
                passages = self._best_first(ordering, turn.record_id)
                tally.turns.append(RankedTurn(turn, _bucket(turn, passages)))

    def _explain(
        self, tally: _Tally, ordering: Ordering, heads: Mapping[Key, Sequence[Range]]
    ) -> None:
        """Explain heads only: an excerpt is the best passage cut short, which says little."""
        for name in dict.fromkeys(item.head for item in self._case.items):
            quoted = heads.get((self._case.case_id, name), ())
            passages = self._best_first(ordering, name)
            if quoted and len(passages) > 1:
                tally.divided_heads += 1
                tally.explained += is_explained(quoted, passages)

    def _selection(self, point: Point) -> Selection:
        policy = point.policy
        if isinstance(policy, SequencePolicy):
            return policy.cut(self._view, self._sequence(policy.ordering))
        return policy.select(self._view)

    def _sequence(self, ordering: Ordering) -> PassageSequence:
        if ordering not in self._sequences:
            self._sequences[ordering] = ordering.order(self._view)
        return self._sequences[ordering]

    def _best_first(self, ordering: Ordering, record_id: str) -> list[Range]:
        """Return the distinct passages of a record, by inside rank, then by start."""
        key = (ordering, record_id)
        if key not in self._passages:
            sequence = self._sequence(ordering)
            places = np.flatnonzero(sequence.record == self._position[record_id])
            rows = {
                (int(sequence.inside_rank[at]), int(sequence.start[at]), int(sequence.end[at]))
                for at in places
            }
            ranges = [(start, end) for _, start, end in sorted(rows)]
            self._passages[key] = list(dict.fromkeys(ranges))
        return self._passages[key]


def _ordering_of(point: Point) -> Ordering:
    policy = point.policy
    if not isinstance(policy, SequencePolicy):
        raise TypeError(f"{point} has no ordering")
    return policy.ordering


def _quoted_records(selection: Selection, records: Positions) -> dict[str, list[Range]]:
    """Return the merged ranges that a selection quotes, by record."""
    ranges_of: dict[str, list[Range]] = {}
    for item in selection.items:
        for quote in (item.head, *item.excerpts):
            name = records[quote.record].record_id
            ranges_of.setdefault(name, []).extend(quote.ranges)
    return {name: merge(ranges) for name, ranges in ranges_of.items()}


def _bucket(turn: EvidenceTurn, passages: Sequence[Range]) -> str:
    if not passages:
        return "not ranked"
    for place, (start, end) in enumerate(passages, start=1):
        if turn.meets(start, end):
            return bucket_of(place)
    return "unreached"
