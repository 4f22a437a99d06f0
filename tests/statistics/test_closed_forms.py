"""Tango's, Bonett and Price's and Wald's intervals."""

from __future__ import annotations

from math import log, sqrt
from statistics import NormalDist, fmean, pstdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar

from harness.errors import UsageError
from harness.statistics.bonett_price import bonett_price_interval, bonett_price_limits
from harness.statistics.counts import Interval, PairedCounts
from harness.statistics.methods import METHODS, method_named
from harness.statistics.normal import normal_quantile
from harness.statistics.tango import tango_interval
from harness.statistics.wald import centre_and_standard_error, wald_interval, wald_limits

from ..golden import golden_rows
from .reference import LEVELS, counts_of, is_close, made_counts


def test_tango_equals_the_reference_values() -> None:
    for row in golden_rows("statistics/tango"):
        found = tango_interval(counts_of(row), row["level"])
        assert is_close(found.lower, row["lower"], 0, 1e-12), row
        assert is_close(found.upper, row["upper"], 0, 1e-12), row


@pytest.mark.parametrize(
    ("name", "interval", "limits", "added"),
    [
        ("wald", wald_interval, wald_limits, 0),
        ("bonett_price", bonett_price_interval, bonett_price_limits, 1),
    ],
)
def test_wald_forms_equal_the_reference_values(
    name: str, interval: object, limits: object, added: int
) -> None:
    assert callable(interval)
    assert callable(limits)
    for row in golden_rows(f"statistics/{name}"):
        counts = counts_of(row)
        found = interval(counts, row["level"])
        z = normal_quantile(row["level"])
        lower, upper = limits(counts.wins, counts.losses, counts.n, z)
        centre, error = centre_and_standard_error(
            counts.wins + added, counts.losses + added, counts.n + 2 * added
        )
        values = {
            "estimate": float(counts.difference),
            "centre": centre,
            "se": error,
            "lower": found.lower,
            "upper": found.upper,
            "lower_untruncated": lower,
            "upper_untruncated": upper,
        }
        for key, value in values.items():
            assert is_close(float(value), row[key], 1e-12, 1e-14), (row, key)


@pytest.mark.parametrize(
    ("counts", "lower", "upper"),
    [
        (PairedCounts(1, 7, 13), -0.517, -0.026),  # printed in Fagerland et al. (2014)
        (PairedCounts(13, 10, 377), -0.0172, 0.0330),  # published
    ],
)
def test_published_tango_limits(counts: PairedCounts, lower: float, upper: float) -> None:
    found = tango_interval(counts, "0.95")
    assert found.lower == pytest.approx(lower, abs=6e-4)
    assert found.upper == pytest.approx(upper, abs=6e-4)


@pytest.mark.parametrize("n", [1, 8, 400, 1_000_000])
def test_tango_without_discordant_pairs_and_with_nothing_else(n: int) -> None:
    z2 = normal_quantile("0.95") ** 2
    none = tango_interval(PairedCounts(0, 0, n), "0.95")
    assert (none.lower, none.upper) == pytest.approx((-z2 / (n + z2), z2 / (n + z2)), abs=1e-15)
    every = tango_interval(PairedCounts(n, 0, 0), "0.95")
    assert (every.lower, every.upper) == pytest.approx(((n - z2) / (n + z2), 1), abs=1e-15)


def score(counts: PairedCounts, d: float) -> float:
    """Z(d), with the loss probability that is likeliest given a difference d found by search."""
    w, l, t, n = counts.wins, counts.losses, counts.ties, counts.n  # noqa: E741

    def unlikelihood(q: float) -> float:
        cells = ((w, q + d), (l, q), (t, 1 - 2 * q - d))
        return -sum(count * log(max(p, 1e-300)) for count, p in cells if count)

    low, high = max(0.0, -d), (1 - d) / 2
    q = float(minimize_scalar(unlikelihood, bounds=(low, high), options={"xatol": 1e-12}).x)
    return (w - l - n * d) / sqrt(n * (2 * q + d - d * d))


@settings(max_examples=25, deadline=None)
@given(st.tuples(st.integers(1, 12), st.integers(1, 12), st.integers(1, 40)))
def test_tango_limits_solve_the_definition(parts: tuple[int, int, int]) -> None:
    counts = PairedCounts(*parts)
    found = tango_interval(counts, "0.95")
    z = normal_quantile("0.95")
    assert score(counts, found.lower) == pytest.approx(z, abs=1e-5)
    assert score(counts, found.upper) == pytest.approx(-z, abs=1e-5)


@settings(max_examples=25, deadline=None)
@given(st.tuples(st.integers(1, 12), st.integers(1, 12), st.integers(1, 40)))
def test_tango_limits_equal_a_root_of_the_closed_form(parts: tuple[int, int, int]) -> None:
    w, l, t = parts  # noqa: E741
    n, z = w + l + t, NormalDist().inv_cdf(0.975)

    def excess(d: float, z: float) -> float:
        b = -(w + l) + (2 * n - w + l) * d
        q = (sqrt(b * b + 8 * n * l * d * (1 - d)) - b) / (4 * n)
        return float(w - l - n * d - z * sqrt(n * (2 * q + d * (1 - d))))

    middle = (w - l) / n
    found = tango_interval(PairedCounts(*parts), "0.95")
    lower = brentq(excess, -0.999999, middle, args=(z,), xtol=1e-15)
    upper = brentq(excess, middle, 0.999999, args=(-z,), xtol=1e-15)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(made_counts(30), st.sampled_from(LEVELS))
def test_wald_forms_equal_the_mean_and_error_of_the_list(counts: PairedCounts, level: str) -> None:
    z = NormalDist().inv_cdf((1 + float(level)) / 2)
    pairs = [1.0] * counts.wins + [-1.0] * counts.losses + [0.0] * counts.ties
    for interval, differences in ((wald_interval, pairs), (bonett_price_interval, [*pairs, 1, -1])):
        margin = z * pstdev(differences) / sqrt(len(differences))
        lower = max(fmean(differences) - margin, -1.0)
        upper = min(fmean(differences) + margin, 1.0)
        found = interval(counts, level)
        assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(made_counts(40), st.sampled_from(["tango", "bonett-price", "wald"]))
def test_swapping_the_sides_mirrors(counts: PairedCounts, method: str) -> None:
    found = METHODS[method].interval(counts, "0.95")
    mirrored = METHODS[method].interval(counts.swapped, "0.95")
    assert mirrored == Interval(-found.upper, -found.lower)


def test_the_normal_quantile_is_not_rounded() -> None:
    assert normal_quantile("0.95") == pytest.approx(1.959963984540054235524594430520551, abs=1e-15)


def test_an_unknown_method_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'bonett-price'"):
        method_named("bonett_price")
