"""The cache of vectors: one SQLite file, shared by every recording and process of a user.

A vector is kept under the embedder's fingerprint, its kind and the SHA-256 of its text. Blocks are
kept as int8, queries as little-endian float32.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

from harness.errors import HarnessError, InputError
from harness.storage.atomic import storage_error

from .embedder import Embedder

APPLICATION_ID = 0x45564856  # in the header of every cache, unlike any other SQLite file
_SQLITE_MAGIC = b"SQLite format 3\0"
_APPLICATION_ID_AT = 68  # 4 bytes, big-endian
_BESIDE = ("-wal", "-shm", "-journal")  # what SQLite keeps next to the file while it is in use


def default_cache_path() -> Path:
    """Return the cache of this user, where the operating system keeps caches."""
    from platformdirs import user_cache_path

    return user_cache_path("evidence-harness", appauthor=False) / "vectors.sqlite"


def cache_bytes(path: Path) -> int:
    """Return the size of the cache with SQLite's other files; 0 without a cache."""
    return sum(file.stat().st_size for file in _files(path))


def delete_cache(path: Path) -> int:
    """Delete the cache, damaged or not, with SQLite's other files; return the bytes freed.

    A file that is neither at the default place nor begins as a cache does may be somebody's work:
    it is refused with `InputError`.
    """
    if not _may_delete(path):
        raise InputError(
            f"{path} does not begin as a cache of vectors does, and may be something else",
            "If it is a damaged cache, delete the file yourself.",
        )
    freed = cache_bytes(path)
    for file in _files(path):
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise storage_error(error, file) from error
    return freed


def damaged(path: Path, reason: str) -> InputError:
    """Describe a cache that cannot be read."""
    if _may_delete(path):
        return InputError(f"{path}: the cache of vectors is damaged ({reason})", clear_hint(path))
    return InputError(
        f"{path} is not a cache of vectors, or is damaged at its start ({reason})",
        "Choose another --cache, or delete the file if you know that it is a damaged cache.",
    )


def clear_hint(path: Path) -> str:
    """Say how to remove a cache that is unusable."""
    option = "" if path == default_cache_path() else f" --cache {path}"
    return f"Remove it with: harness cache clear{option}; its vectors are embedded again."


def _may_delete(path: Path) -> bool:
    return path == default_cache_path() or _begins_as_cache(path)


