"""The cost–evidence curve: what an arm shows at what cost, one line an arm, one panel a metric."""

from __future__ import annotations

from dataclasses import dataclass

from harness.evidence import Metric, metric_named

from .figures import Figures

COST = metric_named("context_tokens")
PANELS = tuple(
    metric_named(name)
    for name in (
        "answer_sessions_shown",
        "all_answer_sessions_shown",
        "evidence_turns_touched",
        "evidence_turn_chars_macro",
    )
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A point in a panel: mean context tokens, and the metric's value in percent."""

    point: str
    tokens: float
    percent: float


@dataclass(frozen=True, slots=True)
class CurveLine:
    """The points of an arm, from the cheapest to the most expensive."""

    arm: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One metric over the cost; `scored` cases enter it."""

    metric: Metric
    scored: int
    lines: tuple[CurveLine, ...]


def panels_of(figures: Figures) -> tuple[Panel, ...]:
    """Return the panels that have something to show; none where tokens were not counted."""
    if not figures.tokens_counted:
        return ()
    panels = []
    for metric in PANELS:
        values = figures.values[metric.name]
        scored = max(value.scored for value in values.values())
        if scored:
            lines = tuple(_line(figures, arm, metric) for arm in figures.arms)
            panels.append(Panel(metric, scored, lines))
    return tuple(panels)


def _line(figures: Figures, arm: str, metric: Metric) -> CurveLine:
    costs, values = figures.values[COST.name], figures.values[metric.name]
    marks = []
    for point in map(str, figures.points_of(arm)):
        tokens, value = costs[point].value, values[point].value
        if tokens is not None and value is not None:
            marks.append(Mark(point, tokens, 100 * value))
    return CurveLine(arm, tuple(sorted(marks, key=lambda mark: (mark.tokens, mark.percent))))
