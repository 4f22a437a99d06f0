"""Distinct int8 vectors in a temporary file, so that memory does not grow with them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import IO

from .entries import BlockKey

NO_VECTOR = -1
"""Stands for the vector of a block that has none."""


class VectorSpool:
    """Numbers vectors of one width in the order of their first use; gives them back by number.

    `width`: their dimensions, None as long as none is known.
    """

    def __init__(self, stream: IO[bytes], width: int | None = None) -> None:
        self.width = width
        self._stream = stream
        self._numbers: dict[bytes, int] = {}

    def number_of(self, vector: bytes | None) -> int:
        """The number of a vector; equal ones have one number."""
        if vector is None:
            return NO_VECTOR
        digest = hashlib.sha256(vector).digest()
        number = self._numbers.get(digest)
        if number is None:
            number = self._numbers[digest] = len(self._numbers)
            self._stream.write(vector)
        return number

    def vectors_of(self, keys: Sequence[BlockKey]) -> list[bytes | None]:
        """The vectors of blocks, for the builder."""
        return [None if number == NO_VECTOR else self._read(number) for _, number in keys]

    def _read(self, number: int) -> bytes:
        width = self.width or 0
        self._stream.seek(number * width)
        return self._stream.read(width)
