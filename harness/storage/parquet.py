"""Parquet files by path.

They are opened as files and not by their names, in which Arrow reads a colon as the end of a
scheme, and every way in which one can be damaged is an `InputError` that names it. The files are
Arrow's own: one of Python's would be let go by a thread of Arrow's, which may happen while the
interpreter ends and then aborts the process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from harness.errors import InputError

COMPRESSION = "zstd"


def read_table(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read the table of a file, or the named columns of it."""
    wanted = None if columns is None else list(columns)
    with readable(path), _opened(path) as stream:
        table = pq.ParquetFile(stream).read(columns=wanted)
        table.validate(full=True)  # Parquet does not say that texts are UTF-8
    lacking = [name for name in wanted or () if name not in table.column_names]
    if lacking:
        raise InputError(f"{path} has no column {lacking[0]!r}", "Rebuild what it is a part of.")
    return table


def read_schema(path: Path) -> pa.Schema:
    """Read the schema of a file."""
    with readable(path), _opened(path) as stream:
        return pq.read_schema(stream)


class TableFile:
    """An open file of which some row groups are read; open for as long as it is used."""

    def __init__(self, path: Path, **options: Any) -> None:
        self.path = path
        with readable(path):
            self._file = pq.ParquetFile(_opened(path), **options)

    @property
    def row_groups(self) -> int:
        return int(self._file.num_row_groups)

    def read_row_group(self, group: int, **options: Any) -> pa.Table:
        """Read a row group, or the columns of it that `options` name."""
        with readable(self.path):
            table = self._file.read_row_group(group, **options)
            table.validate(full=True)
            return table

    def close(self) -> None:
        self._file.close()


def write_table(table: pa.Table, path: Path, *, plain: bool = False) -> None:
    """Write the table, compressed; `path` is a temporary one.

    `plain`: without compression, so that a column of booleans takes as much room whatever they are.
    """
    compression = "none" if plain else COMPRESSION
    encoding: dict[str, Any] = {"use_dictionary": False} if plain else {}
    with path.open("wb") as stream:
        pq.write_table(table, stream, compression=compression, write_statistics=False, **encoding)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Name the file in what goes wrong while it is read."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or _first_line(error)
        raise InputError(f"cannot read {path}: {reason}", "Check the path.") from error
    except (pa.ArrowException, ValueError) as error:
        raise InputError(
            f"{path} cannot be read ({_first_line(error)})",
            "Restore it from a copy, or rebuild what it is a part of.",
        ) from error


def _opened(path: Path) -> pa.OSFile:
    return pa.OSFile(os.fsencode(path))


def _first_line(error: Exception) -> str:
    return str(error).split("\n")[0]
