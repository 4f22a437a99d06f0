"""The governing range of a block: the block with the text it cannot be read without.

A block is joined to its neighbour when the earlier one does not end a sentence, or the later one
starts with a qualifier ("however", "ただし"). The range grows backwards first, then forwards, and
stops where it would exceed `MAX_GOVERNING_CHARACTERS` (evidence allocation, governing range).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from harness.model import MAX_BLOCK_CHARACTERS

MAX_GOVERNING_CHARACTERS = 2 * MAX_BLOCK_CHARACTERS
SENTENCE_TERMINATORS = tuple("。！？．.!?…")
QUALIFIERS = (
    *("ただし", "但し", "ただ、", "しかし", "しかしながら", "だが", "ですが", "でも、", "なお"),
    *("とはいえ", "一方", "他方", "その代わり", "代わりに"),
    *("except", "however", "but ", "although", "though", "unless", "instead"),
    *("on the other hand", "that said", "caveat", "note that", "provided that"),
    *("in fact", "actually"),
)
_LAST_SPACE = 0x3000  # no later code point is white space
_QUALIFIER = re.compile(r"(?ai:" + "|".join(re.escape(word) for word in QUALIFIERS) + ")")


def _table_of(characters: Iterable[str]) -> NDArray[np.bool_]:
    """Return whether a code point is one of `characters`, by code point; the last entry is
    False."""
    codes = [ord(character) for character in characters]
    table = np.zeros(max(codes) + 2, dtype=np.bool_)
    table[codes] = True
    return table


_SOLID = ~_table_of(chr(code) for code in range(_LAST_SPACE + 1) if chr(code).isspace())
_TERMINATORS = _table_of(SENTENCE_TERMINATORS)
_QUALIFIER_OPENERS = _table_of(
    letter for word in QUALIFIERS for letter in {word[0], word[0].upper()}
)

Bounds = NDArray[np.int32]


def governing_ranges(text: str, starts: Bounds, ends: Bounds) -> tuple[Bounds, Bounds]:
    """Compute start and end of the governing range of every block; arrays of the blocks' shape
    (n,).

    Blocks joined to each other form runs; where a run is short enough all its blocks govern the
    whole run, so only the blocks of longer runs are walked one by one.
    """
    count = len(starts)
    if count < 2:
        return starts.copy(), ends.copy()
    joined = _joined_to_next(text, starts, ends)
    if joined is None:
        spans = list(zip(starts.tolist(), ends.tolist(), strict=True))
        ranges = [governing_range(text, spans, index)[:2] for index in range(count)]
        bounds = np.array(ranges, dtype=np.int32)
        return bounds[:, 0].copy(), bounds[:, 1].copy()
    run_opens = np.flatnonzero(np.concatenate(([True], ~joined)))
    run_closes = np.concatenate((run_opens[1:], [count])) - 1
    sizes = run_closes - run_opens + 1
    first = np.repeat(run_opens, sizes)
    last = np.repeat(run_closes, sizes)
    too_long = np.flatnonzero(ends[last] - starts[first] > MAX_GOVERNING_CHARACTERS)
    for index in too_long.tolist():
        reach = _grow_in_run(starts, ends, index, int(first[index]), int(last[index]))
        first[index], last[index] = reach
    return starts[first], ends[last]


def governing_range(
    text: str, spans: Sequence[tuple[int, int]], index: int
) -> tuple[int, int, bool]:
    """Return the definition, block by block: start, end, and whether nothing was refused."""
    first = last = index
    start, end = spans[index]
    while True:
        before = first > 0 and (
            not ends_a_sentence(text[slice(*spans[first - 1])])
            or starts_with_qualifier(text[start:end])
        )
        after = last + 1 < len(spans) and (
            not ends_a_sentence(text[start:end])
            or starts_with_qualifier(_following(text, spans, last))
        )
        if not (before or after):
            return start, end, True
        new_start = spans[first - 1][0] if before else start
        new_end = end if before else spans[last + 1][1]
        # a step that is too long ends the range: the reference does not try the other side instead
        if new_end - new_start > MAX_GOVERNING_CHARACTERS:
            return start, end, False
        start, end = new_start, new_end
        first, last = (first - 1, last) if before else (first, last + 1)


def ends_a_sentence(fragment: str) -> bool:
    return fragment.rstrip().endswith(SENTENCE_TERMINATORS)


def starts_with_qualifier(fragment: str) -> bool:
    return _QUALIFIER.match(fragment.lstrip()) is not None


def _following(text: str, spans: Sequence[tuple[int, int]], last: int) -> str:
    """Return the text after block `last`, up to and including the first block that is not blank."""
    start = spans[last][1]
    for _, end in spans[last + 1 :]:
        if text[start:end].strip():
            return text[start:end]
    return text[start : spans[-1][1]]


def _joined_to_next(text: str, starts: Bounds, ends: Bounds) -> NDArray[np.bool_] | None:
    """Return, for each block but the last, whether it is joined to the next one.

    None where that does not depend on two neighbours alone: a blank block, or a qualifier that
    crosses the end of its block.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    solid = np.flatnonzero(_among(codes, _SOLID))
    first = np.searchsorted(solid, starts)
    last = np.searchsorted(solid, ends) - 1
    if (first > last).any():
        return None
    closes = _among(codes[solid[last]], _TERMINATORS)
    first_solid = solid[first]
    qualifies = _among(codes[first_solid], _QUALIFIER_OPENERS)
    for block in np.flatnonzero(qualifies).tolist():
        match = _QUALIFIER.match(text, int(first_solid[block]))
        if match is not None and match.end() > ends[block]:
            return None
        qualifies[block] = match is not None
    joined: NDArray[np.bool_] = ~closes[:-1] | qualifies[1:]
    return joined


def _among(codes: NDArray[np.uint32], table: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return table.take(codes, mode="clip")


def _grow_in_run(
    starts: Bounds, ends: Bounds, index: int, first: int, last: int
) -> tuple[int, int]:
    """Return first and last block of the range that block `index` governs in a run that is too
    long."""
    earliest = int(ends[index]) - MAX_GOVERNING_CHARACTERS
    low = max(first, int(np.searchsorted(starts, earliest)))
    low = min(low, index)
    if low > first:
        # growing backwards was refused, which ends the range before it grows forwards
        return low, index
    latest = int(starts[low]) + MAX_GOVERNING_CHARACTERS
    high = min(last, int(np.searchsorted(ends, latest, side="right")) - 1)
    return low, max(high, index)
