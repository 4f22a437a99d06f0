"""What a replay computes: distinct policies, grouped by the ordering that they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.model import Ordering, Policy, SequencePolicy
from harness.points import Point


@dataclass(frozen=True, slots=True)
class OrderingGroup:
    """Points that cut one ordering; `name` is the spelling of the first of them."""

    name: str
    ordering: Ordering
    members: tuple[tuple[str, SequencePolicy], ...]


@dataclass(frozen=True, slots=True)
class ReplayPlan:
    """The work of one batch of points.

    `computed_as` leads from every point to the spelling under which its policy is computed: its
    own, or that of an earlier point with an equal policy. `ordering_of` names the ordering of the
    computed points that have one.
    """

    computed_as: Mapping[str, str]
    ordering_of: Mapping[str, str]
    groups: tuple[OrderingGroup, ...]
    singles: tuple[tuple[str, Policy], ...]

    @property
    def computed(self) -> tuple[str, ...]:
        """The points that are computed, in the order in which their rows stand."""
        grouped = [name for group in self.groups for name, _ in group.members]
        return (*(name for name, _ in self.singles), *grouped)


def plan_replay(points: Sequence[Point], earlier: Sequence[Point] = ()) -> ReplayPlan:
    """The plan for `points`, where `earlier` points are computed already."""
    first: dict[Policy, str] = {}
    for point in earlier:
        first.setdefault(point.policy, str(point))
    known = set(first)
    computed_as = {str(point): first.setdefault(point.policy, str(point)) for point in points}
    singles: list[tuple[str, Policy]] = []
    grouped: dict[Ordering, list[tuple[str, SequencePolicy]]] = {}
    for policy, name in first.items():
        if policy in known:
            continue
        if isinstance(policy, SequencePolicy):
            grouped.setdefault(policy.ordering, []).append((name, policy))
        else:
            singles.append((name, policy))
    groups = tuple(
        OrderingGroup(members[0][0], ordering, tuple(members))
        for ordering, members in grouped.items()
    )
    ordering_of = {name: group.name for group in groups for name, _ in group.members}
    return ReplayPlan(computed_as, ordering_of, groups, tuple(singles))
