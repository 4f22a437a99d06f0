"""Recording the first lookups of a world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import InputError, UsageError
from harness.model import Query
from harness.progress import progress
from harness.recording.writer import RecordingWriter
from harness.storage.folder import FolderState
from harness.storage.hashing import sha256_of_file
from harness.worlds import World
from harness.worlds.assembly import lookup_case
from harness.worlds.questions import world_sha256

from .first_lookups import FirstLookup, asked_of_file, asked_of_tasks, look_up, traced_lookups
from .lookup_ranking import Match, ranking_fingerprint


@dataclass(frozen=True, slots=True)
class LookupPlan:
    """What to record: a world's tasks, or the queries or the traces of a file."""

    world: World
    match: Match = "catalog"
    queries: str | None = None
    traces: str | None = None


@dataclass(frozen=True, slots=True)
class LookupOutcome:
    """What `out` was, how many lookups it holds, and how many attempts had none. `empty`: the cases
    whose table has no row."""

    state: FolderState
    lookups: int
    without: int
    empty: tuple[str, ...]


def record_lookups(
    plan: LookupPlan,
    out: Path,
    *,
    quiet: bool = False,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
) -> LookupOutcome:
    """Record the plan's lookups in `out`; the same world gives the same bytes."""
    world = plan.world
    if world.documents is None:
        raise InputError(
            f"{world.folder} has no document bodies",
            "Lookups can only be recorded of a whole world.",
        )
    if plan.queries is not None and plan.traces is not None:
        raise UsageError("--queries and --traces were both given", "Choose one of them.")
    lookups, without = _lookups(plan, quiet)
    if not lookups:
        raise InputError(f"{plan.traces or world.folder} has no lookup to record")
    work = _work(plan, lookups)
    with RecordingWriter(
        out, verb="record lookups", given=given, force=force, quiet=quiet
    ) as recording:
        for first in lookups:
            recording.add(_case(world, first))
        state = recording.describe(
            work, dataset=work["dataset"], recall=work["recall"], embedder=None
        )
    empty = tuple(first.case_id for first in lookups if not first.lookup.rows)
    return LookupOutcome(state, len(lookups), without, empty)


def _lookups(plan: LookupPlan, quiet: bool) -> tuple[Sequence[FirstLookup], int]:
    world = plan.world
    if plan.traces is not None:
        return traced_lookups(world, plan.traces)
    if plan.queries is None:
        asked = asked_of_tasks(world, plan.match)
    else:
        asked = asked_of_file(world, plan.queries, plan.match)
    queries = progress(iter(asked), total=len(asked), label="look up", unit="query", quiet=quiet)
    return [look_up(world, query) for query in queries], 0


def _case(world: World, first: FirstLookup) -> Any:
    marking = world.rubric.get(first.task_id)
    gold = None if marking is None else marking.gold
    return lookup_case(first.case_id, first.category, Query(first.query), first.lookup, gold)


def _work(plan: LookupPlan, lookups: Sequence[FirstLookup]) -> dict[str, Any]:
    """Return what tells one recording of lookups from another."""
    world = plan.world
    source = plan.queries or plan.traces
    asked = {"from": "tasks" if source is None else "queries", "match": str(plan.match)}
    if source is not None:
        asked["sha256"] = sha256_of_file(Path(source))
    if plan.traces is not None:
        asked["from"] = "traces"
    return {
        "dataset": {"name": world.world_id, "sha256": world_sha256(world)},
        "asked": asked,
        "recall": None
        if plan.traces is not None
        else ranking_fingerprint(first.query for first in lookups),
    }
