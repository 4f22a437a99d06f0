"""Rules: what they say, and when they hold."""

from __future__ import annotations

from fractions import Fraction
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UsageError
from harness.statistics.counts import Interval, PairedCounts
from harness.statistics.exact_bootstrap import exact_interval
from harness.statistics.rules import Rule, parse_rule
from harness.statistics.warnings import interval_warnings, resampling_warnings


@pytest.mark.parametrize(
    ("text", "margin", "expected", "spelled"),
    [
        ("lower > 0", None, Rule("lower", True, Fraction(0)), "lower > 0 points"),
        ("lower > 0 points", None, Rule("lower", True, Fraction(0)), "lower > 0 points"),
        ("lower>=-2.0 points", None, Rule("lower", False, Fraction(-1, 50)), "lower >= -2 points"),
        ("lower >= -margin", "0.02", Rule("lower", False, Fraction(-1, 50)), "lower >= -2 points"),
        ("lower > margin", 0.005, Rule("lower", True, Fraction(1, 200)), "lower > 0.5 points"),
        ("upper < 0", None, Rule("upper", True, Fraction(0)), "upper < 0 points"),
        (" upper <= 1 point ", None, Rule("upper", False, Fraction(1, 100)), "upper <= 1 points"),
    ],
)
def test_rules_that_parse(
    text: str, margin: str | float | None, expected: Rule, spelled: str
) -> None:
    rule = parse_rule(text, margin)
    assert rule == expected
    assert str(rule) == spelled
    assert parse_rule(spelled) == rule


@pytest.mark.parametrize(
    ("text", "margin", "message"),
    [
        ("better", None, "'better' is not a rule"),
        ("lower > ", None, "is not a rule"),
        ("lower < 0", None, "compared by > or >=, not <"),
        ("upper >= 0 points", None, "compared by < or <=, not >="),
        ("lower >= -0.02", None, "the margin -0.02 has no unit"),
        ("lower >= -2.0 percent", None, "'percent' is not a unit"),
        ("lower >= -2.0.1 points", None, "'2.0.1' is not a decimal number"),
        ("lower >= -100 points", None, "under 100 points"),
        ("lower >= -margin", None, "names a margin, but none is passed"),
        ("lower >= -margin points", "0.02", "takes no unit"),
        ("lower >= -margin", "2.0", "under 100 points"),
        ("lower >= -margin", "-0.02", "below 0"),
        ("lower >= -margin", "two", "'two' is not a decimal number"),
        ("lower > 0", "0.02", "does not name the margin"),
    ],
)
def test_errors_teach(text: str, margin: str | None, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        parse_rule(text, margin)
    assert caught.value.hint


def test_the_unit_is_offered_both_ways() -> None:
    with pytest.raises(UsageError) as caught:
        parse_rule("lower >= -0.02")
    assert "-0.02 points if hundredths are meant" in caught.value.hint
    assert "the fraction -0.02 is -2 points" in caught.value.hint


@given(st.integers(1, 3000), st.integers(1, 999), st.integers(-3, 3))
def test_an_end_is_compared_as_in_exact_arithmetic(n: int, tenths: int, off: int) -> None:
    """Margins of 0.1 to 99.9 points, against ends k/n near them."""
    margin = Fraction(tenths, 1000)
    k = int(margin * n) + off
    interval = Interval(k / n, k / n)
    end = Fraction(k, n)
    points = f"{tenths / 10} points"
    assert parse_rule(f"lower > {points}").holds(interval) == (end > margin)
    assert parse_rule(f"lower >= {points}").holds(interval) == (end >= margin)
    assert parse_rule(f"upper < {points}").holds(interval) == (end < margin)
    assert parse_rule(f"upper <= {points}").holds(interval) == (end <= margin)


def test_equality_with_the_margin_meets_a_rule_that_allows_it() -> None:
    """29 wins and 25 losses of 500 have a lower end of -10/500, which is -2 points."""
    interval = exact_interval(PairedCounts(29, 25, 446), "0.95")
    assert parse_rule("lower >= -2.0 points").holds(interval)
    assert not parse_rule("lower > -2.0 points").holds(interval)


def test_warnings_say_where_a_method_misleads() -> None:
    few, enough = PairedCounts(5, 4, 391), PairedCounts(5, 5, 390)
    some = Interval(-0.01, 0.01)
    assert "9 discordant pairs" in interval_warnings(few, some, "exact")[0]
    assert interval_warnings(few, some, "tango") == ()
    assert interval_warnings(enough, some, "exact") == ()
    assert "no width" in interval_warnings(enough, Interval(0.1, 0.1), "wald")[0]


def test_warnings_of_what_was_resampled() -> None:
    assert resampling_warnings(10, 0.1, clusters=20) == resampling_warnings(None, 0.1) == ()
    assert resampling_warnings(9, 0.1) == ("fewer than 10 pairs differ",)
    assert resampling_warnings(12, nan, clusters=19) == ("fewer than 20 clusters",)
    assert resampling_warnings(0, 0.0, 3) == (
        "fewer than 10 pairs differ",
        "the interval has no width",
        "3 resamples have no value",
    )
