"""The part of a passage that was cut off, as far as a run and its recording tell.

A passage is made of whole blocks. One that is too long for its arm is cut to its first characters,
so it ends inside a block: a passage, or a quoted range, that ends neither at a block's end nor at
the end of its record was *cut*. Its *rest* is the text from there up to the first of

- the start of the next passage that was offered of the record (of a point without a stored
  sequence: of the next quoted range);
- the last block end within 1,478 characters of the passage's start, twice the longest block: no
  governing range is longer. At least the block that was cut is part of the rest.

A passage that happens to be cut at the end of a block cannot be told from one that ends there, and
has no rest.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from harness.model import MAX_BLOCK_CHARACTERS, Range

from .turns import RecordBlocks

LONGEST_PASSAGE = 2 * MAX_BLOCK_CHARACTERS


def rests(
    record: RecordBlocks, shown: Iterable[Range], offered: Sequence[Range]
) -> tuple[Range, ...]:
    """The rests of those of the passages `shown` that were cut; `offered` are all of the record's
    passages, in any order."""
    starts = sorted(start for start, _ in offered)
    found = []
    for start, end in shown:
        stop = _rest_end(record, start, end, starts)
        if stop > end:
            found.append((end, stop))
    return tuple(found)


def _rest_end(record: RecordBlocks, start: int, end: int, starts: Sequence[int]) -> int:
    """Where the rest of the passage ends; `end` where it was not cut."""
    ends = record.block_ends
    cut = bisect_left(ends, end)
    if end >= record.length or cut == len(ends) or ends[cut] == end:
        return end
    within = ends[max(bisect_right(ends, start + LONGEST_PASSAGE) - 1, 0)]
    following = bisect_left(starts, end)
    limit = starts[following] if following < len(starts) else record.length
    return min(max(within, ends[cut]), limit)
