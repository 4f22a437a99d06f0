"""Points and their canonical spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UsageError
from harness.model import spell
from harness.points import (
    Point,
    arm_names,
    default_points,
    group_by_policy,
    load_arm,
    make_point,
    parse_point,
    parse_points,
)

from ..make.strategies import points

OWN = ("items", "count-curve", "quote-curve", "2.6.5a1", "2.6.5a2", "evidence", "whole")
BUDGETS = (2000, 2400, 2800, 3200, 3600, 4000)


def own_default_points() -> list[Point]:
    return default_points([load_arm(name) for name in OWN])


def test_the_default_points() -> None:
    expected = ["items"]
    expected += [f"count-curve(k={k})" for k in (1, 2, 3, 4, 5, 6, 8, 10, "full")]
    expected += [
        f"quote-curve(head={head}, tail={tail})" for head, tail in ((320, 160), (500, 250))
    ]
    expected += ["quote-curve(head=800, tail=400)"]
    for arm in ("2.6.5a1", "2.6.5a2", "evidence", "whole"):
        expected += [f"{arm}(budget={budget})" for budget in BUDGETS]
    assert [str(point) for point in own_default_points()] == expected
    assert len(expected) == 37


def test_three_default_points_are_one_policy() -> None:
    shared = [group for group in group_by_policy(own_default_points()) if len(group) > 1]
    spellings = [str(point) for group in shared for point in group]
    assert spellings == ["items", "count-curve(k=full)", "quote-curve(head=800, tail=400)"]


def test_every_own_arm_is_found_by_its_entry_point() -> None:
    assert tuple(arm_names()[: len(OWN)]) == OWN


@given(points(*OWN))
def test_a_spelling_parses_back_to_its_point(point: Point) -> None:
    again = parse_point(str(point))
    assert again == point
    assert hash(again) == hash(point)
    assert str(again) == str(point)
    assert again.settings == point.settings
    assert again.policy == point.policy


@given(points(*OWN), st.data(), st.sampled_from(["", " ", "\t", "  "]))
def test_order_and_white_space_do_not_matter(point: Point, data: st.DataObject, gap: str) -> None:
    written = [f"{name}{gap}={gap}{spell(value)}" for name, value in point.settings.items()]
    inside = f"{gap},{gap}".join(data.draw(st.permutations(written)))
    assert parse_point(f"{gap}{point.arm}{gap}({gap}{inside}{gap}){gap}") == point


def test_defaults_are_left_out() -> None:
    spelled = parse_point("2.6.5a1(overlap=merge, budget=2800, summation=exact, candidates=heads)")
    assert str(spelled) == "2.6.5a1(budget=2800, candidates=heads)"
    assert str(parse_point("items(budget=window)")) == "items"
    assert str(parse_point("items()")) == "items"
    assert str(parse_point("count-curve(k=004)")) == "count-curve(k=4)"


def test_settings_are_complete_and_in_declared_order() -> None:
    point = parse_point("evidence(overlap=merge, budget=900)")
    assert list(point.settings.items()) == [
        ("budget", 900),
        ("candidates", "heads"),
        ("overlap", "merge"),
        ("summation", "sequential"),
        ("excerpts", "leftover"),
    ]


def test_a_bare_arm_name_means_its_default_points() -> None:
    found = parse_points(["2.6.5a1", "items", "2.6.5a1(budget=2800)", "items(budget=window)"])
    expected = [f"2.6.5a1(budget={budget})" for budget in BUDGETS]
    assert [str(point) for point in found] == [*expected, "items"]


def test_a_single_point_of_a_bare_name_needs_what_has_no_default() -> None:
    assert str(parse_point("items")) == "items"
    with pytest.raises(UsageError, match="needs budget: a whole number from 800 to 20,000"):
        parse_point("2.6.5a1")


REFUSED = [
    # what was typed, a part of the message, the nearest spelling
    ("2.6.5a1(bugdet=700)", "has no setting 'bugdet'", "2.6.5a1(budget=800)"),
    ("2.6.5a1(budget=799)", "from 800 to 20,000 (characters), not 799", "2.6.5a1(budget=800)"),
    ("whole(budget=20001)", "not 20001", "whole(budget=20000)"),
    ("evidence(budget=2800.0)", "not '2800.0'", "evidence(budget=2800)"),
    ("evidence(budget=lots)", "not 'lots'", "evidence(budget=2800)"),
    ("evidence(budget=-5)", "not -5", "evidence(budget=800)"),
    ("items(budget=windows)", "or window, not 'windows'", "items"),
    ("count-curve(k=ful)", "or full, not 'ful'", "count-curve(k=full)"),
    ("count-curve(k=0)", "from 1 to 1,000 (items) or full, not 0", "count-curve(k=1)"),
    ("count-curve", "needs k", "count-curve(k=5)"),
    ("count-curve(4)", "'4' is not spelled name=value", "count-curve(k=4)"),
    ("quote-curve(320, 160)", "'320' is not", "quote-curve(head=320, tail=160)"),
    ("quote-curve(head=320)", "needs tail", "quote-curve(head=320, tail=250)"),
    ("2.6.5a1(budget=2800, overlap=skp)", "not skp", "2.6.5a1(budget=2800, overlap=skip)"),
    ("2.6.5a1(budget=2800, budget=900)", "budget is set twice", "2.6.5a1(budget=2800)"),
    ("2.6.5a1(budget=2800,)", "a comma too many", "2.6.5a1(budget=2800)"),
    ("2.6.5a1(budget=)", "'budget=' is not spelled", "2.6.5a1(budget=2800)"),
    ("2.6.5a1(budget=2800", "is not spelled arm(setting=value", "2.6.5a1(budget=2800)"),
    ("2.6.5a1[budget=900]", "there is no arm", "2.6.5a1(budget=900)"),
    ("2.6.5A1(BUDGET=900)", "there is no arm '2.6.5A1'", "2.6.5a1(budget=900)"),
    ("count_curve(k=2)", "there is no arm 'count_curve'", "count-curve(k=2)"),
    ("count curve(k=2)", "is not spelled", "count-curve(k=2)"),
    ("evidnce(budget=900)", "there is no arm", "evidence(budget=900)"),
    ("items(k=3)", "items has no setting 'k' (it has budget)", "items"),
]


@pytest.mark.parametrize(("typed", "message", "nearest"), REFUSED)
def test_what_is_no_point_is_refused_with_the_nearest_one(
    typed: str, message: str, nearest: str
) -> None:
    with pytest.raises(UsageError) as refused:
        parse_point(typed)
    assert message in refused.value.message
    assert f"Did you mean {nearest!r}?" in refused.value.hint
    assert str(parse_point(nearest)) == nearest


@pytest.mark.parametrize("typed", ["", "zzz(budget=2800)", "(k=3)", "()"])
def test_what_resembles_no_point_is_refused_with_the_names(typed: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_point(typed)
    assert all(name in refused.value.hint for name in OWN)


def test_all_faults_of_a_point_are_named() -> None:
    with pytest.raises(UsageError) as refused:
        parse_point("2.6.5a2(budget=1, step=x, parts=all, foo=1)")
    for fault in ("not 1;", "not 'x'", "not all", "no setting 'foo'"):
        assert fault in refused.value.message


def test_all_faulty_points_are_named() -> None:
    with pytest.raises(UsageError) as refused:
        parse_points(["items", "evidence(budget=1)", "count-curve(k=0)", "nosuch"])
    for typed in ("evidence(budget=1)", "count-curve(k=0)", "nosuch"):
        assert f"point {typed!r}" in refused.value.message


@given(st.text(alphabet="items()=,k budget2.6.5a1 count-curve[]:", max_size=30))
def test_any_text_is_a_point_or_is_refused(text: str) -> None:
    try:
        point = parse_point(text)
    except UsageError as error:
        if "Did you mean '" in error.hint:
            nearest = error.hint.split("'")[1]
            assert str(parse_point(nearest)) == nearest
    else:
        assert parse_point(str(point)) == point


def test_settings_given_as_values_are_checked_alike() -> None:
    arm = load_arm("2.6.5a1")
    assert str(make_point(arm, {"budget": 2800, "overlap": "merge"})) == "2.6.5a1(budget=2800)"
    with pytest.raises(UsageError) as refused:
        make_point(arm, {"budget": True, "overlap": "skipped", "foo": 1})
    for fault in ("budget takes", "not yes", "overlap takes", "no setting 'foo'"):
        assert fault in refused.value.message
    with pytest.raises(UsageError, match="needs budget"):
        make_point(arm, {})


def test_a_later_setting_is_recorded_only_where_it_was_changed() -> None:
    point = parse_point("lookup-before(budget_tokens=400)")
    assert point.settings["charge_first_break"] is False
    assert list(point.recorded_settings) == ["budget_tokens", "max_fetches", "outline_threshold"]
    changed = parse_point("lookup-before(charge_first_break=yes)")
    assert changed.recorded_settings["charge_first_break"] is True
