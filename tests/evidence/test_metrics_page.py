"""The declarations are whole, and the glossary says the same as they do."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.evidence import FURTHER_METRICS, METRICS, Exclusion, Metric


@pytest.mark.parametrize("metric", [*METRICS, *FURTHER_METRICS], ids=lambda metric: metric.name)
def test_the_glossary_has_each_metric_as_declared(metric: Metric, checkout: Path) -> None:
    cells = [
        f"`{metric.name}`",
        metric.definition,
        metric.denominator,
        metric.aggregation.value,
        metric.better.value,
    ]
    assert f"| {' | '.join(cells)} |" in (checkout / "docs" / "metrics.md").read_text("utf-8")


def test_the_glossary_has_every_reason(checkout: Path) -> None:
    page = (checkout / "docs" / "metrics.md").read_text("utf-8")
    assert [reason.value for reason in Exclusion if f"| `{reason.value}` |" not in page] == []


def test_an_explanation_says_everything() -> None:
    (share,) = [metric for metric in METRICS if metric.name == "duplicate_share_pooled"]
    assert share.explanation == (
        "Share of all quoted characters that repeat a character quoted already. "
        "Sum over sum, over all questions; denominator: all quoted characters, repeats counted; "
        "unit: fraction; better: lower. "
        "Source: evidence metrics of the published cpersona evaluations."
    )
