"""A recording from cases of `harness.case/1`, and back."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from harness.errors import InputError
from harness.model import Case, Record
from harness.progress import progress
from harness.recording import schema
from harness.recording.builder import RecordingBuilder
from harness.recording.case_lines import CaseLines, CasesHeader, write_cases
from harness.recording.entries import CaseEntry, CaseRecord, RecordBody
from harness.recording.finish import finish_recording
from harness.recording.recording import Recording
from harness.recording.vector_spool import NO_VECTOR, VectorSpool
from harness.storage.atomic import atomic_text
from harness.storage.folder import FolderState, open_output

NumberOf = Callable[[bytes], int]
"""The number under which a vector is kept."""


def import_cases(
    source: str,
    out: Path,
    *,
    quiet: bool = False,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
) -> FolderState:
    """Make a recording in `out` of the cases of a file, or of standard input (`-`).

    The whole input is read and checked before `out` is touched.
    """
    lines = CaseLines(source)
    builder = RecordingBuilder()
    with tempfile.TemporaryFile() as stream:
        spool = VectorSpool(stream)
        for case in progress(lines, total=None, label="read", unit="case", quiet=quiet):
            _check_kind(case, builder, source)
            _check_dimension(case, spool, source)
            builder.add_case(_entry(case, builder, spool.number_of))
        header = lines.header
        work = {
            "cases": {"name": Path(source).name, "sha256": lines.sha256},
            "dataset": {"name": None, "sha256": header.dataset_sha256},
            "recall": header.recall,
            "embedder": header.embedder,
        }
        folder = open_output(out, schema.RECORDING_SCHEMA, work, schema.ENTRIES, force=force)
        if folder.state is not FolderState.FINISHED:
            folder.start()
            finish_recording(
                folder,
                builder,
                dimension=spool.width,
                vectors_of=spool.vectors_of,
                work=work,
                arguments={"verb": "import cases", "given": dict(given or {}), "resolved": work},
                described={key: work[key] for key in ("dataset", "recall", "embedder")},
                quiet=quiet,
            )
    return folder.state


def export_cases(
    recording: Recording, out: Path, *, numbers: Sequence[int] | None = None, quiet: bool = False
) -> int:
    """Write the recording's cases to `out` as JSON Lines with a header; return how many."""
    with atomic_text(out) as stream:
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


def _check_kind(case: Case, builder: RecordingBuilder, source: str) -> None:
    if builder.cases and case.kind != builder.kind:
        raise InputError(
            f"{source}: case {case.case_id!r} is a {case.kind} case, those before it "
            f"{builder.kind} cases",
            "A recording has cases of one kind; import them apart.",
        )


def _check_dimension(case: Case, spool: VectorSpool, source: str) -> None:
    for dimension in _dimensions(case):
        if spool.width is None:
            spool.width = dimension
        if dimension != spool.width:
            raise InputError(
                f"{source}: case {case.case_id!r} has vectors of {dimension} dimensions, the cases "
                f"before it {spool.width}",
                "A recording has vectors of one embedder; import the cases apart.",
            )


def _dimensions(case: Case) -> list[int]:
    found = [] if case.query.vector is None else [len(case.query.vector)]
    sets = [record.blocks for record in case.records if record.blocks is not None]
    return found + [blocks.vectors.shape[1] for blocks in sets if blocks.vectors is not None]


def without_vectors(case: Case, builder: RecordingBuilder) -> CaseEntry:
    """The entry of a case none of whose blocks has a vector."""
    return _entry(case, builder, lambda vector: NO_VECTOR)


def _entry(case: Case, builder: RecordingBuilder, number_of: NumberOf) -> CaseEntry:
    documents = (None,) * len(case.records) if case.lookup is None else case.lookup.documents
    records = tuple(
        CaseRecord(
            record.record_id,
            record.session_id,
            builder.add_body(replace(_body(record, number_of), document=document)),
        )
        for record, document in zip(case.records, documents, strict=True)
    )
    return CaseEntry(
        case.case_id,
        case.category,
        case.query,
        records,
        case.items,
        case.gold,
        case.lookup,
        case.lookup_gold,
    )


def _body(record: Record, number_of: NumberOf) -> RecordBody:
    blocks = record.blocks
    if blocks is None:
        return RecordBody(record.text, record.timestamp, record.metadata, None)
    keys = []
    bounds = zip(blocks.starts.tolist(), blocks.ends.tolist(), strict=True)
    for index, (start, end) in enumerate(bounds):
        number = NO_VECTOR
        if blocks.vectors is not None and index not in blocks.missing:
            number = number_of(blocks.vectors[index].tobytes())
        keys.append((record.text[start:end], number))
    ends = tuple(blocks.ends.tolist())
    return RecordBody(record.text, record.timestamp, record.metadata, ends, tuple(keys))
