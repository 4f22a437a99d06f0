"""Holm's procedure over the p-values of the rules' own intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.points import parse_point
from harness.statistics.counts import Level
from harness.statistics.holm import holm
from harness.statistics.rules import parse_rule
from harness.trial.decision import Decision, decide
from harness.trial.plan import Correction, RegisteredRule, RuleRole

from ...make.project import Project

CONTROLS = [parse_point(f"external(name=c{place})") for place in range(3)]
METHODS = ("exact", "tango", "bonett-price")
MARGINS = ("lower > 0 points", "lower >= -20 points", "upper < 0 points", "upper <= 30 points")


def rule(place: int, method: str, met_when: str, level: str = "0.95") -> RegisteredRule:
    return RegisteredRule(
        f"r{place}",
        RuleRole.PRIMARY,
        CONTROLS[place],
        method,
        Level.of(level),
        parse_rule(met_when),
    )


def pairs_of(wins: int, losses: int, n: int) -> dict[str, int]:
    signs = [1] * wins + [-1] * losses + [0] * (n - wins - losses)
    return {f"q{place}": sign for place, sign in enumerate(signs)}


def decided(
    rules: list[RegisteredRule], outcomes: list[tuple[int, int]], n: int, **more: bool
) -> Mapping[str, Decision]:
    pairs = {CONTROLS[place]: pairs_of(*outcome, n) for place, outcome in enumerate(outcomes)}
    return decide(rules, Correction.HOLM, pairs, **more)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(METHODS),
            st.sampled_from(MARGINS),
            st.tuples(st.integers(0, 8), st.integers(0, 4)),
        ),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from(["0.5", "0.8", "0.9", "0.95"]),
)
def test_the_printed_p_says_what_was_decided(
    family: list[tuple[str, str, tuple[int, int]]], level: str
) -> None:
    rules = [rule(place, *given[:2], level) for place, given in enumerate(family)]
    outcomes = [outcome for *_, outcome in family]
    found = decided(rules, outcomes, 12)
    alpha = float(1 - Level.of(level).value)
    p_values = [found[one.name].p for one in rules]
    known = [p for p in p_values if p is not None]
    for one, adjusted in zip(rules, holm(known), strict=True):
        decision = found[one.name]
        assert decision.adjusted_p == pytest.approx(adjusted, rel=1e-12)
        assert decision.interval is not None
        assert decision.met == one.met_when.holds(decision.interval), (one, decision)
        if adjusted != pytest.approx(alpha, rel=1e-9):
            assert decision.met == (adjusted < alpha)
    # the first registrations' procedure meets the same rules where the levels are equal
    earlier = decided(rules, outcomes, 12, by_p=False)
    assert {name: one.met for name, one in earlier.items()} == {
        name: one.met for name, one in found.items()
    }


def test_one_rule_that_fails_ends_the_procedure() -> None:
    """p of 7 wins is 2 P(no win is drawn), far below; the other two fail at two left."""
    rules = [rule(place, "exact", "lower > 0 points") for place in range(3)]
    found = decided(rules, [(1, 1), (7, 0), (2, 1)], 12)
    assert [found[one.name].met for one in rules] == [False, True, False]
    assert [found[one.name].level.value for one in rules] == [
        1 - Fraction(1, 40),
        1 - Fraction(1, 60),
        1 - Fraction(1, 40),
    ]
    assert found["r1"].p == pytest.approx(2 * (5 / 12) ** 12)
    assert found["r1"].adjusted_p == pytest.approx(6 * (5 / 12) ** 12)


SECOND = """
[[rule]]
name = "second"
role = "primary"
against = "external(name=old)"
{keys}
met_when = "lower >= -10 points"
[family]
correction = "holm"
"""


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("level = 0.9", "one level, and these have 0.95, 0.9"),
        ('level = 0.95\ninterval = "mc-compat"\nseed = 1\nid_order = "text"', "mc-compat"),
    ],
)
def test_a_plan_that_holm_cannot_step_through_is_refused(
    project: Project, keys: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(AssertionError):
        project.register(tail=SECOND.format(keys=keys))
    error = capsys.readouterr().err
    assert "family.correction" in error
    assert message in error


def test_a_registration_of_the_first_schema_decides_as_it_did(project: Project) -> None:
    def first(value: dict[str, Any]) -> None:
        value["schema"] = "harness.registration/1"

    project.register(tail=SECOND.format(keys="level = 0.95"), commit=False, accept=["low-power"])
    project.edit_registration(first)
    project.commit("made.toml", "registrations/made.json")
    project.grade_both()
    rules = project.judged()["rules"]
    assert [one["adjusted_p"] for one in rules] == [None, None]
    assert [one["interval"] for one in rules] == ["exact", "tango"]
    assert [one["decided_at"] for one in rules] == ["0.95", "0.975"]


def test_levels_of_the_first_schema_may_differ() -> None:
    """A registration of before may have unequal levels: it is stepped through by levels."""
    rules = [rule(0, "exact", "lower > 0 points"), rule(1, "exact", "lower > 0 points", "0.9")]
    found = decided(rules, [(8, 0), (4, 1)], 12, by_p=False)
    assert found["r0"].level.value == 1 - Fraction(1, 40)
    assert found["r1"].level.value == Fraction(9, 10)
    assert replace(found["r1"], adjusted_p=None) == found["r1"]
