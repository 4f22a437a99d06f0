"""The p-value that an interval implies: the level at which the interval begins to meet the rule."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import pytest
from scipy.stats import norm

from harness.statistics.counts import Interval, Level, PairedCounts
from harness.statistics.exact_bootstrap import exact_interval
from harness.statistics.implied_p import ImpliedP
from harness.statistics.methods import METHODS, default_method
from harness.statistics.rules import parse_rule
from harness.statistics.tango import tango_interval

RULES = (
    "lower > 0 points",
    "lower >= 0 points",
    "lower >= -20 points",
    "lower > 20 points",
    "upper < 0 points",
    "upper <= 20 points",
)
LEVELS = ("0.5", "0.75", "0.8", "0.95", "0.975")


def p_of(method: str, rule: str, counts: PairedCounts) -> ImpliedP:
    implied = METHODS[method].p
    assert implied is not None
    return implied(parse_rule(rule), counts)


@pytest.mark.parametrize("method", ["exact", "tango", "bonett-price"])
def test_the_interval_and_the_p_decide_alike(method: str) -> None:
    """Every outcome of few pairs, where F often equals a level: 1 win and 1 loss at 0.5."""
    for n in (1, 2, 5, 9):
        for wins, losses in product(range(n + 1), repeat=2):
            if wins + losses > n:
                continue
            counts = PairedCounts.of_total(n, wins, losses)
            intervals = {text: METHODS[method].interval(counts, text) for text in LEVELS}
            for rule in RULES:
                implied = p_of(method, rule, counts)
                for text, interval in intervals.items():
                    alpha = 1 - Level.of(text).value
                    met = parse_rule(rule).holds(interval)
                    assert implied.meets(alpha) == met, (counts, rule, text)


def test_the_exact_p_by_hand() -> None:
    """2 wins and no loss of 4: a resample's sum is at most 0 in (1/2)^4 of the resamples."""
    counts = PairedCounts(2, 0, 2)
    assert p_of("exact", "lower > 0 points", counts).value == Fraction(2, 16)
    assert p_of("exact", "lower >= 0 points", counts).value == 0
    # the sum is at most 1 in 1 + 4 of 16
    assert p_of("exact", "lower > 25 points", counts).value == Fraction(2 * (1 + comb(4, 1)), 16)
    assert p_of("exact", "upper < 0 points", counts).value == 1
    assert p_of("exact", "upper <= 75 points", counts).value == Fraction(2, 16)


def test_the_score_p_is_that_of_mcnemars_z_at_no_difference() -> None:
    """At d = 0, Tango's score is (w - l) / sqrt(w + l)."""
    counts = PairedCounts(13, 5, 82)
    found = p_of("tango", "lower > 0 points", counts)
    assert float(found.value) == pytest.approx(2 * norm.sf(8 / 18**0.5), rel=1e-12)
    assert p_of("tango", "upper < 0 points", counts).value == 1


def test_too_close_to_call_is_not_met() -> None:
    limit = tango_interval(PairedCounts(13, 5, 82), "0.95")
    near = parse_rule("lower >= -margin", margin=f"{-limit.lower + 1e-13:.18f}")
    assert float(near.threshold) <= limit.lower
    assert not near.holds(limit)
    assert parse_rule("lower >= -margin", margin=f"{-limit.lower + 1e-11:.18f}").holds(limit)
    p = p_of("tango", "lower > 0 points", PairedCounts(13, 5, 82))
    assert not p.meets(p.value)
    assert p.meets(p.value * Fraction(1_000_001, 1_000_000))


def test_lattice_limits_are_compared_as_fractions() -> None:
    """-10/500 is not -2 points and a 10^-20 th, although both are the same double."""
    interval = exact_interval(PairedCounts(29, 25, 446), "0.95")
    assert interval.exact is not None
    assert interval.exact[0] == Fraction(-10, 500)
    assert parse_rule("lower >= -2.0 points").holds(interval)
    assert not parse_rule("lower >= -1.99999999999999999999 points").holds(interval)
    assert parse_rule("lower > -2.00000000000000000001 points").holds(interval)
    upper = Interval.of_lattice(-3, 10, 500)
    assert parse_rule("upper <= 2 points").holds(upper)
    assert not parse_rule("upper <= 1.99999999999999999999 points").holds(upper)


def test_a_rule_that_names_no_method() -> None:
    for text in ("lower > 0 points", "lower >= 0 points", "lower > 2 points", "upper < 0 points"):
        assert default_method(parse_rule(text)) == "exact"
    for text in ("lower >= -2 points", "lower > -0.5 points", "upper <= 1 points"):
        assert default_method(parse_rule(text)) == "tango"
