"""The tables of lookups: costs by part, what can be cited, each part's effect, the budget needed.

`harness lookups` and `harness ablate` print them, and a report has them on a page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.measure.ablation import AblationRow, ablate
from harness.measure.lookup_summary import PointSummary, compared, summaries
from harness.measure.needed_budget import LARGEST_BUDGET, NeededBudget, needed_budgets
from harness.model import LOOKUP
from harness.points import Point, arms_with_parts
from harness.recording.recording import Recording
from harness.replay.run import Run
from harness.statistics.difference import PairedDifference
from harness.words import Code, Kind, Text, count

from .evidence_tables import POINT, interval_cell, no_interval
from .table import Column, Table, WithLimits, count_of, row_values

Row = dict[str, Any]
_PER_LOOKUP = {"result_tokens_estimated": "est. tokens", "result_tokens": "tokens (o200k_base)"}
_MEANS = tuple(
    Column(f"{name}_per_lookup", words, Kind.TOKENS, per="lookup")
    for name, words in _PER_LOOKUP.items()
)
_SUMS = tuple(Column(name, f"{words}, sum", Kind.COUNT) for name, words in _PER_LOOKUP.items())
_BYTES = tuple(
    Column(f"{name}_bytes", name.replace("_", " "), Kind.BYTES)
    for name in ("table", "block", "relation", "note", "stub", "over_budget")
)
_EXERCISED = (
    Column("coalesce_exercised", "named what is already printed", Kind.COUNT),
    Column("pin_exercised", "pinned a document", Kind.COUNT),
    Column("hop_exercised", "followed a relation", Kind.COUNT),
    Column("omissions_exercised", "refused a block", Kind.COUNT),
)
_CITABLE = Column(
    "fields_citable", "citable fields", Kind.COUNT, cell=count_of("fields_citable", "fields")
)
_CITABLE_WITH_STUBS = Column(
    "fields_citable_with_stubs",
    "citable fields, stubs counted",
    Kind.COUNT,
    cell=count_of("fields_citable_with_stubs", "fields"),
)
_CATEGORY = Column("category", "category", cell=lambda row: row["category"] or None)


def _paired(key: str) -> Callable[[Row], WithLimits | None]:
    def cell(row: Row) -> WithLimits | None:
        paired: PairedDifference | None = row.get(key)
        return None if paired is None else interval_cell(paired)

    return cell


def _notes(rows: Sequence[Row]) -> tuple[Text, ...]:
    """Say what the mark beside differences means."""
    found = (row.get(column.key) for row in rows for column in _DIFFERENCES)
    note = no_interval(paired for paired in found if paired is not None)
    return (note,) if note else ()


_DIFFERENCES = (
    Column(
        "tokens",
        "difference, est. tokens",
        Kind.TOKENS_CHANGE,
        per="lookup",
        cell=_paired("tokens"),
    ),
    Column("citable", "difference, citable", Kind.SHARE_POINTS, cell=_paired("citable")),
)


def summary_rows(
    summaries: Sequence[PointSummary],
    differences: Mapping[Any, tuple[PairedDifference, PairedDifference | None]] | None = None,
) -> list[Row]:
    """Return everything of each summary, flat: sums over lookups, means per lookup, and with
    `differences`, by point, those of both to the point compared with."""
    rows = []
    for summary in summaries:
        row = {
            **summary.row,
            **{f"{name}_per_lookup": _mean(summary, name) for name in _PER_LOOKUP},
        }
        if differences is not None:
            tokens, share = differences.get(summary.point, (None, None))
            row |= {"tokens": tokens, "citable": share}
        rows.append(row)
    return rows


def _mean(summary: PointSummary, name: str) -> float | None:
    total = summary.sums[name]
    return None if total is None else total / summary.lookups


def costs_table(rows: Sequence[Row]) -> Table:
    """Return what a point prints and what can be cited of it: means per lookup, and sums over
    lookups."""
    columns = (
        *_points(rows),
        Column("lookups", "lookups", Kind.COUNT),
        *_MEANS,
        _SUMS[0],
        Column("blocks", "blocks", Kind.COUNT),
        _CITABLE,
        _CITABLE_WITH_STUBS,
        *(_DIFFERENCES if any("tokens" in row for row in rows) else ()),
    )
    return Table(columns, rows, notes=_notes(rows))


def bytes_table(rows: Sequence[Row]) -> Table:
    """Return the bytes of each part of what is printed, over all lookups."""
    columns = (
        *_points(rows),
        *_BYTES,
        Column("omitted", "omitted", Kind.COUNT),
        Column("uncitable_blocks", "uncitable blocks", Kind.COUNT),
    )
    return Table(columns, rows)


def _points(rows: Sequence[Row]) -> tuple[Column, ...]:
    """Return the point, and its category where rows are of categories: then a point has several."""
    typed = any(row["category"] is not None for row in rows)
    return (POINT, _CATEGORY) if typed else (POINT,)


def exercised_table(rows: Sequence[Row]) -> Table:
    """In how many lookups each part was at work."""
    return Table((*_points(rows), *_EXERCISED), rows)


def categories_table(rows: Sequence[Row]) -> Table:
    """Return citable fields of each category, of its fields, with the mean of its result tokens."""
    return Table((POINT, _CATEGORY, _CITABLE, _MEANS[0]), rows)


def ablation_table(rows: Sequence[AblationRow]) -> Table:
    """Return each part switched off alone, and on alone; sums over lookups, differences per
    lookup."""
    columns = (
        Column("setting", "setting", cell=_setting_cell),
        Column("exercised", "exercised", Kind.COUNT, cell=_exercised),
        *_SUMS,
        Column("over_budget_bytes", "over budget (bytes)", Kind.BYTES),
        _CITABLE,
        *_DIFFERENCES,
    )
    printed = [_ablation_row(row) for row in rows]
    return Table(columns, printed, notes=_notes(printed))


def _ablation_row(row: AblationRow) -> Row:
    return {
        "setting": _setting(row),
        **row_values(row),
        "point": str(row.point),
        "base": None if row.base is None else str(row.base),
    }


def _setting(row: AblationRow) -> str:
    if row.part is None:
        return "all parts on" if row.varies_full else "all parts off"
    return f"without {row.part}" if row.varies_full else f"{row.part} alone"


def _setting_cell(row: Row) -> Text:
    """Return the setting with its part marked."""
    if row["part"] is None:
        return str(row["setting"])
    before, after = row["setting"].split(row["part"])
    return (before, Code(row["part"]), after)


def _exercised(row: Row) -> Any:
    return None if row["exercised"] is None else count_of("exercised", "lookups")(row)


def needed_rows(point: str, needed: Sequence[NeededBudget]) -> list[Row]:
    """Return the budget that each field needs at a point."""
    return [{"point": point, **row_values(budget)} for budget in needed]


NEEDED = (
    POINT,
    Column("case_id", "task", Kind.CODE),
    _CATEGORY,
    Column("field", "field", Kind.CODE),
    Column("budget_tokens", "budget needed", Kind.COUNT),
)


def needed_table(by_arm: Mapping[str, Sequence[NeededBudget]]) -> Table:
    """Return one row per field, one column per arm."""
    rows = [
        {
            **row_values(budgets[0]),
            **{arm: budget.budget_tokens for arm, budget in zip(by_arm, budgets, strict=True)},
        }
        for budgets in zip(*by_arm.values(), strict=True)
    ]
    arms = (Column(arm, Code(arm), Kind.COUNT) for arm in by_arm)
    return Table((*NEEDED[1:-1], *arms), rows)


PAGE = "lookups.md"


@dataclass(frozen=True, slots=True)
class LookupsPage:
    """Tables of the page; None for what the recording is needed for, where it is not at hand."""

    lookups: int
    fields: int
    against: str | None
    points: Table
    bytes: Table
    exercised: Table
    categories: Table
    ablated: str | None
    ablation: Table | None
    needed: Table | None
    largest_budget: str


def lookups_page(run: Run) -> LookupsPage | None:
    """Return the page of `run`; None for a run of other cases or without points that expand
    lookups."""
    if run.manifest.content.get("kind") != LOOKUP:
        return None
    points = summaries(run)
    if not points:
        return None
    recording = _recording(run)
    against, ablated = _before_and_ablated(run)
    rows = summary_rows(points, {} if against is None else compared(run, against))
    return LookupsPage(
        lookups=points[0].lookups,
        fields=int(points[0].sums["fields"] or 0),
        against=None if against is None else str(against),
        points=costs_table(rows),
        bytes=bytes_table(rows),
        exercised=exercised_table(rows),
        categories=categories_table(summary_rows(summaries(run, by_category=True))),
        ablated=None if ablated is None else str(ablated),
        ablation=None
        if recording is None or ablated is None
        else ablation_table(ablate(recording, ablated)),
        needed=None if recording is None else _needed(run, recording),
        largest_budget=count(LARGEST_BUDGET),
    )


def _recording(run: Run) -> Recording | None:
    """Return the recording of the run, if it still lies where it was replayed from."""
    described = run.manifest.content["recording"]
    try:
        recording = Recording.open(Path(described["folder"]))
    except InputError:
        return None
    return recording if recording.sha256 == described["sha256"] else None


def _before_and_ablated(run: Run) -> tuple[Point | None, Point | None]:
    """Find the run's points of the arm whose parts are ablated: of what it is without any, and its
    own."""
    for arm in arms_with_parts():
        without = None if arm.roles.parts is None else _point(run, arm.roles.parts.without)
        own = _point(run, arm.name)
        if without is not None or own is not None:
            return without, own
    return None, None


def _point(run: Run, arm: str) -> Point | None:
    """Return the run's point of an arm: that of its default settings, else its first."""
    points = [point for point in run.points if point.arm == arm]
    plain = [point for point in points if str(point) == arm]
    return next(iter((*plain, *points)), None)


def _needed(run: Run, recording: Recording) -> Table | None:
    """Return the budget that each field needs, at each arm of the run that has one."""
    points = [point for point in _before_and_ablated(run) if point is not None]
    if not points:
        return None
    return needed_table({point.arm: needed_budgets(recording, point) for point in points})
