"""What a replay computes: points whose arms run on the cases, each distinct policy once, grouped by
the ordering that they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.errors import UsageError
from harness.model import Ordering, Policy, SequencePolicy
from harness.points import Point, load_arm


@dataclass(frozen=True, slots=True)
class OrderingGroup:
    """Points that cut one ordering; `name` is the spelling of the first point that did.

    `stored`: whether an earlier batch has stored its sequences.
    """

    name: str
    ordering: Ordering
    stored: bool
    members: tuple[tuple[str, SequencePolicy], ...]


@dataclass(frozen=True, slots=True)
class ReplayPlan:
    """The work of one batch of points.

    `computed_as` leads from every point to the spelling under which its policy is computed: its
    own, or that of an earlier point with an equal policy. `ordering_of` names the ordering of the
    computed points that have one, those of earlier batches included.
    """

    computed_as: Mapping[str, str]
    ordering_of: Mapping[str, str]
    groups: tuple[OrderingGroup, ...]
    singles: tuple[tuple[str, Policy], ...]

    @property
    def computed(self) -> tuple[str, ...]:
        """Points that are computed, in the order of their rows."""
        grouped = [name for group in self.groups for name, _ in group.members]
        return (*(name for name, _ in self.singles), *grouped)


def plan_replay(points: Sequence[Point], earlier: Sequence[Point] = ()) -> ReplayPlan:
    """Return the plan for `points`, where `earlier` points are computed already."""
    first: dict[Policy, str] = {}
    for point in earlier:
        first.setdefault(point.policy, str(point))
    known = set(first)
    computed_as = {str(point): first.setdefault(point.policy, str(point)) for point in points}
    singles: list[tuple[str, Policy]] = []
    names: dict[Ordering, str] = {}
    ordering_of: dict[str, str] = {}
    stored: set[Ordering] = set()
    grouped: dict[Ordering, list[tuple[str, SequencePolicy]]] = {}
    for policy, name in first.items():
        if isinstance(policy, SequencePolicy):
            ordering_of[name] = names.setdefault(policy.ordering, name)
            if policy in known:
                stored.add(policy.ordering)
            else:
                grouped.setdefault(policy.ordering, []).append((name, policy))
        elif policy not in known:
            singles.append((name, policy))
    groups = tuple(
        OrderingGroup(names[ordering], ordering, ordering in stored, tuple(members))
        for ordering, members in grouped.items()
    )
    return ReplayPlan(computed_as, ordering_of, groups, tuple(singles))


def by_kind(points: Sequence[Point], kind: str) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """Tell the points whose arms run on that kind of case from the others."""
    accepted = {point: kind in load_arm(point.arm).accepts for point in points}
    return (
        tuple(point for point in points if accepted[point]),
        tuple(point for point in points if not accepted[point]),
    )


def applicable(points: Sequence[Point], kind: str) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """Do as `by_kind`; raises `UsageError`, naming every arm, when none of them runs."""
    accepted, refused = by_kind(points, kind)
    if not accepted:
        arms = {point.arm: " or ".join(load_arm(point.arm).accepts) for point in refused}
        needs = ", ".join(f"{arm} runs on {kinds} cases" for arm, kinds in arms.items())
        raise UsageError(
            f"{needs}; these are {kind} cases",
            "Choose other cases or another point; harness arms NAME says what an arm runs on.",
        )
    return accepted, refused
