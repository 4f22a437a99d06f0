"""A recording from cases of `harness.case/1`, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from harness.progress import progress
from harness.recording.case_lines import CaseLines, CasesHeader, write_cases
from harness.recording.recording import Recording
from harness.recording.writer import RecordingWriter
from harness.storage.folder import FolderState


def import_cases(
    source: str,
    out: Path,
    *,
    quiet: bool = False,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
) -> FolderState:
    """Make a recording in `out` of the cases of a file, or of standard input (`-`).

    The whole input is read and checked before `out` is touched. Raises `InputError` for labels that
    name nothing in any window.
    """
    lines = CaseLines(source)
    with RecordingWriter(
        out, verb="import cases", given=given, force=force, quiet=quiet, source=source
    ) as recording:
        for case in progress(lines, total=None, label="read", unit="case", quiet=quiet):
            recording.add(case)
        recording.refuse_labels_of_nothing()
        header = lines.header
        dataset = {"name": None, "sha256": header.dataset_sha256}
        work = {
            "cases": {"name": Path(source).name, "sha256": lines.sha256},
            "dataset": dataset,
            "recall": header.recall,
            "embedder": header.embedder,
        }
        return recording.describe(
            work, dataset=dataset, recall=header.recall, embedder=header.embedder
        )


def export_cases(
    recording: Recording, out: Path, *, numbers: Sequence[int] | None = None, quiet: bool = False
) -> int:
    """Write the recording's cases to the file `out` as JSON Lines with a header; return how
    many."""
    with out.open("w", encoding="utf-8", newline="\n") as stream:
        return stream_cases(recording, stream, numbers=numbers, quiet=quiet)


def stream_cases(
    recording: Recording,
    stream: IO[str],
    *,
    numbers: Sequence[int] | None = None,
    quiet: bool = False,
) -> int:
    """Write the recording's cases to an open stream."""
    content = recording.manifest.content
    dataset = content.get("dataset") or {}
    header = CasesHeader(content.get("recall"), content.get("embedder"), dataset.get("sha256"))
    total = len(recording.case_ids) if numbers is None else len(numbers)
    cases = progress(
        recording.cases(numbers), total=total, label="export", unit="case", quiet=quiet
    )
    return write_cases(stream, cases, header)
