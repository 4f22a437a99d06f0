"""The selections of a run, read shard by shard."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc

from harness.model import Json, Omitted, Range
from harness.replay import schema
from harness.replay.run import Run
from harness.storage.parquet import read_table

from .recorded import (
    Budget,
    RankedPassage,
    RecordedSelection,
    RecordedSequence,
    ShownExcerpt,
    ShownItem,
    TextByHash,
)

_NO_SEQUENCE = RecordedSequence((), (), None, 0)
_Quotes = dict[int, tuple[str, list[Range]]]
"""Record and ranges by excerpt; 0 is the head."""
_SELECTION_COLUMNS = (
    "case_id",
    "point",
    "budget",
    "budget_unit",
    "used",
    "passages_taken",
    "omitted_items",
    "omitted_passages",
    "omitted_excerpts",
    "context_sha256",
)
_QUOTE_COLUMNS = ("case_id", "point", "item", "excerpt", "record_id", "start", "end")
_PASSAGE_COLUMNS = (
    "case_id",
    "ordering",
    "record_id",
    "start",
    "end",
    "record_rank",
    "inside_rank",
    "cosine_rank",
    "parts",
)
_CANDIDATE_COLUMNS = tuple(
    name for name in schema.CANDIDATES_SCHEMA.names if name not in ("case_id", "point")
)


@dataclass(frozen=True, slots=True)
class SelectionLine:
    """The selection of a case at a point, from one line of a file or out of a run."""

    case_id: str
    point: str
    selection: RecordedSelection


class RunSelections:
    """The selections of a run: all that `harness.selection/1` says but the text of each quote, and
    the head of an item that does not quote it."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @property
    def name(self) -> str:
        """Run, as messages name it."""
        return str(self.run.folder)

    @property
    def recording_sha256(self) -> str:
        """Hash of the recording that was replayed."""
        return str(self.run.manifest.content["recording"]["sha256"])

    def selections(self, points: Collection[str] | None) -> Iterator[SelectionLine]:
        """Yield the selections at `points` (by canonical spelling; None: all), case by case, one
        shard in memory. Raises `UsageError` for a point that the run does not have."""
        spellings = [str(point) for point in self.run.points]
        if points is not None:
            self.run.chosen([f"{name}()" if "(" not in name else name for name in points])
            spellings = [name for name in spellings if name in points]
        for parts in self._shards.values():
            yield from _Shard(self, parts, spellings).selections()

    @cached_property
    def ordering_of(self) -> dict[str, str | None]:
        """Ordering that each computed point cuts; None for a policy without one."""
        table = self.run.table(schema.POINTS, ["point", "ordering"])
        return dict(zip(*[column.to_pylist() for column in table.columns], strict=True))

    @cached_property
    def _shards(self) -> dict[str, dict[str, list[str]]]:
        """By shard: the files of each table, one for each batch of points."""
        shards: dict[str, dict[str, list[str]]] = {}
        for name in sorted(self.run.manifest.files):
            table, _, part = name.partition("/")
            if table in (*schema.PART_TABLES, schema.CANDIDATES):
                shard = part.partition("-")[2]
                shards.setdefault(shard, defaultdict(list))[table].append(name)
        return shards