def _begins_as_cache(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            header = stream.read(100)
    except OSError as error:
        raise storage_error(error, path) from error
    application = header[_APPLICATION_ID_AT : _APPLICATION_ID_AT + 4]
    return not header or (
        header.startswith(_SQLITE_MAGIC) and application == APPLICATION_ID.to_bytes(4, "big")
    )


def _files(path: Path) -> list[Path]:
    files = [path, *(path.with_name(path.name + ending) for ending in _BESIDE)]
    return [file for file in files if file.is_file()]


FORMAT_VERSION = 1
BUSY_SECONDS = 60.0
_LOOKUP = 500  # host parameters of one statement; every SQLite takes 999

_SCHEMA = """
CREATE TABLE IF NOT EXISTS embedders (
  id INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  licence TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS vectors (
  embedder INTEGER NOT NULL REFERENCES embedders (id),
  kind TEXT NOT NULL,
  text_sha256 BLOB NOT NULL,
  vector BLOB NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS vectors_key ON vectors (embedder, kind, text_sha256);
"""


class VectorKind(Enum):
    """What a vector is for: a block's is int8, a query's is float32."""

    BLOCK = "block"
    QUERY = "query"
    PROBE = "probe"
    """What a server answered when its vectors came in, by which it is known again."""


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """How many vectors of one kind an embedder has in the cache."""

    embedder: str
    fingerprint: str
    dimension: int
    kind: str
    vectors: int


class VectorCache:
    """An open cache file, created if missing. Safe for several processes at once.

    Raises `InputError` for a file that is damaged or not a cache, `HarnessError` when the file
    system refuses.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise storage_error(error, path) from error
        with self._named_errors():
            self._connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def register(self, embedder: Embedder) -> int:
        """Return the number of the embedder in this file; store a new one."""
        row = (embedder.fingerprint, embedder.name, embedder.dimension, embedder.licence)
        with self._named_errors():
            self._connection.execute(
                "INSERT OR IGNORE INTO embedders (fingerprint, name, dimension, licence)"
                " VALUES (?, ?, ?, ?)",
                row,
            )
            [(number,)] = self._connection.execute(
                "SELECT id FROM embedders WHERE fingerprint = ?", (embedder.fingerprint,)
            )
        return int(number)

    def find(self, embedder: int, kind: VectorKind, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Find the stored vectors, by the SHA-256 digest of their text."""
        rows = self._select("text_sha256, vector", embedder, kind, keys)
        return {row[0]: row[1] for row in rows}

    def known(self, embedder: int, kind: VectorKind, keys: Iterable[bytes]) -> set[bytes]:
        """Return the digests among `keys` that have a vector."""
        return {row[0] for row in self._select("text_sha256", embedder, kind, keys)}

    def add(self, embedder: int, kind: VectorKind, vectors: Sequence[tuple[bytes, bytes]]) -> None:
        """Add (digest, vector) pairs in one transaction; stored ones stay."""
        rows = [(embedder, kind.value, key, vector) for key, vector in vectors]
        with self._named_errors(), self._transaction():
            self._connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?, ?)", rows)

    def entries(self) -> list[CacheEntry]:
        """Return what is in the cache, by embedder and kind; an embedder without vectors is left
        out."""
        with self._named_errors():
            rows = self._connection.execute(
                "SELECT name, fingerprint, dimension, kind, count(*) FROM vectors"
                " JOIN embedders ON embedders.id = vectors.embedder AND kind != 'probe'"
                " GROUP BY embedders.id, kind ORDER BY name, fingerprint, kind"
            ).fetchall()
        return [CacheEntry(*row) for row in rows]

    def remove(self, fingerprint: str) -> int:
        """Remove every vector of the embedder and free its space; return how many were removed."""
        with self._named_errors():
            with self._transaction():
                removed = self._connection.execute(
                    "DELETE FROM vectors WHERE embedder IN"
                    " (SELECT id FROM embedders WHERE fingerprint = ?)",
                    (fingerprint,),
                ).rowcount
                self._connection.execute(
                    "DELETE FROM embedders WHERE fingerprint = ?", (fingerprint,)
                )
            self._connection.execute("VACUUM")
        return removed

    def _select(
        self, columns: str, embedder: int, kind: VectorKind, keys: Iterable[bytes]
    ) -> Iterator[tuple[bytes, ...]]:
        remaining = iter(keys)
        while chunk := list(islice(remaining, _LOOKUP)):
            marks = ",".join("?" * len(chunk))
            statement = (
                f"SELECT {columns} FROM vectors"  # noqa: S608 (columns and marks are ours)
                f" WHERE embedder = ? AND kind = ? AND text_sha256 IN ({marks})"
            )
            with self._named_errors():
                rows = self._connection.execute(statement, (embedder, kind.value, *chunk))
                found = rows.fetchall()
            yield from found

    def _prepare(self) -> None:
        with self._named_errors(), self._transaction("DEFERRED"):
            [(tables,)] = self._connection.execute("SELECT count(*) FROM sqlite_master")
            [(application,)] = self._connection.execute("PRAGMA application_id")
            [(version,)] = self._connection.execute("PRAGMA user_version")
        if tables and application != APPLICATION_ID:
            raise InputError(
                f"{self.path} is an SQLite file, but not a cache of vectors",
                "Choose another --cache.",
            )
        if tables and version != FORMAT_VERSION:
            raise InputError(
                f"{self.path}: the cache has format {version}, this harness reads {FORMAT_VERSION}",
                clear_hint(self.path),
            )
        with self._named_errors():
            if not tables:  # before WAL, so that the file's own header says what it is
                self._create()
            self._write_ahead()

    def _create(self) -> None:
        with self._transaction():
            for statement in _SCHEMA.strip().split(";\n"):
                self._connection.execute(statement)
            self._connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")

    def _write_ahead(self) -> None:
        """Write ahead: readers never wait for a writer, and a commit is cheap."""
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # the switch never waits; whoever opens the file next makes it
            if not _is_locked(error):
                raise
        self._connection.execute("PRAGMA synchronous = NORMAL")

    @contextmanager
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[None]:
        self._connection.execute(f"BEGIN {kind}")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # some errors have rolled it back already
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise self._refused(error) from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise damaged(self.path, str(error)) from error

    def _refused(self, error: sqlite3.OperationalError) -> HarnessError:
        code = error.sqlite_errorname
        if code == "SQLITE_FULL":
            return HarnessError(
                f"no room left on the disk while writing {self.path}",
                "Free some space and run the same command again: finished vectors are kept.",
            )
        if _is_locked(error):
            return HarnessError(
                f"{self.path} was locked by another process for {BUSY_SECONDS:.0f} seconds",
                "Wait for the other process, or choose another --cache.",
            )
        if code.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_PERM")):
            return HarnessError(
                f"cannot use {self.path}: {error}", "Check the path and its permissions."
            )
        return damaged(self.path, str(error))


def _is_locked(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorname.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
