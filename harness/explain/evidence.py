"""Which rows of an explanation are evidence, by the labels of the case.

The labels are looked at when the selection is made: no policy sees them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from harness.model import Case

from .explanation import CandidateReason, PassageReason, RecordReason, RowReason

TURN, SESSION, DOCUMENT = "turn", "session", "document"
"""A part of a labelled turn; of an answer session otherwise; a document that must be cited."""

Reason = TypeVar("Reason", PassageReason, CandidateReason, RecordReason, RowReason)


def marked(case: Case, reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Mark each row that is evidence of the case; none where it has no labels."""
    gold = case.gold
    if gold is None:
        return tuple(reasons)
    answers = frozenset(gold.sessions)
    sessions = {record.record_id: record.session_id for record in case.records}

    def mark(reason: Reason) -> str | None:
        if isinstance(reason, RowReason):
            path = reason.location.partition("#")[0]
            is_named = any(path == name or path.startswith(f"{name}/v") for name in answers)
            return DOCUMENT if is_named else None
        turns = [span for span in gold.evidence if span.record_id == reason.record_id]
        if isinstance(reason, PassageReason):
            turns = [t for t in turns if t.start < reason.end and reason.start < t.end]
        if turns:
            return TURN
        return SESSION if sessions.get(reason.record_id) in answers else None

    return tuple(replace(reason, evidence=mark(reason)) for reason in reasons)
