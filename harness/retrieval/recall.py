"""What a recall is given, what it gives back, and which there are.

A recall chooses which records of a haystack a case's window holds, and in which order. It is a
plug-in, found through the entry-point group `harness.recalls`; it is given texts only, and is named
in every result, because a better recall changes what selection can gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from harness.model import Json
from harness.registry import Registry, lacks


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


RECALLS: Registry[Recall] = Registry(
    "harness.recalls",
    lacks(Recall, "name", "needs_user_turn_vectors", "fingerprint", "window"),
    "recall",
    wanted="an object as harness.retrieval.Recall describes",
)


def recall_names() -> list[str]:
    """List the names of the installed recalls, sorted; import nothing."""
    return RECALLS.names()


def load_recall(name: str) -> Recall:
    """Load the recall of that name; raises `UsageError` with the nearest name and the list."""
    return RECALLS.load(name)
