"""Counts, levels and numbers that are meant exactly."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from harness.errors import UsageError
from harness.statistics.counts import Level, PairedCounts
from harness.statistics.exact_number import Exact, exact_number


def test_counts_by_hand() -> None:
    counts = PairedCounts.of_differences([1, 0, -1, 1, 0])
    assert counts == PairedCounts(2, 1, 2) == PairedCounts.of_total(5, 2, 1)
    assert (counts.n, counts.discordant, counts.difference) == (5, 3, Fraction(1, 5))
    assert counts.swapped == PairedCounts(1, 2, 2)


def test_counts_of_numpy_are_whole_numbers() -> None:
    assert type(PairedCounts(np.int64(2), 1, 0).wins) is int  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wins", "losses", "ties", "message"),
    [(-1, 0, 2, "wins is -1"), (0, 0, 0, "no pair"), (0, 1, -1, "ties is -1")],
)
def test_impossible_counts_are_refused(wins: int, losses: int, ties: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PairedCounts(wins, losses, ties)


def test_more_discordant_pairs_than_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="3 wins and 2 losses are more than 4 pairs"):
        PairedCounts.of_total(4, 3, 2)


def test_another_difference_is_refused() -> None:
    with pytest.raises(ValueError, match="not 2"):
        PairedCounts.of_differences([0, 2])


def test_a_level_is_meant_exactly() -> None:
    level = Level.of("0.95")
    assert (level.value, level.tail) == (Fraction(19, 20), Fraction(1, 40))
    assert Level.of(0.95).value == Level.of(Decimal("0.950")).value == level.value
    assert str(Level.of(" 0.90 ")) == "0.90"
    assert Level.of(level) is level


@pytest.mark.parametrize("text", ["0", "1", "95", "95%", "nan", "-0.5", "", "0.9_5", "1/2"])
def test_what_is_no_level_is_refused_with_the_fix(text: str) -> None:
    with pytest.raises(UsageError, match="the level") as caught:
        Level.of(text)
    assert "such as 0.95" in caught.value.hint


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0.02", Fraction(1, 50)),
        (0.02, Fraction(1, 50)),
        ("-2.5e-1", Fraction(-1, 4)),
        (".5", Fraction(1, 2)),
        (3, Fraction(3)),
        (Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_exact_numbers(value: Exact, expected: Fraction) -> None:
    assert exact_number(value) == expected


@pytest.mark.parametrize("value", ["1e-31", "0." + "3" * 31, float("inf"), "1e999999999", "x" * 99])
def test_what_is_no_exact_number_is_refused(value: Exact) -> None:
    with pytest.raises(ValueError, match=r"decimal|decimals"):
        exact_number(value)
