"""Vectors of texts, from the cache, embedding what is missing."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.decode import quoted
from harness.errors import InputError
from harness.progress import progress
from harness.words import counted

from .cache import VectorCache, VectorKind, damaged
from .embedder import load_embedder, quantise
from .embedding import embed_all

COMMIT_EVERY = 256  # texts; with the seconds below, what a kill can lose
COMMIT_SECONDS = 2.0
_LOOKUP_EVERY = 10_000
_QUERY_TYPE = np.dtype("<f4")
_PROBE_TOLERANCE = 1e-3
"""Of the largest component: the same model on other hardware differs by less."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """Distinct texts that were embedded now, and that the cache had already."""

    new: int
    cached: int


class VectorSource:
    """An embedder with its cache: what a recorder takes vectors from.

    The bytes depend on the embedder and the text alone, never on `jobs` or on what else is asked
    for. A whitespace-only text has a zero vector and is never embedded. Errors are those of
    `load_embedder` and `VectorCache`.
    """

    def __init__(
        self,
        embedder: str,
        options: Mapping[str, str],
        cache: Path,
        *,
        jobs: int = 1,
        quiet: bool = False,
    ) -> None:
        self._asked_for = (embedder, dict(options))
        self._embedder = load_embedder(embedder, options)
        self._cache = VectorCache(cache)
        self._number = self._cache.register(self._embedder)
        try:
            self._check_probe()
        except BaseException:
            self._cache.close()
            raise
        self._jobs = jobs
        self._quiet = quiet

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def licence(self) -> str:
        return self._embedder.licence

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    @property
    def described(self) -> dict[str, str | int]:
        """What a recording says of its embedder."""
        return {
            "name": self.name,
            "fingerprint": self.fingerprint,
            "dimension": self.dimension,
            "licence": self.licence,
        }

    def close(self) -> None:
        """Close the cache file."""
        self._cache.close()

    def ensure_blocks(self, texts: Iterable[str]) -> Embedded:
        """Embed the block texts that the cache lacks; an interrupt keeps what is done."""
        return self._ensure(VectorKind.BLOCK, texts)

    def ensure_queries(self, texts: Iterable[str]) -> Embedded:
        """Embed the query texts that the cache lacks; an interrupt keeps what is done."""
        return self._ensure(VectorKind.QUERY, texts)

    def _check_probe(self) -> None:
        """Refuse a server that answers otherwise than when the cache got its vectors."""
        probe = getattr(self._embedder, "probe", None)
        if probe is None:
            return
        text, vector = probe
        key = _digest(text)
        stored = self._cache.find(self._number, VectorKind.PROBE, [key]).get(key)
        if stored is None:
            pair = (key, vector.astype(_QUERY_TYPE).tobytes())
            self._cache.add(self._number, VectorKind.PROBE, [pair])
            return
        known = self._decode(stored, _QUERY_TYPE).astype(np.float64)
        room = _PROBE_TOLERANCE * float(np.abs(known).max(initial=0.0))
        if np.abs(known - vector).max(initial=0.0) > room:
            raise InputError(
                f"the embedder {self.name} answers a probe otherwise than {self._cache.path} knows "
                "of its identity: it is another model",
                "Give it another identity, such as --embedder-option identity=MODEL-2.",
            )

    def count_missing(self, texts: Iterable[str]) -> int:
        """Return how many distinct block texts the cache lacks."""
        return sum(len(missing) for missing, _ in self._lookups(VectorKind.BLOCK, texts))

    def blocks(self, texts: Sequence[str]) -> NDArray[np.int8]:
        """Return int8 of shape (texts, d), by `quantise`; embeds what the cache lacks."""
        return self._rows(VectorKind.BLOCK, texts, np.dtype(np.int8)).astype(np.int8, copy=False)

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32 of shape (texts, d), as the embedder gave them; embeds what the cache
        lacks."""
        return self._rows(VectorKind.QUERY, texts, _QUERY_TYPE).astype(np.float32, copy=False)

    def _ensure(self, kind: VectorKind, texts: Iterable[str]) -> Embedded:
        missing: dict[bytes, str] = {}
        cached = 0
        for lacking, known in self._lookups(kind, texts):
            missing |= lacking
            cached += known
        if missing:
            self._embed(kind, missing)
        return Embedded(len(missing), cached)

    def _lookups(
        self, kind: VectorKind, texts: Iterable[str]
    ) -> Iterator[tuple[dict[bytes, str], int]]:
        """Yield, per chunk, the distinct texts that the cache lacks and the number that it has."""
        distinct = _distinct(texts)
        while chunk := dict(islice(distinct, _LOOKUP_EVERY)):
            known = self._cache.known(self._number, kind, chunk)
            yield {key: text for key, text in chunk.items() if key not in known}, len(known)

    def _embed(self, kind: VectorKind, missing: Mapping[bytes, str]) -> None:
        encode = self._block_bytes if kind is VectorKind.BLOCK else self._query_bytes
        keys, texts = list(missing), list(missing.values())
        label = f"embed {'blocks' if kind is VectorKind.BLOCK else 'questions'}"
        pending: list[tuple[bytes, bytes]] = []
        committed = time.monotonic()
        with closing(embed_all(self._embedder, self._asked_for, texts, self._jobs)) as vectors:
            for index, vector in progress(
                vectors, total=len(texts), label=label, unit="text", quiet=self._quiet
            ):
                pending.append((keys[index], encode(texts[index], vector)))
                late = time.monotonic() - committed > COMMIT_SECONDS
                if late or len(pending) >= COMMIT_EVERY:
                    self._cache.add(self._number, kind, pending)
                    pending.clear()
                    committed = time.monotonic()
        self._cache.add(self._number, kind, pending)

    def _rows(
        self, kind: VectorKind, texts: Sequence[str], dtype: np.dtype[np.generic]
    ) -> NDArray[np.generic]:
        keys = [None if is_blank(text) else _digest(text) for text in texts]
        wanted = {key for key in keys if key is not None}
        vectors = self._cache.find(self._number, kind, wanted)
        if len(vectors) < len(wanted):
            self._ensure(kind, texts)
            vectors = self._cache.find(self._number, kind, wanted)
        rows = np.zeros((len(texts), self.dimension), dtype=dtype)
        for row, key in enumerate(keys):
            if key is not None:
                rows[row] = self._decode(vectors[key], dtype)
        return rows

    def _decode(self, vector: bytes, dtype: np.dtype[np.generic]) -> NDArray[np.generic]:
        if len(vector) != self.dimension * dtype.itemsize:
            raise damaged(
                self._cache.path,
                f"a vector of {counted(len(vector), 'byte')} where "
                f"{self.dimension * dtype.itemsize} belong",
            )
        return np.frombuffer(vector, dtype=dtype)

    def _block_bytes(self, text: str, vector: NDArray[np.float32]) -> bytes:
        try:
            return quantise(vector).tobytes()
        except ValueError as error:
            raise InputError(f"the embedder {self.name}: {error}; text {quoted(text)}") from error

    def _query_bytes(self, text: str, vector: NDArray[np.float32]) -> bytes:
        return vector.astype(_QUERY_TYPE, copy=False).tobytes()


def is_blank(text: str) -> bool:
    """Return whether the text is empty or white space alone."""
    return not text.strip()


def _distinct(texts: Iterable[str]) -> Iterator[tuple[bytes, str]]:
    """Yield each distinct text that is not blank, with its digest, in the order of first
    appearance."""
    seen: set[bytes] = set()
    for text in texts:
        if not is_blank(text) and (key := _digest(text)) not in seen:
            seen.add(key)
            yield key, text


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8")).digest()
