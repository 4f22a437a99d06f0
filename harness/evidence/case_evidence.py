"""What one selection shows of one case's labelled evidence, counted from character ranges.

Nothing is found by searching text. Every count is a plain integer, so that each metric can be
computed again from the table of counts (`harness.evidence.metrics` says which metrics there are).

Source: the evidence metrics of the published cpersona evaluations, in our own words. Ranges of one
record are merged, ranges that touch too. The separators between ranges are not quoted characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import pyarrow as pa

from harness.model import Case, Range


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """One quoted record of a selection.

    `item` is the 0-based place in the window of the item that quotes it. `ranges` are code points
    of the record's text, end exclusive, in any order; they may touch, overlap or be empty.
    """

    item: int
    record_id: str
    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class CaseLabels:
    """A case's labels, laid out for counting; made once per case by `labels_of`.

    `session_of` has every record of the window: the answer session that it belongs to, or None.
    `turns_of` has the labelled turns of each record that has some, as code points.
    `evidence_turns` and `evidence_turn_chars` also count turns outside the window, and count
    overlapping or repeated turns each.
    """

    labelled: bool
    answer_sessions: int
    session_of: Mapping[str, str | None]
    turns_of: Mapping[str, tuple[Range, ...]]
    evidence_turns: int
    evidence_turn_chars: int


def _count(meaning: str, *, null: str = "") -> Any:
    """Declare a count by its meaning and, if it may be absent, by what null means."""
    return field(metadata={"meaning": meaning} | ({"null": null} if null else {}))


@dataclass(frozen=True, slots=True)
class CaseEvidence:
    """The counts of one case at one point; characters are code points.

    Each field is a column of `SCHEMA`, with its meaning.
    """

    labelled: bool = _count("the case has gold")
    answer_sessions: int = _count("answer sessions, each id once")
    answer_sessions_shown: int = _count("answer sessions with at least one quoted character")
    evidence_turns: int = _count("labelled turns, in the window or not")
    evidence_turns_touched: int = _count("labelled turns with at least one quoted character")
    evidence_turn_chars: int = _count("characters of the labelled turns")
    evidence_turn_chars_quoted: int = _count(
        "characters of the labelled turns that are quoted, each once"
    )
    quoted_chars_raw: int = _count(
        "quoted characters as shown, repeats counted each time, separators not at all"
    )
    quoted_chars_merged: int = _count("quoted characters, each of a record once")
    quoted_chars_in_answer_sessions: int = _count(
        "quoted characters of answer sessions, each of a record once"
    )
    first_item_rank: int | None = _count(
        "place in the window, from 1, of the first item that quotes an answer session",
        null="no item does",
    )
    context_tokens: int | None = _count(
        "tokens of the rendered context", null="tokens were not counted"
    )


SCHEMA = pa.schema(
    [
        pa.field(
            count.name,
            pa.bool_() if count.type == "bool" else pa.int32(),
            nullable="null" in count.metadata,
            metadata=dict(count.metadata),
        )
        for count in fields(CaseEvidence)
    ]
)
"""The counts as columns; each field's metadata has its `meaning` and what `null` means."""


def as_row(evidence: CaseEvidence) -> dict[str, bool | int | None]:
    """Return the counts by column name, for `pyarrow.Table.from_pylist` with `SCHEMA`."""
    return asdict(evidence)


def as_table(cases: Sequence[CaseEvidence]) -> pa.Table:
    """Build a table of `SCHEMA` from the counts of many cases, in their order."""
    arrays = [
        pa.array([getattr(case, column.name) for case in cases], column.type) for column in SCHEMA
    ]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def labels_of(case: Case) -> CaseLabels:
    """Return the labels of `case`; a session id that its gold lists twice is one answer session."""
    gold = case.gold
    sessions = frozenset(gold.sessions) if gold else frozenset()
    turns = gold.evidence if gold else ()
    turns_of: dict[str, list[Range]] = {}
    for turn in turns:
        turns_of.setdefault(turn.record_id, []).append((turn.start, turn.end))
    return CaseLabels(
        labelled=gold is not None,
        answer_sessions=len(sessions),
        session_of={
            record.record_id: record.session_id if record.session_id in sessions else None
            for record in case.records
        },
        turns_of={record_id: tuple(spans) for record_id, spans in turns_of.items()},
        evidence_turns=len(turns),
        evidence_turn_chars=sum(turn.end - turn.start for turn in turns),
    )


def measure(
    labels: CaseLabels, shown: Sequence[ShownRecord], context_tokens: int | None = None
) -> CaseEvidence:
    """Count what `shown` quotes of the case that `labels` belong to.

    `context_tokens` is passed on: tokens of the rendered context, None where they were not counted.
    Raises `KeyError` for a record that the window does not have, and `ValueError` for a range that
    ends before it starts.
    """
    ranges_of: dict[str, list[Range]] = {}
    sessions_shown: set[str] = set()
    first_item: int | None = None
    raw = 0
    for quote in shown:
        quoted = _characters(quote.ranges)
        if not quoted:
            continue
        raw += quoted
        ranges_of.setdefault(quote.record_id, []).extend(quote.ranges)
        session = labels.session_of[quote.record_id]
        if session is not None:
            sessions_shown.add(session)
            if first_item is None or quote.item < first_item:
                first_item = quote.item

    merged = in_answer_sessions = turns_touched = turn_chars_quoted = 0
    for record_id, ranges in ranges_of.items():
        union = merge(ranges)
        characters = _characters(union)
        merged += characters
        if labels.session_of[record_id] is not None:
            in_answer_sessions += characters
        for turn in labels.turns_of.get(record_id, ()):
            overlap = _overlap(turn, union)
            turns_touched += overlap > 0
            turn_chars_quoted += overlap
    return CaseEvidence(
        labelled=labels.labelled,
        answer_sessions=labels.answer_sessions,
        answer_sessions_shown=len(sessions_shown),
        evidence_turns=labels.evidence_turns,
        evidence_turns_touched=turns_touched,
        evidence_turn_chars=labels.evidence_turn_chars,
        evidence_turn_chars_quoted=turn_chars_quoted,
        quoted_chars_raw=raw,
        quoted_chars_merged=merged,
        quoted_chars_in_answer_sessions=in_answer_sessions,
        first_item_rank=None if first_item is None else first_item + 1,
        context_tokens=context_tokens,
    )


def merge(ranges: Iterable[Range]) -> list[Range]:
    """Return the union of `ranges`, in text order; ranges that touch become one, empty ones
    vanish."""
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end)
        elif end > start:
            merged.append((start, end))
    return merged


def _characters(ranges: Iterable[Range]) -> int:
    total = 0
    for start, end in ranges:
        if end < start:
            raise ValueError(f"a quoted range ends before it starts: [{start}, {end}]")
        total += end - start
    return total


def _overlap(turn: Range, union: Iterable[Range]) -> int:
    """Return code points of `turn` that lie in `union`, whose ranges do not overlap each other."""
    first, last = turn
    total = 0
    for start, end in union:
        low = start if start > first else first
        high = end if end < last else last
        if low < high:
            total += high - low
    return total
