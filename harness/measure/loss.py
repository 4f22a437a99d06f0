"""Loss attribution: for each evidence turn that a point does not quote, where it was lost.

At a point every evidence turn of every question is in one class, the first that fits:

- quoted: at least one character of the turn is quoted, by a head or an excerpt. A turn that is
  quoted in part counts as quoted, as in `evidence_turns_touched`;
- session not in the window: the record that holds the turn is none of the window's records. A
  session is one record in the recordings of LongMemEval-S; where it is several, it is the turn's
  own record that counts;
- no passage taken: the record is in the window, and no character of it is quoted;
- cut off: the record is quoted, and a character of the turn is in the rest of one of its shown
  passages, which was too long and was cut (see below);
- outside the quote: the record is quoted, and the turn is elsewhere in it.

The five partition the evidence turns. A turn of no characters is never quoted or cut off.

A passage is made of whole blocks. One that is too long for its arm is cut to its first characters,
so it ends inside a block: a passage, or a quoted range, that ends neither at a block's end nor at
the end of its record was *cut*. Its *rest* is the text from there up to the first of

- the start of the next passage that was offered of the record (of a point without a stored
  sequence: of the next quoted range);
- the last block end within 1,478 characters of the passage's start, twice the longest block: no
  governing range is longer. At least the block that was cut is part of the rest.

A passage that happens to be cut at the end of a block cannot be told from one that ends there, and
has no rest.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from harness.errors import UsageError
from harness.model import MAX_BLOCK_CHARACTERS, Range
from harness.points import Point

from .subject import MeasuredRun
from .turns import (
    EvidenceTurn,
    Key,
    OfferedPassage,
    RecordBlocks,
    cases_of,
    evidence_turns,
    offered_passages,
    quoted_ranges,
)


class Fate(Enum):
    """What became of an evidence turn; the value is what tables print, in their order."""

    QUOTED = "quoted"
    NOT_IN_WINDOW = "session not in the window"
    NOT_TAKEN = "no passage taken"
    OUTSIDE = "outside the quote"
    CUT_OFF = "cut off"


FATES = tuple(Fate)


@dataclass(frozen=True, slots=True)
class LossRow:
    """The evidence turns of a point, or of one category of questions at it, by what became of them.

    Their counts add up to `turns`.
    """

    point: Point
    category: str | None
    turns: int
    fates: Mapping[Fate, int]

    @property
    def in_quoted_records(self) -> int:
        """Turns whose record is quoted."""
        return sum(self.fates[fate] for fate in (Fate.QUOTED, Fate.OUTSIDE, Fate.CUT_OFF))


@dataclass(frozen=True, slots=True)
class Moves:
    """How many turns were in one class at `against` and in another at `point`: `counts[from, to]`.

    Turns in the same class at both are counted too, so that all add up to the turns.
    """

    point: Point
    against: Point
    category: str | None
    counts: Mapping[tuple[Fate, Fate], int]

    @property
    def turns(self) -> int:
        return sum(self.counts.values())

    @property
    def moved(self) -> int:
        return sum(count for (before, after), count in self.counts.items() if before != after)


@dataclass(frozen=True, eq=False)
class Losses:
    """What became of each evidence turn of the subject: `fates[point]` has one a turn, in the order
    of `turns`. `questions` are those with an evidence turn, of `expected`."""

    turns: tuple[EvidenceTurn, ...]
    fates: Mapping[Point, tuple[Fate, ...]]
    questions: int
    expected: int

    @property
    def categories(self) -> tuple[str | None, ...]:
        """By name; None, for questions without one, comes last."""
        categories = {turn.category for turn in self.turns}
        return tuple(sorted(categories, key=lambda name: (name is None, name or "")))

    def row(self, point: Point, *, by: tuple[str | None] | None = None) -> LossRow:
        """Return the counts at a point; with `by`, of one category."""
        inside = [fate for turn, fate in self._pairs(point) if by is None or turn.category == by[0]]
        tally = Counter(inside)
        counts = {fate: tally[fate] for fate in FATES}
        return LossRow(point, None if by is None else by[0], len(inside), counts)

    def moves(self, point: Point, against: Point, *, by: tuple[str | None] | None = None) -> Moves:
        """Return what moved where between two points."""
        both = zip(self.turns, self.fates[against], self.fates[point], strict=True)
        counts = Counter(
            (before, after) for turn, before, after in both if by is None or turn.category == by[0]
        )
        return Moves(point, against, None if by is None else by[0], dict(counts))

    def _pairs(self, point: Point) -> zip[tuple[EvidenceTurn, Fate]]:
        return zip(self.turns, self.fates[point], strict=True)


def attribute_losses(
    subject: MeasuredRun, points: Sequence[Point], *, quiet: bool = True
) -> Losses:
    """Return what became of every evidence turn of the subject at the points.

    Reads the run's quotes, sequences and selections, and the recording's windows, labels and
    blocks. Raises `UsageError` where no question has an evidence turn.
    """
    turns: list[EvidenceTurn] = []
    blocks: dict[Key, RecordBlocks] = {}
    questions = 0
    recording = subject.open_recording()
    for case in cases_of(recording, subject.case_ids, "evidence turns", quiet=quiet):
        evidence = evidence_turns(case)
        questions += bool(evidence)
        turns.extend(evidence)
        holding = {turn.record_id for turn in evidence}
        for record in case.records:
            if record.record_id in holding:
                blocks[case.case_id, record.record_id] = RecordBlocks.of(record)
    if not turns:
        raise UsageError(
            f"no question of {subject.run.folder} has a labelled evidence turn",
            "Losses need a recording whose labels name turns.",
        )
    quoted = quoted_ranges(subject.run, points, subject.case_ids)
    sequences = offered_passages(subject.run, points, blocks.keys())
    fates = {
        point: _fates(turns, blocks, quoted[point], sequences.get(point, {})) for point in points
    }
    return Losses(tuple(turns), fates, questions, len(subject.case_ids))


def fate_of(
    turn: EvidenceTurn,
    record: RecordBlocks | None,
    quoted: Sequence[Range],
    passages: Sequence[OfferedPassage],
) -> Fate:
    """Return the class of one turn.

    `record` is None where the window does not have it; `quoted` are the ranges that are quoted of
    it, and `passages` those that its stored sequence offers of it, none without a sequence.
    """
    if any(turn.meets(start, end) for start, end in quoted):
        return Fate.QUOTED
    if record is None:
        return Fate.NOT_IN_WINDOW
    if not quoted:
        return Fate.NOT_TAKEN
    taken = [(passage.start, passage.end) for passage in passages if passage.taken]
    offered = [(passage.start, passage.end) for passage in passages]
    shown, known = (taken, offered) if taken else (quoted, quoted)
    cut_off = any(turn.meets(*rest) for rest in rests(record, shown, known))
    return Fate.CUT_OFF if cut_off else Fate.OUTSIDE


def _fates(
    turns: Sequence[EvidenceTurn],
    blocks: Mapping[Key, RecordBlocks],
    quoted: Mapping[Key, Sequence[Range]],
    passages: Mapping[Key, Sequence[OfferedPassage]],
) -> tuple[Fate, ...]:
    return tuple(
        fate_of(turn, blocks.get(turn.key), quoted.get(turn.key, ()), passages.get(turn.key, ()))
        for turn in turns
    )


LONGEST_PASSAGE = 2 * MAX_BLOCK_CHARACTERS


def rests(
    record: RecordBlocks, shown: Iterable[Range], offered: Sequence[Range]
) -> tuple[Range, ...]:
    """Return the rests of those of the passages `shown` that were cut; `offered` are all of the
    record's passages, in any order."""
    starts = sorted(start for start, _ in offered)
    cut_off = []
    for start, end in shown:
        stop = _rest_end(record, start, end, starts)
        if stop > end:
            cut_off.append((end, stop))
    return tuple(cut_off)


def _rest_end(record: RecordBlocks, start: int, end: int, starts: Sequence[int]) -> int:
    """Return where the rest of the passage ends; `end` where it was not cut."""
    ends = record.block_ends
    cut = bisect_left(ends, end)
    if end >= record.length or cut == len(ends) or ends[cut] == end:
        return end
    within = ends[max(bisect_right(ends, start + LONGEST_PASSAGE) - 1, 0)]
    following = bisect_left(starts, end)
    limit = starts[following] if following < len(starts) else record.length
    return min(max(within, ends[cut]), limit)