@dataclass(frozen=True)
class _Shard:
    """Some cases of a run at the points of `spellings`."""

    source: RunSelections
    parts: dict[str, list[str]]
    spellings: list[str]

    def selections(self) -> Iterator[SelectionLine]:
        computed_as = self.source.run.computed_as
        rows = self._rows(schema.SELECTIONS, _SELECTION_COLUMNS, "point", self._computed)
        by_case: dict[str, dict[str, tuple[Any, ...]]] = defaultdict(dict)
        for case_id, point, *rest in rows:
            by_case[case_id][point] = tuple(rest)
        for case_id, by_point in by_case.items():
            selections: dict[str, RecordedSelection] = {}
            for spelling in self.spellings:
                point = computed_as[spelling]
                if point not in selections:
                    selections[point] = self._selection(case_id, point, *by_point[point])
                yield SelectionLine(case_id, spelling, selections[point])

    @cached_property
    def _computed(self) -> set[str]:
        """Points under which the rows are stored."""
        return {self.source.run.computed_as[spelling] for spelling in self.spellings}

    def _selection(
        self,
        case_id: str,
        point: str,
        budget: int | None,
        unit: str | None,
        used: int,
        taken: int,
        omitted_items: int,
        omitted_passages: int,
        omitted_excerpts: int,
        sha256: str,
    ) -> RecordedSelection:
        ordering = self.source.ordering_of[point]
        sequence = _NO_SEQUENCE
        if ordering is not None:
            stored = self._sequences.get((case_id, ordering), _NO_SEQUENCE)
            sequence = replace(stored, taken=taken)
        return RecordedSelection(
            items=self._items.get((case_id, point), ()),
            used=used,
            sequence=sequence,
            budget=Budget(budget, unit),
            omitted=Omitted(omitted_items, omitted_passages, omitted_excerpts),
            context=TextByHash(sha256, self._contexts[sha256]),
            candidates=self._candidates.get((case_id, point)),
        )

    @cached_property
    def _items(self) -> dict[tuple[str, str], tuple[ShownItem, ...]]:
        quoted: dict[tuple[str, str], dict[int, _Quotes]] = {}
        rows = self._rows(schema.QUOTES, _QUOTE_COLUMNS, "point", self._computed)
        for case_id, point, item, excerpt, record_id, start, end in rows:
            quotes = quoted.setdefault((case_id, point), {}).setdefault(item, {})
            quotes.setdefault(excerpt, (record_id, []))[1].append((start, end))
        return {
            key: tuple(_item(quotes) for _, quotes in sorted(items.items()))
            for key, items in quoted.items()
        }

    @cached_property
    def _sequences(self) -> dict[tuple[str, str], RecordedSequence]:
        ordering_of = self.source.ordering_of
        wanted = {ordering_of[point] for point in self._computed}
        orderings = [ordering for ordering in wanted if ordering is not None]
        rows = self._rows(schema.SEQUENCES, _PASSAGE_COLUMNS, "ordering", orderings)
        groups = groupby(rows, key=itemgetter(0, 1))  # a sequence stands together, in its order
        return {key: _sequence(passages) for key, passages in groups}

    @cached_property
    def _candidates(self) -> dict[tuple[str, str], tuple[dict[str, Json], ...]]:
        columns = ("case_id", "point", *_CANDIDATE_COLUMNS)
        rows = self._rows(schema.CANDIDATES, columns, "point", self._computed)
        return {
            key: tuple(dict(zip(_CANDIDATE_COLUMNS, row[2:], strict=True)) for row in walk)
            for key, walk in groupby(rows, key=itemgetter(0, 1))
        }

    @cached_property
    def _contexts(self) -> dict[str, str]:
        return dict(self._rows(schema.CONTEXTS, ("context_sha256", "text")))

    def _rows(
        self, table: str, columns: Sequence[str], name: str = "", wanted: Collection[str] = ()
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the columns of a table, row by row; with a `name`, of the rows that have one of
        `wanted` in that column."""
        for part in self.parts.get(table, ()):
            rows = read_table(self.source.run.folder / part, columns=list(columns))
            if name:
                names = rows.column(name).cast(pa.string())
                rows = rows.filter(pc.is_in(names, pa.array(sorted(wanted), pa.string())))
            yield from zip(*map(_values, rows.columns), strict=True)


def _values(column: pa.ChunkedArray) -> list[Any]:
    """Return the values of a column; equal names are one object, which makes them quick to
    compare."""
    if not pa.types.is_dictionary(column.type):
        return cast(list[Any], column.to_pylist())
    array = column.combine_chunks()
    names = array.dictionary.to_pylist()
    return [None if place is None else names[place] for place in array.indices.to_pylist()]


def _item(quotes: _Quotes) -> ShownItem:
    """Read the rows of an item: quote 0 is the head's; a head that is not quoted has no row."""
    head, ranges = quotes.get(0, (None, []))
    excerpts = tuple(
        ShownExcerpt(record_id, tuple(spans))
        for number, (record_id, spans) in sorted(quotes.items())
        if number > 0
    )
    return ShownItem(head, tuple(ranges), None, excerpts)


def _sequence(rows: Iterable[tuple[Any, ...]]) -> RecordedSequence:
    passages, cosine_ranks, parts = [], [], []
    for _, _, *passage, cosine_rank, held in rows:
        passages.append(RankedPassage._make(passage))
        cosine_ranks.append(cosine_rank)
        parts.append(held)
    words = None if None in parts else tuple(map(tuple, parts))
    return RecordedSequence(tuple(passages), tuple(cosine_ranks), words)
