"""Answer inputs: the contexts of a run at a point, in the file that OmniMemEval answers from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from harness.errors import UsageError
from harness.points import Point, parse_points
from harness.points.external import EXTERNAL
from harness.replay.run import Run
from harness.storage.atomic import write_text
from harness.storage.folder import FolderState, open_output
from harness.storage.hashing import sha256_of_text
from harness.storage.manifest import Manifest, code_version, environment, file_entries
from harness.words import counted

from .checks import imported_of
from .origin import (
    ANSWER_INPUTS_SCHEMA,
    EXPORTED_POINT,
    check_every_item,
    check_items_known,
    items_kept,
)
from .questions import asked_questions
from .search_results import SUFFIX, SearchResult, encoded, user_id_of
from .tracing import first_blocks
from .vocabulary import SUCCESS

VERB = "export omnimemeval"
DEFAULT_LIBRARY = "harness"
MARKERS = (".step_1_done", ".step_2_done")
"""That ingesting and searching are done: the pipeline goes on with answering, its third step."""


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What is asked for. `spec` spells one point. `library` begins the file's name, and `subject`
    stands in the user ids of a run that was not imported. `dataset` and `questions` are the run's.
    """

    run: Path
    spec: str
    dataset: Path | None = None
    questions: Path | None = None
    library: str | None = None
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class ExportOutcome:
    """What `out` was, the file, the point, and whether the point was cut from other contexts;
    `is_assumed` where it is not known that those show every item, as a cut of that name needs."""

    state: FolderState
    path: Path
    point: Point
    questions: int
    cut: bool
    is_assumed: bool


@dataclass(frozen=True, slots=True)
class _Source:
    """A point of the run, and what is kept of its contexts: None for all of each."""

    exported: Point
    of: Point
    keep: int | None = None


def export_answer_inputs(
    request: ExportRequest,
    out: Path,
    *,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
) -> ExportOutcome:
    """Write the answer inputs of a run at one point into the folder `out`.

    Raises `UsageError` for a point that the run does not have and that cannot be cut from its
    contexts, because of what it is or of what they are known to be, and `InputError` for a dataset
    that is not the run's or a question without an answer.
    """
    run = Run.open(request.run)
    source = _source(run, request.spec)
    library = request.library or imported_of(run).library or DEFAULT_LIBRARY
    if "/" in library or library.startswith("."):
        raise UsageError(f"--library {library!r} cannot begin a file's name", "Give a plain name.")
    rows = tuple(_rows(run, source, request, library))
    text = encoded(rows)
    name = f"{library}{SUFFIX}"
    work = {
        "run": run.manifest.content_sha256,
        "point": str(source.exported),
        "cut_from": None if source.of == source.exported else str(source.of),
        "library": library,
        "results_sha256": sha256_of_text(text),
    }
    folder = open_output(out, ANSWER_INPUTS_SCHEMA, work, (name, *MARKERS), force=force)
    if folder.state is not FolderState.FINISHED:
        folder.start()
        write_text(out / name, text)
        for marker in MARKERS:
            write_text(out / marker, "")
        Manifest(
            schema=ANSWER_INPUTS_SCHEMA,
            work=work,
            content={"questions": len(rows), "point": str(source.exported)},
            files=file_entries(out, (name, *MARKERS)),
            arguments={"verb": VERB, "given": dict(given or {}), "resolved": work},
            code=code_version(),
            environment=environment(),
        ).write(out)
        folder.finish()
    cut = source.of != source.exported
    assumed = cut and run.manifest.work.get(EXPORTED_POINT) is None
    return ExportOutcome(folder.state, out / name, source.exported, len(rows), cut, assumed)


def _source(run: Run, spec: str) -> _Source:
    """Return the point that `spec` means: one of the run's, or cut from an imported run's
    contexts."""
    recorded = next((point for point in run.points if point.arm == EXTERNAL.name), None)
    if recorded is None or spec == str(recorded):
        point = _one(run.chosen([spec]), spec)
        return _Source(point, point)
    if spec.startswith(EXTERNAL.name):
        raise UsageError(
            f"the run {run.folder} has no point {spec}", f"It was imported as {recorded}."
        )
    point = _one(tuple(parse_points([spec])), spec)
    if str(point) in run.computed_as:
        return _Source(point, point)
    keep = items_kept(point)
    check_every_item([point], run.manifest.work.get(EXPORTED_POINT), str(run.folder))
    check_items_known([point], imported_of(run).checks, str(run.folder))
    return _Source(point, recorded, keep)


def _one(points: tuple[Point, ...], spec: str) -> Point:
    if len(points) != 1:
        names = ", ".join(str(point) for point in points)
        raise UsageError(
            f"--point {spec} means {counted(len(points), 'point')}: {names}", "Name one of them."
        )
    return points[0]


def _rows(
    run: Run, source: _Source, request: ExportRequest, library: str
) -> Iterator[SearchResult]:
    """Yield one row per question, in the run's order. A search that was not made took no time."""
    named = partial(user_id_of, request.subject or library)
    asked = asked_questions(run, named, dataset=request.dataset, questions=request.questions)
    for case_id, _, context in run.contexts(source.of):
        question = asked[case_id]
        shown = context if source.keep is None else first_blocks(context, source.keep)
        searched = {"search_duration_ms": 0.0, "status": SUCCESS}
        missing = {key: value for key, value in searched.items() if key not in question.fields}
        fields = {**question.fields, "search_context": shown, **missing}
        yield SearchResult(question.user_id, fields)
