"""Simultaneous bands against their definition."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from statistics import stdev

import numpy as np
import pytest

from harness.statistics.bands import Array, printed_bands, simultaneous_bands


def made_differences(n: int, k: int, seed: int = 3) -> Array:
    generator = np.random.default_rng(seed)
    return generator.choice([-1.0, 0.0, 1.0], p=[0.1, 0.7, 0.2], size=(n, k))


def naive(
    differences: Array, units: Sequence[Sequence[int]], level: str, resamples: int, seed: int
) -> tuple[list[float], float]:
    """Deviations and critical value, one resample and one point after the other."""
    generator = np.random.Generator(np.random.PCG64(seed))
    points = range(differences.shape[1])
    observed = [differences[:, j].mean() for j in points]
    means: list[list[float]] = []
    for _ in range(resamples):
        drawn = [q for u in generator.integers(0, len(units), len(units)) for q in units[u]]
        means.append([sum(differences[q, j] for q in drawn) / len(drawn) for j in points])
    deviations = [stdev(resample[j] for resample in means) for j in points]
    largest = sorted(
        max(abs(resample[j] - observed[j]) / deviations[j] for j in points if deviations[j])
        for resample in means
    )
    return deviations, largest[ceil(Fraction(level) * resamples) - 1]


@pytest.mark.parametrize("level", ["0.95", "0.9", "0.5"])
def test_equal_the_definition(level: str) -> None:
    differences = made_differences(30, 4)
    deviations, critical = naive(differences, [[q] for q in range(30)], level, 200, 11)
    found = simultaneous_bands(differences, level, resamples=200, seed=11)
    assert found.deviation.tolist() == pytest.approx(deviations, abs=1e-12)
    assert found.critical_value == pytest.approx(critical, abs=1e-12)
    half = critical * np.array(deviations)
    assert found.lower.tolist() == pytest.approx((differences.mean(axis=0) - half).tolist())
    assert found.upper.tolist() == pytest.approx((differences.mean(axis=0) + half).tolist())
    assert found.left_out == ()


def test_clusters_are_drawn_whole() -> None:
    differences = made_differences(12, 3)
    labels = list("aabbbcddeeef")
    units = [[q for q, other in enumerate(labels) if other == label] for label in "abcdef"]
    deviations, critical = naive(differences, units, "0.95", 150, 5)
    found = simultaneous_bands(differences, "0.95", clusters=labels, resamples=150, seed=5)
    assert found.deviation.tolist() == pytest.approx(deviations, abs=1e-12)
    assert found.critical_value == pytest.approx(critical, abs=1e-12)


def test_points_without_deviation_are_left_out_and_listed() -> None:
    differences = made_differences(40, 4)
    differences[:, 1] = 0.1
    differences[:, 3] = 1
    found = simultaneous_bands(differences, "0.95", resamples=300)
    assert found.left_out == (1, 3)
    assert np.isnan(found.lower).tolist() == [False, True, False, True]
    assert found.deviation[[1, 3]].tolist() == [0, 0]
    others = simultaneous_bands(differences[:, [0, 2]], "0.95", resamples=300)
    assert found.critical_value == others.critical_value
    assert found.upper[[0, 2]].tolist() == others.upper.tolist()


def test_nothing_moves() -> None:
    found = simultaneous_bands(np.zeros((5, 2)), "0.95", resamples=50)
    assert found.left_out == (0, 1)
    assert np.isnan(found.critical_value)


def test_one_point_is_narrower_than_many_and_the_same_point_twice_is_not() -> None:
    differences = made_differences(200, 20)
    many = simultaneous_bands(differences, "0.95", resamples=2000)
    one = simultaneous_bands(differences[:, :1], "0.95", resamples=2000)
    twice = simultaneous_bands(differences[:, [0, 0]], "0.95", resamples=2000)
    assert 1.8 < one.critical_value < 2.2
    assert 2.7 < many.critical_value < 3.5
    assert twice.critical_value == one.critical_value


@pytest.mark.parametrize(
    ("differences", "options", "message"),
    [
        (np.zeros(3), {}, "shape"),
        (np.zeros((0, 2)), {}, "shape"),
        (np.full((2, 2), np.nan), {}, "not finite"),
        (np.zeros((2, 2)), {"resamples": 1}, "at least 2"),
        (np.zeros((2, 2)), {"clusters": ["a"]}, "1 cluster labels for 2"),
    ],
)
def test_what_has_no_bands_is_refused(
    differences: Array, options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        simultaneous_bands(differences, "0.95", **options)  # type: ignore[arg-type]


def test_bands_of_few_questions_are_not_printed() -> None:
    """At nine questions that differ, at ten, at none, and by the same amount at all."""
    differences = np.zeros((40, 4))
    differences[:9, 0] = 1.0
    differences[:10, 1] = -1.0
    differences[:, 3] = 0.5
    nine, ten, nothing, constant = printed_bands(differences)
    assert (nine, nothing, constant) == (None, None, None)
    assert ten is not None
    whole = simultaneous_bands(differences, "0.95")
    assert (ten.lower, ten.upper) == (whole.lower[1], whole.upper[1])
