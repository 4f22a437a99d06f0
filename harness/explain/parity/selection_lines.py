"""Reading `harness.selection/1`, as `harness select` prints it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any

import msgspec

from harness.decode.fields import schema_fault
from harness.decode.json_lines import JsonLines
from harness.errors import Faults, InputError, nearest
from harness.model import Omitted, Range
from harness.replay.selection_writer import SELECTION_SCHEMA

from .recorded import (
    Budget,
    RankedPassage,
    RecordedSelection,
    RecordedSequence,
    ShownExcerpt,
    ShownItem,
    TextByHash,
)
from .typed_lines import checked_lines, typed

_HINT = f"A file of selections has one {SELECTION_SCHEMA} object a line: docs/file-formats.md."

_Count = Annotated[int, msgspec.Meta(ge=0)]


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """Base of every object of a line."""


class _Excerpt(_Line):
    record_id: str
    range: Range
    content: str
    ranges: tuple[Range, ...] = ()


class _Item(_Line):
    head: str
    content: str
    ranges: tuple[Range, ...]
    excerpts: tuple[_Excerpt, ...]


class _Ranks(_Line):
    record: int
    inside: int
    cosine: int | None


class _Passage(_Line):
    record_id: str
    span: Range
    ranks: _Ranks
    parts: tuple[_Count, ...]
    taken: bool


class _Omitted(_Line):
    items: int
    passages: int
    excerpts: int


class _Selection(_Line):
    schema: str
    case_id: str
    point: str
    items: tuple[_Item, ...]
    sequence: tuple[_Passage, ...]
    budget: int | None
    used: int
    budget_unit: str | None
    omitted: _Omitted
    context: str
    parts: tuple[str, ...] = ()
    candidates: tuple[dict[str, Any], ...] | None = None
    expansion: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class SelectionLine:
    """The selection of a case at a point, from one line."""

    case_id: str
    point: str
    selection: RecordedSelection


def read_selection(value: Any, faults: Faults) -> SelectionLine | None:
    """The selection of a decoded line; None after adding what is wrong with it to `faults`."""
    if isinstance(value, dict) and "schema" in value:
        wrong = schema_fault(value["schema"], SELECTION_SCHEMA)
        if wrong is not None:  # the rest is not worth reading
            faults.add(f"schema {wrong}")
            return None
    line = typed(value, _Selection, faults)
    if line is None:
        return None
    sequence = _sequence(line, faults)
    selection = RecordedSelection(
        items=tuple(map(_item, line.items)),
        used=line.used,
        sequence=sequence,
        budget=Budget(line.budget, line.budget_unit),
        omitted=Omitted(line.omitted.items, line.omitted.passages, line.omitted.excerpts),
        context=TextByHash.of(line.context),
        candidates=line.candidates,
        expansion=line.expansion,
    )
    return SelectionLine(line.case_id, line.point, selection)


class SelectionFile:
    """The selections of a file or of standard input (`-`), one at a time."""

    def __init__(self, source: str) -> None:
        self._lines = JsonLines(source)

    @property
    def name(self) -> str:
        """The source, as messages name it."""
        return self._lines.name

    def selections(self, points: Collection[str] | None) -> Iterator[SelectionLine]:
        """The selections at `points` (by canonical spelling; None: all), in the file's order.

        Raises `InputError` naming every faulty line, and for a point that no line has.
        """
        seen: dict[str, None] = {}
        read = checked_lines(self._lines, _read, _identity, _HINT)
        for line in read:
            seen[line.point] = None
            if points is None or line.point in points:
                yield line
        missing = [point for point in points or () if point not in seen]
        if missing:
            raise InputError(
                f"{self.name} has no selection at {missing[0]}{nearest(missing[0], seen)}",
                f"It has {', '.join(seen)}.",
            )


def _read(value: Any, _: int, faults: Faults) -> SelectionLine | None:
    return read_selection(value, faults)


def _identity(line: SelectionLine) -> str:
    return f"case {line.case_id!r} at {line.point}"


def _item(item: _Item) -> ShownItem:
    excerpts = tuple(
        ShownExcerpt(one.record_id, one.ranges or (one.range,), TextByHash.of(one.content))
        for one in item.excerpts
    )
    return ShownItem(item.head, item.ranges, TextByHash.of(item.content), excerpts)


def _sequence(line: _Selection, faults: Faults) -> RecordedSequence:
    passages = line.sequence
    unknown = {part for one in passages for part in one.parts if part >= len(line.parts)}
    if unknown:
        faults.add(f"sequence names part {min(unknown)}, but parts has {len(line.parts)}")
        return RecordedSequence(())
    for place, (one, following) in enumerate(pairwise(passages), start=1):
        if following.taken and not one.taken:
            faults.add(f"sequence[{place}].taken is true after one that is not taken")
            return RecordedSequence(())
    parts = tuple(tuple(line.parts[part] for part in one.parts) for one in passages)
    return RecordedSequence(
        passages=tuple(
            RankedPassage(one.record_id, *one.span, one.ranks.record, one.ranks.inside)
            for one in passages
        ),
        cosine_ranks=tuple(one.ranks.cosine for one in passages),
        parts=parts if line.parts else None,
        taken=sum(one.taken for one in passages),
    )
