"""The cache of vectors: one SQLite file, shared by every recording and process of a user.

A vector is kept under the embedder's fingerprint, its kind and the SHA-256 of its text. Blocks are
kept as int8, queries as little-endian float32.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from pathlib import Path

from harness.errors import InputError
from harness.storage.atomic import storage_error
from harness.storage.sqlite import SqliteFile, SqliteFormat

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


class VectorCache(SqliteFile):
    """An open cache file, created if missing. Safe for several processes at once.

    Raises `InputError` for a file that is damaged or not a cache, `HarnessError` when the file
    system refuses.
    """

    def __init__(self, path: Path) -> None:
        form = SqliteFormat(
            noun="cache of vectors",
            application=APPLICATION_ID,
            version=FORMAT_VERSION,
            tables=_SCHEMA,
            kept="finished vectors",
            other="Choose another --cache.",
            hint=clear_hint(path),
        )
        super().__init__(path, form)

    def register(self, embedder: Embedder) -> int:
        """Return the number of the embedder in this file; store a new one."""
        row = (embedder.fingerprint, embedder.name, embedder.dimension, embedder.licence)
        with self.named_errors():
            self.connection.execute(
                "INSERT OR IGNORE INTO embedders (fingerprint, name, dimension, licence)"
                " VALUES (?, ?, ?, ?)",
                row,
            )
            [(number,)] = self.connection.execute(
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
        with self.transaction():
            self.connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?, ?)", rows)

    def entries(self) -> list[CacheEntry]:
        """Return what is in the cache, by embedder and kind; an embedder without vectors is left
        out."""
        with self.named_errors():
            rows = self.connection.execute(
                "SELECT name, fingerprint, dimension, kind, count(*) FROM vectors"
                " JOIN embedders ON embedders.id = vectors.embedder AND kind != 'probe'"
                " GROUP BY embedders.id, kind ORDER BY name, fingerprint, kind"
            ).fetchall()
        return [CacheEntry(*row) for row in rows]

    def remove(self, fingerprint: str) -> int:
        """Remove every vector of the embedder and free its space; return how many were removed."""
        with self.named_errors():
            with self.transaction():
                removed = self.connection.execute(
                    "DELETE FROM vectors WHERE embedder IN"
                    " (SELECT id FROM embedders WHERE fingerprint = ?)",
                    (fingerprint,),
                ).rowcount
                self.connection.execute(
                    "DELETE FROM embedders WHERE fingerprint = ?", (fingerprint,)
                )
            self.connection.execute("VACUUM")
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
            with self.named_errors():
                rows = self.connection.execute(statement, (embedder, kind.value, *chunk))
                found = rows.fetchall()
            yield from found

    def damaged(self, reason: str) -> InputError:
        return damaged(self.path, reason)
