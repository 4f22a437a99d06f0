"""The reference embedder: hashed n-grams of bytes in 32 dimensions.

An arm that has recorded vectors does not need it. It is Zig's Wyhash of every gram of one to three
bytes, restated for those lengths alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .single import Floats

DIMENSIONS = 32
GRAM_WEIGHTS = {1: 0.5, 2: 1.0, 3: 1.5}

_SECRETS = (0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3)
_LOW_32 = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)

Words = NDArray[np.uint64]


def embed(text: str) -> Floats:
    """Return the unit vector of `text`, float32 (32,); the first axis for a text whose sum is zero.

    ASCII case does not matter. Each gram adds its weight to one dimension, with a sign.
    """
    data = np.frombuffer(text.encode("utf-8", "surrogatepass").lower(), np.uint8)
    sums = np.zeros(DIMENSIONS, np.float32)
    for width, weight in GRAM_WEIGHTS.items():
        hashes = _hashes(data, width)
        bucket = (hashes % np.uint64(DIMENSIONS)).astype(np.intp)
        sign = np.where(hashes >> np.uint64(63), -weight, weight)
        sums += np.bincount(bucket, sign, DIMENSIONS).astype(np.float32)
    # cumsum adds left to right in float32, as the original does; sum would add in pairs and round
    # otherwise
    squares = np.cumsum(sums * sums, dtype=np.float32)[-1]
    if not squares > 0:
        first: Floats = np.eye(1, DIMENSIONS, dtype=np.float32)[0]
        return first
    unit: Floats = sums / np.sqrt(squares)
    return unit


def _hashes(data: NDArray[np.uint8], width: int) -> Words:
    """Compute Wyhash of every gram of `width` bytes, seeded with `width`; uint64 (n,)."""
    count = max(len(data) - width + 1, 0)
    first, middle, last = (
        data[at : at + count].astype(np.uint64) for at in (0, width >> 1, width - 1)
    )
    packed = (first << np.uint64(16)) | (middle << np.uint64(8)) | last
    first_secret, second_secret = np.uint64(_SECRETS[0]), np.uint64(_SECRETS[1])
    seed = np.full(count, width, np.uint64)
    state = seed ^ _mix(seed ^ first_secret, np.full(count, second_secret))
    low, high = _product(packed ^ second_secret, state)
    return _mix(low ^ first_secret ^ np.uint64(width), high ^ second_secret)


def _mix(left: Words, right: Words) -> Words:
    low, high = _product(left, right)
    return low ^ high


def _product(left: Words, right: Words) -> tuple[Words, Words]:
    """Return the low and the high 64 bits of the 128-bit products."""
    left_low, left_high = left & _LOW_32, left >> _HALF
    right_low, right_high = right & _LOW_32, right >> _HALF
    lowest = left_low * right_low
    crossed = left_high * right_low + (lowest >> _HALF)
    carried = left_low * right_high + (crossed & _LOW_32)
    high = left_high * right_high + (crossed >> _HALF) + (carried >> _HALF)
    return left * right, high
