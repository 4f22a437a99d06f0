"""`harness.case/1`: one JSON object into a `Case`, every fault of it reported together."""

from __future__ import annotations

import base64
import binascii
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from harness.decode import (
    LARGEST_WHOLE_NUMBER,
    Check,
    FieldError,
    Format,
    IsoDate,
    JsonObject,
    PathFault,
    Text,
    Via,
    Whole,
    named,
    typed,
)
from harness.errors import Faults, InputError
from harness.model import BlockSet, Case, Gold, Item, Query, RecallPlace, Record
from harness.words import counted

CASE_SCHEMA = "harness.case/1"
_LARGEST_FLOAT32 = float(np.finfo(np.float32).max)


def _float32(numbers: tuple[float, ...]) -> NDArray[np.float32]:
    if not numbers:
        raise FieldError("", "is empty; give null for no vector")
    beyond = [place for place, number in enumerate(numbers) if abs(number) > _LARGEST_FLOAT32]
    if beyond:
        message = f"is {named(numbers[beyond[0]])}, expected a finite float32"
        raise FieldError(faults=[((beyond[0],), message)])
    return np.array(numbers, dtype=np.float32)


def _int8(encoded: str) -> NDArray[np.int8]:
    try:
        blob = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise FieldError("", f"is not base64 ({error})") from error
    if not blob:
        raise FieldError("", "is empty; give null for no vector")
    return np.frombuffer(blob, dtype=np.int8)


def _rank_fault(place: RecallPlace) -> None:
    if not 0 <= place.rank <= LARGEST_WHOLE_NUMBER:
        raise FieldError("rank", f"is {place.rank}, expected 0 or more (0 is best)")


def _gold_fault(gold: Gold) -> None:
    faults: list[PathFault] = []
    for place, span in enumerate(gold.evidence):
        if not span.record_id:
            faults.append((("evidence", place, "record_id"), "is empty"))
        faults += [
            (("evidence", place, key), "is a number of more than 32 bits")
            for key in ("start", "end")
            if abs(getattr(span, key)) > LARGEST_WHOLE_NUMBER
        ]
    if faults:
        raise FieldError(faults=faults)


@dataclass(frozen=True, slots=True)
class _Query:
    text: str
    date: IsoDate | None = None
    vector: Annotated[NDArray[np.float32], Via(tuple[float, ...], _float32)] | None = None


@dataclass(frozen=True, slots=True)
class _Block:
    start: Whole
    end: Whole
    vector: Annotated[NDArray[np.int8], Via(str, _int8)] | None = None


@dataclass(frozen=True, slots=True)
class _Record:
    record_id: Text
    text: str
    timestamp: IsoDate | None = None
    session_id: str | None = None
    metadata: JsonObject | None = None
    blocks: tuple[_Block, ...] | None = None

    def __post_init__(self) -> None:
        faults = [] if self.blocks is None else [*_block_faults(self.blocks, len(self.text))]
        if faults:
            raise FieldError(faults=faults)

    def record(self) -> Record:
        blocks = None if self.blocks is None else _block_set(self.blocks)
        metadata = self.metadata or {}
        return Record(self.record_id, self.text, self.timestamp, self.session_id, metadata, blocks)


@dataclass(frozen=True, slots=True)
class _Item:
    head: Text
    claims: tuple[str, ...] = ()
    reserved: bool = False
    recall: Annotated[RecallPlace, Check(_rank_fault)] | None = None

    def __post_init__(self) -> None:
        faults: list[PathFault] = []
        if self.head in self.claims:
            message = f"name the head {self.head!r}; claims are the item's other records"
            faults.append((("claims",), message))
        if len(set(self.claims)) < len(self.claims):
            faults.append((("claims",), "name a record twice"))
        if faults:
            raise FieldError(faults=faults)


@dataclass(frozen=True, slots=True)
class _CaseObject:
    """A case as its line spells it."""

    case_id: Text
    query: _Query
    records: tuple[_Record, ...]
    items: tuple[_Item, ...]
    category: str | None = None
    gold: Annotated[Gold, Check(_gold_fault)] | None = None

    def case(self) -> Case:
        return Case(
            case_id=self.case_id,
            query=Query(self.query.text, self.query.date, self.query.vector),
            records=tuple(record.record() for record in self.records),
            items=tuple(
                Item(item.head, item.claims, item.reserved, item.recall) for item in self.items
            ),
            category=self.category,
            gold=self.gold,
        )


CASE = Format(CASE_SCHEMA, _CaseObject, hint=f"docs/file-formats.md describes {CASE_SCHEMA}.")
_PARTS: dict[str, Format[Any]] = {
    "query": Format("query", _Query),
    "records": Format("records", tuple[_Record, ...]),
    "items": Format("items", tuple[_Item, ...]),
    "gold": Format("gold", Gold),
}

Part = TypeVar("Part")


