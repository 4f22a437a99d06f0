"""A file of SQLite that several processes write, with its errors said as messages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from harness.errors import HarnessError, InputError

from .atomic import storage_error

BUSY_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class SqliteFormat:
    """What a file is: its `application` id in the header of every SQLite file, the `version` of its
    tables, and the statements that make them, separated by `;` at a line's end.

    `noun` names the file in messages, `kept` what is safe when a disk is full, `other` what to
    choose in place of a file that is something else, and `hint` what to do with a damaged one.
    """

    noun: str
    application: int
    version: int
    tables: str
    kept: str
    other: str
    hint: str


class SqliteFile:
    """An open file, made if it is missing. Safe for several processes at once.

    Raises `InputError` for a file that is damaged or something else, `HarnessError` where the file
    system refuses.
    """

    def __init__(self, path: Path, form: SqliteFormat, *, threads: bool = False) -> None:
        self.path = path
        self._form = form
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise storage_error(error, path) from error
        with self.named_errors():
            self.connection = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=not threads
            )
        try:
            self._prepare()
        except BaseException:
            self.connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.connection.close()

    @contextmanager
    def transaction(self, kind: str = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """Do all of the block or none of it; the file is this process's alone meanwhile."""
        with self.named_errors():
            self.connection.execute(f"BEGIN {kind}")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:  # some errors have rolled it back already
                    self.connection.execute("ROLLBACK")
                raise

    @contextmanager
    def named_errors(self) -> Iterator[None]:
        """Turn the errors of SQLite into messages."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise self._refused(error) from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise self.damaged(str(error)) from error

    def damaged(self, reason: str) -> InputError:
        """Describe a file that cannot be read."""
        return InputError(
            f"{self.path}: the {self._form.noun} is damaged ({reason})", self._form.hint
        )

    def _prepare(self) -> None:
        with self.transaction("DEFERRED"):
            [(tables,)] = self.connection.execute("SELECT count(*) FROM sqlite_master")
            [(application,)] = self.connection.execute("PRAGMA application_id")
            [(version,)] = self.connection.execute("PRAGMA user_version")
        if tables and application != self._form.application:
            raise InputError(
                f"{self.path} is an SQLite file, but not a {self._form.noun}", self._form.other
            )
        if tables and version != self._form.version:
            raise InputError(
                f"{self.path}: the {self._form.noun} has format {version}, this harness reads "
                f"{self._form.version}",
                self._form.hint,
            )
        if not tables:  # before WAL, so that the file's own header says what it is
            self._create()
        with self.named_errors():
            self._write_ahead()

    def _create(self) -> None:
        with self.transaction():
            for statement in self._form.tables.strip().split(";\n"):
                self.connection.execute(statement)
            self.connection.execute(f"PRAGMA application_id = {self._form.application}")
            self.connection.execute(f"PRAGMA user_version = {self._form.version}")

    def _write_ahead(self) -> None:
        """Write ahead: readers never wait for a writer, and a commit is cheap."""
        try:
            self.connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # the switch never waits; whoever opens the file next makes it
            if not _is_locked(error):
                raise
        self.connection.execute("PRAGMA synchronous = NORMAL")

    def _refused(self, error: sqlite3.OperationalError) -> HarnessError:
        code = error.sqlite_errorname
        if code == "SQLITE_FULL":
            return HarnessError(
                f"no room left on the disk while writing {self.path}",
                f"Free some space and run the same command again: {self._form.kept} are kept.",
            )
        if _is_locked(error):
            return HarnessError(
                f"{self.path} was locked by another process for {BUSY_SECONDS:.0f} seconds",
                f"Wait for the other process. {self._form.other}",
            )
        if code.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_PERM")):
            return HarnessError(
                f"cannot use {self.path}: {error}", "Check the path and its permissions."
            )
        return self.damaged(str(error))


def _is_locked(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorname.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
