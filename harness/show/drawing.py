"""Laying out the cost–evidence curve as an SVG; the template draws what is laid out here.

Text stays text. The drawing has a ground of its own, and colours for light and dark, so it can be
read on any page. Arms differ in colour and in the shape of their marks, which are open, and
later ones have broken lines: where arms coincide, every one is seen.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.evidence import Metric, metric_named
from harness.measure.accuracy import accuracies
from harness.measure.answers import GradedPoints
from harness.measure.measured import ACCURACY
from harness.recording.absent import Absence
from harness.words import Kind, count, counted, number, plain_of

from .accuracy_tables import caveat_sentences
from .axes import Axis, fitted_axis
from .evidence_tables import metric_title
from .figures import Figures

WIDTH = 960.0
_MARGIN = 28.0
_COLUMNS = 2
_PANEL_HEIGHT = 344.0
_PLOT_LEFT, _PLOT_RIGHT, _PLOT_TOP, _PLOT_BOTTOM = 48.0, 12.0, 58.0, 44.0
_LEGEND_TOP, _LEGEND_ROW, _LEGEND_SAMPLE, _LEGEND_LINE = 30.0, 26.0, 34.0, 26.0
_CHARACTER = 7.4  # a generous width of one letter at the legend's size
_FOOTNOTE_ROW, _FOOTNOTE_WIDTH = 18.0, 150
MARKED = "*"
"""Follows an arm in the legend that has a footnote."""

COLOURS = (
    ("#52514e", "#c3c2b7"),
    ("#2a78d6", "#3987e5"),
    ("#12946a", "#1fb283"),
    ("#d9541e", "#e8743f"),
    ("#4a3aa7", "#9d93f0"),
    ("#007a00", "#3fa63f"),
    ("#cf4d83", "#e0709b"),
    ("#b57b00", "#d69a1e"),
)
"""For each arm in turn, the colour on a light and on a dark ground."""

DASHES = ("", "", "", "", "11 5", "6 6", "2 6", "11 4 2 4")
"""For each arm in turn, how its line is broken, so that lines which coincide are all seen."""

MARKS = (
    "M-4,-4h8v8h-8z",
    "M0,-4.6A4.6,4.6 0 1 1 0,4.6A4.6,4.6 0 1 1 0,-4.6z",
    "M0,-5.2L5,3.8H-5z",
    "M0,-5.8L5.2,0L0,5.8L-5.2,0z",
    "M0,5.2L-5,-3.8H5z",
    "M-1.8,-5h3.6v3.2h3.2v3.6h-3.2v3.2h-3.6v-3.2h-3.2v-3.6h3.2z",
    "M-5,0L-2.5,-4.4H2.5L5,0L2.5,4.4H-2.5z",
)
"""Shapes around the origin; as many as have no common divisor with the colours."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick: its pixel, and its label."""

    at: str
    label: str


@dataclass(frozen=True, slots=True)
class DrawnMark:
    """A mark, and the words for it; `bar` is the path of its interval, empty without one."""

    x: str
    y: str
    words: str
    bar: str = ""


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line of one arm; `style` is the number of its colour, `shape` its marks' path."""

    arm: str
    style: int
    shape: str
    points: str
    marks: tuple[DrawnMark, ...]


@dataclass(frozen=True, slots=True)
class DrawnPanel:
    """A panel in pixels of the drawing."""

    title: str
    questions: str
    cost: str
    left: str
    right: str
    top: str
    bottom: str
    across: tuple[Tick, ...]
    upward: tuple[Tick, ...]
    lines: tuple[DrawnLine, ...]


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """An arm in the legend; its sample line starts at `x`, with a mark at `middle`."""

    arm: str
    style: int
    shape: str
    x: str
    middle: str
    y: str


@dataclass(frozen=True, slots=True)
class Style:
    """How an arm is drawn: its colours on a light and a dark ground, and dashes or nothing."""

    number: int
    light: str
    dark: str
    dashes: str


@dataclass(frozen=True, slots=True)
class Footnote:
    """A line of words below the panels."""

    words: str
    x: str
    y: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """Everything that the template needs."""

    width: int
    height: int
    legend: tuple[LegendEntry, ...]
    panels: tuple[DrawnPanel, ...]
    styles: tuple[Style, ...]
    footnotes: tuple[Footnote, ...]

    @property
    def has_bars(self) -> bool:
        return any(mark.bar for one in self.panels for line in one.lines for mark in line.marks)


