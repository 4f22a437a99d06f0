"""What a recall is given and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from harness.model import Json


@dataclass(frozen=True, slots=True)
class RecordTexts:
    """The texts of one record of a haystack: no id, no date field and no label, since ids leak.

    `text`: the whole record. `blocks`: its block texts in order. `user_turns`: what the user said,
    turn by turn; empty where a dataset has no roles.
    """

    text: str
    blocks: tuple[str, ...] = ()
    user_turns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class UserTurnVectors:
    """Vectors of a question and of the user turns of each record, in the order of the records.

    `query`: float32 of shape (d,). `turns`: per record int8 of shape (turns of the record, d).
    """

    query: NDArray[np.float32]
    turns: Sequence[NDArray[np.int8]]


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a window.

    `position`: index into the records given. `rank`: 0-based, in the recall's ranking of all
    records; for a reserved place, in the ranking of all records by their best block. `score`: the
    one that ranking is by.
    """

    position: int
    rank: int
    score: float
    reserved: bool


@runtime_checkable
class Recall(Protocol):
    """A way of choosing the window of a question; the same input gives the same window.

    The window does not depend on the order of `records`, except between records of equal text.
    """

    @property
    def name(self) -> str: ...

    @property
    def needs_user_turn_vectors(self) -> bool: ...

    def fingerprint(self) -> dict[str, Json]:
        """Return every setting and library version that the window depends on, for manifests."""
        ...

    def window(
        self,
        question: str,
        records: Sequence[RecordTexts],
        *,
        items: int,
        reserved: int,
        vectors: UserTurnVectors | None,
    ) -> tuple[Place, ...]:
        """Return the first `items` records, best first, then up to `reserved` of the others."""
        ...
