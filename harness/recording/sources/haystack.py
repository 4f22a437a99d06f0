"""From a question of LongMemEval-S to the records of its haystack, and to a case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from harness.datasets.layout import Question
from harness.datasets.session_text import SessionText, session_text
from harness.errors import Faults
from harness.model import (
    Case,
    EvidenceSpan,
    Gold,
    Item,
    Query,
    RecallPlace,
    Record,
)
from harness.recording.dividing import divided
from harness.retrieval import Place, RecordTexts


@dataclass(frozen=True, slots=True)
class HaystackRecord:
    """One session as a record, with where its turns are in the text.

    Sessions are known by position, since their ids repeat. The record's blocks have no vectors.
    """

    record: Record
    session: SessionText

    @property
    def texts(self) -> RecordTexts:
        """What a recall is given of it."""
        text = self.record.text
        ends = [] if self.record.blocks is None else self.record.blocks.ends.tolist()
        blocks = tuple(text[start:end] for start, end in pairwise([0, *ends]))
        return RecordTexts(text, blocks, self.session.user_turns)


@dataclass(frozen=True, slots=True)
class Haystack:
    """A question with its records, in the order of the file, and its labels."""

    question: Question
    records: tuple[HaystackRecord, ...]
    evidence: tuple[EvidenceSpan, ...]


def haystack_of(question: Question, faults: Faults) -> Haystack:
    """Return the records of a question; a session without any text is left out.

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
            record = Record(
                record_id,
                text.text,
                text.timestamp,
                session.session_id,
                blocks=divided(text.text),
            )
            records.append(HaystackRecord(record, text))
    return Haystack(question, tuple(records), tuple(evidence))


def case_of(haystack: Haystack, window: Sequence[Place]) -> Case:
    """Make the case of a question with the window's records; vectors come later."""
    question = haystack.question
    records = [haystack.records[place.position].record for place in window]
    return Case(
        case_id=question.question_id,
        category=question.question_type,
        query=Query(question.question, question.timestamp),
        records=tuple(records),
        items=tuple(
            Item(
                record.record_id,
                reserved=place.reserved,
                recall=RecallPlace(place.rank, place.score),
            )
            for record, place in zip(records, window, strict=True)
        ),
        gold=Gold(
            answer=question.answer,
            abstention=question.abstention,
            sessions=tuple(dict.fromkeys(question.answer_session_ids)),
            evidence=haystack.evidence,
        ),
    )
