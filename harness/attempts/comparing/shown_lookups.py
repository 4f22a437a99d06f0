"""What lookups printed in an arm: from a run of recorded lookups, or from traces of readers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.attempts.scoring.attempts import LOOKUP_TOOL
from harness.errors import Faults, UsageError, nearest
from harness.model import LOOKUP
from harness.words import counted
from harness.worlds import World

from .report import REPORT_NAME
from .sources import open_attempts

if TYPE_CHECKING:
    from harness.points import Point
    from harness.replay.run import Run


@dataclass(frozen=True, slots=True)
class ShownLookups:
    """The results of the lookups of one attempt, or of one recorded lookup, in order."""

    case: str
    task: str
    outputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LookupSide:
    """One arm. `name`: as it was given, with the point of a run."""

    name: str
    lookups: tuple[ShownLookups, ...]


def open_side(source: str, world: World, point: str | None) -> LookupSide:
    """Open the lookups of a run at `point`, or of a file of attempts or a report with its traces.

    Raises `UsageError` where a run has several points and none is named, and for a point without a
    run; `InputError` for lookups of other tasks than the world's.
    """
    path = Path(source)
    if path.is_dir() and not (path / REPORT_NAME).is_file():
        return _of_run(path, world, point)
    if point is not None:
        raise UsageError(f"{source} is not a run: it has no points", "Leave --points out.")
    attempts = open_attempts(source).attempts(world)
    lookups = (
        ShownLookups(
            f"{attempt.task}#{attempt.repeat}",  # as a recording of traces names it
            attempt.task,
            tuple(call.output for call in attempt.trace.calls if call.is_of(LOOKUP_TOOL)),
        )
        for attempt in attempts
    )
    return LookupSide(source, tuple(lookups))


def _of_run(folder: Path, world: World, spelling: str | None) -> LookupSide:
    from harness.replay.run import Run

    run = Run.open(folder)
    if run.manifest.content.get("kind") != LOOKUP:
        raise UsageError(
            f"{folder} is not a run of lookups",
            "Record some (harness record lookups WORLD --out REC) and replay them.",
        )
    point = _point(run, spelling)
    faults = Faults()
    lookups = tuple(_lookups(run, point, world, faults))
    faults.raise_if_any(str(folder), f"Its world is another one than {world.folder}.")
    return LookupSide(f"{folder} at {point}", lookups)


def _point(run: Run, spelling: str | None) -> Point:
    if spelling is not None:
        exact = [point for point in run.points if str(point) == spelling]
        if exact:  # as it is listed: an arm's name alone is its point of default settings
            return exact[0]
        chosen = run.chosen([spelling])
        if len(chosen) == 1:
            return chosen[0]
    elif len(run.points) == 1:
        return run.points[0]
    known = ", ".join(map(str, run.points))
    raise UsageError(
        f"{run.folder} has {counted(len(run.points), 'point')}; one of each side is compared",
        f"Name them: --points BEFORE AFTER. Points: {known}.",
    )


def _lookups(run: Run, point: Point, world: World, faults: Faults) -> Iterator[ShownLookups]:
    for case_id, _, text in run.contexts(point):
        task = case_id if case_id in world.rubric else case_id.rpartition("#")[0]
        if task in world.rubric:
            yield ShownLookups(case_id, task, (text,))
        else:
            faults.add(f"{case_id!r} is not a task of the world{nearest(case_id, world.rubric)}")
