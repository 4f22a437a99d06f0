"""What a replay computes: each policy once, each ordering once."""

from __future__ import annotations

from harness.model import MEMORY
from harness.points import Point, default_points, parse_point
from harness.replay.plan import plan_replay


def points(*spellings: str) -> list[Point]:
    return [parse_point(spelling) for spelling in spellings]


def test_the_default_points_are_41_policies_and_four_orderings() -> None:
    chosen = default_points(kind=MEMORY)
    plan = plan_replay(chosen)
    assert len(chosen) == 43
    assert len(plan.computed) == 41
    assert {point: name for point, name in plan.computed_as.items() if point != name} == {
        "count-curve(k=full)": "items",
        "quote-curve(head=800, tail=400)": "items",
    }
    assert [(group.name, len(group.members)) for group in plan.groups] == [
        ("2.6.5a1(budget=2000)", 6),
        ("2.6.5a2(budget=2000)", 6),
        ("evidence(budget=2000)", 6),
        ("whole(budget=2000)", 6),
    ]
    assert not any(group.stored for group in plan.groups)
    assert set(plan.ordering_of) == {name for group in plan.groups for name, _ in group.members}


def test_points_of_one_ordering_that_are_spelled_by_other_arms_share_it() -> None:
    plan = plan_replay(
        points(
            "evidence(budget=2000)",
            "2.6.5a1(budget=2800)",
            "2.6.5a1(budget=2000, candidates=heads, overlap=skip, summation=sequential)",
        )
    )
    assert [(group.name, len(group.members)) for group in plan.groups] == [
        ("evidence(budget=2000)", 2),
        ("2.6.5a1(budget=2800)", 1),
    ]


def test_what_earlier_batches_have_is_not_computed_again() -> None:
    plan = plan_replay(
        points("items", "evidence(budget=2800)", "count-curve(k=4)"),
        earlier=points("count-curve(k=full)", "evidence(budget=2000)", "evidence(budget=2400)"),
    )
    assert plan.computed_as == {
        "items": "count-curve(k=full)",
        "evidence(budget=2800)": "evidence(budget=2800)",
        "count-curve(k=4)": "count-curve(k=4)",
    }
    assert plan.computed == ("count-curve(k=4)", "evidence(budget=2800)")
    [group] = plan.groups
    assert (group.name, group.stored) == ("evidence(budget=2000)", True)
    assert plan.ordering_of == {
        f"evidence(budget={budget})": "evidence(budget=2000)" for budget in (2000, 2400, 2800)
    }
