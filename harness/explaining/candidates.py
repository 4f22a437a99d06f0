"""The candidates of an arm that scores them one by one, in the order of its walk."""

from __future__ import annotations

import numpy as np

from harness.errors import listed
from harness.model import CandidateTrace

from .admission import scores_that_admit
from .explanation import CandidateReason
from .subject import Subject

NOT_CALIBRATED = "Scores are heuristic and not calibrated: they order candidates of one case."
ONLY_AMONG_THEMSELVES = "such scores compare only among themselves"


def explain_candidates(subject: Subject) -> tuple[tuple[str, ...], tuple[CandidateReason, ...]]:
    """A row for each candidate."""
    trace = subject.selection.candidates
    if trace is None:
        return (), ()
    admitting = scores_that_admit(trace)
    products = (trace.signals * trace.weights).astype(np.float32)
    reasons = tuple(
        _reason(subject, trace, place, admitting[place], products[place].tolist())
        for place in range(len(trace))
    )
    return _facts(subject, trace), reasons


def _reason(
    subject: Subject,
    trace: CandidateTrace,
    place: int,
    admitting: float | None,
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
        score_above=admitting,
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


def _facts(subject: Subject, trace: CandidateTrace) -> tuple[str, ...]:
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
        facts.append(
            f"{len(subject.view.items) - len(trace):,} items of the window were no candidates."
        )
    return (*facts, NOT_CALIBRATED)


def _weights(trace: CandidateTrace) -> str:
    pairs = zip(trace.signal_names, trace.weights.tolist(), strict=True)
    return ", ".join(f"{name} {weight:.2f}" for name, weight in pairs)
