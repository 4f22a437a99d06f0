"""The candidates of an arm that scores them one by one, in the order of its walk."""

from __future__ import annotations

import numpy as np

from harness.errors import listed
from harness.model import CandidateTrace

from .admission import Admission, admission
from .explanation import CandidateReason
from .subject import ExplainedSelection

NOT_CALIBRATED = "Scores are heuristic and not calibrated: they order candidates of one case."
EXACT = (
    "A score that is enough is the policy's own answer: the least that would have got the "
    "candidate in, all others as they are."
)
NOT_EXACT = (
    "A score that is enough is read off the walk: it would have got the candidate in, all others "
    "as they are, and a lower one may do too."
)
ONLY_AMONG_THEMSELVES = "such scores compare only among themselves"


def explain_candidates(
    subject: ExplainedSelection,
) -> tuple[tuple[str, ...], tuple[CandidateReason, ...]]:
    """Return a row for each candidate."""
    trace = subject.selection.candidates
    if trace is None:
        return (), ()
    admitting = admission(subject, trace)
    products = (trace.signals * trace.weights).astype(np.float32)
    reasons = tuple(
        _reason(subject, trace, place, admitting, products[place].tolist())
        for place in range(len(trace))
    )
    return _facts(subject, trace, admitting), reasons


def _reason(
    subject: ExplainedSelection,
    trace: CandidateTrace,
    place: int,
    admitting: Admission,
    products: list[float],
) -> CandidateReason:
    item = int(trace.item[place])
    taken = bool(trace.selected[place])
    printed = bool(trace.rendered[place])
    return CandidateReason(
        place=place + 1,
        item=item + 1,
        record_id=subject.case.items[item].head,
        score=float(trace.score[place]),
        taken=taken,
        printed=printed,
        cost=int(trace.cost[place]),
        cluster=int(trace.cluster[place]),
        reasons=trace.reasons[place],
        reason=_words(trace.reasons[place], taken=taken, printed=printed),
        score_enough=admitting.enough[place],
        score_above=admitting.above[place],
        contributions={
            name: None if name in trace.absent else product
            for name, product in zip(trace.signal_names, products, strict=True)
        },
    )


def _words(reasons: tuple[str, ...], *, taken: bool, printed: bool) -> str:
    if not taken:
        return "rejected: " + (", ".join(reasons) or "no reason recorded")
    exception = f" ({', '.join(reasons)})" if reasons else ""
    return f"selected{exception}" + ("" if printed else ", but its line did not fit the context")


def _facts(
    subject: ExplainedSelection, trace: CandidateTrace, admitting: Admission
) -> tuple[str, ...]:
    selected, printed = int(trace.selected.sum()), int(trace.rendered.sum())
    facts = [
        f"{trace.summary}: {selected:,} of {len(trace):,} candidates are selected, {printed:,} of "
        "them stand in the context.",
        f"Plan {trace.plan}; weights {_weights(trace)}.",
    ]
    if trace.exact:
        facts.append("The plan blends the sum of signal × weight with a lexical score.")
    if trace.absent:
        facts.append(
            f"Absent in this case, and left out of the sum: {listed(trace.absent)}; "
            f"{ONLY_AMONG_THEMSELVES}."
        )
    at_one = int((trace.score == 1).sum())
    if at_one:
        facts.append(f"{at_one:,} scores are exactly 1: sums that were cut off.")
    if len(subject.view.items) > len(trace):
        number = len(subject.view.items) - len(trace)
        words = (
            "item of the window was no candidate"
            if number == 1
            else ("items of the window were no candidates")
        )
        facts.append(f"{number:,} {words}.")
        if not subject.view.query.text:
            facts.append("The question is empty: nothing is looked for.")
    if any(score is not None for score in admitting.enough):
        facts.append(EXACT if admitting.exact else NOT_EXACT)
    return (*facts, NOT_CALIBRATED)


def _weights(trace: CandidateTrace) -> str:
    pairs = zip(trace.signal_names, trace.weights.tolist(), strict=True)
    return ", ".join(f"{name} {weight:.2f}" for name, weight in pairs)
