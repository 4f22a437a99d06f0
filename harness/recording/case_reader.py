"""`harness.case/1`: one JSON object into a `Case`, every fault of it reported together."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.decode.fields import ObjectReader, is_finite_number, kind_of, schema_fault
from harness.errors import Faults
from harness.model import BlockSet, Case, EvidenceSpan, Gold, Item, Query, RecallPlace, Record

CASE_SCHEMA = "harness.case/1"
_LARGEST_FLOAT32 = float(np.finfo(np.float32).max)


def read_case(value: Any, where: str) -> Case:
    """The case of a decoded line; raises `InputError` naming `where` and every fault."""
    faults = Faults()
    case = case_of(value, faults)
    faults.raise_if_any(where, f"docs/file-formats.md describes {CASE_SCHEMA}.")
    return case


def case_of(value: Any, faults: Faults) -> Case:
    """The case of a decoded line; what it is worth when `faults` were added is undefined."""
    if isinstance(value, dict) and "schema" in value:
        wrong = schema_fault(value["schema"], CASE_SCHEMA)
        if wrong is not None:  # the rest is not worth reading
            faults.add(f"schema {wrong}")
            return Case("", Query(""))
    fields = ObjectReader(
        value,
        "",
        faults,
        required=("schema", "case_id", "query", "records", "items"),
        optional=("category", "gold"),
    )
    query = _query(fields.raw("query"), faults) if fields.has("query") else Query("")
    dimension = None if query.vector is None else len(query.vector)
    records = []
    for path, entry in fields.items("records"):
        record, dimension = _record(entry, path, dimension, faults)
        records.append(record)
    lengths = _lengths(records, faults)
    return Case(
        case_id=fields.text("case_id", empty=False),
        query=query,
        records=tuple(records),
        items=tuple(_item(entry, path, lengths, faults) for path, entry in fields.items("items")),
        category=fields.text_or_null("category"),
        gold=_gold(fields.raw("gold"), lengths, faults),
    )


def _query(value: Any, faults: Faults) -> Query:
    fields = ObjectReader(value, "query", faults, required=("text",), optional=("date", "vector"))
    vector = None if fields.raw("vector") is None else _float_vector(fields, "vector")
    return Query(fields.text("text"), fields.date_or_null("date"), vector)


def _float_vector(fields: ObjectReader, key: str) -> NDArray[np.float32] | None:
    numbers = fields.raw(key)
    if not isinstance(numbers, list) or not numbers:
        fields.fault(key, "is not a list of numbers, or empty; give null for no vector")
        return None
    for index, number in enumerate(numbers):
        if not is_finite_number(number) or abs(number) > _LARGEST_FLOAT32:
            fields.fault(f"{key}[{index}]", f"is {kind_of(number)}, expected a finite float32")
            return None
    return np.array(numbers, dtype=np.float32)


def _record(
    value: Any, path: str, dimension: int | None, faults: Faults
) -> tuple[Record, int | None]:
    fields = ObjectReader(
        value,
        path,
        faults,
        required=("record_id", "text"),
        optional=("timestamp", "session_id", "metadata", "blocks"),
    )
    text = fields.text("text")
    metadata = fields.json("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        fields.fault("metadata", f"is {kind_of(metadata)}, expected an object")
    blocks = None
    if fields.raw("blocks") is not None:
        blocks, dimension = _blocks(fields, text, dimension, faults)
    record = Record(
        record_id=fields.text("record_id", empty=False),
        text=text,
        timestamp=fields.date_or_null("timestamp"),
        session_id=fields.text_or_null("session_id"),
        metadata=metadata if isinstance(metadata, dict) else {},
        blocks=blocks,
    )
    return record, dimension


def _blocks(
    fields: ObjectReader, text: str, dimension: int | None, faults: Faults
) -> tuple[BlockSet | None, int | None]:
    """The block set, and the width of vectors in this case, if any was seen yet."""
    starts, ends, rows = [], [], []
    before = len(faults)
    reached = 0
    for path, entry in fields.items("blocks"):
        block = ObjectReader(entry, path, faults, required=("start", "end"), optional=("vector",))
        noted = len(faults)
        start, end = block.whole_number("start"), block.whole_number("end")
        if len(faults) == noted:
            _check_range(block, start, end, reached, len(text))
        reached = end
        row = _int8_vector(block, dimension)
        dimension = len(row) if row is not None and dimension is None else dimension
        starts.append(start)
        ends.append(end)
        rows.append(row)
    if len(faults) == before and reached != len(text):
        fields.fault(
            "blocks",
            f"end at {reached}, but the text has {len(text)} characters: blocks must cover the "
            "text; give null when there is no current block set",
        )
    if len(faults) > before:
        return None, dimension
    bounds = np.array(starts, dtype=np.int32), np.array(ends, dtype=np.int32)
    return BlockSet(*bounds, *_stacked(rows)), dimension


def _check_range(block: ObjectReader, start: int, end: int, reached: int, length: int) -> None:
    if start != reached:
        kind = "overlaps the block before it" if start < reached else "leaves a gap"
        block.fault("start", f"is {start}, expected {reached}: it {kind}; blocks follow each other")
    if not start < end <= length:
        block.fault("end", f"is {end}, expected more than {start} and at most {length}")


def _int8_vector(block: ObjectReader, dimension: int | None) -> NDArray[np.int8] | None:
    encoded = block.raw("vector")
    if encoded is None:
        return None
    try:
        blob = base64.b64decode(encoded, validate=True)
    except (binascii.Error, TypeError, ValueError) as error:
        block.fault("vector", f"is not base64 ({error})")
        return None
    if not blob:
        block.fault("vector", "is empty; give null for no vector")
        return None
    if dimension is not None and len(blob) != dimension:
        block.fault("vector", f"has {len(blob)} dimensions, the others of this case {dimension}")
        return None
    return np.frombuffer(blob, dtype=np.int8)


def _stacked(
    rows: list[NDArray[np.int8] | None],
) -> tuple[NDArray[np.int8] | None, frozenset[int]]:
    present = [row for row in rows if row is not None]
    if not present:
        return None, frozenset()
    zero = np.zeros(len(present[0]), dtype=np.int8)
    missing = frozenset(index for index, row in enumerate(rows) if row is None)
    return np.stack([zero if row is None else row for row in rows]), missing


def _lengths(records: list[Record], faults: Faults) -> dict[str, int]:
    """Text length by record id; a record id given twice is a fault."""
    lengths: dict[str, int] = {}
    for index, record in enumerate(records):
        if record.record_id in lengths:
            faults.add(f"records[{index}].record_id {record.record_id!r} was given before")
        lengths[record.record_id] = len(record.text)
    return lengths


def _item(value: Any, path: str, lengths: dict[str, int], faults: Faults) -> Item:
    fields = ObjectReader(
        value, path, faults, required=("head",), optional=("claims", "reserved", "recall")
    )
    head, claims = fields.text("head", empty=False), fields.texts("claims")
    for record_id in (head, *claims):
        if record_id and record_id not in lengths:
            faults.add(f"{path} names the record {record_id!r}, which is not among the records")
    if head in claims:
        fields.fault("claims", f"name the head {head!r}; claims are the item's other records")
    if len(set(claims)) < len(claims):
        fields.fault("claims", "name a record twice")
    return Item(head, claims, fields.boolean("reserved"), _recall_place(fields, faults))


def _recall_place(item: ObjectReader, faults: Faults) -> RecallPlace | None:
    value = item.raw("recall")
    if value is None:
        return None
    fields = ObjectReader(
        value, item.where("recall"), faults, required=("rank", "score"), optional=()
    )
    rank = fields.whole_number("rank")
    if rank < 0:
        fields.fault("rank", f"is {rank}, expected 0 or more (0 is best)")
    return RecallPlace(rank, fields.finite_number("score"))


def _gold(value: Any, lengths: dict[str, int], faults: Faults) -> Gold | None:
    if value is None:
        return None
    fields = ObjectReader(
        value,
        "gold",
        faults,
        required=("answer",),
        optional=("abstention", "sessions", "evidence"),
    )
    return Gold(
        answer=_answer(fields),
        abstention=fields.boolean("abstention"),
        sessions=fields.texts("sessions"),
        evidence=tuple(
            _evidence(entry, path, lengths, faults) for path, entry in fields.items("evidence")
        ),
    )


def _answer(gold: ObjectReader) -> str | int:
    answer = gold.raw("answer")
    if isinstance(answer, int) and not isinstance(answer, bool):
        return answer
    if gold.has("answer") and not isinstance(answer, str):
        gold.fault("answer", f"is {kind_of(answer)}, expected a string or a whole number")
        return ""
    return gold.text("answer")


def _evidence(value: Any, path: str, lengths: dict[str, int], faults: Faults) -> EvidenceSpan:
    fields = ObjectReader(
        value, path, faults, required=("record_id", "start", "end", "role"), optional=()
    )
    record_id = fields.text("record_id", empty=False)
    start, end = fields.whole_number("start"), fields.whole_number("end")
    length = lengths.get(record_id)
    if not 0 <= start <= end or (length is not None and end > length):
        bound = "" if length is None else f" within the {length} characters of the record"
        fields.fault("", f"is the range {start} to {end}, expected 0 ≤ start ≤ end{bound}")
    return EvidenceSpan(record_id, start, end, fields.text("role"))
