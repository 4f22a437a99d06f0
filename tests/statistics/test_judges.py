"""Agreement of two judges, against values computed by hand and by their definitions."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics.judges import cohen_kappa, wilson_interval


@pytest.mark.parametrize(
    ("counts", "kappa"),
    [
        # p 35/50, e (25*30 + 25*20)/2500 = 1/2: (0.7 - 0.5)/(1 - 0.5)
        ((20, 5, 10, 15), Fraction(2, 5)),
        # Cohen's formula at chance: every cell 1/4
        ((5, 5, 5, 5), Fraction(0)),
        ((0, 5, 5, 0), Fraction(-1)),
        ((7, 0, 0, 3), Fraction(1)),
        # high agreement and a kappa below 0: p 0.9, e 0.905
        ((90, 5, 5, 0), Fraction(-1, 19)),
        ((10, 0, 0, 0), None),
        ((0, 0, 0, 0), None),
    ],
)
def test_kappa_by_hand(counts: tuple[int, int, int, int], kappa: Fraction | None) -> None:
    assert cohen_kappa(*counts) == kappa


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_kappa_by_its_definition(pairs: list[tuple[bool, bool]]) -> None:
    n = len(pairs)
    observed = sum(one == other for one, other in pairs) / n
    shares = [(sum(one for one, _ in pairs) / n, sum(other for _, other in pairs) / n)]
    expected = sum(p * q + (1 - p) * (1 - q) for p, q in shares)
    kappa = cohen_kappa(
        pairs.count((True, True)),
        pairs.count((True, False)),
        pairs.count((False, True)),
        pairs.count((False, False)),
    )
    if kappa is None:
        assert expected == pytest.approx(1)
    else:
        assert float(kappa) == pytest.approx((observed - expected) / (1 - expected), abs=1e-9)


@pytest.mark.parametrize(("count", "n"), [(81, 263), (15, 148), (0, 20), (1, 29), (29, 29)])
def test_wilson_by_its_formula(count: int, n: int) -> None:
    """The first four are the examples of Newcombe (1998), Statistics in Medicine 17, 857-872,
    whose table I has 0.2553 to 0.3662, 0.0624 to 0.1605, 0 to 0.1611 and 0.0061 to 0.1718."""
    z, p = 1.959963984540054, count / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    interval = wilson_interval(count, n)
    assert interval is not None
    assert (interval.lower, interval.upper) == pytest.approx((centre - half, centre + half))


def test_wilson_as_published() -> None:
    interval = wilson_interval(81, 263)
    assert interval is not None
    assert (round(interval.lower, 4), round(interval.upper, 4)) == (0.2553, 0.3662)
    assert wilson_interval(0, 0) is None
