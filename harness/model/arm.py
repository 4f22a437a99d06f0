"""An arm: a family of selection policies that differ in their settings.

An arm declares itself once: its parameters, default points, source, and how settings become a
policy. A policy is a frozen value with a pure function of a case; two equal policies are computed
once, however their points are spelled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol, runtime_checkable

from .case import KINDS
from .parameter import Parameter, Settings, Value
from .selection import PassageSequence, Selection
from .view import CaseView


@runtime_checkable
class Policy(Protocol):
    """A pure function of a case, as a frozen value: equal policies give equal results."""

    def select(self, case: CaseView) -> Selection:
        """Choose what to show of `case`. Read nothing else: the result must be the same every
        time."""
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
    """A policy that scores candidates and can say at which score each would have been taken.

    Asked only when a selection is explained, never in a replay.
    """

    def admitting_scores(self, case: CaseView) -> Sequence[float | None]:
        """Return, for each candidate of the trace of `select(case)`, in its order, the least score
        at which it would have been taken, the others unchanged; any higher score does too.

        None for one that was selected, and where no score that the policy can give would do.
        """
        ...


class Role(Enum):
    """What one point of an arm can stand for in figures; the value says it in words."""

    EVERY_ITEM = "shows every item at full quotes"
    BASELINE = "is what other points are compared with, unless another is named"
    REFERENCE = "is set beside candidates in reports, as the baseline is"
    RANKING = "ranks passages for points that have no order of their own"


class CaseInput(Enum):
    """What a signal may be computed from and a case may lack; the value says that it does."""

    QUERY_VECTOR = "the question has no vector"
    BLOCK_VECTORS = "no block has a vector"
    TIMES = "no record has a time, or metadata that may hold one"
    METADATA = "no record has metadata"


VECTORS = (CaseInput.QUERY_VECTOR, CaseInput.BLOCK_VECTORS)
"""What a cosine is computed from."""


@dataclass(frozen=True, slots=True)
class Signal:
    """What a policy ranks by, under the name that it has there.

    It is absent in a case that lacks one of its `needs`; without any it never is.
    """

    name: str
    needs: tuple[CaseInput, ...] = ()


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of an arm that can be switched off one by one, to see what each is worth.

    `off`: by setting, the value that switches the part off; its default switches it on. `without`:
    the name of the arm that this one is with every part off, if there is such an arm.
    """

    off: Mapping[str, Value]
    without: str = ""


@dataclass(frozen=True, slots=True)
class Roles:
    """What an arm can stand for; the harness looks for these and for no arm by its name.

    `points`: by role, the settings of the point that has it, as in `default_points`.
    `curve`: the arm's points lie on a curve from little to everything shown.
    `cuts_by`: the setting that says how many of the first items of `EVERY_ITEM` are shown; a
    word in its place means all of them. So a point can be cut from contexts that show every item.
    `parts`: what can be ablated.
    """

    points: Mapping[Role, Mapping[str, Value]] = field(default_factory=dict)
    curve: bool = False
    cuts_by: str = ""
    parts: Parts | None = None


@dataclass(frozen=True, slots=True)
class Arm:
    """A selection policy with its declared parameters.

    `default_points` are settings, each naming only what differs from the defaults.
    `promises_growth`: raising a parameter that `grows` never removes anything shown (invariant 9);
    the harness checks every arm on every case and reports what an arm that does not promise breaks.
    `explanation` says what the policy does, and what was decided where its source is silent.
    `place` orders arms in lists and reports, smaller first.
    `accepts` names the kinds of case that the policy can run on. `scores_candidates`: its
    selections have a `CandidateTrace`. `roles` is what it can stand for; most arms have none.
    `reads`: the signals that it ranks by, so that a replay can say which are absent.
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
    roles: Roles = field(default_factory=Roles)
    reads: tuple[Signal, ...] = ()
