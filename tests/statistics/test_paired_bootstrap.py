"""The paired bootstrap against its definition, computed again question by question."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.statistics.paired_bootstrap import Array, PairedInterval, Ratios, paired_bootstrap

Question = tuple[float, float, float, float]
Expected = tuple[float, float, float, int]


def statistic(questions: Sequence[Question]) -> Fraction | None:
    """Ratio less ratio in exact arithmetic; None where a denominator is zero."""
    x, u, y, v = (sum((Fraction(q[place]) for q in questions), Fraction(0)) for place in range(4))
    return x / u - y / v if u and v else None


def naive(units: Sequence[Sequence[Question]], resamples: int, level: str, seed: int) -> Expected:
    """Difference, limits and undefined resamples, drawing one resample at a time."""
    generator = np.random.Generator(np.random.PCG64(seed))
    found = []
    for _ in range(resamples):
        drawn = [units[index] for index in generator.integers(0, len(units), len(units))]
        found.append(statistic([question for unit in drawn for question in unit]))
    observed = statistic([question for unit in units for question in unit])
    difference = nan if observed is None else float(observed)
    undefined = found.count(None)
    if undefined:
        return difference, nan, nan, undefined
    ordered = sorted(value for value in found if value is not None)
    tail = int(resamples * (1 - Decimal(level)) / 2)
    return difference, float(ordered[tail]), float(ordered[resamples - 1 - tail]), 0


def ratios(questions: Sequence[Question]) -> tuple[Ratios, Ratios]:
    columns = np.array(questions, dtype=np.float64).T
    return Ratios(columns[0], columns[1]), Ratios(columns[2], columns[3])


def means(left: Sequence[float], right: Sequence[float]) -> tuple[Ratios, Ratios]:
    ones = np.ones(len(left))
    return Ratios(np.array(left, dtype=float), ones), Ratios(np.array(right, dtype=float), ones)


def check(found: PairedInterval, expected: Expected) -> None:
    difference, lower, upper, undefined = expected
    assert found.undefined_resamples.tolist() == [undefined]
    assert found.difference[0] == pytest.approx(difference, abs=1e-12, nan_ok=True)
    assert found.lower[0] == pytest.approx(lower, abs=1e-12, nan_ok=True)
    assert found.upper[0] == pytest.approx(upper, abs=1e-12, nan_ok=True)


fraction = st.floats(0, 1)
mean_question = st.tuples(fraction, st.just(1.0), fraction, st.just(1.0))
count = st.integers(0, 3).map(float)
ratio_question = st.tuples(count, count, count, count).map(
    lambda q: (min(q[0], q[1]), q[1], min(q[2], q[3]), q[3])
)


@settings(max_examples=40, deadline=None)
@given(
    st.one_of(
        st.lists(mean_question, min_size=1, max_size=12),
        st.lists(ratio_question, min_size=1, max_size=12),
    ),
    st.sampled_from(["0.95", "0.9", "0.8", "0.5"]),
    st.integers(0, 2**40),
)
def test_equals_the_definition(questions: list[Question], level: str, seed: int) -> None:
    found = paired_bootstrap(*ratios(questions), level=float(level), resamples=60, seed=seed)
    check(found, naive([[question] for question in questions], 60, level, seed))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(mean_question, st.sampled_from("abcd")), min_size=1, max_size=12))
def test_clusters_are_drawn_whole(labelled: list[tuple[Question, str]]) -> None:
    questions, labels = [q for q, _ in labelled], [label for _, label in labelled]
    units = [
        [question for question, other in labelled if other == label]
        for label in sorted(set(labels))
    ]
    found = paired_bootstrap(*ratios(questions), clusters=labels, resamples=60, seed=5)
    check(found, naive(units, 60, "0.95", 5))


def test_equals_the_definition_at_full_size() -> None:
    generator = np.random.default_rng(1)
    questions = [(float(a), 3.0, float(b), 3.0) for a, b in generator.integers(0, 4, (15, 2))]
    found = paired_bootstrap(*ratios(questions))
    check(found, naive([[question] for question in questions], 10_000, "0.95", 20261003))


def test_a_column_does_not_depend_on_its_neighbours() -> None:
    generator = np.random.default_rng(2)
    left, right, other = generator.random((3, 200, 7))
    together = paired_bootstrap(Ratios(left, other), Ratios(right, other + 1), resamples=500)
    for column in range(7):
        alone = paired_bootstrap(
            Ratios(left[:, column], other[:, column]),
            Ratios(right[:, column], other[:, column] + 1),
            resamples=500,
        )
        assert alone.difference[0] == together.difference[column]
        assert alone.lower[0] == together.lower[column]
        assert alone.upper[0] == together.upper[column]


def test_all_ties_have_no_width() -> None:
    same = [1 / 3, 0.7, 0.1, 0.0]
    found = paired_bootstrap(*means(same, same), resamples=200)
    assert (found.difference[0], found.lower[0], found.upper[0]) == (0, 0, 0)


def test_a_constant_difference_has_no_width() -> None:
    found = paired_bootstrap(*means([0.75, 1.0, 0.5], [0.5, 0.75, 0.25]), resamples=200)
    assert (found.difference[0], found.lower[0], found.upper[0]) == (0.25, 0.25, 0.25)


def test_one_loss_of_400() -> None:
    """The exact interval is -3 to 0 questions: P(S <= -4) = 0.019 and P(S <= -3) = 0.080."""
    found = paired_bootstrap(*means([0.0] + [1.0] * 399, [1.0] * 400))
    assert (found.lower[0], found.upper[0]) == (-3 / 400, 0)


def test_known_limits_of_a_fixed_vector() -> None:
    """The stream of the generator and the convention, pinned: a change shows here first."""
    left = [0.0, 1.0, 0.5, 1.0, 0.25, 0.75, 1.0, 0.0, 0.5, 1.0]
    found = paired_bootstrap(*means(left, [0.5] * 10))
    assert (found.difference[0], found.lower[0], found.upper[0]) == (0.1, -0.15, 0.325)


def test_a_resample_without_a_denominator_leaves_no_limits() -> None:
    found = paired_bootstrap(*ratios([(1, 2, 1, 2), (0, 0, 0, 1)]), resamples=100)
    assert found.difference[0] == pytest.approx(1 / 2 - 1 / 3)
    assert found.undefined_resamples[0] > 0
    assert isnan(found.lower[0])
    assert isnan(found.upper[0])


one: Array = np.ones(2)


@pytest.mark.parametrize(
    ("left", "right", "options", "message"),
    [
        (Ratios(one, one), Ratios(np.ones(3), np.ones(3)), {}, "shapes differ"),
        (Ratios(one[:0], one[:0]), Ratios(one[:0], one[:0]), {}, "no question"),
        (Ratios(one * nan, one), Ratios(one, one), {}, "not finite"),
        (Ratios(one, one), Ratios(one, one), {"level": 1.0}, "between 0 and 1"),
        (Ratios(one, one), Ratios(one, one), {"resamples": 0}, "at least 1"),
        (Ratios(one, one), Ratios(one, one), {"clusters": ["a"]}, "1 cluster labels for 2"),
    ],
)
def test_what_cannot_be_resampled_is_refused(
    left: Ratios, right: Ratios, options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        paired_bootstrap(left, right, **options)  # type: ignore[arg-type]
