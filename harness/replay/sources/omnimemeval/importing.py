"""Importing a result folder as a run: every question accounted for, traced, then one folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from harness.datasets.split import read_split
from harness.errors import UsageError
from harness.model import ParameterError
from harness.points import Point, make_point
from harness.points.external import EXTERNAL
from harness.recording.recording import Recording
from harness.replay.schema import IMPORTED, RECORDING
from harness.replay.writer import RunWriter, counting_work
from harness.storage.content import content_size_and_sha256
from harness.storage.folder import FolderState
from harness.storage.hashing import sha256_of_file

from .accounting import OmniMemEvalImport, TracedResults, traced_results
from .checks import Checks, names_of, not_located, total
from .haystack_records import open_records
from .origin import (
    EXPORTED_POINT,
    check_every_item,
    check_items_known,
    exported_point,
    items_kept,
)
from .run_tables import VERB, write_recording, write_tables
from .search_results import find_search_results, read_search_results


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What `out` was, the points, the checks in sum, and what became of the rows: `failed` are kept
    with an empty context, `failed_with_context` of them with the one that a reader was given;
    `answered` were answered by the library itself; `left_out` are rows of other questions by
    reason. `exported_point` is what `harness.replay.sources.omnimemeval.origin` knows of the
    contexts."""

    state: FolderState
    points: tuple[Point, ...]
    questions: int
    checks: Checks
    failed: int
    failed_with_context: int
    answered: int
    left_out: Mapping[str, int]
    exported_point: str | None = None


def import_search_results(
    request: OmniMemEvalImport,
    out: Path,
    *,
    quiet: bool = False,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
) -> ImportOutcome:
    """Import the search results of a folder as a run in `out`.

    Everything is read and checked before `out` is touched. A question of the part without a row is
    refused, never left out; one whose search failed stays in, with the context that it has. Points
    to cut are refused where the contexts are known to be of another point than every item.
    """
    results = read_search_results(find_search_results(request.folder, request.library))
    points = (_external(request, results.library), *request.cut)
    kept = {
        str(point): None if point.arm == EXTERNAL.name else items_kept(point) for point in points
    }
    exported = exported_point(results)
    check_every_item(request.cut, exported, str(request.folder))
    split = None if request.split is None else read_split(request.split)
    dataset_sha256 = content_size_and_sha256(request.dataset)[1]
    with open_records(
        request.records, request.dataset, dataset_sha256, agent=request.agent
    ) as source:
        read = traced_results(request, results, split, source, quiet=quiet)
    checks = total(case.traced.checks for case in read.cases)
    check_items_known(request.cut, asdict(checks), str(request.folder))
    work: dict[str, Any] = {
        "results": {"name": results.path.name, "sha256": results.sha256},
        EXPORTED_POINT: exported,
        "records": dict(read.records),
        "dataset": {"name": request.dataset.name, "sha256": dataset_sha256},
        "questions_sha256": None
        if request.questions is None
        else sha256_of_file(request.questions),
        "part": request.part,
        "split_sha256": None if split is None else split.sha256,
        "points": list(kept),
        "cases": len(read.cases),
        "tokens": counting_work(request.counting),
    }
    if read.without_row:
        work["without_row"] = list(read.without_row)
    outcome = ImportOutcome(
        state=FolderState.FINISHED,
        points=points,
        questions=len(read.cases),
        checks=checks,
        failed=sum(case.row.failed for case in read.cases),
        failed_with_context=sum(bool(case.row.failed and case.row.context) for case in read.cases),
        answered=sum(case.row.answered for case in read.cases),
        left_out=read.left_out,
        exported_point=exported,
    )
    with RunWriter(
        out, work, verb=VERB, counting=request.counting, given=given, force=force
    ) as run:
        state = run.add_points(points)
        if state is not FolderState.FINISHED:
            dataset = work["dataset"] | not_located(checks)
            write_recording(
                out / RECORDING, read.cases, work, dataset, given or {}, force=force, quiet=quiet
            )
            run.of(Recording.open(out / RECORDING), range(len(read.cases)))
            write_tables(run, read.cases, kept)
            run.note(IMPORTED, _imported(work, results.library, outcome, read))
    return replace(outcome, state=state)


def _external(request: OmniMemEvalImport, library: str) -> Point:
    name = request.name if request.name is not None else request.folder.resolve().name
    try:
        EXTERNAL.parameters[0].check(name)
    except ParameterError as error:
        raise UsageError(
            f"{name!r} cannot name a point: {error}",
            f"Name it with --name, for example --name {library}-1.0",
        ) from error
    return make_point(EXTERNAL, {"name": name})


def _imported(
    work: Mapping[str, Any], library: str, outcome: ImportOutcome, read: TracedResults
) -> dict[str, Any]:
    """Return what the manifest says beyond what it says of every run."""
    answered = {"answered_by_library": outcome.answered} if outcome.answered else {}
    return {
        "library": library,
        "results": work["results"],
        "records": work["records"],
        "statuses": _counted([case.row.status for case in read.cases]),
        "failed": outcome.failed,
        **answered,
        "left_out": dict(outcome.left_out),
        "checks": {name: getattr(outcome.checks, name) for name in names_of(outcome.checks)},
    }


def _counted(values: Sequence[str]) -> dict[str, int]:
    return {value: values.count(value) for value in sorted(set(values))}
