"""The page of a run of lookups: costs by part, what can be cited, each part's effect."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.errors import InputError
from harness.measure.ablation import ablate
from harness.measure.lookup_summary import compared, summaries
from harness.measure.needed_budget import LARGEST_BUDGET, needed_budgets
from harness.model import LOOKUP
from harness.points import Point, arms_with_parts
from harness.recording.recording import Recording
from harness.replay.run import Run
from harness.words import count

from .lookup_tables import (
    ablation_table,
    bytes_table,
    categories_table,
    costs_table,
    exercised_table,
    needed_table,
    summary_rows,
)
from .table import Table

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
