"""How metrics head their columns, and how what is left out is said."""

from __future__ import annotations

from harness.evidence import PairedDifference, metric_named
from harness.show.evidence_tables import excluded_text, interval_cell, metric_column, metric_title
from harness.show.printing import cell_text

SHARE = metric_named("answer_sessions_shown")
TOKENS = metric_named("context_tokens")


def difference(
    value: float | None, lower: float | None = None, upper: float | None = None
) -> PairedDifference:
    return PairedDifference(value, lower, upper, 8, 0.95, 10_000, 20261003, 1, 2, ("few pairs",))


def test_a_heading_says_the_unit() -> None:
    assert metric_title(SHARE) == "answer sessions shown (%)"
    assert metric_title(TOKENS) == "context tokens"
    assert metric_column(SHARE, change=True).title == "answer sessions shown (points)"


def test_a_difference_with_its_interval() -> None:
    share, tokens = (metric_column(metric, change=True).kind for metric in (SHARE, TOKENS))
    assert cell_text(interval_cell(difference(0.019, -0.012, 0.05)), share) == (
        "+1.9 (−1.2, +5.0) †"
    )
    unmarked = interval_cell(difference(-1086.1, -1140.4, 0.0), marked=False)
    assert cell_text(unmarked, tokens) == "−1,086.1 (−1,140.4, 0.0)"
    assert cell_text(interval_cell(difference(0.5)), share) == "+50.0 (no interval) †"
    assert cell_text(interval_cell(difference(None)), share) == "–"


def test_what_is_left_out() -> None:
    assert excluded_text({"no gold": 1, "no evidence turns": 1021}) == (
        "1 no gold, 1,021 no evidence turns"
    )
    assert excluded_text({}) == "none"
