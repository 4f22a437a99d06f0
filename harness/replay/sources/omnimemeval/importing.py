"""Importing a result folder as a run: every question accounted for, traced, then one folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from harness.datasets.split import read_split
from harness.errors import InputError, UsageError
from harness.model import MEMORY, ParameterError
from harness.points import Point, make_point
from harness.points.external import EXTERNAL
from harness.recording.recording import Recording
from harness.replay import schema
from harness.storage.content import content_size_and_sha256
from harness.storage.folder import START_NAME, FolderState, open_output
from harness.storage.hashing import sha256_of_file
from harness.storage.manifest import (
    MANIFEST_NAME,
    Manifest,
    code_version,
    environment,
    file_entries,
    read_manifest,
    verify_files,
)

from .accounting import OmniMemEvalImport, TracedResults, traced_results
from .checks import Checks, total
from .cutting import items_kept
from .haystack_records import open_records
from .origin import EXPORTED_POINT, check_every_item, exported_point
from .run_tables import (
    ENTRIES,
    RECORDING,
    ImportedPoint,
    shards_of,
    token_work,
    write_recording,
    write_tables,
)
from .search_results import find_search_results, read_search_results

VERB = "import omnimemeval"
IMPORTED = "imported"
"""The key under which a run's manifest says from what it was imported."""


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What `out` was, the points, the checks in sum, and what became of the rows: `failed` are kept
    with what they have, `left_out` are rows of other questions by reason. `exported_point` is what
    `harness.replay.sources.omnimemeval.origin` knows of the contexts."""

    state: FolderState
    points: tuple[Point, ...]
    questions: int
    checks: Checks
    failed: int
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
    points = _points(request, results.library)
    exported = exported_point(results)
    check_every_item(request.cut, exported, str(request.folder))
    split = None if request.split is None else read_split(request.split)
    dataset_sha256 = content_size_and_sha256(request.dataset)[1]
    with open_records(
        request.records, request.dataset, dataset_sha256, agent=request.agent
    ) as source:
        read = traced_results(request, results, split, source, quiet=quiet)
    work = {
        "results": {"name": results.path.name, "sha256": results.sha256},
        EXPORTED_POINT: exported,
        "records": dict(read.records),
        "dataset": {"name": request.dataset.name, "sha256": dataset_sha256},
        "questions_sha256": None
        if request.questions is None
        else sha256_of_file(request.questions),
        "part": request.part,
        "split_sha256": None if split is None else split.sha256,
        "points": [str(imported.point) for imported in points],
        "cases": len(read.cases),
        "tokens": token_work(request.counting),
    }
    outcome = ImportOutcome(
        state=FolderState.FINISHED,
        points=tuple(imported.point for imported in points),
        questions=len(read.cases),
        checks=total(each.traced.checks for each in read.cases),
        failed=sum(each.row.failed for each in read.cases),
        left_out=read.left_out,
        exported_point=exported,
    )
    if not force and _is_there(out, work):
        return outcome
    folder = open_output(out, schema.RUN_SCHEMA, work, ENTRIES, force=force)
    folder.start()
    arguments = {"verb": VERB, "given": dict(given or {}), "resolved": work}
    write_recording(out / RECORDING, read.cases, work, given or {}, quiet=quiet)
    recording = Recording.open(out / RECORDING)
    written = write_tables(out, read.cases, points, request.counting)
    Manifest(
        schema=schema.RUN_SCHEMA,
        work={"recording": recording.sha256, **work},
        content=_content(work, results.library, outcome, recording, read, dict(given or {})),
        files=file_entries(out, written),
        arguments=arguments,
        code=code_version(),
        environment=environment(),
    ).write(out)
    folder.finish()
    return replace(outcome, state=folder.state)


def _points(request: OmniMemEvalImport, library: str) -> tuple[ImportedPoint, ...]:
    name = request.name if request.name is not None else request.folder.resolve().name
    try:
        EXTERNAL.parameters[0].check(name)
    except ParameterError as error:
        raise UsageError(
            f"{name!r} cannot name a point: {error}",
            f"Name it with --name, for example --name {library}-1.0",
        ) from error
    external = ImportedPoint(make_point(EXTERNAL, {"name": name}))
    return external, *(ImportedPoint(point, items_kept(point)) for point in request.cut)


def _is_there(out: Path, work: Mapping[str, Any]) -> bool:
    """Whether `out` holds this import, finished; another run is refused."""
    if not (out / MANIFEST_NAME).is_file():
        return False
    manifest = read_manifest(out, schema.RUN_SCHEMA)
    for key, value in work.items():
        if manifest.work.get(key) != value:
            raise InputError(
                f"{out} holds another run (its {key} is {manifest.work.get(key)}, asked for "
                f"{value})",
                "Choose another --out, or replace it with --force.",
            )
    verify_files(out, manifest)
    (out / START_NAME).unlink(missing_ok=True)  # killed between its last two steps
    return True


def _content(
    work: Mapping[str, Any],
    library: str,
    outcome: ImportOutcome,
    recording: Recording,
    read: TracedResults,
    given: Mapping[str, Any],
) -> dict[str, Any]:
    """What the manifest says: the keys of every run, and what was imported."""
    names = [str(point) for point in outcome.points]
    batch = {
        "points": names,
        "tables": list(schema.PART_TABLES),
        "shards": shards_of(read.cases),
        "verb": VERB,
        "given": dict(given),
    }
    return {
        "counts": {"cases": outcome.questions, "points": len(names)},
        "kind": MEMORY,
        "points": names,
        "batches": [batch],
        "growth_checks": {},
        "losses": {},
        "recording": {
            "folder": recording.folder.as_posix(),
            "sha256": recording.sha256,
            "counts": recording.manifest.content["counts"],
        },
        "dataset": work["dataset"],
        "recall": None,
        "embedder": None,
        IMPORTED: {
            "library": library,
            "results": work["results"],
            "records": work["records"],
            "statuses": _counted([each.row.status for each in read.cases]),
            "failed": outcome.failed,
            "left_out": dict(outcome.left_out),
            "checks": asdict(outcome.checks),
        },
    }


def _counted(values: Sequence[str]) -> dict[str, int]:
    return {value: values.count(value) for value in sorted(set(values))}
