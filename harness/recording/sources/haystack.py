"""From a question of LongMemEval-S to the records of its haystack, and to a case entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.datasets.layouts.longmemeval import Question, session_timestamp
from harness.datasets.session_text import SessionText, session_text
from harness.errors import Faults
from harness.model import EvidenceSpan, Gold, Item, Query, RecallPlace, divide
from harness.recording.builder import RecordingBuilder
from harness.recording.entries import BlockKey, CaseEntry, CaseRecord, RecordBody
from harness.retrieval import Place, RecordTexts

ONLY_VECTOR = 0
"""The vector number of a block whose text alone decides its vector."""


@dataclass(frozen=True, slots=True)
class HaystackRecord:
    """One session as a record. Sessions are known by position, since their ids repeat."""

    record_id: str
    session_id: str
    session: SessionText
    block_ends: tuple[int, ...]
    texts: RecordTexts


@dataclass(frozen=True, slots=True)
class Haystack:
    """A question with its records, in the order of the file, and its labels."""

    question: Question
    records: tuple[HaystackRecord, ...]
    evidence: tuple[EvidenceSpan, ...]


def haystack_of(question: Question, faults: Faults) -> Haystack:
    """The records of a question; a session without any text is left out.

    An evidence turn that is not in its record, since it is empty, is a fault by question id.
    """
    records = []
    evidence = []
    for position, session in enumerate(question.sessions):
        text = session_text(session)
        record_id = f"{question.question_id}:{position}"
        labelled = session.session_id in question.answer_session_ids
        spans = {span.turn: span for span in text.spans}
        for place, turn in enumerate(session.turns):
            if not (labelled and turn.has_answer):
                continue
            if place not in spans:
                faults.add(
                    f"question {question.question_id!r}: the evidence turn {place} of session "
                    f"{session.session_id!r} (position {position}) has no text"
                )
                continue
            span = spans[place]
            evidence.append(EvidenceSpan(record_id, span.start, span.end, span.role))
        if text.spans:
            records.append(_record(record_id, session.session_id, text))
    return Haystack(question, tuple(records), tuple(evidence))


def _record(record_id: str, session_id: str, session: SessionText) -> HaystackRecord:
    spans = divide(session.text)
    texts = RecordTexts(
        session.text,
        tuple(session.text[span.start : span.end] for span in spans),
        session.user_turns,
    )
    return HaystackRecord(record_id, session_id, session, tuple(span.end for span in spans), texts)


def add_case(builder: RecordingBuilder, haystack: Haystack, window: Sequence[Place]) -> None:
    """Add the question with the window's records to the builder; its vector comes later."""
    question = haystack.question
    records = []
    items = []
    for place in window:
        record = haystack.records[place.position]
        body = RecordBody(
            text=record.session.text,
            timestamp=record.session.timestamp,
            metadata={},
            block_ends=record.block_ends,
            block_keys=tuple(_key(text) for text in record.texts.blocks),
        )
        records.append(CaseRecord(record.record_id, record.session_id, builder.add_body(body)))
        items.append(
            Item(
                record.record_id,
                reserved=place.reserved,
                recall=RecallPlace(place.rank, place.score),
            )
        )
    builder.add_case(
        CaseEntry(
            case_id=question.question_id,
            category=question.question_type,
            query=Query(question.question, session_timestamp(question.question_date)),
            records=tuple(records),
            items=tuple(items),
            gold=Gold(
                answer=question.answer,
                abstention=question.abstention,
                sessions=tuple(dict.fromkeys(question.answer_session_ids)),
                evidence=haystack.evidence,
            ),
        )
    )


def _key(text: str) -> BlockKey:
    return text, ONLY_VECTOR
