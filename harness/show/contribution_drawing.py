"""Laying out the signal contributions of selected and rejected candidates as an SVG.

A panel a point, a row a signal; in each row a bar for the mean of the selected candidates above one
for the rejected, and over each a line from the 10th to the 90th percentile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.words import MINUS, Kind, number

from .axes import Axis, fitted_axis
from .candidates_section import (
    CandidatesSection,
    Contribution,
    PointCandidates,
    SignalContributions,
)
from .drawing import COLOURS, WIDTH, Tick
from .pages import rendered

FILE = "signal-contributions.svg"
"""Beside the page that shows it."""

_MARGIN = 14.0
_COLUMNS = 2
_LEGEND = 44.0
_HEAD, _ROW, _FOOT = 34.0, 26.0, 40.0
_BAR = 9.0
_NAMES, _RIGHT = 96.0, 16.0
SELECTED, REJECTED = "selected", "rejected"
COLOUR_OF = {SELECTED: COLOURS[1], REJECTED: COLOURS[3]}
"""On a light and on a dark ground."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar from the axis to the mean, and its line; all in pixels. `words` say the numbers."""

    group: str
    x: str
    y: str
    width: str
    height: str
    middle: str
    low: str
    high: str
    words: str


@dataclass(frozen=True, slots=True)
class SignalRow:
    """One signal: its name at `y`, and its bars; `absent` where it has none."""

    name: str
    y: str
    absent: bool
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class ContributionPanel:
    """One point, in pixels of the drawing."""

    title: str
    left: str
    right: str
    zero: str
    top: str
    bottom: str
    title_y: str
    ticks: tuple[Tick, ...]
    rows: tuple[SignalRow, ...]


@dataclass(frozen=True, slots=True)
class ContributionDrawing:
    """Everything that the template needs."""

    width: int
    height: int
    panels: tuple[ContributionPanel, ...]


def contribution_pages(folder: str, section: CandidatesSection | None) -> dict[str, str]:
    """Return the drawing of the arm whose page is in `folder`, by relative path; nothing without a
    section."""
    if section is None:
        return {}
    names = ", ".join(point.point for point in section.points)
    drawing = rendered(
        "signal-contributions.svg.j2",
        drawing=draw_contributions(section.points),
        colours=COLOUR_OF,
        title="Signal × weight of selected and of rejected candidates",
        description=(
            f"A panel for each of {names}, a row for each signal, with the mean of the selected "
            "candidates above that of the rejected ones. The table in README.md has the means."
        ),
    )
    return {f"{folder}/{FILE}": drawing}


def draw_contributions(points: Sequence[PointCandidates]) -> ContributionDrawing:
    """Draw the layout of one panel for each of `points`, of which there is at least one."""
    found = [
        value
        for point in points
        for signal in point.signals
        for value in (signal.selected, signal.rejected)
        if value is not None
    ]
    least = min((min(value.low, value.mean) for value in found), default=0.0)
    most = max((max(value.high, value.mean) for value in found), default=1.0)
    limits = (min(0.0, least), max(most, 0.0))
    height = _HEAD + _ROW * max(len(point.signals) for point in points) + _FOOT
    columns = min(_COLUMNS, len(points))
    width = (WIDTH - 2 * _MARGIN) / columns
    panels = []
    for place, point in enumerate(points):
        left = _MARGIN + (place % columns) * width
        top = _LEGEND + (place // columns) * height
        panels.append(_panel(point, left, top, width, limits))
    rows = -(-len(points) // columns)
    return ContributionDrawing(round(WIDTH), round(_LEGEND + rows * height), tuple(panels))


def _panel(
    point: PointCandidates, left: float, top: float, width: float, limits: tuple[float, float]
) -> ContributionPanel:
    first, last = left + _NAMES, left + width - _RIGHT
    axis = fitted_axis(*limits, (first, last), about=4)
    start = top + _HEAD
    end = start + _ROW * len(point.signals)
    return ContributionPanel(
        title=point.point,
        left=_pixel(first),
        right=_pixel(last),
        zero=_pixel(axis.position(0.0)),
        top=_pixel(start),
        bottom=_pixel(end),
        title_y=_pixel(top + 18),
        ticks=tuple(
            Tick(_pixel(axis.position(value)), f"{value:,.3g}".replace("-", MINUS))
            for value in axis.ticks
        ),
        rows=tuple(
            _row(signal, start + place * _ROW, axis) for place, signal in enumerate(point.signals)
        ),
    )


def _row(signal: SignalContributions, top: float, axis: Axis) -> SignalRow:
    bars = tuple(
        _bar(signal.signal, group, value, top + 3 + place * (_BAR + 2), axis)
        for place, (group, value) in enumerate(
            ((SELECTED, signal.selected), (REJECTED, signal.rejected))
        )
        if value is not None
    )
    name = signal.signal.replace("_", " ")
    return SignalRow(name, _pixel(top + _ROW / 2 + 4), not bars, bars)


def _bar(signal: str, group: str, value: Contribution, top: float, axis: Axis) -> Bar:
    zero, mean = axis.position(0.0), axis.position(value.mean)
    return Bar(
        group=group,
        x=_pixel(min(zero, mean)),
        y=_pixel(top),
        width=_pixel(abs(mean - zero)),
        height=_pixel(_BAR),
        middle=_pixel(top + _BAR / 2),
        low=_pixel(axis.position(value.low)),
        high=_pixel(axis.position(value.high)),
        words=(
            f"{signal}, {group}: mean {_score(value.mean)}, 10th to 90th percentile "
            f"{_score(value.low)} to {_score(value.high)}"
        ),
    )


def _pixel(value: float) -> str:
    return f"{value:.1f}"


def _score(value: float) -> str:
    return number(value, Kind.SCORE)
