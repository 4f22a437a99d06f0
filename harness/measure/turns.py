"""The evidence turns of a recording's cases, and what a run's points quoted of their records.

Every labelled turn of a question counts, in the window or not, and repeated or overlapping ones
each, as they do in `evidence_turns`. Characters are code points, ranges end exclusive.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.model import Case, Range, Record, divide
from harness.points import Point
from harness.progress import progress
from harness.recording.recording import Recording
from harness.replay import schema
from harness.replay.run import Run

Key = tuple[str, str]
"""A case id and a record id."""


@dataclass(frozen=True, slots=True)
class EvidenceTurn:
    """A labelled turn: where it stands among its question's turns, and its range in its record."""

    case_id: str
    category: str | None
    number: int
    record_id: str
    start: int
    end: int

    @property
    def key(self) -> Key:
        return self.case_id, self.record_id

    def meets(self, start: int, end: int) -> bool:
        """Return whether the turn shares a character with the range."""
        return max(self.start, start) < min(self.end, end)


@dataclass(frozen=True, slots=True)
class RecordBlocks:
    """The length of a record's text, and where its blocks end, ascending.

    A record without a current block set is divided as an arm would divide it.
    """

    length: int
    block_ends: tuple[int, ...]

    @classmethod
    def of(cls, record: Record) -> RecordBlocks:
        if record.blocks is not None:
            return cls(len(record.text), tuple(record.blocks.ends.tolist()))
        return cls(len(record.text), tuple(span.end for span in divide(record.text)))


@dataclass(frozen=True, slots=True)
class OfferedPassage:
    """A passage of a record in a stored sequence; `taken` at the point that is looked at."""

    start: int
    end: int
    taken: bool


def evidence_turns(case: Case) -> tuple[EvidenceTurn, ...]:
    """Return the case's labelled turns; none for a case without gold."""
    spans = () if case.gold is None else case.gold.evidence
    return tuple(
        EvidenceTurn(case.case_id, case.category, number, span.record_id, span.start, span.end)
        for number, span in enumerate(spans)
    )


def cases_of(
    recording: Recording, case_ids: Collection[str], label: str, *, quiet: bool
) -> Iterator[Case]:
    """Yield the recording's cases of these ids, in its order, with a progress bar."""
    wanted = set(case_ids)
    numbers = [number for number, name in enumerate(recording.case_ids) if name in wanted]
    cases = recording.cases(numbers)
    yield from progress(cases, total=len(numbers), label=label, unit="case", quiet=quiet)


def quoted_ranges(
    run: Run, points: Sequence[Point], case_ids: Collection[str], *, heads_only: bool = False
) -> dict[Point, Mapping[Key, list[Range]]]:
    """Return every range that each point quotes, as shown, by case and record: heads and excerpts,
    or heads alone. Ranges without a character are left out. Points that are one policy share a
    value.
    """
    columns = ["case_id", "point", "record_id", "start", "end", "excerpt"]
    table = run.table(schema.QUOTES, columns)
    if heads_only:
        table = table.filter(pc.equal(table["excerpt"], 0))
    names = pa.array(sorted({run.computed_as[str(point)] for point in points}), pa.string())
    table = table.filter(
        pc.and_(_is_in(table["point"], names), pc.greater(table["end"], table["start"]))
    )
    wanted = set(case_ids)
    ranges_of: dict[str, dict[Key, list[Range]]] = {}
    for point, case_id, record_id, start, end in _rows(
        table, ("point", "case_id", "record_id", "start", "end")
    ):
        if case_id in wanted:
            by_key = ranges_of.setdefault(point, {})
            by_key.setdefault((case_id, record_id), []).append((start, end))
    return {point: ranges_of.get(run.computed_as[str(point)], {}) for point in points}


def offered_passages(
    run: Run, points: Sequence[Point], keys: Collection[Key]
) -> dict[Point, Mapping[Key, tuple[OfferedPassage, ...]]]:
    """Return the stored sequence of every point that has one, restricted to the records of `keys`.

    A point without a stored sequence is not a key of the result.
    """
    names = run.table(schema.POINTS, ["point", "ordering"]).to_pylist()
    ordering_of = {row["point"]: row["ordering"] for row in names}
    orderings = {
        point: ordering for point in points if (ordering := ordering_of[str(point)]) is not None
    }
    if not orderings:
        return {}
    stored = _stored_sequences(run, set(orderings.values()), keys)
    taken = _passages_taken(run, list(orderings))
    return {
        point: {
            key: tuple(
                OfferedPassage(start, end, place < taken[point][key[0]])
                for place, start, end in passages
            )
            for key, passages in stored.get(ordering, {}).items()
        }
        for point, ordering in orderings.items()
    }


_Places = dict[Key, list[tuple[int, int, int]]]


def _stored_sequences(
    run: Run, orderings: Collection[str], keys: Collection[Key]
) -> dict[str, _Places]:
    """Return place, start and end of the stored passages of these records, by ordering."""
    columns = ["case_id", "ordering", "record_id", "place", "start", "end"]
    table = run.table(schema.SEQUENCES, columns)
    records = pa.array(sorted({record_id for _, record_id in keys}), pa.string())
    names = pa.array(sorted(orderings), pa.string())
    inside = pc.and_(_is_in(table["record_id"], records), _is_in(table["ordering"], names))
    table = table.filter(inside)
    places_of: dict[str, _Places] = {}
    for ordering, case_id, record_id, *passage in _rows(
        table, ("ordering", "case_id", "record_id", "place", "start", "end")
    ):
        key = (case_id, record_id)
        if key in keys:
            place, start, end = passage
            places_of.setdefault(ordering, {}).setdefault(key, []).append((place, start, end))
    return places_of


def _passages_taken(run: Run, points: Sequence[Point]) -> dict[Point, dict[str, int]]:
    """Return how many passages of its sequence each point takes, by case."""
    table = run.table(schema.SELECTIONS, ["case_id", "point", "passages_taken"])
    counts: dict[str, dict[str, int]] = {}
    for point, case_id, taken in _rows(table, ("point", "case_id", "passages_taken")):
        counts.setdefault(point, {})[case_id] = taken
    return {point: counts[run.computed_as[str(point)]] for point in points}


def _is_in(column: pa.ChunkedArray, values: pa.Array) -> pa.ChunkedArray:
    """Return whether each row is one of `values`; of a dictionary, looked up once an entry."""
    chunks = []
    for chunk in column.chunks:
        entries = pc.is_in(chunk.dictionary, values).to_numpy(zero_copy_only=False)
        places = chunk.indices.to_numpy(zero_copy_only=False)
        chunks.append(pa.array(entries[places] if len(entries) else np.zeros(0, dtype=np.bool_)))
    return pa.chunked_array(chunks, pa.bool_())


def _rows(table: pa.Table, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    columns = []
    for name in names:
        column = table[name]
        if pa.types.is_dictionary(column.type):
            column = column.cast(pa.string())
        columns.append(column.to_pylist())
    return zip(*columns, strict=True)