def read_case(value: Any, where: str) -> Case:
    """Return the case of a decoded line; raises `InputError` naming `where` and every fault."""
    faults = Faults()
    case = case_of(value, faults)
    faults.raise_if_any(where, CASE.hint)
    if case is None:
        raise InputError(f"{where} holds no case")
    return case


def case_of(tree: Any, faults: Faults, odd: Sequence[PathFault] = ()) -> Case | None:
    """Return the case of a line's tree, or None after adding every fault.

    `odd`: what `json_tree` found in it. What holds between parts of the case is looked at for the
    parts that have no fault of their own.
    """
    noted = Faults()
    read = typed(CASE, tree, noted, odd=odd)
    parts = {
        key: getattr(read, key) if read is not None else typed(form, tree[key], Faults())
        for key, form in _PARTS.items()
        if read is not None or (isinstance(tree, dict) and tree.get(key) is not None)
    }
    if read is not None or not any("schema" in message.split()[:1] for message in noted):
        for message in _faults_between(**parts):
            noted.add(message)
    for message in noted:
        faults.add(message)
    return None if read is None or len(noted) else read.case()


def _faults_between(
    query: _Query | None = None,
    records: tuple[_Record, ...] | None = None,
    items: tuple[_Item, ...] | None = None,
    gold: Gold | None = None,
) -> Iterator[str]:
    if records is None:
        return
    yield from _vector_faults(None if query is None else query.vector, records)
    lengths: dict[str, int] = {}
    for place, record in enumerate(records):
        if record.record_id in lengths:
            yield f"records[{place}].record_id {record.record_id!r} was given before"
        lengths[record.record_id] = len(record.text)
    for place, item in enumerate(items or ()):
        for record_id in (item.head, *item.claims):
            if record_id not in lengths:
                yield (
                    f"items[{place}] names the record {record_id!r}, which is not among the records"
                )
    for place, span in enumerate(() if gold is None else gold.evidence):
        length = lengths.get(span.record_id)
        if not 0 <= span.start <= span.end or (length is not None and span.end > length):
            bound = (
                ""
                if length is None
                else f" within the {counted(length, 'character')} of the record"
            )
            yield (
                f"gold.evidence[{place}] is the range {span.start} to {span.end}, expected "
                f"0 ≤ start ≤ end{bound}"
            )


def _vector_faults(
    question: NDArray[np.float32] | None, records: Sequence[_Record]
) -> Iterator[str]:
    """Name vectors whose width is not that of most: one that differs is at fault, not the rest."""
    widths = Counter(
        len(block.vector)
        for record in records
        for block in record.blocks or ()
        if block.vector is not None
    )
    if not widths:
        return
    own = None if question is None else len(question)
    width = max(widths, key=lambda each: (widths[each], each == own))
    if own is not None and own != width:
        of_blocks = (
            "that of 1 block" if widths[width] == 1 else f"those of {widths[width]:,} blocks"
        )
        yield f"query.vector has {counted(own, 'dimension')}, {of_blocks} {width:,}"
    for place, record in enumerate(records):
        for number, block in enumerate(record.blocks or ()):
            if block.vector is not None and len(block.vector) != width:
                yield (
                    f"records[{place}].blocks[{number}].vector has "
                    f"{counted(len(block.vector), 'dimension')}, "
                    f"the others of this case {width:,}"
                )


def _block_faults(blocks: Sequence[_Block], length: int) -> Iterator[PathFault]:
    """Name what keeps blocks from following each other and covering a text of that length."""
    reached, sound = 0, True
    for place, block in enumerate(blocks):
        path = ("blocks", place)
        if block.start != reached:
            kind = "overlaps the block before it" if block.start < reached else "leaves a gap"
            sound = False
            yield (
                (*path, "start"),
                f"is {block.start}, expected {reached}: it {kind}; blocks follow each other",
            )
        if not block.start < block.end <= length:
            sound = False
            yield (
                (*path, "end"),
                f"is {block.end}, expected more than {block.start} and at most {length}",
            )
        reached = block.end
    if sound and reached != length:
        yield (
            ("blocks",),
            f"end at {reached}, but the text has {counted(length, 'character')}: "
            f"blocks must cover the text; "
            "write null when there is no current block set",
        )


def _block_set(blocks: Sequence[_Block]) -> BlockSet:
    starts = np.array([block.start for block in blocks], dtype=np.int32)
    ends = np.array([block.end for block in blocks], dtype=np.int32)
    width = next((len(block.vector) for block in blocks if block.vector is not None), None)
    if width is None:
        return BlockSet(starts, ends, None)
    zero = np.zeros(width, dtype=np.int8)
    missing = frozenset(place for place, block in enumerate(blocks) if block.vector is None)
    rows = [zero if block.vector is None else block.vector for block in blocks]
    return BlockSet(starts, ends, np.stack(rows), missing)
