"""The page that sets a run beside published figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.evidence import METRICS
from harness.words import code

from .beside import Beside, SideBySide
from .causes import NOT_ESTABLISHED, Causes
from .markdown import Table, codes
from .numbers import MINUS, excluded_text, heading, signed_text, value_text
from .point_tables import SCORED
from .provenance import Provenance

NO_DIFFERENCE = "no difference"


@dataclass(frozen=True, slots=True)
class SplitSection:
    """The figures over one published split, all types together or one table a type."""

    title: str
    published_in: str
    ours_over: str
    same_part: bool
    overview: Table
    figures: Table
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PublishedPage:
    """What the template `published.md.j2` shows."""

    beside: SideBySide
    provenance: Provenance
    sections: tuple[SplitSection, ...]
    by_type: Table | None
    first_item: Table | None
    points_missing: str
    splits_missing: str
    causes_given: int


def published_page(beside: SideBySide, provenance: Provenance, causes: Causes) -> PublishedPage:
    """The tables of the page."""
    overall = [row for row in beside.rows if row.figure.category is None]
    typed = [row for row in beside.rows if row.figure.category is not None]
    splits = dict.fromkeys(row.figure.split for row in overall)
    sections = [
        _section(beside, [row for row in overall if row.figure.split == split], causes)
        for split in splits
    ]
    return PublishedPage(
        beside=beside,
        provenance=provenance,
        sections=tuple(sections),
        by_type=_by_type(typed) if typed else None,
        first_item=_first_item(beside) if beside.first_item else None,
        points_missing=codes(beside.points_missing) if beside.points_missing else "",
        splits_missing=codes(beside.splits_missing) if beside.splits_missing else "",
        causes_given=len(causes.texts),
    )


def _section(beside: SideBySide, rows: Sequence[Beside], causes: Causes) -> SplitSection:
    first = rows[0]
    ours = beside.parts[first.part]
    studies = dict.fromkeys(study for row in rows for study in row.figure.studies)
    documents = dict.fromkeys(beside.published.documents[study] for study in studies)
    return SplitSection(
        title=f"`{first.figure.split}`: {first.figure.questions:,} questions published",
        published_in=codes(list(documents)),
        ours_over=f"{ours:,} questions ({first.part})",
        same_part=first.same_part,
        overview=_overview(rows),
        figures=_figures(rows, causes),
        left_out=_left_out(rows),
    )


def _overview(rows: Sequence[Beside]) -> Table:
    """Ours, with its difference to the published figure, points down and metrics across."""
    present = {row.figure.metric.name for row in rows}
    metrics = [metric for metric in METRICS if metric.name in present]
    cells = {(str(row.point), row.figure.metric.name): _both(row) for row in rows}
    points = dict.fromkeys(str(row.point) for row in rows)
    body = [
        (code(point), *(cells.get((point, metric.name), "") for metric in metrics))
        for point in points
    ]
    scored = [
        next(f"{row.ours.scored:,}" for row in rows if row.figure.metric.name == metric.name)
        for metric in metrics
    ]
    headings = ("point", *(heading(metric) for metric in metrics))
    return Table(headings, ((SCORED, *scored), *body))


def _both(row: Beside) -> str:
    metric = row.figure.metric
    return f"{value_text(metric, row.ours.value)} ({signed_text(metric, row.difference)})"


def _figures(rows: Sequence[Beside], causes: Causes) -> Table:
    headings = (
        "point",
        "metric",
        "cause",
        "published",
        "n published",
        "ours",
        "n of ours",
        "difference",
    )
    body = []
    for row in rows:
        metric = row.figure.metric
        difference = signed_text(metric, row.difference)
        cause = causes.of(str(row.point), metric.name) if _differs(difference) else NO_DIFFERENCE
        body.append(
            (
                code(row.point),
                heading(metric),
                cause,
                value_text(metric, row.figure.value),
                f"{row.figure.questions:,}",
                value_text(metric, row.ours.value),
                f"{row.ours.scored:,} of {row.ours.expected:,}",
                difference,
            )
        )
    return Table(headings, tuple(body), left=3)


def _differs(text: str) -> bool:
    """Whether a signed difference is seen at the precision of the published figures."""
    return text[0] in f"+{MINUS}"


def _left_out(rows: Sequence[Beside]) -> tuple[str, ...]:
    reasons: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.ours.excluded:
            metrics = reasons.setdefault(excluded_text(row.ours.excluded), {})
            metrics[row.figure.metric.name] = None
    return tuple(f"{codes(list(metrics))}: {reason}." for reason, metrics in reasons.items())


def _by_type(rows: Sequence[Beside]) -> Table:
    headings = (
        "type",
        "metric",
        "cause",
        "published",
        "n published",
        "ours",
        "n of ours",
        "difference",
    )
    body = []
    for row in rows:
        metric = row.figure.metric
        difference = signed_text(metric, row.difference)
        body.append(
            (
                str(row.figure.category),
                heading(metric),
                NOT_ESTABLISHED if _differs(difference) else NO_DIFFERENCE,
                value_text(metric, row.figure.value),
                f"{row.figure.questions:,}",
                value_text(metric, row.ours.value),
                f"{row.ours.scored:,} of {row.ours.expected:,}",
                difference,
            )
        )
    return Table(headings, tuple(body), left=3)


def _first_item(beside: SideBySide) -> Table:
    ours = sum(count for _, count, _ in beside.first_item)
    published = sum(count for _, _, count in beside.first_item)
    rows = (
        ("published", *(f"{count:,}" for _, _, count in beside.first_item), f"{published:,}"),
        ("ours", *(f"{count:,}" for _, count, _ in beside.first_item), f"{ours:,}"),
    )
    return Table(("", *(place for place, _, _ in beside.first_item), "questions"), rows)
