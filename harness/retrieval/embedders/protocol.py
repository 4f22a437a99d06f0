"""What an embedder is."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class Embedder(Protocol):
    """Turns a text into a vector; the same text gives the same bytes on one machine.

    `licence` is that of the weights. `fingerprint` is a hex SHA-256 over everything that makes the
    vectors what they are: name, version, the hash of the weights, settings.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def licence(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    def embed(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one text, float32 of shape (dimension,); never called with white
        space."""
        ...
