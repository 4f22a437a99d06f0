"""Grids: what they stand for, and what is refused."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UsageError
from harness.measure.grid import MOST_SETTINGS, grid_points
from harness.points import default_points, load_arm


def spelled(*grids: str) -> list[str]:
    return [str(point) for point in grid_points(grids)]


def test_every_combination_the_last_setting_fastest() -> None:
    assert spelled("2.6.5a2(budget=[2400,2800], step=[3, 8], keep_first=[0,1])") == [
        f"2.6.5a2(budget={budget}, step={step}, keep_first={keep})"
        for budget, step, keep in product((2400, 2800), (3, 8), (0, 1))
    ]


def test_a_default_is_left_out_of_the_spelling() -> None:
    assert spelled("2.6.5a2(budget=2400, step=[3,5])") == [
        "2.6.5a2(budget=2400, step=3)",
        "2.6.5a2(budget=2400)",
    ]


@pytest.mark.parametrize(
    ("grid", "budgets"),
    [
        ("[2400..2460:20]", [2400, 2420, 2440, 2460]),
        ("[2400..2450:20]", [2400, 2420, 2440]),
        ("[801..803]", [801, 802, 803]),
        ("[ 900 .. 900 ]", [900]),
        ("[4000, 2400..2420:10, 900]", [4000, 2400, 2410, 2420, 900]),
        ("[900, 900, 890..910:10]", [900, 890, 910]),
    ],
)
def test_ranges(grid: str, budgets: list[int]) -> None:
    assert spelled(f"whole( budget = {grid} )") == [f"whole(budget={each})" for each in budgets]


def test_a_hundred_budgets_are_one_short_text() -> None:
    assert spelled("evidence(budget=[2420..4400:20])") == [
        f"evidence(budget={budget})" for budget in range(2420, 4401, 20)
    ]


@given(first=st.integers(800, 3000), length=st.integers(0, 400), step=st.integers(1, 90))
def test_a_range_is_pythons_with_its_end(first: int, length: int, step: int) -> None:
    assert spelled(f"whole(budget=[{first}..{first + length}:{step}])") == [
        f"whole(budget={budget})" for budget in range(first, first + length + 1, step)
    ]


def test_words_stand_in_lists() -> None:
    assert spelled("count-curve(k=[2..3, full])") == [
        "count-curve(k=2)",
        "count-curve(k=3)",
        "count-curve(k=full)",
    ]


def test_points_and_arms_stand_for_themselves_and_nothing_comes_twice() -> None:
    found = spelled("count-curve(k=3)", "2.6.5a1", "count-curve(k=[4,3])")
    defaults = [str(point) for point in default_points([load_arm("2.6.5a1")])]
    assert found == ["count-curve(k=3)", *defaults, "count-curve(k=4)"]


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ("whole(budget=[900", "is not spelled arm(setting=[value, …], …)"),
        ("whole(budget=[900)", "a list that is not closed"),
        ("whole(budget=900])", "a list that is not closed"),
        ("whole(budget=[[900]])", "a list that is not closed"),
        ("whole(budget=[900],)", "a comma too many"),
        ("whole[budget=900]", "is not spelled arm(setting=[value, …], …)"),
        ("whole([900, 1000])", "'[900, 1000]' is not spelled name=[value, …]"),
        ("whole(budget=[])", "budget: the list has an empty place"),
        ("whole(budget=[900,,1000])", "budget: the list has an empty place"),
        ("whole(budget=[900..])", "'900..' is not a range such as 2400..4400:20"),
        ("whole(budget=[900..800])", "'900..800' does not go up"),
        ("whole(budget=[900..1000:0])", "'900..1000:0' does not go up"),
        ("whole(budget=[900..910:-5])", "'900..910:-5' does not go up"),
        ("whole(budget=[800..20000])", "has 19,201 values, more than 5,000"),
        ("2.6.5a2(budget=[800..1100:3], step=[0..99])", "10,100 settings, more than 5,000"),
        ("whole(budgt=[900])", "whole has no setting 'budgt'"),
        ("whole(budget=[900], budget=[800])", "budget is set twice"),
        ("whol(budget=[900])", "there is no arm 'whol'"),
        ("external(name=[a,b])", "selects nothing"),
    ],
)
def test_what_is_no_grid(grid: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        grid_points([grid])
    assert message in str(refused.value)


def test_each_bad_value_is_reported_once_and_all_texts_together() -> None:
    with pytest.raises(UsageError) as refused:
        grid_points(["2.6.5a2(budget=[2400,9,many], step=[3,5000])", "nothing(k=[1])"])
    message = refused.value.message
    for fault in ("not 9", "not 'many'", "not 5000", "there is no arm 'nothing'"):
        assert message.count(fault) == 1


def test_grids_together_are_bounded_too() -> None:
    half = MOST_SETTINGS // 2 + 1
    grids = [f"{arm}(budget=[1000..{1000 + half - 1}])" for arm in ("whole", "evidence")]
    with pytest.raises(UsageError, match="the grids: 5,002 settings"):
        grid_points(grids)
