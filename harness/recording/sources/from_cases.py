"""A recording from cases of `harness.case/1`, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from harness.errors import InputError
from harness.model import Case
from harness.progress import progress
from harness.recording.case_lines import CaseLines, CasesHeader, write_cases
from harness.recording.dividing import divided
from harness.recording.recording import Recording
from harness.recording.writer import RecordingWriter
from harness.retrieval import VectorSource
from harness.storage.folder import FolderState


def import_cases(
    source: str,
    out: Path,
    *,
    quiet: bool = False,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
    vectors: VectorSource | None = None,
) -> FolderState:
    """Make a recording in `out` of the cases of a file, or of standard input (`-`).

    With `vectors`, records without a current block set are divided, and every question and block is
    embedded; interrupted work keeps what is embedded. The whole input is read and checked before
    `out` is touched. Raises `InputError` for labels that name nothing in any window, and with
    `vectors` for cases that have some.
    """
    lines = CaseLines(source)
    with RecordingWriter(
        out, verb="import cases", given=given, force=force, quiet=quiet, source=source
    ) as recording:
        for case in progress(lines, total=None, label="read", unit="case", quiet=quiet):
            recording.add(case if vectors is None else _divided(case, source))
        recording.refuse_labels_of_nothing()
        header = lines.header
        dataset = {"name": None, "sha256": header.dataset_sha256}
        work = {
            "cases": {"name": Path(source).name, "sha256": lines.sha256},
            "dataset": dataset,
            "recall": header.recall,
            "embedder": header.embedder,
        }
        if vectors is not None:
            work |= {"embedder": vectors.described, "divided": True}
            recording.vectors_from(vectors)
        return recording.describe(
            work, dataset=dataset, recall=header.recall, embedder=work["embedder"]
        )


def _divided(case: Case, source: str) -> Case:
    """Divide the records of a case that have no current block set; its blocks have no vectors."""
    sets = [record.blocks for record in case.records if record.blocks is not None]
    if case.query.vector is not None or any(blocks.vectors is not None for blocks in sets):
        raise InputError(
            f"{source}: case {case.case_id!r} has vectors already",
            "Import it without --embed, or take the vectors out of it.",
        )
    return replace(
        case,
        records=tuple(
            replace(record, blocks=divided(record.text)) if record.blocks is None else record
            for record in case.records
        ),
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
