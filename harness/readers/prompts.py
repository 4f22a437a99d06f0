"""Distinct prompts, kept in a temporary file so that memory does not grow with them."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Iterator
from typing import Any, Self

from .reply import Prompt

_AT_ONCE = 1000


class PromptSpool:
    """Prompts by their hash, each text once; the file goes away with it. For several threads."""

    def __init__(self) -> None:
        # an empty name is a file that SQLite deletes when it is closed
        self._file = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._file.execute("CREATE TABLE prompts (digest BLOB PRIMARY KEY, text TEXT NOT NULL)")
        self._file.create_function("place", 3, _place, deterministic=True)
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __len__(self) -> int:
        return int(self._rows("SELECT count(*) FROM prompts", ())[0][0])

    def __iter__(self) -> Iterator[str]:
        """Yield every hash, in code point order."""
        return self._digests("SELECT digest FROM prompts ORDER BY digest", ())

    def add(self, text: str) -> str:
        """Keep a text, unless it is kept already; return its hash."""
        digest = Prompt(text).sha256
        self._rows("INSERT OR IGNORE INTO prompts VALUES (?, ?)", (bytes.fromhex(digest), text))
        return digest

    def text(self, digest: str) -> str:
        """Return the text of that hash."""
        rows = self._rows("SELECT text FROM prompts WHERE digest = ?", (bytes.fromhex(digest),))
        return str(rows[0][0])

    def shuffled(self, seed: int, repeat: int) -> Iterator[str]:
        """Yield every hash, in an order that depends on the seed and the repeat.

        The order is that of the SHA-256 of `SEED:REPEAT:HASH`, so that two prompts come in the same
        order whatever else is asked.
        """
        return self._digests(
            "SELECT digest FROM prompts ORDER BY place(?, ?, digest)", (seed, repeat)
        )

    def _digests(self, statement: str, values: tuple[Any, ...]) -> Iterator[str]:
        with self._lock:
            rows = self._file.execute(statement, values)
        while True:
            with self._lock:
                some = rows.fetchmany(_AT_ONCE)
            if not some:
                return
            yield from (digest.hex() for (digest,) in some)

    def _rows(self, statement: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._file.execute(statement, values).fetchall()


def _place(seed: int, repeat: int, digest: bytes) -> bytes:
    return hashlib.sha256(f"{seed}:{repeat}:{digest.hex()}".encode()).digest()
