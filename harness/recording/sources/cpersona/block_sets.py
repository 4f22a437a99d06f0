"""Which records have a current block set, and what ranks the ones that have none.

A set is current if its rows follow each other from 0 to the end of the text, all have an int8
vector and the label of an embedder that the server reports, and every node that ends inside the
text ends with a block (evidence allocation, current block set).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum

import numpy as np

from harness.model import BlockSet, divide

from .store import BlockRow


class BlockState(Enum):
    """What a record's block rows are worth, as the manifest names it."""

    CURRENT = "current"
    ONE_BLOCK = "one_block"
    """The text is one block, for which a store keeps no row."""
    ABSENT = "no_blocks"
    OTHER_TEXT = "blocks_of_another_text"
    OTHER_LABEL = "blocks_of_another_embedder"
    OTHER_NODES = "blocks_across_a_node"
    WITHOUT_INT8 = "int8_missing"
    OTHER_WIDTH = "int8_of_another_width"

    @property
    def meaning(self) -> str:
        """State as a message names it, after the word `record` or `records`."""
        return _MEANINGS[self]


_MEANINGS = {
    BlockState.CURRENT: "with a current block set",
    BlockState.ONE_BLOCK: "of one block",
    BlockState.ABSENT: "without blocks, though the text divides into several",
    BlockState.OTHER_TEXT: "whose blocks do not cover the text (they are of an old one)",
    BlockState.OTHER_LABEL: "whose blocks have another embedder's label",
    BlockState.OTHER_NODES: "whose blocks run across the end of a node",
    BlockState.WITHOUT_INT8: "whose blocks lack int8 vectors",
    BlockState.OTHER_WIDTH: "whose int8 vectors have another width than the query's",
}
NOT_CURRENT = (
    BlockState.ABSENT,
    BlockState.OTHER_TEXT,
    BlockState.OTHER_LABEL,
    BlockState.OTHER_NODES,
)
"""The states of a stale store."""
WITHOUT_VECTORS = (BlockState.WITHOUT_INT8, BlockState.OTHER_WIDTH)
"""The states in which the int8 vectors cannot be used."""
RANKED_LEXICALLY = "ranked lexically; the reference would use bits"


def boundary_state(
    text: str, rows: Sequence[BlockRow], node_ends: Sequence[int], labels: Collection[str]
) -> BlockState:
    """Return the state as far as offsets and labels tell: `CURRENT` stands for those with vectors
    too."""
    inside = [end for end in node_ends if 0 < end < len(text)]
    if not rows:
        alone = len(divide(text)) <= 1 and not inside
        return BlockState.ONE_BLOCK if alone else BlockState.ABSENT
    if not _covers(text, rows):
        return BlockState.OTHER_TEXT
    if any(row.label not in labels for row in rows):
        return BlockState.OTHER_LABEL
    if not {row.end for row in rows}.issuperset(inside):
        return BlockState.OTHER_NODES
    return BlockState.CURRENT


def recorded_blocks(
    text: str,
    rows: Sequence[BlockRow],
    node_ends: Sequence[int],
    labels: Collection[str],
    width: int | None,
) -> tuple[BlockState, BlockSet | None]:
    """Return the blocks that a recording has of a record whose rows come with their vectors.

    There are none for a record that a policy divides itself. `width`: components of the queries'
    vectors; None where no question has one. A set without all its int8 vectors does not count to
    the reference, which divides the text again. One of another width keeps its blocks, and the
    reference ranks it by its bits, which a recording does not have.
    """
    state = boundary_state(text, rows, node_ends, labels)
    if state is not BlockState.CURRENT:
        return state, None
    vectors = [row.vector for row in rows if row.vector is not None]
    if len(vectors) < len(rows):
        return BlockState.WITHOUT_INT8, None
    starts = np.array([row.start for row in rows], dtype=np.int32)
    ends = np.array([row.end for row in rows], dtype=np.int32)
    if any(len(vector) != width for vector in vectors):
        return BlockState.OTHER_WIDTH, BlockSet(starts, ends, None)
    components = np.frombuffer(b"".join(vectors), dtype=np.int8)
    return state, BlockSet(starts, ends, components.reshape(len(rows), -1))


def _covers(text: str, rows: Sequence[BlockRow]) -> bool:
    """Return whether the rows are numbered from 0 and follow each other from 0 to the end of the
    text."""
    reached = 0
    for index, row in enumerate(rows):
        if row.index != index or row.start != reached or row.end <= row.start:
            return False
        reached = row.end
    return reached == len(text)
