"""The candidates of an arm that scores them one by one, in the order of its walk.

The score that would have got a rejected candidate in.

A policy that can tell it is asked (`AdmittingPolicy`): its scores are exact. Of any other, a bound
is read off its walk. A candidate with a higher score is met earlier in the walk, where less is used
up. The caps are not in the trace, but a walk reveals them, for each word of its reasons:

- `record cap`: the cap is what was selected when it refused, exactly.
- `cluster cap`: the cap is what was selected of the cluster without an exception, exactly. From the
  lowest score at which an exception was seen, the cap holds no longer; it may end sooner.
- `token budget`: every candidate that was not refused for it shows a total that still fits. The
  budget is at least the largest of these, and may be somewhat larger.

So the scores read off a walk are always enough, and the least that are wherever exceptions, ties
and the token budget play no part. A reason of any other word, such as `duplicate`, no score lifts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from harness.errors import HarnessError, listed
from harness.model import AdmittingPolicy, CandidateTrace
from harness.words import counted

from .explanation import CandidateReason
from .subject import ExplainedSelection

RECORD_CAP = "record cap"
CLUSTER_CAP = "cluster cap"
TOKEN_BUDGET = "token budget"  # noqa: S105 (not a secret)
EXCEPTION_USED = "exception used"
DUPLICATE = "duplicate"
_LIFTED = frozenset((RECORD_CAP, CLUSTER_CAP, TOKEN_BUDGET))


@dataclass(frozen=True, slots=True)
class Admission:
    """For each candidate of a walk a score that would have got it in, all others as they are.

    `enough` would do, and so would every score above `above`, the float32 just below; both are
    None for a candidate that was selected, and where no such score is known. `exact`: the policy
    told, so `enough` is the least that would do, and where it is None no score would.
    """

    enough: tuple[float | None, ...]
    above: tuple[float | None, ...]
    exact: bool


def admission(subject: ExplainedSelection, trace: CandidateTrace) -> Admission:
    """Return what the policy tells, or else what its walk shows.

    Raises `HarnessError` where the policy tells of another number of candidates than it walked.
    """
    policy = subject.point.policy
    if not isinstance(policy, AdmittingPolicy):
        above = scores_that_admit(trace)
        return Admission(tuple(_next(score, np.inf) for score in above), tuple(above), exact=False)
    enough = tuple(policy.admitting_scores(subject.view))
    if len(enough) != len(trace):
        raise HarnessError(
            f"{subject.point}: the length of admitting_scores is {len(enough):,}, and the walk has "
            f"{counted(len(trace), 'candidate')}",
            "Fix the arm: it has one for each candidate, in the order of the walk.",
        )
    return Admission(enough, tuple(_next(score, -np.inf) for score in enough), exact=True)


def _next(score: float | None, towards: float) -> float | None:
    return None if score is None else float(np.nextafter(np.float32(score), np.float32(towards)))


def scores_that_admit(trace: CandidateTrace) -> list[float | None]:
    """Return, for each candidate a score above which it would have been selected, the others
    unchanged.

    None for one that was selected, and where no such score is known.
    """
    walk = _Walk.of(trace)
    return [
        None if trace.selected[place] else walk.score_that_admits(place)
        for place in range(len(trace))
    ]


@dataclass(frozen=True, slots=True)
class _Before:
    """What is used up before a place of the walk."""

    records: int
    cost: int
    in_cluster: dict[int, int]


@dataclass(frozen=True, slots=True)
class _Walk:
    trace: CandidateTrace
    before: tuple[_Before, ...]
    fitting_cost: int
    exception: float

    @classmethod
    def of(cls, trace: CandidateTrace) -> _Walk:
        before = _states(trace)
        fitting = [
            before[place].cost + int(trace.cost[place])
            for place, reasons in enumerate(trace.reasons)
            if TOKEN_BUDGET not in reasons and DUPLICATE not in reasons
        ]
        excepted = [
            float(trace.score[place])
            for place, reasons in enumerate(trace.reasons)
            if EXCEPTION_USED in reasons and not math.isnan(trace.score[place])
        ]
        return cls(trace, before, max(fitting, default=0), min(excepted, default=math.inf))

    def score_that_admits(self, rejected: int) -> float | None:
        reasons = self.trace.reasons[rejected]
        if not reasons or not _LIFTED.issuperset(reasons):
            return None
        for place in range(rejected - 1, -1, -1):
            if all(self._lifted(reason, rejected, place) for reason in reasons):
                score = float(self.trace.score[place])
                return None if math.isnan(score) else score
        return None

    def _lifted(self, reason: str, rejected: int, place: int) -> bool:
        """Return whether the reason would not hold if the candidate were met just before
        `place`."""
        before = self.before[place]
        if reason == RECORD_CAP:
            return before.records < self.before[-1].records
        if reason == TOKEN_BUDGET:
            return before.cost + int(self.trace.cost[rejected]) <= self.fitting_cost
        cluster = int(self.trace.cluster[rejected])
        has_room = before.in_cluster.get(cluster, 0) < self._cluster_cap(cluster)
        return has_room or float(self.trace.score[place]) >= self.exception

    def _cluster_cap(self, cluster: int) -> int:
        trace = self.trace
        return sum(
            bool(trace.selected[place]) and int(trace.cluster[place]) == cluster
            for place, reasons in enumerate(trace.reasons)
            if EXCEPTION_USED not in reasons
        )


def _states(trace: CandidateTrace) -> tuple[_Before, ...]:
    """Return the state before each candidate, and after the last."""
    states = [_Before(0, 0, {})]
    for place in range(len(trace)):
        last = states[-1]
        if not trace.selected[place]:
            states.append(last)
            continue
        cluster = int(trace.cluster[place])
        counts = {**last.in_cluster, cluster: last.in_cluster.get(cluster, 0) + 1}
        states.append(_Before(last.records + 1, last.cost + int(trace.cost[place]), counts))
    return tuple(states)


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
        f"{trace.summary}: {selected:,} of {counted(len(trace), 'candidate')} "
        f"are selected, {printed:,} of "
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
        facts.append(f"Scores of exactly 1, which are sums that were cut off: {at_one:,}.")
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
