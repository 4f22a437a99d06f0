"""Floats by their bits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


def floats(bits: list[int] | int) -> Floats:
    """The float32 values of these bits."""
    return np.array(bits, np.uint32).view(np.float32)


def same_bits(value: npt.ArrayLike, bits: list[int] | int) -> bool:
    """Whether `value` is float32 with these bits; the payload of a NaN says nothing."""
    found = np.asarray(value)
    assert found.dtype == np.float32
    wanted = floats(bits)
    both_nan = np.isnan(found) & np.isnan(wanted)
    equal = found.view(np.uint32) == wanted.view(np.uint32)
    return bool(found.shape == wanted.shape and (both_nan | equal).all())