def draw(panels: Sequence[Panel], absent: Sequence[Absence] = ()) -> Drawing:
    """Draw the layout of `panels`, which are at least one; `absent` are signals of the arms, whose
    absence is a footnote."""
    marked = {arm for absence in absent for arm in absence.arms}
    arms = [line.arm for line in panels[0].lines]
    legend, top = _legend([f"{arm}{MARKED if arm in marked else ''}" for arm in arms])
    rows = -(-len(panels) // _COLUMNS)
    drawn = [
        _panel(panel, place, top, _highest_cost(panels, panel.cost), single=len(panels) == 1)
        for place, panel in enumerate(panels)
    ]
    styles = tuple(
        Style(number, light, dark, dashes)
        for number, ((light, dark), dashes) in enumerate(zip(COLOURS, DASHES, strict=True))
        if any(entry.style == number for entry in legend)
    )
    bottom = top + rows * _PANEL_HEIGHT + 8
    sentences = [
        *(f"{MARKED} {plain_of(absence.sentence('question'))}" for absence in absent),
        *(note for panel in panels for note in panel.notes),
    ]
    footnotes = tuple(_footnotes(sentences, bottom))
    height = round(bottom + _FOOTNOTE_ROW * len(footnotes))
    return Drawing(round(WIDTH), height, legend, tuple(drawn), styles, footnotes)


def _footnotes(sentences: Sequence[str], top: float) -> Iterator[Footnote]:
    """Yield the lines below the panels: what is absent, and what goes with the figures."""
    lines = [
        line
        for sentence in sentences
        for line in textwrap.wrap(sentence, _FOOTNOTE_WIDTH, subsequent_indent="  ")
    ]
    for place, line in enumerate(lines):
        yield Footnote(line, _pixel(_MARGIN), _pixel(top + _FOOTNOTE_ROW * place + 4))


def _highest_cost(panels: Sequence[Panel], cost: str) -> float:
    """Return where the axis ends that all panels over the same cost share."""
    sharing = [panel for panel in panels if panel.cost == cost]
    return max(mark.tokens for panel in sharing for line in panel.lines for mark in line.marks)


def _legend(arms: Sequence[str]) -> tuple[tuple[LegendEntry, ...], float]:
    """Return entries from the left, in as many rows as needed; and where the legend ends."""
    x, y = _MARGIN, _LEGEND_TOP
    entries: list[LegendEntry] = []
    for place, arm in enumerate(arms):
        width = _LEGEND_SAMPLE + _CHARACTER * len(arm) + 22
        if entries and x + width > WIDTH - _MARGIN / 2:
            x, y = _MARGIN, y + _LEGEND_ROW
        pixels = (_pixel(x), _pixel(x + _LEGEND_LINE / 2), _pixel(y))
        entries.append(LegendEntry(arm, *_style(place), *pixels))
        x += width
    return tuple(entries), y + _LEGEND_ROW / 2 + 8


def _style(place: int) -> tuple[int, str]:
    return place % len(COLOURS), MARKS[(place + 1) % len(MARKS)]


def _panel(
    panel: Panel, place: int, top: float, highest_cost: float, *, single: bool
) -> DrawnPanel:
    width = WIDTH - 2 * _MARGIN / 2 if single else (WIDTH - _MARGIN) / _COLUMNS
    left = _MARGIN / 2 + (place % _COLUMNS) * width + _PLOT_LEFT
    right = _MARGIN / 2 + (place % _COLUMNS + 1) * width - _PLOT_RIGHT
    head = top + (place // _COLUMNS) * _PANEL_HEIGHT
    bottom = head + _PANEL_HEIGHT - _PLOT_BOTTOM
    marks = [mark for line in panel.lines for mark in line.marks]
    percents = [value for mark in marks for value in (mark.percent, *(mark.interval or ()))]
    across = fitted_axis(0.0, highest_cost, (left, right), about=6)
    upward = fitted_axis(min(percents), max(percents), (bottom, head + _PLOT_TOP))
    return DrawnPanel(
        title=metric_title(panel.metric),
        questions=panel.questions,
        cost=panel.cost,
        left=_pixel(left),
        right=_pixel(right),
        top=_pixel(head + _PLOT_TOP),
        bottom=_pixel(bottom),
        across=_ticks(across),
        upward=_ticks(upward),
        lines=tuple(
            _line(line, style, across, upward)
            for style, line in enumerate(panel.lines)
            if line.marks
        ),
    )


def _line(line: CurveLine, style: int, across: Axis, upward: Axis) -> DrawnLine:
    marks = tuple(_mark(mark, across, upward) for mark in line.marks)
    points = " ".join(f"{mark.x},{mark.y}" for mark in marks)
    return DrawnLine(line.arm, *_style(style), points, marks)


def _mark(mark: Mark, across: Axis, upward: Axis) -> DrawnMark:
    x = _pixel(across.position(mark.tokens))
    words = f"{mark.point}: {number(mark.tokens, Kind.TOKENS)} tokens, {mark.percent:.1f} %"
    bar = ""
    if mark.interval is not None:
        lower, upper = mark.interval
        words += f" ({lower:.1f} to {upper:.1f})"
        bar = f"M{x},{_pixel(upward.position(lower))}V{_pixel(upward.position(upper))}"
    return DrawnMark(x, _pixel(upward.position(mark.percent)), words, bar)


def _ticks(axis: Axis) -> tuple[Tick, ...]:
    return tuple(Tick(_pixel(axis.position(value)), f"{value:,.6g}") for value in axis.ticks)


def _pixel(value: float) -> str:
    return f"{value:.1f}"


CURVE_COST = metric_named("context_tokens")
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
    """A point in a panel: mean tokens, and the metric's value in percent, perhaps with the limits
    of its interval."""

    point: str
    tokens: float
    percent: float
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class CurveLine:
    """The points of an arm, from the cheapest to the most expensive."""

    arm: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One metric over a cost, a line for each arm of the run, perhaps without a mark; `questions`
    says how many enter, `cost` is what the tokens are of, `notes` stand below the drawing."""

    metric: Metric
    questions: str
    cost: str
    lines: tuple[CurveLine, ...]
    notes: tuple[str, ...] = ()


def panels_of(figures: Figures, encoding: str) -> tuple[Panel, ...]:
    """Return the panels that have something to show; none where tokens were not counted. The
    `encoding` is that of the context tokens."""
    if not figures.tokens_counted:
        return ()
    panels = []
    costs, expected = figures.values[CURVE_COST.name], count(len(figures.cohort.case_ids))
    for metric in PANELS:
        values = figures.values[metric.name]
        scored = max(value.scored for value in values.values())
        if scored:
            marks = {
                point: Mark(point, tokens, 100 * value)
                for point in map(str, figures.points)
                if (tokens := costs[point].value) is not None
                and (value := values[point].value) is not None
            }
            questions = f"{count(scored)} of {expected} questions scored"
            cost = f"mean context tokens ({encoding})"
            panels.append(Panel(metric, questions, cost, _lines(figures, marks)))
    return tuple(panels)


def accuracy_panel(figures: Figures, graded: GradedPoints) -> Panel | None:
    """Return the accuracy of the graded points over their prompt tokens; None without any.

    Tokens are those that the reader's API reported where it did for every graded answer, else the
    run's own estimates, never some of each.
    """
    found = [row for row in accuracies(graded, figures.cohort) if row.graded]
    reported = all(row.tokens_reported == row.graded for row in found)
    marks = {}
    for row in found:
        tokens = row.mean_prompt_tokens_api if reported else row.mean_prompt_tokens_estimated
        if tokens is not None and row.accuracy is not None and row.interval is not None:
            limits = (100 * row.interval.lower, 100 * row.interval.upper)
            marks[str(row.point)] = Mark(str(row.point), tokens, 100 * row.accuracy, limits)
    if not marks:
        return None
    fewest, most = min(row.graded for row in found), max(row.graded for row in found)
    graded_words = count(most) if fewest == most else f"{count(fewest)} to {count(most)}"
    questions = f"{graded_words} of {counted(len(figures.cohort.case_ids), 'question')} graded"
    if errors := max(row.counts.error for row in found):
        questions += f", at most {counted(errors, 'error')} at a point"
    how = "as the API reported them" if reported else "estimated"
    cost = f"mean prompt tokens, {how}"
    notes = caveat_sentences((str(row.point), row.caveats) for row in found)
    return Panel(ACCURACY, questions, cost, _lines(figures, marks), tuple(map(plain_of, notes)))


def _lines(figures: Figures, marks: Mapping[str, Mark]) -> tuple[CurveLine, ...]:
    lines = []
    for arm in figures.arms:
        own = [marks[point] for point in map(str, figures.points_of(arm)) if point in marks]
        own.sort(key=lambda mark: (mark.tokens, mark.percent))
        lines.append(CurveLine(arm, tuple(own)))
    return tuple(lines)
