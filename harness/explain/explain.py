"""From a case and a point to the explanation of what the point selects there.

An explanation is made of what the selection tells and of what the same arm selects at other
settings, so it holds for any arm, installed ones too.
"""

from __future__ import annotations

from harness.model import Case, Selection, SequencePolicy, view_of
from harness.points import Point
from harness.replay.plan import applicable

from .candidates import explain_candidates
from .evidence import marked
from .explanation import Explanation, Reasons, RowKind
from .passages import explain_excerpts, explain_passages, explain_records
from .rows import explain_rows
from .subject import ExplainedSelection


def explain_case(case: Case, point: Point) -> Explanation:
    """Return why `point` takes what it takes of `case`; raises `UsageError` where its arm does not
    run on such cases."""
    applicable([point], case.kind)
    view, records = view_of(case)
    selection = point.policy.select(view)
    subject = ExplainedSelection(case, view, records, point, selection)
    kind = _kind(point, selection)
    excerpts = explain_excerpts(subject) if kind is RowKind.PASSAGES else ()
    facts, reasons = _reasons(kind, subject)
    return Explanation(
        case_id=case.case_id,
        question=case.query.text,
        point=str(point),
        kind=kind,
        budget=selection.budget,
        used=selection.used,
        budget_unit=selection.budget_unit,
        facts=facts,
        reasons=reasons,
        excerpts=marked(case, excerpts),
    )


def _kind(point: Point, selection: Selection) -> RowKind:
    if selection.candidates is not None:
        return RowKind.CANDIDATES
    if selection.expansion is not None:
        return RowKind.ROWS
    if isinstance(point.policy, SequencePolicy) or len(selection.sequence):
        return RowKind.PASSAGES
    return RowKind.RECORDS


def _reasons(kind: RowKind, subject: ExplainedSelection) -> tuple[tuple[str, ...], Reasons]:
    if kind is RowKind.CANDIDATES:
        facts, candidates = explain_candidates(subject)
        return facts, marked(subject.case, candidates)
    if kind is RowKind.ROWS:
        facts, rows = explain_rows(subject)
        return facts, marked(subject.case, rows)
    if kind is RowKind.PASSAGES:
        facts, passages = explain_passages(subject)
        return facts, marked(subject.case, passages)
    facts, records = explain_records(subject)
    return facts, marked(subject.case, records)
