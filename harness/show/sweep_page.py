"""The page of a sweep: settings ranked at a cost cap, and whether the ranking survives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import InputError
from harness.measure.ranking import Ranking
from harness.measure.survival import Survival
from harness.measure.sweep import SweepRequest
from harness.recording.recording import Recording
from harness.replay.run import Run
from harness.storage.folder import START_NAME
from harness.storage.generated_folder import (
    INDEX_NAME,
    ReportSubject,
    Written,
    read_index,
    write_folder,
)
from harness.storage.hashing import sha256_of_json
from harness.storage.manifest import MANIFEST_NAME, kind_of_folder

from .evidence_tables import excluded_text
from .pages import rendered
from .provenance import provenance_of, provenance_table
from .sweep_tables import (
    agreements_table,
    interval_sentence,
    misleading,
    ranking_sentences,
    setting_rows,
    settings_table,
    survival_sentences,
    unit_of_differences,
    winners_table,
)
from .table import Table

PAGE = "sweep.md"
SWEPT_PART = "dev sweep"
"""Keeps the page from sharing a folder with the report of a run, each of which would remove the
other's files as its own of earlier."""


@dataclass(frozen=True, slots=True)
class RecordingSection:
    """One recording: what is said of its best setting, every setting, where it comes from."""

    ranking: Ranking
    replayed: Table
    sentences: tuple[str, ...]
    table: Table
    left_out: str


def sweep_page(
    rankings: Sequence[Ranking],
    runs: Sequence[Run],
    survival: Survival | None,
    *,
    grids: Sequence[str],
    command: str,
) -> str:
    """Return the page of `rankings`, which stand on `runs`; `grids` as they were typed, `command`
    the sweep's own, with its folders called RUN and REPORT."""
    return rendered(
        "sweep.md.j2",
        sections=[_section(*pair) for pair in zip(rankings, runs, strict=True)],
        grids=list(grids),
        intervals=interval_sentence(),
        unit=unit_of_differences(rankings[0].metric),
        misleading=misleading(rankings),
        survival=None if survival is None else survival_sentences(survival, rankings),
        winners=None if survival is None else winners_table(survival, rankings),
        agreements=None if survival is None else agreements_table(survival),
        command=command,
    )


def write_sweep_page(out: Path, page: str, runs: Sequence[Run], *, force: bool = False) -> Written:
    """Write `sweep.md` to the folder `out`, in place of an earlier one of the same recordings and
    split; see `harness.storage.generated_folder` for what is refused."""
    works = [run.manifest.work for run in runs]
    recordings = [work["recording"] for work in works]
    subject = ReportSubject(
        recording=recordings[0] if len(recordings) == 1 else sha256_of_json(recordings),
        part=SWEPT_PART,
        split_sha256=works[0]["split_sha256"],
        points=(),  # another grid replaces the page; its runs keep every point
        run_sha256=sha256_of_json([run.manifest.content_sha256 for run in runs]),
    )
    return write_folder(out, subject, {PAGE: page}, force=force)


def _section(ranking: Ranking, run: Run) -> RecordingSection:
    return RecordingSection(
        ranking=ranking,
        replayed=provenance_table(provenance_of(run), title=ranking.name),
        sentences=tuple(ranking_sentences(ranking)),
        table=settings_table(ranking, setting_rows(ranking)),
        left_out=excluded_text(ranking.winner.value.excluded),
    )


_HINT = "Choose another --report, a folder of its own."


def check_report_folder(
    report: Path, out: Path, request: SweepRequest, *, force: bool = False
) -> None:
    """Raise `InputError` where the sweep into `out` cannot have its report in `report`.

    Refused always: `out` and what is inside it, a folder with a manifest or a start record (a run,
    a recording, a sweep, …), and the report of a run. The report of another sweep is refused unless
    `force`, which replaces it.
    """
    if out.resolve() in (report.resolve(), *report.resolve().parents):
        raise InputError(f"--report {report} is --out {out}, or inside it", _HINT)
    if report.exists() and not report.is_dir():
        raise InputError(f"--report {report} exists and is not a folder", _HINT)
    for name in (MANIFEST_NAME, START_NAME):
        if (report / name).exists():
            kind = kind_of_folder(report / name)
            what = name if kind is None else f"the {name} of a {kind}"
            raise InputError(_holds(report, what), _HINT)
    if (report / INDEX_NAME).exists():
        _check_former(report, request, force=force)


def _check_former(report: Path, request: SweepRequest, *, force: bool) -> None:
    """Refuse a report of a run, and one of another sweep."""
    path = report / INDEX_NAME
    try:
        former = read_index(path).subject
    except InputError as error:
        if force:
            return
        raise InputError(f"--report {report}: {error.message}", _HINT) from error
    part, recording, split = former.part, former.recording, former.split_sha256
    if part != SWEPT_PART:
        raise InputError(_holds(report, f"the report of a run (part {part})"), _HINT)
    recordings = [Recording.open(folder).sha256 for folder in request.recordings]
    swept = recordings[0] if len(recordings) == 1 else sha256_of_json(recordings)
    if (recording, split) != (swept, request.split.sha256) and not force:
        what = "other recordings" if recording != swept else "another split"
        raise InputError(
            _holds(report, f"the report of a sweep of {what}"),
            "Choose another --report, or replace it with --force.",
        )


def _holds(report: Path, what: str) -> str:
    return f"--report {report} holds {what}"
