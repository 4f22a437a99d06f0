"""Single precision, as the selector has it: every sum, product and comparison is float32."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
"""A scalar stands for an array without axes."""


def clamp(values: Floats) -> Floats:
    """Return `values` within 0 and 1. NaN stays NaN, and -0.0 stays -0.0, which `numpy.clip` would
    not promise."""
    zero, one = np.float32(0), np.float32(1)
    clamped: Floats = np.where(values < zero, zero, np.where(values > one, one, values))[()]
    return clamped


def midpoint(left: Floats, right: Floats) -> Floats:
    """Return half the sum, added in double precision and narrowed once."""
    with np.errstate(invalid="ignore"):
        halved = (np.asarray(left, np.float64) + np.asarray(right, np.float64)) / 2
        narrowed: Floats = np.asarray(halved, np.float32)[()]
    return narrowed


def total_order(values: Floats) -> NDArray[np.int32]:
    """Return integers in the total order of the floats: -0.0 below 0.0, +NaN above +inf, -NaN
    lowest."""
    bits = np.atleast_1d(np.asarray(values, np.float32)).view(np.int32)
    ordered: NDArray[np.int32] = bits ^ ((bits >> 31) & np.int32(0x7FFFFFFF))
    return ordered


def in_total_order(place: int) -> np.float32:
    """Return the float at `place`, which `total_order` gives for it."""
    ordered = np.array([place], np.int32)
    bits = ordered ^ ((ordered >> 31) & np.int32(0x7FFFFFFF))
    return np.float32(bits.view(np.float32)[0])
