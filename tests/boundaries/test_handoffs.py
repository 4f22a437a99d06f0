"""What passes from one hand to another keeps its meaning, or is refused."""

from __future__ import annotations

from .conftest import CASES, Harness


def test_reports_of_the_older_form_are_compared(harness: Harness) -> None:
    folder = CASES / "report-without-format"
    compared = harness("compare", folder / "before.json", folder / "after.json", "--only", "mcp")
    assert compared.code == 0
    assert "Tokens per correct answer: 1,010.0 → 910.0 (−9.9 %)" in compared.out
