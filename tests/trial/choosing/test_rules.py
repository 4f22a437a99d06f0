"""The rules of choosing, on tables whose costs are made up."""

from __future__ import annotations

from fractions import Fraction

import pytest

from harness.errors import UsageError
from harness.evidence import MetricValue
from harness.trial.choosing import (
    BestMetric,
    Choosable,
    ClosestCost,
    DevTable,
    MostExpensiveUnder,
    choose,
)

SHOWN = "answer_sessions_shown"


def candidate(
    point: str, cost: int | Fraction, value: float | None = None, name: str = SHOWN
) -> Choosable:
    metric = MetricValue(name, value, None, None, 3, 0 if value is None else 3, {})
    return Choosable(point, (), Fraction(cost), metric)


def table(*candidates: Choosable) -> DevTable:
    return DevTable("context_tokens", 3, 0, candidates)


def test_closest_cost_takes_the_nearest_on_either_side() -> None:
    target, near, far = candidate("t", 100), candidate("near", 104), candidate("far", 94)
    assert choose(ClosestCost("t"), table(far, target, near), target) is near


def test_closest_cost_prefers_the_lower_cost_of_two_as_near_then_the_spelling() -> None:
    target = candidate("t", 100)
    above, below, same = candidate("a", 105), candidate("z", 95), candidate("b", 95)
    assert choose(ClosestCost("t"), table(above, target, below), target) is below
    assert choose(ClosestCost("t"), table(above, below, same, target), target) is same


def test_a_tie_of_distances_is_exact() -> None:
    # as floats, 0.3 - 0.2 is nearer than 0.2 - 0.1; as what they are, they are as near
    target = candidate("t", Fraction(2, 10))
    below, above = candidate("below", Fraction(1, 10)), candidate("above", Fraction(3, 10))
    assert choose(ClosestCost("t"), table(above, below, target), target) is below


def test_what_is_aimed_at_is_no_candidate() -> None:
    target = candidate("t", 100)
    with pytest.raises(UsageError, match="no point to choose but t"):
        choose(ClosestCost("t"), table(target), target)


def test_max_cost_takes_the_dearest_under_the_cap_and_the_cap_itself() -> None:
    cheap, at_cap, dear = candidate("cheap", 10), candidate("cap", 20), candidate("dear", 21)
    assert choose(MostExpensiveUnder("20"), table(dear, cheap, at_cap)) is at_cap
    assert choose(MostExpensiveUnder("19.9"), table(dear, cheap, at_cap)) is cheap


def test_a_cap_below_every_point_names_the_cheapest() -> None:
    with pytest.raises(UsageError, match=r"at most 5 context_tokens.*the cheapest, a, costs 10\.0"):
        choose(MostExpensiveUnder("5"), table(candidate("b", 11), candidate("a", 10)))


def test_best_takes_the_best_that_is_affordable() -> None:
    better = candidate("dear", 30, 0.9)
    good, bad = candidate("good", 20, 0.8), candidate("bad", 10, 0.2)
    assert choose(BestMetric(SHOWN, "25"), table(bad, better, good)) is good


def test_best_of_a_metric_that_is_better_lower() -> None:
    rank = "first_item_rank"
    early, late = candidate("early", 20, 1.5, rank), candidate("late", 10, 2.5, rank)
    unknown = candidate("unknown", 5, None, rank)
    assert choose(BestMetric(rank, "25"), table(late, unknown, early)) is early


def test_best_breaks_ties_by_cost_then_spelling() -> None:
    dear, b, a = candidate("0", 20, 0.5), candidate("b", 10, 0.5), candidate("a", 10, 0.5)
    assert choose(BestMetric(SHOWN, "25"), table(dear, b, a)) is a
