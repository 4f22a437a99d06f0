"""The exact upper limit against its definition."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from harness.statistics.clopper_pearson import upper_limit


@pytest.mark.parametrize(("count", "n"), [(0, 1), (0, 150), (3, 150), (9, 40), (149, 150)])
@pytest.mark.parametrize("level", ["0.95", "0.9"])
def test_so_few_are_as_likely_as_the_tail(count: int, n: int, level: str) -> None:
    p = upper_limit(count, n, level)
    tail = sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(count + 1))
    assert tail == pytest.approx(float((1 - Fraction(level)) / 2), rel=1e-9)


def test_of_none_it_has_a_closed_form() -> None:
    assert upper_limit(0, 150, "0.95") == pytest.approx(1 - 0.025 ** (1 / 150), rel=1e-12)


def test_all_of_them_may_always_happen() -> None:
    assert upper_limit(4, 4, "0.95") == 1.0


def test_no_count_of_trials() -> None:
    with pytest.raises(ValueError, match="5 of 4"):
        upper_limit(5, 4, "0.95")
