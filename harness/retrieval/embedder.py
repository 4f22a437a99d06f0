"""What an embedder is, and which there are.

An embedder is a plug-in, found through the entry-point group `harness.embedders`. It is given one
text at a time, since the bytes of a vector may depend on what else is in a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from harness.errors import UsageError, nearest
from harness.registry import Registry, lacks


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


_FACTORY = "a function that returns a harness.retrieval.Embedder"
_fault_of = lacks(Embedder, "name", "dimension", "licence", "fingerprint", "embed")

EMBEDDERS: Registry[Callable[[Mapping[str, str]], Embedder]] = Registry(
    "harness.embedders",
    lambda loaded: "" if callable(loaded) else f"is {type(loaded).__name__}, not a function",
    "embedder",
    wanted=_FACTORY,
)


def embedder_names() -> list[str]:
    """List the names of the installed embedders, sorted; import nothing."""
    return EMBEDDERS.names()


def load_embedder(name: str, options: Mapping[str, str]) -> Embedder:
    """Load the embedder of that name and create it with these options.

    Raises `UsageError` for an unknown name or option, and when the packages it needs are missing.
    """
    create = EMBEDDERS.load(name)
    where = f"the embedder {name!r} of {EMBEDDERS.source(name)}"
    try:
        embedder = create(options)
    except ImportError as error:
        raise UsageError(f"{where} cannot be made ({error})", "Install what it needs.") from error
    fault = _fault_of(embedder)
    if fault:
        raise UsageError(f"{where} {fault}", f"Its entry point must name {_FACTORY}.")
    return embedder


def check_options(embedder: str, options: Mapping[str, str], known: Mapping[str, str]) -> None:
    """Refuse options that are not in `known` (name to meaning), all of them together."""
    unknown = [option for option in options if option not in known]
    if not unknown:
        return
    names = ", ".join(f"{option!r}{nearest(option, known)}" for option in unknown)
    meanings = "; ".join(f"{option}: {meaning}" for option, meaning in known.items())
    raise UsageError(
        f"the embedder {embedder} has no option {names}", f"It takes {meanings or 'no options'}."
    )


LARGEST = 127.0
SMALLEST_FLOAT32_PEAK = 1e-36  # below it the factor overflows float32


def quantise(vector: NDArray[np.floating]) -> NDArray[np.int8]:
    """Return the vector times 127 / its largest absolute component, rounded half to even; shape
    (d,).

    The scale is dropped, so only the direction is kept. An all-zero vector has none and raises
    `ValueError`, as does NaN or infinity. Source: the reference facts of evidence allocation.
    """
    peak = float(np.max(np.abs(vector), initial=0.0))
    if not np.isfinite(peak) or not np.isfinite(vector).all():
        raise ValueError("the vector holds NaN or infinity")
    if peak == 0.0:
        raise ValueError("the vector is all zeros and has no direction")
    if peak < SMALLEST_FLOAT32_PEAK:
        vector = vector.astype(np.float64)
    cells: NDArray[np.int8] = np.rint(vector * (LARGEST / peak)).astype(np.int8)
    return cells
