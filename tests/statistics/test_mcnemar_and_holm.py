"""McNemar's test and Holm's adjustment."""

from __future__ import annotations

from fractions import Fraction
from math import comb, isnan, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from harness.statistics.holm import holm
from harness.statistics.mcnemar import mcnemar

from ..golden import golden_rows
from .reference import is_close, is_probability


def test_mcnemar_equals_the_reference_values() -> None:
    for row in golden_rows("statistics/mcnemar"):
        found = mcnemar(row["wins"], row["losses"])
        for key in ("exact_p", "mid_p", "asymptotic_p"):
            assert is_close(getattr(found, key), row[key], 1e-11, 0), (row, key)
        assert is_close(found.statistic, row["statistic"], 1e-12, 1e-14)


@pytest.mark.parametrize(
    ("wins", "losses", "exact_p", "mid_p"),
    [
        (0, 0, 1, 1),
        (1, 0, 1, 1 / 2),  # 2 x 1/2, less 1/2
        (2, 2, 1, 1 - 6 / 32),  # P(2 of 4) = 6/16
        (5, 0, 2 / 32, 1 / 32),
        (3, 1, 10 / 16, 6 / 16),  # 2 (1 + 4) / 16, less 4/16
    ],
)
def test_p_values_by_hand(wins: int, losses: int, exact_p: float, mid_p: float) -> None:
    found = mcnemar(wins, losses)
    assert (found.exact_p, found.mid_p) == (exact_p, mid_p)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_equals_the_definition(wins: int, losses: int) -> None:
    """The mid-p counts outcomes less likely than the observed, and half of those as likely."""
    m = wins + losses
    found = mcnemar(wins, losses)
    if m:
        observed = comb(m, wins)
        less = sum(comb(m, i) for i in range(m + 1) if comb(m, i) < observed)
        same = sum(comb(m, i) for i in range(m + 1) if comb(m, i) == observed)
        assert found.mid_p == float(Fraction(2 * less + same, 2 * 2**m))
        assert found.exact_p == float(Fraction(less + same, 2**m))
        assert found.exact_p == pytest.approx(binomtest(wins, m).pvalue, rel=1e-12)
    assert mcnemar(losses, wins) == found


def test_many_discordant_pairs_neither_underflow_nor_take_long() -> None:
    """P of one tail is about 0.5^3000, far below the smallest double; of equal counts, 1."""
    assert mcnemar(3000, 0).exact_p == 0
    assert mcnemar(1000, 0).exact_p == 2.0**-999
    assert mcnemar(20_000, 20_000).exact_p == 1


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 0"):
        mcnemar(-1, 2)


def test_holm_equals_the_reference_values() -> None:
    for row in golden_rows("statistics/holm"):
        found = holm([nan if p is None else float(p) for p in row["p"]])
        assert sum(not isnan(p) for p in found) == row["m"]
        for value, expected in zip(found, row["adjusted"], strict=True):
            assert isnan(value) if expected is None else is_probability(value, expected), row


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.floats(0, 1), st.just(nan)), max_size=8))
def test_holm_equals_the_definition(p_values: list[float]) -> None:
    family = sorted(p for p in p_values if not isnan(p))
    m = len(family)
    for p, adjusted in zip(p_values, holm(p_values), strict=True):
        if isnan(p):
            assert isnan(adjusted)
            continue
        up_to = family[: family.index(p) + 1]
        expected = max(min(1.0, (m - j) * other) for j, other in enumerate(up_to))
        assert adjusted == pytest.approx(expected, abs=1e-12)


def test_no_p_value_is_refused() -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1, not 1\.5"):
        holm([0.5, 1.5])
