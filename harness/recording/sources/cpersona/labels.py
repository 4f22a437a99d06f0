"""Labels of a question from its dataset, with the evidence found in what the store holds.

A session is known again by its text, which the recorder of the dataset makes as the benchmark's own
loader does. One whose text was stored differently is known by its message id, which ends in
`session_<position>`, and by text that no other session has; its turns are searched for in the
stored text, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.datasets.agreement import holds_text_of
from harness.datasets.layout import Question
from harness.errors import Faults
from harness.model import EvidenceSpan, Gold
from harness.recording.sources.haystack import Haystack, HaystackRecord, haystack_of

from .store import MemoryRow


@dataclass(frozen=True, slots=True)
class QuestionLabels:
    """What the dataset says of a question.

    `sessions`: session id by ref, of the records that hold a session of the haystack.
    `evidence_stored`: how many turns of `gold.evidence` are in such a record; the others name a
    record that no window has, so that they count as not shown.
    """

    category: str
    text: str
    date: str
    gold: Gold
    sessions: Mapping[str, str]
    evidence_stored: int

    @property
    def any_stored(self) -> bool:
        """Whether any answer session or evidence turn is in the store."""
        return self.evidence_stored > 0 or not set(self.gold.sessions).isdisjoint(
            self.sessions.values()
        )


def labels_of(question: Question, records: Iterable[MemoryRow], faults: Faults) -> QuestionLabels:
    """Return the labels of a question whose haystack was stored among `records`."""
    haystack = haystack_of(question, faults)
    stored = _stored_sessions(haystack, list(records))
    evidence = list(dict.fromkeys(_spans(haystack, stored)))
    refs = {record.ref for record in stored.values()}
    sessions: dict[str, str] = {}
    for session in haystack.records:
        if session.record.record_id in stored:
            sessions.setdefault(
                stored[session.record.record_id].ref, session.record.session_id or ""
            )
    return QuestionLabels(
        category=question.question_type,
        text=question.question,
        date=question.timestamp,
        gold=Gold(
            answer=question.answer,
            abstention=question.abstention,
            sessions=tuple(dict.fromkeys(question.answer_session_ids)),
            evidence=tuple(evidence),
        ),
        sessions=sessions,
        evidence_stored=sum(span.record_id in refs for span in evidence),
    )


def _stored_sessions(haystack: Haystack, records: Sequence[MemoryRow]) -> dict[str, MemoryRow]:
    """Return the stored record of each session, by the session's record id, as far as there is one.

    Sessions of equal text take the records of that text in turn; a store that kept one of them
    gives it for all.
    """
    by_text: dict[str, list[MemoryRow]] = {}
    for record in records:
        by_text.setdefault(record.text, []).append(record)
    texts = [session.session for session in haystack.records]
    stored = {}
    for place, session in enumerate(haystack.records):
        of_that_text = by_text.get(session.record.text)
        if of_that_text:
            stored[session.record.record_id] = (
                of_that_text.pop(0) if len(of_that_text) > 1 else of_that_text[0]
            )
            continue
        ending = f"session_{session.record.record_id.rpartition(':')[2]}"
        named = [
            record
            for record in records
            if _ends_so(record.message_id, ending) and holds_text_of(record.text, place, texts)
        ]
        if len(named) == 1:
            stored[session.record.record_id] = named[0]
    return stored


def _ends_so(message_id: str, ending: str) -> bool:
    return message_id == ending or message_id.endswith(f"_{ending}")


def _spans(haystack: Haystack, stored: Mapping[str, MemoryRow]) -> Iterable[EvidenceSpan]:
    """Yield the evidence turns where the store has them; else in the session's own."""
    sessions = {session.record.record_id: session for session in haystack.records}
    for span in haystack.evidence:
        record = stored.get(span.record_id)
        session = sessions[span.record_id]
        if record is None:
            yield span
        elif record.text == session.record.text:
            yield EvidenceSpan(record.ref, span.start, span.end, span.role)
        else:
            start = _turn_starts(record.text, session).get(span.start)
            end = None if start is None else start + span.end - span.start
            yield (
                span
                if start is None or end is None
                else EvidenceSpan(record.ref, start, end, span.role)
            )


def _turn_starts(text: str, session: HaystackRecord) -> dict[int, int]:
    """Return where each turn that `text` holds starts there, by its start in the session's own
    text."""
    starts = {}
    cursor = 0
    for turn in session.session.spans:
        said = f"{turn.role}: {session.record.text[turn.start : turn.end]}"
        place = text.find(said, cursor)
        if place >= 0:
            starts[turn.start] = place + len(turn.role) + 2
            cursor = place + len(said)
    return starts
