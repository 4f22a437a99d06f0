"""The store of answers: one SQLite file in a folder, append-only and content-addressed.

An entry lies under the reader's identity, the hash of the prompt's bytes and the number of the
repeat. Answers and errors are only ever added. Every change is one transaction, so that a kill at
any moment leaves all of it or none; claims keep two processes from asking one prompt, and what a
call may cost is reserved before it is sent.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from harness.decode import decode
from harness.errors import InputError
from harness.storage.hashing import canonical_json
from harness.storage.sqlite import SqliteFile, SqliteFormat

from .claims import Charged, Claim, Claimed, Settlement
from .entry import ENTRY, AnswerEntry, AnswerKey, encoded
from .owners import Owner, is_alive

FILE = "answers.sqlite"
APPLICATION_ID = 0x45564841
FORMAT_VERSION = 1
_RECENT = 100
"""Answers, the last ones, that say how long one takes."""

_KEY = "reader = ? AND prompt = ? AND repeat = ?"
_TABLES = """
CREATE TABLE IF NOT EXISTS readers (
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  about TEXT NOT NULL,
  calls INTEGER NOT NULL DEFAULT 0,
  reserved INTEGER NOT NULL DEFAULT 0,
  charged INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS answers (
  id INTEGER PRIMARY KEY,
  reader INTEGER NOT NULL REFERENCES readers (id),
  prompt BLOB NOT NULL,
  repeat INTEGER NOT NULL,
  is_error INTEGER NOT NULL,
  entry BLOB NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS answers_key ON answers (reader, prompt, repeat)
  WHERE NOT is_error;
CREATE INDEX IF NOT EXISTS errors_key ON answers (reader, prompt, repeat) WHERE is_error;
CREATE TRIGGER IF NOT EXISTS answers_are_kept BEFORE DELETE ON answers
  BEGIN SELECT RAISE(ABORT, 'answers are only ever added'); END;
CREATE TRIGGER IF NOT EXISTS answers_stay BEFORE UPDATE ON answers
  BEGIN SELECT RAISE(ABORT, 'answers are only ever added'); END;
CREATE TABLE IF NOT EXISTS claims (
  reader INTEGER NOT NULL,
  prompt BLOB NOT NULL,
  repeat INTEGER NOT NULL,
  owner TEXT NOT NULL,
  PRIMARY KEY (reader, prompt, repeat)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sealed (prompt BLOB PRIMARY KEY) WITHOUT ROWID;
"""


class AnswerStore:
    """The answers in a folder, which is made if it is missing; several threads and processes may
    use it at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        form = SqliteFormat(
            noun="store of answers",
            application=APPLICATION_ID,
            version=FORMAT_VERSION,
            tables=_TABLES,
            kept="stored answers",
            other="Choose another --store.",
            hint="Restore it from a copy, or choose another --store.",
        )
        if folder.is_dir() and not self.is_at(folder):
            others = sorted(path.name for path in folder.iterdir() if not _is_ours(path.name))
            if others:
                raise InputError(
                    f"{folder} is not a store of answers: it holds {others[0]!r}",
                    "Choose another --store.",
                )
        self._file = SqliteFile(folder / FILE, form, threads=True)
        self._lock = threading.RLock()
        self._numbers: dict[str, int] = {}
        self._owner: Owner | None = None

    @staticmethod
    def is_at(folder: Path) -> bool:
        """Return whether there is a store in the folder."""
        return (folder / FILE).exists()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give up what is claimed, and close the file."""
        with self._lock:
            if self._owner is not None:
                with self._transaction() as connection:
                    connection.execute("DELETE FROM claims WHERE owner = ?", (self._owner.token,))
                self._owner.release()
                self._owner = None
            self._file.close()

    def register(self, reader: str, about: Mapping[str, Any]) -> None:
        """Note what a reader of that identity is; the first note stays."""
        with self._transaction() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO readers (identity, about) VALUES (?, ?)",
                (reader, canonical_json(dict(about))),
            )

    def readers(self) -> dict[str, dict[str, Any]]:
        """Return what each reader of the store is, by identity."""
        rows = self._rows("SELECT identity, about FROM readers ORDER BY identity")
        return {identity: json.loads(about) for identity, about in rows}

    def get(self, key: AnswerKey) -> AnswerEntry | None:
        """Return the answer, or None; an error is not an answer."""
        return self._entry(key, "NOT is_error")

    def last_error(self, key: AnswerKey) -> AnswerEntry | None:
        """Return the last error of a prompt, answered since or not."""
        return self._entry(key, "is_error")

    def has(self, key: AnswerKey) -> bool:
        """Return whether there is an answer."""
        return bool(self._find(key, "NOT is_error", "1"))

    def entries(self) -> Iterator[tuple[AnswerKey, AnswerEntry]]:
        """Yield what each key came to, its answer or else its last error, sorted by key."""
        with self._file.named_errors():
            rows = self._file.connection.execute(
                "SELECT identity, prompt, repeat, entry FROM answers"
                " JOIN readers ON readers.id = answers.reader WHERE answers.id IN"
                " (SELECT coalesce(max(CASE WHEN NOT is_error THEN id END), max(id))"
                " FROM answers GROUP BY reader, prompt, repeat) ORDER BY identity, prompt, repeat"
            )
            for identity, prompt, repeat, data in rows:
                yield AnswerKey(identity, prompt.hex(), repeat), self._decoded(data)

    def take(
        self,
        wanted: Sequence[tuple[AnswerKey, int]],
        *,
        max_calls: int | None = None,
        max_cost: int | None = None,
    ) -> list[Claimed]:
        """Claim prompts of one reader for this process, and reserve a call of each and the most
        that it may cost, in trillionths.

        What is answered, or asked by another process, is not taken; nor is anything after the first
        call that could exceed what all calls of the reader in this store may come to.
        """
        if not wanted:
            return []
        reader = wanted[0][0].reader
        claimed: list[Claimed] = []
        with self._transaction() as connection:
            spent = self.charged(reader)
            calls, cost = spent.calls, spent.cost
            taken_by_others = self._not_to_take([key for key, _ in wanted])
            for key, most in wanted:
                claim = taken_by_others.get(key, Claim.TAKEN)
                if claim is Claim.TAKEN and (
                    (max_calls is not None and calls + 1 > max_calls)
                    or (max_cost is not None and cost + most > max_cost)
                ):
                    claimed.append(Claimed(key, Claim.BEYOND))
                    break
                if claim is not Claim.TAKEN:
                    claimed.append(Claimed(key, claim))
                    continue
                calls, cost = calls + 1, cost + most
                claimed.append(Claimed(key, claim, calls, most))
            connection.executemany(
                "INSERT OR REPLACE INTO claims (reader, prompt, repeat, owner) VALUES (?, ?, ?, ?)",
                (
                    (*self._place(each.key), self._owned())
                    for each in claimed
                    if each.claim is Claim.TAKEN
                ),
            )
            self._book(connection, reader, calls - spent.calls, cost - spent.cost, 0)
        return claimed

    def renew(
        self,
        reader: str,
        reserved: int,
        cost: int,
        *,
        max_calls: int | None = None,
        max_cost: int | None = None,
    ) -> int | None:
        """Put what a call cost in the place of what was reserved for it, and reserve another like
        it for the same prompt; return its number.

        None, and nothing is changed, where it could exceed the limits of `take`.
        """
        with self._transaction() as connection:
            spent = self.charged(reader)
            if max_calls is not None and spent.calls + 1 > max_calls:
                return None
            if max_cost is not None and spent.cost + cost > max_cost:
                return None
            self._book(connection, reader, 1, 0, cost)
            return spent.calls + 1

    def charged(self, reader: str) -> Charged:
        """Return what the calls of a reader in this store come to."""
        rows = self._rows(
            "SELECT calls, reserved, charged FROM readers WHERE identity = ?", (reader,)
        )
        return Charged(*rows[0]) if rows else Charged()

    def put(self, key: AnswerKey, entry: AnswerEntry, *, padded_to: int | None = None) -> None:
        """Add one entry, for which nothing was reserved; as `settle` does."""
        self.settle([Settlement(key, entry)], padded_to=padded_to)

    def settle(self, settled: Sequence[Settlement], *, padded_to: int | None = None) -> None:
        """Add entries of one reader, give up their claims, and charge their last calls: all of it
        or nothing.

        An entry is filled with blanks to a multiple of `padded_to` bytes, so that its length tells
        nothing. Raises `InputError` for a second answer to one key.
        """
        if not settled:
            return
        rows = [
            (*self._place(each.key), each.entry.answer is None, encoded(each.entry, padded_to))
            for each in settled
            if each.entry is not None
        ]
        with self._transaction() as connection:
            try:
                connection.executemany(
                    "INSERT INTO answers (reader, prompt, repeat, is_error, entry)"
                    " VALUES (?, ?, ?, ?, ?)",
                    rows,
                )
            except sqlite3.IntegrityError as error:
                raise InputError(
                    f"{self.folder} has an answer to one of these prompts already",
                    "An answer is never replaced.",
                ) from error
            connection.executemany(
                f"DELETE FROM claims WHERE {_KEY}",  # noqa: S608 (ours)
                (self._place(each.key) for each in settled),
            )
            self._book(
                connection,
                settled[0].key.reader,
                -sum(each.unsent for each in settled),
                -sum(each.reserved for each in settled),
                sum(each.cost for each in settled),
            )

    def mean_latency(self, reader: str) -> float | None:
        """Return how long the last answers of a reader took, in seconds, those to test questions
        aside; None without any."""
        rows = self._rows(
            "SELECT entry FROM answers JOIN readers ON readers.id = answers.reader"
            " WHERE identity = ? AND NOT is_error"
            " AND answers.prompt NOT IN (SELECT prompt FROM sealed)"
            " ORDER BY answers.id DESC LIMIT ?",
            (reader, _RECENT),
        )
        latencies = [self._decoded(data).latency_seconds for (data,) in rows]
        return sum(latencies) / len(latencies) if latencies else None

    def seal(self, prompts: Iterable[str]) -> None:
        """Note that prompts are of test questions: their answers are not shown."""
        with self._transaction() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO sealed VALUES (?)",
                ((bytes.fromhex(prompt),) for prompt in prompts),
            )

    def is_sealed(self, prompt: str) -> bool:
        """Return whether a prompt is of a test question."""
        return bool(self._rows("SELECT 1 FROM sealed WHERE prompt = ?", (bytes.fromhex(prompt),)))

    def flush(self) -> None:
        """Have what was written survive a loss of power too."""
        self._rows("PRAGMA wal_checkpoint(PASSIVE)")

    def _not_to_take(self, keys: Sequence[AnswerKey]) -> dict[AnswerKey, Claim]:
        """Return what of the keys is answered, or asked by another process that is at work."""
        reader = keys[0].reader
        marks = ",".join("?" * len(keys))
        values = (self._place(keys[0])[0], *(key.digest for key in keys))
        claimed = self._rows(
            f"SELECT prompt, repeat, owner FROM claims WHERE reader = ? AND prompt IN ({marks})",  # noqa: S608 (ours)
            values,
        )
        answered = self._rows(
            "SELECT prompt, repeat FROM answers"  # noqa: S608 (ours)
            f" WHERE reader = ? AND prompt IN ({marks}) AND NOT is_error",
            values,
        )
        found = {
            AnswerKey(reader, prompt.hex(), repeat): Claim.BUSY
            for prompt, repeat, owner in claimed
            if self._is_alive(owner)
        }
        for prompt, repeat in answered:
            found[AnswerKey(reader, prompt.hex(), repeat)] = Claim.ANSWERED
        return found

    def _book(
        self, connection: sqlite3.Connection, reader: str, calls: int, reserved: int, charged: int
    ) -> None:
        if calls or reserved or charged:
            connection.execute(
                "UPDATE readers SET calls = calls + ?, reserved = reserved + ?,"
                " charged = charged + ? WHERE identity = ?",
                (calls, reserved, charged, reader),
            )

    def _entry(self, key: AnswerKey, kind: str) -> AnswerEntry | None:
        rows = self._find(key, kind, "entry")
        return self._decoded(rows[-1][0]) if rows else None

    def _find(self, key: AnswerKey, kind: str, columns: str) -> list[tuple[Any, ...]]:
        if self._number(key.reader) is None:
            return []
        return self._rows(
            f"SELECT {columns} FROM answers WHERE {_KEY} AND {kind} ORDER BY id",  # noqa: S608
            self._place(key),
        )

    def _decoded(self, data: bytes) -> AnswerEntry:
        return decode(ENTRY, data, place=f"{self._file.path}: an entry is damaged")

    def _place(self, key: AnswerKey) -> tuple[int, bytes, int]:
        number = self._number(key.reader)
        if number is None:
            raise InputError(f"{self.folder} knows no reader of identity {key.reader}")
        return number, key.digest, key.repeat

    def _number(self, reader: str) -> int | None:
        if reader not in self._numbers:
            rows = self._rows("SELECT id FROM readers WHERE identity = ?", (reader,))
            if not rows:
                return None
            self._numbers[reader] = rows[0][0]
        return self._numbers[reader]

    def _owned(self) -> str:
        if self._owner is None:
            self._owner = Owner(self.folder)
        return self._owner.token

    def _is_alive(self, owner: str) -> bool:
        """Return whether another process is at work; what is this one's own it may take again."""
        return owner != self._owned() and is_alive(self.folder, owner)

    def _rows(self, statement: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        with self._lock, self._file.named_errors():
            return self._file.connection.execute(statement, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._file.transaction() as connection:
            yield connection


def _is_ours(name: str) -> bool:
    """Return whether a killed process may have left it in a store that was never filled."""
    return name.startswith((FILE, ".")) or name == "sets"
