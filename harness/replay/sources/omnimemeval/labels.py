"""The labels of a question whose records are at hand as text: evidence turns found by search.

Source: the labels of the published cpersona evaluations, in our own words. A turn's content, as it
is stored, is searched from the end of the turn before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.datasets.layout import Question, Session
from harness.datasets.session_text import END_OF_TEXT
from harness.model import EvidenceSpan, Gold

from .haystack_records import HaystackText


@dataclass(frozen=True, slots=True)
class Labels:
    """A question's gold, and how many of its evidence turns are in no record."""

    gold: Gold
    unlocated: int


def labels_in(question: Question, records: Sequence[HaystackText]) -> Labels:
    """Return the gold of `question` with its evidence turns as ranges of `records`.

    A turn that is in no record of its session stays in every denominator: it is given the id of a
    record that does not exist, so nothing can show it.
    """
    by_session: dict[int, list[HaystackText]] = {}
    for record in records:
        if record.session is not None:
            by_session.setdefault(record.session, []).append(record)
    evidence: list[EvidenceSpan] = []
    unlocated = 0
    for position, session in enumerate(question.sessions):
        if session.session_id not in question.answer_session_ids:
            continue
        found = _spans(session, by_session.get(position, ()))
        for place, turn in enumerate(session.turns):
            if not turn.has_answer:
                continue
            if place in found:
                evidence.append(found[place])
                continue
            unlocated += 1
            nowhere = f"{question.question_id}:{position}:not stored"
            length = len(stored_content(turn.content))
            evidence.append(EvidenceSpan(nowhere, 0, length, turn.role))
    gold = Gold(
        answer=question.answer,
        abstention=question.abstention,
        sessions=tuple(dict.fromkeys(question.answer_session_ids)),
        evidence=tuple(evidence),
    )
    return Labels(gold, unlocated)


def stored_sessions(question: Question) -> int:
    """Return sessions in which some turn says something."""
    return sum(
        any(stored_content(turn.content) for turn in each.turns) for each in question.sessions
    )


def _spans(session: Session, records: Sequence[HaystackText]) -> Mapping[int, EvidenceSpan]:
    """Return the turns of a session that are in its record, by place; the first record has
    precedence."""
    found: dict[int, EvidenceSpan] = {}
    for record in records:
        cursor = 0
        for place, turn in enumerate(session.turns):
            content = stored_content(turn.content)
            at = record.text.find(f"{turn.role}: {content}", cursor) if content else -1
            if at < 0:
                continue
            start = at + len(turn.role) + len(": ")
            cursor = start + len(content)
            found.setdefault(place, EvidenceSpan(record.record_id, start, cursor, turn.role))
    return found


def stored_content(content: str) -> str:
    """Return a turn's content as it is stored."""
    return content.replace(END_OF_TEXT, "").strip()
