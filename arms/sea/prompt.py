"""The evidence as text before a query, within a budget of bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

HEADER = "[SEA evidence]\n"
QUERY_HEADER = "[query]\n"
LARGEST_PREAMBLE = 4_096
"""Bytes, whatever else is asked for."""


class Printed(Protocol):
    """What a line prints of an item."""

    @property
    def id(self) -> str: ...
    @property
    def profile(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def authority(self) -> str: ...
    @property
    def score(self) -> float | np.float32: ...
    @property
    def snippet(self) -> str: ...


@dataclass(frozen=True, slots=True)
class PromptItem:
    """A selected record as it is printed."""

    id: str
    profile: str
    kind: str
    authority: str
    score: float | np.float32
    snippet: str


@dataclass(frozen=True, slots=True)
class Preamble:
    """The header and the first `lines` items; empty where no line fits. `used` counts bytes."""

    text: str = ""
    lines: int = 0
    used: int = 0


def render_preamble(items: Iterable[Printed], max_bytes: int) -> Preamble:
    """Render a line for each item, in order, up to the first that does not fit `max_bytes` of
    UTF-8."""
    budget = min(max_bytes, LARGEST_PREAMBLE)
    pieces, used = [HEADER], len(HEADER)
    for item in items:
        line = _line(item)
        size = len(line.encode("utf-8", "surrogatepass"))
        if used + size > budget:
            break
        pieces.append(line)
        used += size
    lines = len(pieces) - 1
    return Preamble("".join(pieces), lines, used) if lines else Preamble()


def render_prompt(query: str, items: Iterable[Printed], max_bytes: int) -> str:
    """Render the preamble and the query, or the bare query where no line fits.

    `max_bytes`, at most 4,096, bound the preamble alone: the query is neither counted nor cut.
    """
    preamble = render_preamble(items, max_bytes)
    return preamble.text + QUERY_HEADER + query if preamble.lines else query


def _line(item: Printed) -> str:
    score = float(np.float32(item.score))
    return (
        f"- (vec {item.id}, profile={item.profile}, kind={item.kind}, "
        f"authority={item.authority}, score={score:.3f}): {item.snippet}\n"
    )
