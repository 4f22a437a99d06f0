"""How numbers look in a report.

Shares are percentages and their differences points, with one decimal; tokens have one decimal and a
separator of thousands; other ratios two decimals. A minus is U+2212, a missing value a dash.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.evidence import Metric, MetricValue, PairedDifference

MINUS = "−"
MISSING = "–"


def is_share(metric: Metric) -> bool:
    """Whether the metric is a fraction, which is shown as a percentage."""
    return metric.unit.startswith("fraction")


def heading(metric: Metric) -> str:
    """The metric's name with spaces, so that a narrow column can break it, and its unit."""
    name = metric.name.replace("_", " ")
    return f"{name} (%)" if is_share(metric) else name


def value_text(metric: Metric, value: float | None) -> str:
    """`96.2` for a share of 0.9615, `1,531.4` tokens, `1.19` of anything else."""
    if value is None:
        return MISSING
    return _with_minus(f"{_scaled(metric, value):,.{_decimals(metric)}f}")


def signed_text(metric: Metric, value: float | None) -> str:
    """Like `value_text`, with a sign; what rounds to zero has none."""
    if value is None:
        return MISSING
    text = f"{_scaled(metric, value):+,.{_decimals(metric)}f}"
    return _without_zero_sign(text)


def difference_text(metric: Metric, difference: PairedDifference) -> str:
    """`+1.9 (−1.2, +5.0)`: the difference and its interval."""
    if difference.difference is None:
        return MISSING
    text = signed_text(metric, difference.difference)
    if difference.lower is None or difference.upper is None:
        return f"{text} (no interval)"
    lower, upper = signed_text(metric, difference.lower), signed_text(metric, difference.upper)
    return f"{text} ({lower}, {upper})"


def change_text(share: float) -> str:
    """`+113.3 %` of a share of 1.133, without a sign where it rounds to zero."""
    text = f"{100 * share:+,.1f}"
    return f"{_without_zero_sign(text)} %"


def scored_text(value: MetricValue) -> str:
    """`470 of 500`: the cases that enter, of those of the cohort."""
    return f"{value.scored:,} of {value.expected:,}"


def excluded_text(excluded: Mapping[str, int]) -> str:
    """`21 no evidence turns, 3 no gold`, or `none`."""
    return ", ".join(f"{count:,} {reason}" for reason, count in excluded.items()) or "none"


def mean_text(value: float | None) -> str:
    """A mean with one decimal."""
    return MISSING if value is None else f"{value:,.1f}"


def _scaled(metric: Metric, value: float) -> float:
    return value * 100 if is_share(metric) else value


def _decimals(metric: Metric) -> int:
    return 1 if is_share(metric) or metric.unit == "tokens" else 2


def _without_zero_sign(text: str) -> str:
    return text[1:] if float(text.replace(",", "")) == 0 else _with_minus(text)


def _with_minus(text: str) -> str:
    return text.replace("-", MINUS)
