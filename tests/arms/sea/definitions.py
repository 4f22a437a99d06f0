"""The selector's rules for one candidate, a float32 at a time: what the arrays must equal."""

from __future__ import annotations

import math
import re

import numpy as np

from arms.sea import Metadata

f32 = np.float32
Vector = list[np.float32]

DELTAS = {
    "code_repair": (-0.05, 0, 0.05, 0.05, 0, 0, 0, 0.05),
    "project_recall": (-0.10, 0.05, 0, 0, 0.10, 0, 0, 0),
    "benchmark_review": (-0.05, 0, 0.05, 0, 0, 0, 0, 0.10),
}


def clamp(value: np.float32) -> np.float32:
    if value < 0:
        return f32(0)
    return f32(1) if value > 1 else value


def score(signals: Vector, weights: Vector) -> np.float32:
    total = signals[0] * weights[0]
    for signal, weight in zip(signals[1:], weights[1:], strict=True):
        total = f32(total + f32(signal * weight))
    return clamp(f32(total))


def adjusted(weights: Vector, task: str) -> Vector:
    deltas = DELTAS.get(task, (0,) * 8)
    return [f32(w + f32(d)) if d else w for w, d in zip(weights, deltas, strict=True)]


def midpoint(left: np.float32, right: np.float32) -> np.float32:
    return f32((float(left) + float(right)) / 2)


def score_for_plan(signals: Vector, weights: Vector, task: str, exact: bool) -> np.float32:
    weighted = score(signals, adjusted(weights, task))
    if not exact:
        return weighted
    return clamp(midpoint(weighted, midpoint(signals[0], signals[1])))


def semantic(cosine: np.float32) -> np.float32:
    if not math.isfinite(cosine):
        return f32(0)
    within = f32(-1) if cosine < -1 else f32(1) if cosine > 1 else cosine
    return f32(f32(within + f32(1)) / f32(2))


def keyword(query: str, text: str) -> np.float32:
    def folded(value: str) -> str:
        return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in value)

    tokens = [t for t in re.split(r"[ \t\n\r.,;:!?\"'()\[\]{}<>/\\]", query) if t]
    significant = [t for t in tokens if len(t.encode()) >= 3]
    if not significant:
        return f32(0)
    matched = [t for t in significant if folded(t) in folded(text)]
    return f32(f32(len(matched)) / f32(len(significant)))


def recency(timestamp_ms: int | None, latest_ms: int | None) -> np.float32:
    if timestamp_ms is None or latest_ms is None:
        return f32(0)
    age = min(max(latest_ms - timestamp_ms, 0), 2**63 - 1)
    return f32(f32(1) / f32(f32(1) + f32(f32(age) / f32(2_592_000_000))))


def metadata(one: Metadata, query: str) -> np.float32:
    if not one.valid:
        return f32(0)
    value = f32(0.25)
    if one.project is not None and one.project.lower() in query.lower():
        value = f32(value + f32(0.40))
    if one.kind in ("constraint", "project_decision"):
        value = f32(value + f32(0.20))
    return clamp(f32(value + f32(f32(0.15) * one.importance)))


def wyhash(data: bytes, seed: int) -> int:
    """Zig's Wyhash of one to three bytes."""
    low, word = 2**64 - 1, (0xA0761D6478BD642F, 0xE7037ED1A0B428DB)

    def mix(left: int, right: int) -> int:
        return (left * right & low) ^ (left * right >> 64)

    state = seed ^ mix(seed ^ word[0], word[1])
    packed = data[0] << 16 | data[len(data) >> 1] << 8 | data[-1]
    product = (packed ^ word[1]) * state
    return mix((product & low) ^ word[0] ^ len(data), (product >> 64) ^ word[1])


def embedding(text: str) -> Vector:
    data = text.encode().lower()
    sums = [f32(0)] * 32
    for width in (1, 2, 3):
        for start in range(len(data) - width + 1):
            hashed = wyhash(data[start : start + width], width)
            added = f32(0.5 * width)
            sums[hashed % 32] = f32(sums[hashed % 32] + (-added if hashed >> 63 else added))
    squares = f32(0)
    for value in sums:
        squares = f32(squares + f32(value * value))
    if squares == 0:
        return [f32(1)] + [f32(0)] * 31
    return [f32(value / np.sqrt(squares)) for value in sums]
