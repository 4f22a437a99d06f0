"""How numbers and tables look."""

from __future__ import annotations

import pytest

from harness.evidence import PairedDifference, metric_named
from harness.show.markdown import Table
from harness.show.numbers import (
    change_text,
    difference_text,
    excluded_text,
    heading,
    signed_text,
    value_text,
)
from harness.words import code

SHARE = metric_named("answer_sessions_shown")
TOKENS = metric_named("context_tokens")
RATE = metric_named("answer_sessions_per_1k_tokens")


def difference(
    value: float | None, lower: float | None = None, upper: float | None = None
) -> PairedDifference:
    return PairedDifference(value, lower, upper, 8, 0.95, 10_000, 20261003, 1, 2, ())


@pytest.mark.parametrize(
    ("value", "share", "tokens", "rate"),
    [
        (0.9615, "96.2", "1.0", "0.96"),
        (1531.42, "153,142.0", "1,531.4", "1,531.42"),
        (0.0, "0.0", "0.0", "0.00"),
        (None, "–", "–", "–"),
    ],
)
def test_a_value(value: float | None, share: str, tokens: str, rate: str) -> None:
    assert [value_text(metric, value) for metric in (SHARE, TOKENS, RATE)] == [share, tokens, rate]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.019, "+1.9"), (-0.012, "−1.2"), (0.0, "0.0"), (-0.0004, "0.0"), (0.0004, "0.0")],
)
def test_a_sign_stands_where_there_is_one(value: float, text: str) -> None:
    assert signed_text(SHARE, value) == text


def test_a_difference_with_its_interval() -> None:
    assert difference_text(SHARE, difference(0.019, -0.012, 0.05)) == "+1.9 (−1.2, +5.0)"
    assert difference_text(TOKENS, difference(-1086.1, -1140.4, 0.0)) == "−1,086.1 (−1,140.4, 0.0)"
    assert difference_text(SHARE, difference(0.5)) == "+50.0 (no interval)"
    assert difference_text(SHARE, difference(None)) == "–"


def test_other_texts() -> None:
    assert [change_text(share) for share in (1.133, -0.0001)] == ["+113.3 %", "0.0 %"]
    assert heading(SHARE) == "answer sessions shown (%)"
    assert heading(TOKENS) == "context tokens"
    assert excluded_text({"no gold": 1, "no evidence turns": 1021}) == (
        "1 no gold, 1,021 no evidence turns"
    )
    assert excluded_text({}) == "none"


def test_a_table_is_aligned_and_cannot_be_broken_by_its_cells() -> None:
    table = Table(("point", "a | b"), (("two\nlines", "1"), (code("x`y"), "2")))
    assert str(table) == ("| point | a \\| b |\n| --- | ---: |\n| two lines | 1 |\n| ``x`y`` | 2 |")
