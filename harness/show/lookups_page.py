"""The page of a run of lookups: costs by part, what can be cited, each part's effect."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.errors import InputError
from harness.measure.lookups.ablation import AblationRow, ablate
from harness.measure.lookups.needed import LARGEST_BUDGET, NeededBudget, needed_budgets
from harness.measure.lookups.summary import EXERCISED, PointSummary, compared, summaries
from harness.model import LOOKUP
from harness.points import Point, arms_with_parts, load_arm
from harness.recording.recording import Recording
from harness.replay.run import Run
from harness.statistics.difference import PairedDifference
from harness.words import code

from .markdown import Table
from .numbers import MINUS, MISSING

PAGE = "lookups.md"
_EXERCISED = {
    "coalesce_exercised": "named what stands already",
    "pin_exercised": "pinned a document",
    "hop_exercised": "followed a relation",
    "omissions_exercised": "refused a block",
}
_BYTES = ("table", "block", "relation", "note", "stub", "over_budget")


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
    """The page of `run`; None for a run of other cases or without points that expand lookups."""
    if run.manifest.content.get("kind") != LOOKUP:
        return None
    found = summaries(run)
    if not found:
        return None
    recording = _recording(run)
    against, ablated = _before_and_ablated(run)
    return LookupsPage(
        lookups=found[0].lookups,
        fields=int(found[0].sums["fields"] or 0),
        against=None if against is None else str(against),
        points=_points(found, {} if against is None else compared(run, against)),
        bytes=_bytes(found),
        exercised=_exercised(found),
        categories=_categories(summaries(run, by_category=True)),
        ablated=None if ablated is None else str(ablated),
        ablation=None if recording is None or ablated is None else _ablation(recording, ablated),
        needed=None if recording is None else _needed(run, recording),
        largest_budget=f"{LARGEST_BUDGET:,}",
    )


def _recording(run: Run) -> Recording | None:
    """The recording of the run, if it still lies where it was replayed from."""
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
    """The run's point of an arm: that of its default settings, else its first."""
    points = [point for point in run.points if point.arm == arm]
    plain = [point for point in points if str(point) == arm]
    return next(iter((*plain, *points)), None)


def _points(
    found: list[PointSummary],
    differences: dict[Point, tuple[PairedDifference, PairedDifference | None]],
) -> Table:
    headings = (
        "point",
        "result tokens estimated",
        "result tokens (o200k_base)",
        "blocks",
        "citable fields",
        "citable fields, stubs counted",
        "of fields",
        "difference, estimated tokens a lookup",
        "difference, citable (points)",
    )
    rows = []
    for each in found:
        tokens, share = differences.get(each.point, (None, None))
        names = ("blocks", "fields_citable", "fields_citable_with_stubs", "fields")
        rows.append(
            (
                code(each.point),
                _mean(each.sums["result_tokens_estimated"], each.lookups),
                _mean(each.sums["result_tokens"], each.lookups),
                *(_whole(each.sums[name]) for name in names),
                _difference(tokens, 1.0),
                _difference(share, 100.0),
            )
        )
    return Table(headings, tuple(rows))


def _bytes(found: list[PointSummary]) -> Table:
    headings = (
        "point",
        *(name.replace("_", " ") for name in _BYTES),
        "omitted",
        "uncitable blocks",
    )
    rows = tuple(
        (
            code(each.point),
            *(_whole(each.sums[f"{name}_bytes"]) for name in _BYTES),
            _whole(each.sums["omitted"]),
            _whole(each.sums["uncitable_blocks"]),
        )
        for each in found
    )
    return Table(headings, rows)


def _exercised(found: list[PointSummary]) -> Table:
    headings = ("point", *(_EXERCISED[name] for name in EXERCISED))
    rows = tuple(
        (code(each.point), *(_whole(each.exercised[name]) for name in EXERCISED)) for each in found
    )
    return Table(headings, rows)


def _categories(found: list[PointSummary]) -> Table:
    """Citable fields of each category, of its fields, with the mean of its result tokens."""
    categories = sorted({each.category or "" for each in found})
    by_point: dict[Point, dict[str, str]] = {}
    for each in found:
        share = f"{_whole(each.sums['fields_citable'])} of {_whole(each.sums['fields'])}"
        mean = _mean(each.sums["result_tokens_estimated"], each.lookups)
        by_point.setdefault(each.point, {})[each.category or ""] = f"{share}, {mean}"
    rows = tuple(
        (code(point), *(cells.get(category, MISSING) for category in categories))
        for point, cells in by_point.items()
    )
    return Table(("point", *(category or "(none)" for category in categories)), rows)


def _ablation(recording: Recording, point: Point) -> Table:
    rows = tuple(_ablation_row(row) for row in ablate(recording, point))
    headings = (
        "point",
        "exercised",
        "result tokens estimated",
        "result tokens (o200k_base)",
        "bytes over budget",
        "citable fields",
        "difference, estimated tokens a lookup",
        "difference, citable (points)",
    )
    return Table(headings, rows)


def _ablation_row(row: AblationRow) -> tuple[str, ...]:
    return (
        _setting(row),
        MISSING if row.exercised is None else f"{row.exercised} of {row.lookups}",
        _whole(row.result_tokens_estimated),
        _whole(row.result_tokens),
        _whole(row.over_budget_bytes),
        f"{row.fields_citable} of {row.fields}",
        _difference(row.tokens, 1.0),
        _difference(row.citable, 100.0),
    )


def _setting(row: AblationRow) -> str:
    if row.part is None:
        return "all parts on" if row.varies_full else "all parts off"
    return f"without {code(row.part)}" if row.varies_full else f"{code(row.part)} alone"


def _needed(run: Run, recording: Recording) -> Table | None:
    """The budget that each field needs, at each arm of the run that has one."""
    points = [point for point in _before_and_ablated(run) if point is not None]
    if not points:
        return None
    found = [needed_budgets(recording, point) for point in points]
    rows = tuple(
        (
            code(fields[0].case_id),
            fields[0].category or MISSING,
            code(fields[0].field),
            *map(_budget, fields),
        )
        for fields in zip(*found, strict=True)
    )
    names = [load_arm(point.arm).name for point in points]
    return Table(("task", "category", "field", *map(code, names)), rows, left=3)


def _budget(needed: NeededBudget) -> str:
    return MISSING if needed.budget_tokens is None else f"{needed.budget_tokens:,}"


def _mean(value: int | None, count: int) -> str:
    return MISSING if value is None else f"{value / count:,.1f}"


def _whole(value: int | None) -> str:
    return MISSING if value is None else f"{value:,}"


def _difference(value: PairedDifference | None, scale: float) -> str:
    if value is None or value.difference is None:
        return MISSING
    text = _signed(scale * value.difference)
    if value.lower is None or value.upper is None:
        return f"{text} (no interval)"
    return f"{text} ({_signed(scale * value.lower)}, {_signed(scale * value.upper)})"


def _signed(value: float) -> str:
    text = f"{value:+,.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text.replace("-", MINUS)
