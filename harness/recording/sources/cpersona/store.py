"""What a store holds: records, their block and node rows, pending tasks."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from harness.decode import json_tree
from harness.errors import Faults, InputError
from harness.model import Json
from harness.words import counted

from .store_file import open_store_file

SCHEMA_VERSION = 18
SCHEMA_RELEASES = "2.6.4 to 2.6.6a1"
MEMORY, EPISODE = "mem", "ep"
EPISODE_LABEL = "[Episode] "
"""Stands before the text of an episode where a server quotes it undivided."""

_ID = re.compile(r"[0-9]{1,18}")
_RECORDS = {
    MEMORY: "SELECT id, agent_id, content, timestamp, metadata, msg_id FROM memories",
    EPISODE: "SELECT id, agent_id, summary, coalesce(start_time, created_at), NULL, '' "
    "FROM episodes",
}
_BLOCKS = """
SELECT block.block_index, block.start_char, block.end_char, block.embedding_model,
       vector.embedding_i8
FROM record_blocks AS block
LEFT JOIN record_block_vectors AS vector
  USING (parent_kind, parent_id, block_index)
WHERE block.parent_kind = ? AND block.parent_id = ?
ORDER BY block.block_index
"""
_BLOCK_BOUNDS = """
SELECT block_index, start_char, end_char, embedding_model, NULL
FROM record_blocks WHERE parent_kind = ? AND parent_id = ? ORDER BY block_index
"""


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory or an episode. `ref` is `mem:<id>` or `ep:<id>`, `text` what blocks are ranges of.

    `timestamp` is ISO 8601, as stored; None where the stored text is not such a date. An episode's
    is its start, else when it was made, as the server shows it.
    """

    ref: str
    agent_id: str
    text: str
    timestamp: str | None
    metadata: dict[str, Json]
    message_id: str

    @property
    def shown_text(self) -> str:
        """Text as a recall shows it: an episode's with its label."""
        return f"{EPISODE_LABEL}{self.text}" if self.ref.startswith(EPISODE) else self.text


@dataclass(frozen=True, slots=True)
class BlockRow:
    """A row of `record_blocks`; `vector` is its int8 vector's bytes, None where there is none or it
    was not asked for."""

    index: int
    start: int
    end: int
    label: str
    vector: bytes | None


class Store:
    """An open store. `path` is how messages name it."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._digest = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """Hex SHA-256 of every row that was read so far: equal reads have equal ones."""
        return self._digest.hexdigest()

    def copy_to(self, target: Path) -> None:
        """Write the store as it is now to the new file `target`, log included."""
        target.touch(mode=0o600)
        destination = sqlite3.connect(target)
        try:
            self._connection.backup(destination)
        finally:
            destination.close()

    def holds(self, ref: str) -> bool:
        """Return whether there is a record of this ref; what is not read of it is not in
        `sha256`."""
        kind, number = parse_ref(ref)
        query = f"SELECT EXISTS ({_RECORDS[kind]} WHERE id = ?)"
        return bool(self._connection.execute(query, (number,)).fetchone()[0])

    def record(self, ref: str) -> MemoryRow | None:
        """Return the record of a ref, or None; raises `InputError` for one without a text."""
        kind, number = parse_ref(ref)
        rows = self._read(f"{_RECORDS[kind]} WHERE id = ?", number)
        self._refuse_textless(kind, rows)
        return _record(kind, rows[0]) if rows else None

    def records_of(self, agent_id: str) -> Iterator[MemoryRow]:
        """Yield the agent's memories, then its episodes, by id; raises `InputError` for one without
        a text."""
        for kind, query in _RECORDS.items():
            rows = self._read(f"{query} WHERE agent_id = ? ORDER BY id", agent_id)
            self._refuse_textless(kind, rows)
            for row in rows:
                yield _record(kind, row)

    def blocks(self, ref: str, *, vectors: bool, again: bool = False) -> list[BlockRow]:
        """Read the record's block rows in order, with int8 vectors if asked for.

        `again`: they were read before, so `sha256` holds them already.
        """
        rows = self._read(
            _BLOCKS if vectors else _BLOCK_BOUNDS, *parse_ref(ref), is_hashed=not again
        )
        return [BlockRow(*row) for row in rows]

    def node_ends(self, ref: str, *, again: bool = False) -> list[int]:
        """Read where the record's nodes end, in order; `again` as for `blocks`."""
        query = (
            "SELECT end_char FROM record_nodes WHERE parent_kind = ? AND parent_id = ? "
            "ORDER BY end_char"
        )
        rows = self._read(query, *parse_ref(ref), is_hashed=not again)
        return [end for (end,) in rows]

    def labels(self) -> dict[str, int]:
        """Return embedder label to number of block rows."""
        query = "SELECT embedding_model, count(*) FROM record_blocks GROUP BY 1 ORDER BY 2 DESC, 1"
        return dict(self._read(query))

    def vector_width(self) -> int | None:
        """Return components of most int8 vectors; None without any."""
        query = (
            "SELECT length(embedding_i8) FROM record_block_vectors GROUP BY 1 "
            "ORDER BY count(*) DESC, 1 LIMIT 1"
        )
        rows = self._read(query)
        return None if not rows else int(rows[0][0])

    def pending_tasks(self) -> dict[str, int]:
        """Return the kind of task to number of those that the server has still to do."""
        query = "SELECT task_type, count(*) FROM pending_memory_tasks GROUP BY 1 ORDER BY 1"
        return dict(self._read(query))

    def _refuse_textless(self, kind: str, rows: Sequence[tuple[Any, ...]]) -> None:
        faults = Faults()
        for number, _, text, *_ in rows:
            if not isinstance(text, str):
                faults.add(f"{kind}:{number} has no text ({_kind_of(text)})")
        faults.raise_if_any(
            str(self.path), "A record's text is TEXT; delete these records or give them one."
        )

    def _read(self, query: str, *values: Any, is_hashed: bool = True) -> list[Any]:
        rows = self._connection.execute(query, values).fetchall()
        if not is_hashed:
            return rows
        self._digest.update(_spelled((query, *values, len(rows))))
        for row in rows:
            self._digest.update(_spelled([_size_of(value) for value in row]))
            for value in row:
                self._digest.update(value if isinstance(value, bytes) else _spelled(value))
        return rows


