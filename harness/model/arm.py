"""An arm: a family of selection policies that differ in their settings.

An arm declares itself once: its parameters, default points, source, and how settings become a
policy. A policy is a frozen value with a pure function of a case; two equal policies are computed
once, however their points are spelled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from .case import KINDS
from .parameter import Parameter, Settings, Value
from .selection import PassageSequence, Selection
from .view import CaseView


@runtime_checkable
class Policy(Protocol):
    """A pure function of a case, as a frozen value: equal policies give equal results."""

    def select(self, case: CaseView) -> Selection:
        """What the policy shows of `case`; reads nothing else, and is the same every time."""
        ...


@runtime_checkable
class Ordering(Protocol):
    """A total order of a case's passages that does not depend on a budget."""

    def order(self, case: CaseView) -> PassageSequence: ...


@runtime_checkable
class SequencePolicy(Policy, Protocol):
    """A policy that takes the longest prefix of an ordering that fits.

    Policies with equal `ordering` share one computed sequence per case.
    """

    @property
    def ordering(self) -> Ordering: ...

    def cut(self, case: CaseView, sequence: PassageSequence) -> Selection: ...


@runtime_checkable
class AdmittingPolicy(Policy, Protocol):
    """A policy that scores candidates and can tell what score would have got each of them in.

    Asked only when a selection is explained, never in a replay.
    """

    def admitting_scores(self, case: CaseView) -> Sequence[float | None]:
        """For each candidate of the trace of `select(case)`, in its order, the least score that
        would have got it in, the others unchanged; any higher one does too.

        None for one that was selected, and where no score that the policy can give would do.
        """
        ...


@dataclass(frozen=True, slots=True)
class Arm:
    """A selection policy with its declared parameters.

    `default_points` are settings, each naming only what differs from the defaults.
    `promises_growth`: raising a parameter that `grows` never removes anything shown (invariant 9);
    the harness checks every arm on every case and reports what an arm that does not promise breaks.
    `explanation` says what the policy does, and what was decided where its source is silent.
    `place` orders arms in lists and reports, smaller first.
    `accepts` names the kinds of case that the policy can run on. `scores_candidates`: its
    selections have a `CandidateTrace`.
    """

    name: str
    summary: str
    explanation: str
    source: str
    policy: Callable[[Settings], Policy]
    parameters: tuple[Parameter, ...] = ()
    default_points: tuple[dict[str, Value], ...] = ({},)
    promises_growth: bool = True
    place: int = 1000
    accepts: tuple[str, ...] = KINDS
    scores_candidates: bool = False
