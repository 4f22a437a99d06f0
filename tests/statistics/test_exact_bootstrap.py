"""The exact percentile interval against reference values and against its definition."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from harness.statistics.counts import Interval, Level, PairedCounts
from harness.statistics.exact_bootstrap import (
    exact_interval,
    exact_sums,
    stratified_exact_interval,
)
from harness.statistics.trinomial import exact_cumulative, resample_counts, resampled_sum

from ..golden import golden_rows
from .reference import (
    LEVELS,
    counts_of,
    cumulative,
    distribution,
    is_probability,
    made_counts,
    smallest_reaching,
)


@pytest.mark.parametrize("name", ["exact_bootstrap", "stratified_exact", "exact_ties"])
def test_equals_the_reference_values(name: str) -> None:
    for row in golden_rows(f"statistics/{name}"):
        strata = [counts_of(part) for part in row.get("strata", [row])]
        n = sum(counts.n for counts in strata)
        lower, upper = exact_sums(strata, row["level"])
        assert (lower, upper) == (row["lower_sum"], row["upper_sum"]), row
        found = stratified_exact_interval(strata, row["level"])
        assert found == Interval(float(row["lower"]), float(row["upper"]))
        resampled = resampled_sum(strata)
        under_margin = -(n // 50) - 1  # the largest k with 50 k < -n
        probabilities = {
            "cdf_lower": resampled.at_most(lower),
            "cdf_upper": resampled.at_most(upper),
            "cdf_below_lower": resampled.at_most(lower - 1),
            "cdf_below_upper": resampled.at_most(upper - 1),
            "p_gt_0": resampled.above(0),
            "p_le_0": resampled.at_most(0),
            "p_ge_minus_0_02": resampled.above(under_margin),
            "p_lt_minus_0_02": resampled.at_most(under_margin),
        }
        for key, value in probabilities.items():
            assert is_probability(value, row[key]), (row, key)


@pytest.mark.parametrize(
    ("counts", "level", "sums"),
    [
        (PairedCounts(1, 1, 0), "0.5", (-2, 0)),  # F(-2) = 1/4 is the level, F(0) = 3/4 too
        (PairedCounts(29, 25, 446), "0.95", (-10, 18)),  # published
        (PairedCounts(0, 1, 399), "0.95", (-3, 0)),  # published
        (PairedCounts(0, 0, 7), "0.95", (0, 0)),
        (PairedCounts(7, 0, 0), "0.95", (7, 7)),
        (PairedCounts(0, 7, 0), "0.95", (-7, -7)),
    ],
)
def test_known_ends(counts: PairedCounts, level: str, sums: tuple[int, int]) -> None:
    assert exact_sums([counts], level) == sums
    assert exact_interval(counts, level) == Interval(sums[0] / counts.n, sums[1] / counts.n)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_equals_the_list_of_all_resamples(n: int) -> None:
    for wins, losses in product(range(n + 1), repeat=2):
        if wins + losses > n:
            continue
        pairs = [1] * wins + [-1] * losses + [0] * (n - wins - losses)
        sums = sorted(sum(drawn) for drawn in product(pairs, repeat=n))
        tally = Counter(sums)
        resampled = resampled_sum([PairedCounts.of_differences(pairs)])
        for k in range(-n - 1, n + 2):
            expected = sum(tally[place] for place in tally if place <= k) / n**n
            assert resampled.at_most(k) == pytest.approx(expected, abs=1e-14)


@settings(max_examples=60, deadline=None)
@given(st.lists(made_counts(5), min_size=1, max_size=3), st.sampled_from(LEVELS))
def test_equals_the_definition(strata: list[PairedCounts], level: str) -> None:
    probabilities = distribution(strata)
    tail = (1 - Fraction(level)) / 2
    ends = smallest_reaching(probabilities, tail), smallest_reaching(probabilities, 1 - tail)
    assert exact_sums(strata, level) == ends
    resampled = resampled_sum(strata)
    for k in probabilities:
        expected = cumulative(probabilities, k)
        assert resampled.at_most(k) == pytest.approx(float(expected), abs=1e-12)
        assert resampled.above(k) == pytest.approx(float(1 - expected), abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.lists(made_counts(4), min_size=1, max_size=3))
def test_a_level_that_the_distribution_hits_is_reached(strata: list[PairedCounts]) -> None:
    """Double precision cannot tell these; whole numbers do."""
    probabilities = distribution(strata)
    resampled = resampled_sum(strata)
    hair = Fraction(1, 10**25)
    for k in probabilities:
        share = cumulative(probabilities, k)
        assert resampled.quantile(share) == k
        assert resampled.reaches(k, share)
        assert not resampled.reaches(k, share + hair)
        assert resampled.reaches(k, share - hair)


@settings(max_examples=30, deadline=None)
@given(st.lists(made_counts(5), min_size=1, max_size=3))
def test_whole_numbers_equal_the_definition(strata: list[PairedCounts]) -> None:
    probabilities = distribution(strata)
    for k in range(min(probabilities) - 1, max(probabilities) + 2):
        count, total = exact_cumulative(tuple(strata), k)
        assert Fraction(count, total) == cumulative(probabilities, k)


def test_whole_numbers_by_hand() -> None:
    """(x^2 + 2 x + 1)^4 = (x + 1)^8, and 2 wins of 2 are one resample of 4, all counts halved."""
    assert resample_counts(PairedCounts(1, 1, 2)) == [1, 8, 28, 56, 70, 56, 28, 8, 1]
    assert resample_counts(PairedCounts(2, 0, 0)) == [0, 0, 0, 0, 1]


def test_a_tail_far_below_double_precision_of_one() -> None:
    """1 win of 2: P(S = 0) = 1/4; at this level both ends are those of the support."""
    assert exact_sums([PairedCounts(1, 0, 1)], "0." + "9" * 30) == (0, 2)


@settings(max_examples=60, deadline=None)
@given(made_counts(), st.sampled_from(LEVELS))
def test_swapping_the_sides_mirrors_unless_a_level_is_hit(counts: PairedCounts, level: str) -> None:
    tail = Level.of(level).tail
    probabilities = distribution([counts])
    assume(not {tail, 1 - tail} & {cumulative(probabilities, k) for k in probabilities})
    lower, upper = exact_sums([counts], level)
    assert exact_sums([counts.swapped], level) == (-upper, -lower)


@settings(max_examples=100, deadline=None)
@given(made_counts(150).filter(lambda counts: counts.ties > 0), st.sampled_from(LEVELS))
def test_one_more_win_never_lowers_an_end(counts: PairedCounts, level: str) -> None:
    lower, upper = exact_sums([counts], level)
    better = PairedCounts(counts.wins + 1, counts.losses, counts.ties - 1)
    raised_lower, raised_upper = exact_sums([better], level)
    assert lower <= raised_lower
    assert upper <= raised_upper


@settings(max_examples=50, deadline=None)
@given(made_counts(150), st.sampled_from(LEVELS))
def test_one_stratum_is_the_plain_interval(counts: PairedCounts, level: str) -> None:
    assert stratified_exact_interval([counts], level) == exact_interval(counts, level)


@pytest.mark.parametrize(
    "strata",
    [
        [PairedCounts(29, 25, 446)],
        [PairedCounts(13, 10, 377)],
        [PairedCounts(3, 1, 96)],
        [PairedCounts(20, 30, 0)],
        [PairedCounts(5, 2, 13), PairedCounts(0, 4, 36), PairedCounts(9, 1, 50)],
    ],
)
@pytest.mark.parametrize("level", ["0.90", "0.95"])
def test_a_million_resamples_end_within_a_step(strata: list[PairedCounts], level: str) -> None:
    resamples, generator = 1_000_000, np.random.default_rng(20261003)
    sums = np.zeros(resamples, dtype=np.int64)
    for counts in strata:
        shares = np.array([counts.wins, counts.losses, counts.ties]) / counts.n
        drawn = generator.multinomial(counts.n, shares, size=resamples)
        sums += drawn[:, 0] - drawn[:, 1]
    sums.sort()
    tail = float(Level.of(level).tail)
    ends = exact_sums(strata, level)
    step = 1 if any(counts.ties for counts in strata) else 2
    for share, end in zip((tail, 1 - tail), ends, strict=True):
        drawn_end = sums[int(np.ceil(share * resamples)) - 1]
        assert abs(int(drawn_end) - end) <= step


def test_no_stratum_is_refused() -> None:
    with pytest.raises(ValueError, match="no stratum"):
        stratified_exact_interval([], "0.95")
