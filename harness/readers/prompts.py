"""Distinct prompts, kept in a temporary file so that memory does not grow with their texts."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from .reply import Prompt


class PromptSpool:
    """Prompts by their hash, each text once; the file goes away with it. For several threads."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="harness-prompts-")  # noqa: SIM115 (kept open)
        self._lock = threading.Lock()
        self._places: dict[bytes, tuple[int, int]] = {}
        self._end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        """Yield the hashes, in the order in which their texts came first."""
        return (digest.hex() for digest in self._places)

    def add(self, text: str) -> str:
        """Keep a text, unless it is kept already; return its hash."""
        digest = Prompt(text).sha256
        key = bytes.fromhex(digest)
        if key not in self._places:
            data = text.encode("utf-8")
            with self._lock:
                self._file.seek(self._end)
                self._file.write(data)
            self._places[key] = (self._end, len(data))
            self._end += len(data)
        return digest

    def text(self, digest: str) -> str:
        """Return the text of that hash."""
        place, length = self._places[bytes.fromhex(digest)]
        with self._lock:
            self._file.seek(place)
            return self._file.read(length).decode("utf-8")
