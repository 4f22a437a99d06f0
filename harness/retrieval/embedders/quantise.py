"""int8 vectors of float32 ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
