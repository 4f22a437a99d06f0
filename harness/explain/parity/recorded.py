"""A selection as some source recorded it: a line of a file, a run, an answer of another system.

No source says all that a `Selection` holds, and not all say the same. None stands for what a source
does not say; it is not compared.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import NamedTuple

from harness.model import Json, Omitted, Range


@dataclass(frozen=True, slots=True)
class TextByHash:
    """A text by the hex SHA-256 of its UTF-8 bytes; `text` is None where only that is known."""

    sha256: str
    text: str | None = field(default=None, compare=False)

    @classmethod
    def of(cls, text: str) -> TextByHash:
        return cls(hashlib.sha256(text.encode("utf-8")).hexdigest(), text)


class RankedPassage(NamedTuple):
    """A passage of a sequence with its ranks but the one by cosine, from 0."""

    record_id: str
    start: int
    end: int
    record_rank: int
    inside_rank: int


@dataclass(frozen=True, slots=True)
class RecordedSequence:
    """Passages in the policy's order.

    `cosine_ranks` (None inside for a passage without one) and `parts` (the words that the passage's
    own text holds) have an entry for each passage. `taken`: how many passages, from the first, are
    shown; None where the passages are the taken ones alone.
    """

    passages: tuple[RankedPassage, ...]
    cosine_ranks: tuple[int | None, ...] | None = None
    parts: tuple[tuple[str, ...], ...] | None = None
    taken: int | None = None


@dataclass(frozen=True, slots=True)
class ShownExcerpt:
    """What is quoted of a record that is not its item's head."""

    record_id: str
    ranges: tuple[Range, ...]
    content: TextByHash | None = None


@dataclass(frozen=True, slots=True)
class ShownItem:
    """What is shown of one item; `head` is the id of its head record."""

    head: str | None
    ranges: tuple[Range, ...]
    content: TextByHash | None = None
    excerpts: tuple[ShownExcerpt, ...] = ()


@dataclass(frozen=True, slots=True)
class Budget:
    """What a selection may use, and what that counts; both None for a policy without a budget."""

    amount: int | None
    unit: str | None


@dataclass(frozen=True, slots=True)
class RecordedSelection:
    """What a source says of one selection. `used` counts what its budget counts.

    `candidates`: the rows of a policy that scores candidates one by one, in the order of its walk,
    and `expansion`: what a lookup printed, as `harness.selection/1` has them.
    """

    items: tuple[ShownItem, ...]
    used: int
    sequence: RecordedSequence | None = None
    budget: Budget | None = None
    omitted: Omitted | None = None
    context: TextByHash | None = None
    candidates: tuple[dict[str, Json], ...] | None = None
    expansion: dict[str, Json] | None = None
