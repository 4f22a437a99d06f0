"""Opening a store's file to read it, without locking or touching one that is in use.

A store keeps a write-ahead log while a server has it open. It is then read in one transaction: such
a reader sees one state and stops no writer. Without that log nobody has it open, and it is read as
a file that does not change (`immutable`), since SQLite would otherwise make side files next to it;
whether it did change is checked at the end. A file of the older journal mode is read in short
statements, and whether it changed meanwhile is checked too.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from harness.errors import InputError
from harness.words import counted

BUSY_SECONDS = 5.0
_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100
_SNAPSHOT_HINT = "Take a copy with sqlite3 STORE '.backup COPY', and record that."


class _Access(Enum):
    """How a file is read; see the module."""

    IMMUTABLE = "as a file that does not change"
    TRANSACTION = "in one transaction"
    STATEMENTS = "in short statements"

    @property
    def query(self) -> str:
        """Query part of the URI that SQLite opens."""
        return "mode=ro&immutable=1" if self is _Access.IMMUTABLE else "mode=ro"


@contextmanager
def open_store_file(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a read-only connection to the store at `path`.

    Raises `InputError` for what is not an SQLite file, is cut short, damaged or locked, or changed
    while it was read; also for errors of SQLite in the block.
    """
    before = _FileState.of(path)
    access = _access(path)
    address = f"{path.absolute().as_uri()}?{access.query}"
    try:
        with closing(
            sqlite3.connect(address, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
        ) as connection:
            if access is _Access.TRANSACTION:
                connection.execute("BEGIN")
            seen = _data_version(connection)
            yield connection
            changed = access is _Access.STATEMENTS and _data_version(connection) != seen
    except sqlite3.Error as error:
        raise _store_error(path, error) from error
    except UnicodeDecodeError as error:  # SQLite repeats names of a damaged schema as they are
        raise InputError(
            f"{path} is damaged: its schema is not UTF-8", "Copy it again from where it came from."
        ) from error
    if changed or (access is _Access.IMMUTABLE and _FileState.of(path) != before):
        raise InputError(
            f"{path} was written to while it was read",
            f"Run the same command again when no server writes to it. {_SNAPSHOT_HINT}",
        )


@dataclass(frozen=True, slots=True)
class _FileState:
    """What tells that a file was written to. `log`: whether a write-ahead log is next to it."""

    size: int
    modified: int
    log: bool

    @classmethod
    def of(cls, path: Path) -> _FileState:
        try:
            status = path.stat()
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}", "Check the path.") from error
        return cls(status.st_size, status.st_mtime_ns, _log_of(path).exists())


def _access(path: Path) -> _Access:
    header = _header(path)
    if header[18:20] != b"\x02\x02":
        return _Access.STATEMENTS
    return _Access.TRANSACTION if _log_of(path).exists() else _Access.IMMUTABLE


def _header(path: Path) -> bytes:
    """Return the first bytes of the file, after checking that it is a whole SQLite file."""
    try:
        with path.open("rb") as stream:
            header = stream.read(_HEADER_BYTES)
            size = stream.seek(0, 2)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", "Check the path.") from error
    if not header.startswith(_MAGIC):
        what = "is empty" if not header else "is not an SQLite database"
        raise InputError(f"{path} {what}", "Name the file that the server keeps its memories in.")
    page = int.from_bytes(header[16:18], "big")
    wanted = int.from_bytes(header[28:32], "big") * (65536 if page == 1 else page)
    if size < wanted and not _log_of(path).exists():
        raise InputError(
            f"{path} is cut short: it has {counted(size, 'byte')}, its header says {wanted:,}",
            "Copy it again from where it came from.",
        )
    return header


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _data_version(connection: sqlite3.Connection) -> int:
    """Return a number that changes when another connection has written; reading it also needs a
    sound header."""
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    version: int = connection.execute("PRAGMA data_version").fetchone()[0]
    return version


def _store_error(path: Path, error: sqlite3.Error) -> InputError:
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & 0xFF
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return InputError(
            f"{path} is locked by another process ({error})",
            f"Run the same command again when that one is done. {_SNAPSHOT_HINT}",
        )
    if primary in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
        return InputError(
            f"{path} cannot be opened for reading together with its log ({error})",
            "A store with a -wal file is read from a folder that can be written to. "
            f"{_SNAPSHOT_HINT}",
        )
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR):
        return InputError(
            f"{path} is damaged ({error})", "Restore it from a backup, or copy it again."
        )
    return InputError(f"{path} cannot be read as a CPersona store ({error})", "Check the file.")
