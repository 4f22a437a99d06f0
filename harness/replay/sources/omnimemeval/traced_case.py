"""A question's context, traced: a case whose window is what the context shows, and its selection.

The window's items are the context's, in its order, and its records those that were quoted. A quote
in no record is a record of its own, of no session, so what it cost and showed stays counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from harness.datasets.layout import Question
from harness.model import (
    PASSAGE_SEPARATOR,
    Case,
    Item,
    ItemQuote,
    Query,
    Quote,
    Record,
    Selection,
    view_of,
)
from harness.replay.context import PART_SEPARATOR, render_context

from .checks import Checks
from .haystack_records import HaystackText, Labels, labels_in, stored_sessions
from .lines import SHORTEST, trace_lines
from .tracing import QuoteOrigin, TracedBlock, TracedPart, split_context, trace_block

_NOTHING = TracedPart("", (), ())


@dataclass(frozen=True, slots=True)
class TracedCase:
    """A case, what its context quotes, the context as it was given, and the checks."""

    case: Case
    selection: Selection
    context: str
    checks: Checks


def trace_case(
    question: Question, records: Sequence[HaystackText], context: str, *, dated: bool = True
) -> TracedCase:
    """Trace the context of `question` to its records; raises `SplitError`.

    `dated`: its items have headers. Otherwise each part of it that `trace_lines` gives is an item.
    """
    candidates = [QuoteOrigin(record.text, record.timestamp) for record in records]
    if dated:
        blocks = [trace_block(block, candidates) for block in split_context(context)]
    else:
        blocks = [TracedBlock(None, (part,)) for part in trace_lines(context, candidates)]
    labels = labels_in(question, records)
    sources = _Sources(question, records)
    quoted = [sources.of_block(block) for block in blocks]
    case = Case(
        case_id=question.question_id,
        query=Query(question.question, question.timestamp),
        records=tuple(sources.records.values()),
        items=tuple(_item([record_id for record_id, _ in parts]) for parts in quoted),
        category=question.question_type,
        gold=labels.gold,
    )
    positions = view_of(case)[1]
    position_of = {record.record_id: at for at, record in enumerate(positions.records)}
    items = tuple(
        _quotes(place, [(position_of[record_id], part) for record_id, part in parts])
        for place, parts in enumerate(quoted)
    )
    selection = shown_as(items)
    checks = _checks(question, records, labels, blocks)
    if dated:
        differs = render_context(selection, positions) != context
        checks = replace(checks, rendered_differently=int(differs))
    elif blocks:
        lost = [part for block in blocks for part in block.parts if not part.located]
        several = sum(part.several_places for part in lost)
        short = sum(len(part.text) < SHORTEST and not part.several_places for part in lost)
        checks = replace(
            checks, contexts_undated=1, lines_in_several_places=several, lines_too_short=short
        )
    return TracedCase(case, selection, context, checks)


def shown_as(items: tuple[ItemQuote, ...]) -> Selection:
    """Return the selection that shows these items and was made without a budget."""
    quotes = [quote for item in items for quote in (item.head, *item.excerpts)]
    return Selection(items=items, used=sum(quote.length for quote in quotes))


class _Sources:
    """The quoted records of a question, in order of first use."""

    def __init__(self, question: Question, haystack: Sequence[HaystackText]) -> None:
        self.records: dict[str, Record] = {}
        self._question = question
        self._haystack = haystack

    def of_block(self, block: TracedBlock) -> list[tuple[str, TracedPart]]:
        """Return the record id of each part of a block; one without text keeps its place."""
        return [(self._record_of(part, block.time), part) for part in block.parts or (_NOTHING,)]

    def _record_of(self, part: TracedPart, time: str | None) -> str:
        if part.located:
            found = self._haystack[part.matches[0]]
            at = found.session
            session = None if at is None else self._question.sessions[at].session_id
            record = Record(found.record_id, found.text, found.timestamp, session)
        else:
            unlocated = sum(not known.session_id for known in self.records.values())
            record_id = f"{self._question.question_id}:unlocated:{unlocated}"
            record = Record(record_id, part.text, time)
        self.records.setdefault(record.record_id, record)
        return record.record_id


def _item(record_ids: Sequence[str]) -> Item:
    head, *others = dict.fromkeys(record_ids)
    return Item(head, tuple(others))


def _quotes(place: int, parts: Sequence[tuple[int, TracedPart]]) -> ItemQuote:
    head, *excerpts = [Quote(position, part.ranges) for position, part in parts]
    return ItemQuote(place, head, tuple(excerpts))


def _checks(
    question: Question,
    records: Sequence[HaystackText],
    labels: Labels,
    blocks: Sequence[TracedBlock],
) -> Checks:
    parts = [part for block in blocks for part in block.parts]
    located = [part for part in parts if part.located]
    with_turns = {span.record_id for span in labels.gold.evidence}
    elsewhere = [part for part in located if part.several_places]
    ambiguous = [part for part in located if len(part.matches) > 1]
    return Checks(
        records=len(records),
        sessions=stored_sessions(question),
        evidence_turns=len(labels.gold.evidence),
        evidence_turns_unlocated=labels.unlocated,
        items=len(blocks),
        parts=len(parts),
        parts_located=len(located),
        parts_unlocated=len(parts) - len(located),
        parts_ambiguous=len(ambiguous),
        parts_ambiguous_evidence=sum(
            len({_is_answer(question, records[match]) for match in part.matches}) > 1
            for part in ambiguous
        ),
        places_ambiguous=len(elsewhere),
        places_ambiguous_evidence=sum(
            records[part.matches[0]].record_id in with_turns for part in elsewhere
        ),
        separators_in_text=sum(_separators(part, records) for part in located),
        quoted_chars_located=sum(part.characters for part in located),
        quoted_chars_unlocated=sum(part.characters for part in parts if not part.located),
    )


def _is_answer(question: Question, record: HaystackText) -> bool:
    if record.session is None:
        return False
    return question.sessions[record.session].session_id in question.answer_session_ids


def _separators(part: TracedPart, records: Sequence[HaystackText]) -> int:
    return sum(
        text.count(PASSAGE_SEPARATOR) + text.count(PART_SEPARATOR) for text in _texts(part, records)
    )


def _texts(part: TracedPart, records: Sequence[HaystackText]) -> Iterator[str]:
    found = records[part.matches[0]].text
    for start, end in part.ranges:
        yield found[start:end]
