"""How metrics head their columns, and how what is left out is said."""

from __future__ import annotations

from dataclasses import replace

from harness.evidence import PairedDifference, metric_named
from harness.show.evidence_tables import (
    band_cell,
    excluded_text,
    interval_cell,
    metric_column,
    metric_title,
    no_interval,
)
from harness.show.printing import cell_text
from harness.show.table import Limits

SHARE = metric_named("answer_sessions_shown")
TOKENS = metric_named("context_tokens")


def difference(
    value: float | None, lower: float | None = None, upper: float | None = None
) -> PairedDifference:
    return PairedDifference(value, lower, upper, 8, 0.95, 10_000, 20261003, 6, 5)


def doubtful(value: float | None, *limits: float) -> PairedDifference:
    return replace(difference(value, *limits), warnings=("few pairs",))


def test_a_heading_says_the_unit() -> None:
    assert metric_title(SHARE) == "answer sessions shown (%)"
    assert metric_title(TOKENS) == "context tokens"
    assert metric_column(SHARE, change=True).title == "answer sessions shown (points)"


def test_a_difference_with_its_interval() -> None:
    share, tokens = (metric_column(metric, change=True).kind for metric in (SHARE, TOKENS))
    assert cell_text(interval_cell(difference(0.019, -0.012, 0.05)), share) == "+1.9 (−1.2, +5.0)"
    found = interval_cell(difference(-1086.1, -1140.4, 0.0))
    assert cell_text(found, tokens) == "−1,086.1 (−1,140.4, 0.0)"
    assert cell_text(interval_cell(difference(0.5)), share) == "+50.0 (no interval)"


def test_an_interval_that_misleads_is_not_shown() -> None:
    kind = metric_column(SHARE, change=True).kind
    assert cell_text(interval_cell(doubtful(0.019, -0.012, 0.05)), kind) == "+1.9 †"
    assert cell_text(interval_cell(doubtful(0.5)), kind) == "+50.0 †"
    assert cell_text(interval_cell(doubtful(None)), kind) == "–"
    assert no_interval([difference(0.5), doubtful(0.5), doubtful(0.4), doubtful(None)]) == (
        "† No interval is shown, since it would mislead: few pairs (2)."
    )
    assert no_interval([difference(0.5), doubtful(None)]) == ""


def test_a_band_of_few_questions_says_so() -> None:
    none = {"band_lower": None, "band_upper": None}
    assert band_cell({**none, "wins": 4, "losses": 5}) == "none: 9 differ"
    assert band_cell({**none, "wins": 0, "losses": 1}) == "none: 1 differs"
    assert band_cell({**none, "wins": 10, "losses": 0}) is None  # by the same amount everywhere
    assert band_cell({**none, "wins": None, "losses": None}) is None  # what is compared with
    row = {"band_lower": -0.1, "band_upper": 0.2, "wins": 9, "losses": 9}
    assert band_cell(row) == Limits(-0.1, 0.2)


def test_what_is_left_out() -> None:
    assert excluded_text({"no gold": 1, "no evidence turns": 1021}) == (
        "1 no gold, 1,021 no evidence turns"
    )
    assert excluded_text({}) == "none"
