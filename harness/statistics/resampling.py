"""Seeded resampling of questions, alone or in clusters: who is drawn how often.

All Monte Carlo of the harness draws here, so that one seed means one set of resamples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_DRAWS_IN_MEMORY = 1_000_000


def units_of(clusters: Sequence[str] | None, count: int) -> NDArray[np.intp]:
    """Return the unit that each of `count` questions is drawn with, numbered from 0 in order of the
    clusters' labels; without clusters, every question is a unit."""
    if clusters is None:
        return np.arange(count)
    return np.unique(np.asarray(clusters, dtype=object), return_inverse=True)[1].astype(np.intp)


def exactly_summable(columns: Array, draws: int) -> Array:
    """Compute values rounded to so coarse a binary grid that any sum of `draws` of them is exact.

    A sum that is exact is the same in any order, so the limits do not depend on the processor, the
    linear algebra library, or how many columns are summed at once. The grid is about 2^-52 of the
    greatest possible sum; whole numbers stay as they are while that sum is below 2^52.
    """
    greatest = np.abs(columns).max(axis=0) * draws
    exponent = np.ceil(np.log2(np.where(greatest > 0, greatest, 1.0))) - 52
    # below the smallest exponent the grid itself would be 0
    grid = np.exp2(np.maximum(exponent, np.finfo(np.float64).minexp))
    summable: Array = np.rint(columns / grid) * grid
    return summable


def drawn_counts(units: int, resamples: int, seed: int) -> Iterator[Array]:
    """Yield how often each unit is drawn in each resample: blocks of shape (some resamples, units).

    The indexes are those of `Generator(PCG64(seed)).integers(0, units, (resamples, units))`, row by
    row; the size of the blocks only bounds the memory.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    rows = max(1, _DRAWS_IN_MEMORY // units)
    for first in range(0, resamples, rows):
        block = min(rows, resamples - first)
        drawn = generator.integers(0, units, (block, units))
        drawn += np.arange(block)[:, None] * units
        counts = np.bincount(drawn.ravel(), minlength=block * units)
        yield counts.reshape(block, units).astype(np.float64)
