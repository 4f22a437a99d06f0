"""The folder of a sweep's report: checked before the sweep, since the page is written after it."""

from __future__ import annotations

from pathlib import Path

from harness.errors import InputError
from harness.measure.sweep import SweepRequest
from harness.recording.recording import Recording
from harness.storage.folder import START_NAME
from harness.storage.generated_folder import INDEX_NAME, read_index
from harness.storage.hashing import sha256_of_json
from harness.storage.manifest import MANIFEST_NAME, kind_of_folder

from .sweep_page import SWEPT_PART

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
    recordings = [Recording.open(each).sha256 for each in request.recordings]
    swept = recordings[0] if len(recordings) == 1 else sha256_of_json(recordings)
    if (recording, split) != (swept, request.split.sha256) and not force:
        what = "other recordings" if recording != swept else "another split"
        raise InputError(
            _holds(report, f"the report of a sweep of {what}"),
            "Choose another --report, or replace it with --force.",
        )


def _holds(report: Path, what: str) -> str:
    return f"--report {report} holds {what}"