@contextmanager
def open_store(path: Path, original: Path | None = None) -> Iterator[Store]:
    """Open the store at `path` for reading; raises `InputError` for anything but schema 18.

    `original`: the store that `path` is a copy of, which messages name.
    """
    with open_store_file(path) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        if "schema_version" not in {name for (name,) in tables}:
            raise InputError(
                f"{path} is a SQLite database, but no CPersona store: it has no table "
                "schema_version",
                "Name the file that the server keeps its memories in.",
            )
        version = connection.execute("SELECT max(version) FROM schema_version").fetchone()[0]
        if version != SCHEMA_VERSION:
            raise InputError(
                f"{path} has schema {version}, expected schema {SCHEMA_VERSION}",
                f"Schema {SCHEMA_VERSION} is that of releases {SCHEMA_RELEASES}; record a store "
                "that one of them wrote.",
            )
        yield Store(original or path, connection)


def _size_of(value: Any) -> int | None:
    """Return how many bytes a blob has, so that neighbouring ones are told apart."""
    return len(value) if isinstance(value, bytes) else None


def _kind_of(value: Any) -> str:
    """Return what SQLite calls a value that is not text."""
    if value is None:
        return "NULL"
    return f"a BLOB of {counted(len(value), 'byte')}" if isinstance(value, bytes) else "a number"


def _spelled(value: Any) -> bytes:
    return repr(value).encode("utf-8", "surrogatepass")


def parse_ref(ref: str) -> tuple[str, int]:
    """Return `mem:12` as ("mem", 12); raises `ValueError` for anything but a ref."""
    kind, colon, number = ref.partition(":")
    if kind not in _RECORDS or not colon or not _ID.fullmatch(number):
        raise ValueError(f"{ref!r} is not a ref; expected mem:<id> or ep:<id>")
    return kind, int(number)


def is_ref(ref: str) -> bool:
    """Return whether `ref` names a memory or an episode; a trace may name other things too."""
    try:
        parse_ref(ref)
    except ValueError:
        return False
    return True


def _record(kind: str, row: tuple[Any, ...]) -> MemoryRow:
    number, agent_id, text, timestamp, metadata, message_id = row
    return MemoryRow(
        f"{kind}:{number}",
        agent_id,
        text,
        _date(timestamp),
        _object(metadata),
        message_id if isinstance(message_id, str) else "",
    )


def _date(value: Any) -> str | None:
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return str(value)


def _object(text: Any) -> dict[str, Json]:
    """Return the JSON object that `text` spells; empty for anything else."""
    if not isinstance(text, str):
        return {}
    try:
        value, odd = json_tree(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) and not odd else {}
