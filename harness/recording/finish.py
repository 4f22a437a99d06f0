"""Writing a built recording: its tables, then its manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.model import MEMORY
from harness.progress import progress
from harness.storage.folder import OutputFolder
from harness.storage.manifest import Manifest, code_version, environment, file_entries

from . import schema
from .builder import RecordingBuilder, VectorsOf


def finish_recording(
    folder: OutputFolder,
    builder: RecordingBuilder,
    *,
    dimension: int | None,
    vectors_of: VectorsOf,
    work: Mapping[str, Any],
    arguments: Mapping[str, Any],
    described: Mapping[str, Any],
    quiet: bool,
) -> None:
    """Write every table that is not there yet, then the manifest, which names them by hash."""

    def shown(batches: Iterator[Any], total: int) -> Iterator[Any]:
        return progress(batches, total=total, label="write", unit="group", quiet=quiet)

    path = folder.path
    builder.write(path, dimension, vectors_of, shown)
    kind = {} if builder.kind == MEMORY else {"kind": builder.kind}
    Manifest(
        schema=schema.RECORDING_SCHEMA,
        work=work,
        content={"counts": builder.counts(), "dimension": dimension, **kind, **described},
        files=file_entries(path, schema.tables_of(builder.kind)),
        arguments=arguments,
        code=code_version(),
        environment=environment(),
    ).write(path)
    folder.finish()
