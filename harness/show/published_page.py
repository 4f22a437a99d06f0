"""The page that sets a run beside published figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.evidence import METRICS
from harness.words import (
    MINUS,
    Code,
    Kind,
    Sentence,
    Text,
    count,
    counted,
    joined,
    kind_of_unit,
    number,
)

from .beside import Beside, SideBySide
from .causes import NOT_ESTABLISHED, Causes
from .evidence_tables import POINT, SCORED, excluded_text, metric_column, metric_title
from .provenance import Provenance
from .table import Column, OfKind, PartOf, Table, WithChange

NO_DIFFERENCE = "no difference"


@dataclass(frozen=True, slots=True)
class SplitSection:
    """The figures over one published split, all types together or one table a type."""

    title: Text
    published_in: Text
    ours_over: str
    same_part: bool
    overview: Table
    figures: Table
    left_out: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class PublishedPage:
    """What the template `published.md.j2` shows."""

    beside: SideBySide
    provenance: Provenance
    sections: tuple[SplitSection, ...]
    by_type: Table | None
    first_item: Table | None
    points_missing: Text
    splits_missing: Text
    causes_given: int


def published_page(beside: SideBySide, provenance: Provenance, causes: Causes) -> PublishedPage:
    """Return the tables of the page."""
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
        points_missing=_codes(beside.points_missing),
        splits_missing=_codes(beside.splits_missing),
        causes_given=len(causes.texts),
    )


def _section(beside: SideBySide, rows: Sequence[Beside], causes: Causes) -> SplitSection:
    first = rows[0]
    ours = beside.parts[first.part]
    studies = dict.fromkeys(study for row in rows for study in row.figure.studies)
    documents = dict.fromkeys(beside.published.documents[study] for study in studies)
    return SplitSection(
        title=(
            Code(first.figure.split),
            f": {counted(first.figure.questions, 'question')} published",
        ),
        published_in=_codes(documents),
        ours_over=f"{counted(ours, 'question')} ({first.part})",
        same_part=first.same_part,
        overview=_overview(rows),
        figures=_figures(rows, causes),
        left_out=_left_out(rows),
    )


def _codes(names: Iterable[str]) -> Sentence:
    return joined([Code(name) for name in names])


def _overview(rows: Sequence[Beside]) -> Table:
    """Return our figure with its difference from the published one, points down and metrics
    across."""
    names = {row.figure.metric.name for row in rows}
    metrics = [metric for metric in METRICS if metric.name in names]
    by_point: dict[str, dict[str, object]] = {}
    before: dict[str, object] = {"point": SCORED}
    for row in rows:
        name = row.figure.metric.name
        cells = by_point.setdefault(str(row.point), {"point": str(row.point)})
        cells[name] = WithChange(row.ours.value, row.difference)
        before.setdefault(name, count(row.ours.scored))
    for cells in by_point.values():
        cells |= {metric.name: "" for metric in metrics if metric.name not in cells}
    columns = (POINT, *map(metric_column, metrics))
    return Table(columns, list(by_point.values()), before=(before,))


_COMPARED = (
    Column("metric", "metric", cell=lambda row: metric_title(row["of"].figure.metric)),
    Column("cause", "cause"),
    Column("published", "published", Kind.RATIO, cell=lambda row: _of_metric(row, "published")),
    Column("questions", "n published", Kind.COUNT, cell=lambda row: row["of"].figure.questions),
    Column("ours", "ours", Kind.RATIO, cell=lambda row: _of_metric(row, "ours")),
    Column("scored", "n of ours", Kind.COUNT, cell=lambda row: _scored(row["of"])),
    Column("difference", "difference", Kind.RATIO, cell=lambda row: _of_metric(row, "difference")),
)


def _of_metric(row: Mapping[str, Any], key: str) -> OfKind:
    of: Beside = row["of"]
    kind = kind_of_unit(of.figure.metric.unit)
    values = {"published": of.figure.value, "ours": of.ours.value}
    if key == "difference":
        return OfKind(of.difference, kind.of_change)
    return OfKind(values[key], kind)


def _scored(row: Beside) -> PartOf:
    return PartOf(row.ours.scored, row.ours.expected)


def _figures(rows: Sequence[Beside], causes: Causes) -> Table:
    body = [
        {
            "point": row.point,
            "of": row,
            "cause": causes.of(str(row.point), row.figure.metric.name)
            if _differs(row)
            else NO_DIFFERENCE,
        }
        for row in rows
    ]
    return Table((POINT, *_COMPARED), body)


def _differs(row: Beside) -> bool:
    """Return whether the difference is seen at the precision of the published figures."""
    kind = kind_of_unit(row.figure.metric.unit).of_change
    return number(row.difference, kind)[0] in f"+{MINUS}"


def _left_out(rows: Sequence[Beside]) -> tuple[Text, ...]:
    reasons: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.ours.excluded:
            metrics = reasons.setdefault(excluded_text(row.ours.excluded), {})
            metrics[row.figure.metric.name] = None
    return tuple((*_codes(metrics), f": {reason}.") for reason, metrics in reasons.items())


def _by_type(rows: Sequence[Beside]) -> Table:
    body = [
        {
            "type": str(row.figure.category),
            "of": row,
            "cause": NOT_ESTABLISHED if _differs(row) else NO_DIFFERENCE,
        }
        for row in rows
    ]
    return Table((Column("type", "type"), *_COMPARED), body)


def _first_item(beside: SideBySide) -> Table:
    places = [place for place, _, _ in beside.first_item]
    counts = {
        "published": [published for _, _, published in beside.first_item],
        "ours": [ours for _, ours, _ in beside.first_item],
    }
    rows = [
        {"of": name, **dict(zip(places, of, strict=True)), "questions": sum(of)}
        for name, of in counts.items()
    ]
    columns = (Column(name, name, Kind.COUNT) for name in (*places, "questions"))
    return Table((Column("of", ""), *columns), rows)
