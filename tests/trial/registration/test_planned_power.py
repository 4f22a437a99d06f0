"""The power of a plan's primary rules, against the golden rows and by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb
from typing import Any

import pytest

from harness.points import Point, parse_point
from harness.statistics.counts import Level
from harness.statistics.rules import parse_rule
from harness.trial.development import DevOutcomes
from harness.trial.plan import (
    Assumed,
    Control,
    Correction,
    DatasetPin,
    Family,
    Plan,
    PointTable,
    RegisteredRule,
    RuleRole,
    SplitPin,
    Stop,
)
from harness.trial.power import family_level, planned_power
from harness.trial.registration import DevGrades, RegisteredQuestions, RulePower

from ...golden import golden_rows

POINT, CONTROL = parse_point("external(name=new)"), parse_point("external(name=old)")
DEV = 10_000


def rule(name: str = "r", met_when: str = "lower > 0 points", **changes: Any) -> RegisteredRule:
    primary = RegisteredRule(
        name, RuleRole.PRIMARY, CONTROL, "exact", Level.of("0.95"), parse_rule(met_when)
    )
    return replace(primary, **changes)


def plan(*rules: RegisteredRule, **changes: Any) -> Plan:
    made = Plan(
        question="Better?",
        dataset=DatasetPin("made", "a" * 64),
        split=SplitPin("split.json", "test", "b" * 64),
        point=PointTable(POINT),
        controls=(Control(CONTROL),),
        rules=rules,
        stop=Stop("One run."),
    )
    return replace(made, **changes)


def outcomes(wins: int, losses: int, n: int) -> dict[Point, DevOutcomes]:
    """Dev outcomes of both points, with that many wins and losses of the point."""
    new = {f"d{place}": place < wins for place in range(n)}
    old = {f"d{place}": wins <= place < wins + losses for place in range(n)}
    return {
        point: DevOutcomes(DevGrades(str(point), "folder", "c" * 64, n, sum(right.values())), right)
        for point, right in ((POINT, new), (CONTROL, old))
    }


def power_of(made: Plan, n: int, dev: dict[Point, DevOutcomes] | None = None) -> RulePower:
    cohort = RegisteredQuestions.of([f"t{place}" for place in range(n)], ())
    return planned_power(made, cohort, dev or {})[0]


def test_superiority_is_at_the_difference_of_dev() -> None:
    checked = 0
    for row in golden_rows("statistics/power"):
        if row["margin"] is not None:
            continue
        wins, losses = (int(Fraction(row[key]) * DEV) for key in ("p_win", "p_loss"))
        found = power_of(plan(rule()), row["n"], outcomes(wins, losses, DEV))
        assert found.power == pytest.approx(float(row["power"]), rel=1e-11, abs=1e-13)
        assert found.source == "dev grades"
        assert found.decides == (float(row["power"]) >= 0.5)
        checked += 1
    assert checked >= 5


def test_non_inferiority_is_at_no_difference() -> None:
    checked = 0
    for row in golden_rows("statistics/power"):
        if row["margin"] != "0.02" or row["p_win"] != row["p_loss"]:
            continue
        pairs = int(2 * Fraction(row["p_win"]) * DEV)
        # dev has its own difference, which a rule of non-inferiority does not suppose
        found = power_of(plan(rule("r", "lower >= -2 points")), row["n"], outcomes(pairs, 0, DEV))
        assert found.power == pytest.approx(float(row["power"]), rel=1e-11, abs=1e-13)
        assert found.difference == 0
        checked += 1
    assert checked >= 3


def test_the_detectable_difference_is_at_the_assumed_discordance() -> None:
    for row in golden_rows("statistics/mde"):
        found = power_of(plan(rule(), power=Assumed(row["discordance"])), row["n"])
        wanted = row["mde"]
        assert found.mde == (None if wanted is None else pytest.approx(float(wanted), abs=1e-12))
        assert (found.source, found.power, found.target) == ("assumed", None, "0.8")
        assert found.decides == (wanted is not None)


def test_a_power_that_can_be_computed_by_hand() -> None:
    # without losses the exact lower end is above 0 when P(no win drawn) = (1 - w/n)^n < 0.025,
    # which of n = 10 pairs needs w >= 4; wins are binomial(10, 0.5)
    found = power_of(plan(rule()), 10, outcomes(5, 0, 10))
    by_hand = sum(comb(10, wins) for wins in range(4, 11)) / 2**10
    assert found.power == pytest.approx(by_hand, rel=1e-12)
    assert "10 test questions" in found.statement
    assert (
        f"with probability {by_hand:.2f} if the true difference is that of dev" in found.statement
    )


def test_a_test_that_cannot_decide_says_so() -> None:
    found = power_of(plan(rule()), 20, outcomes(8, 6, 100))
    assert found.decides is False
    assert "THIS TEST CANNOT DECIDE THE QUESTION" in found.statement
    non_inferiority = rule("r", "lower >= -2.0 points")
    found = power_of(plan(non_inferiority, power=Assumed("0.1")), 400)
    assert found.decides is False
    assert "just as good would fail more often than pass" in found.statement


def test_no_discordance_says_what_to_give() -> None:
    found = power_of(plan(rule()), 400, {POINT: outcomes(1, 0, 9)[POINT]})
    assert (found.power, found.mde, found.decides, found.source) == (None, None, None, None)
    assert f"dev grades of {POINT} and {CONTROL} with --dev-grades" in found.statement


def test_dev_grades_come_before_an_assumption() -> None:
    found = power_of(plan(rule(), power=Assumed("0.5")), 400, outcomes(8, 2, 100))
    assert (found.source, found.discordance, found.difference) == ("dev grades", 0.1, 0.06)


METHODS: dict[str, dict[str, Any]] = {
    "exact": {},
    "tango": {},
    "bonett-price": {},
    "mc-compat": {"seed": 1, "id_order": "text"},
}


def test_each_method_has_its_own_power_and_resampling_that_of_the_exact() -> None:
    dev = outcomes(8, 2, 100)
    found = {
        name: power_of(plan(rule("r", "lower >= -2 points", interval=name, **more)), 50, dev)
        for name, more in METHODS.items()
    }
    assert len({power.power for power in found.values()}) == 3
    assert found["mc-compat"].power == found["exact"].power
    assert "that of the exact interval" in found["mc-compat"].statement


def test_holm_takes_the_level_of_its_first_step() -> None:
    two = plan(rule("a"), rule("b"), family=Family(Correction.HOLM))
    assert family_level(two.rules[0], two) == "0.975"
    assert family_level(two.rules[0], plan(rule("a"), family=Family(Correction.HOLM))) == "0.95"
    assert family_level(two.rules[0], plan(rule("a"), rule("b"))) == "0.95"
    dev = outcomes(10, 2, 100)
    corrected, plain = power_of(two, 100, dev), power_of(plan(rule("a")), 100, dev)
    assert (corrected.power or 0) < (plain.power or 0)


def test_secondary_rules_have_no_say() -> None:
    made = plan(rule("a"), rule("b", role=RuleRole.SECONDARY))
    cohort = RegisteredQuestions.of(["t"], ())
    assert [found.rule for found in planned_power(made, cohort, {})] == ["a"]
