"""How a record's text is divided into blocks.

The rules are facts of the published reference (evidence allocation, block division): blocks
partition the text; every line break and every sentence end cuts, except inside a fenced code block
or at bracket depth above zero; no block is longer than `MAX_BLOCK_CHARACTERS`; a block of white
space alone is folded into the block after it. Offsets are Unicode code points.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from typing import NamedTuple

MAX_BLOCK_CHARACTERS = 739
EARLIEST_WEAK_CUT = MAX_BLOCK_CHARACTERS // 2

_CUT = re.compile(r"\n|[。．！？]|[.!?](?=\s|\Z)")
_FENCE_MARK = re.compile(r"^[ \t]*```", re.MULTILINE)
_BRACKET = re.compile(r"[「」『』（）()［］\[\]【】《》〈〉]")
_CLOSER_OF = {"「": "」", "『": "』", "（": "）", "(": ")", "［": "］", "[": "]"}
_CLOSER_OF |= {"【": "】", "《": "》", "〈": "〉"}
_OPENER_OF = {closer: opener for opener, closer in _CLOSER_OF.items()}
_WEAK_CUTS = (re.compile(r"[、，,;；:：]"), re.compile(r"\s"))


class Span(NamedTuple):
    """A half-open range of code points; `forced` when its end is not a natural boundary."""

    start: int
    end: int
    forced: bool


def divide(text: str) -> list[Span]:
    """Divide `text` into blocks that cover it in order; an empty text has none."""
    if not text:
        return []
    pieces: list[Span] = []
    cuts = [*_natural_cuts(text), len(text)]
    start = 0
    for cut in cuts:
        if cut > start:
            pieces.extend(_forced_pieces(text, start, cut))
            start = cut
    return _fold_blank_pieces(text, pieces)


def _natural_cuts(text: str) -> list[int]:
    protected = _merge(_fenced(text) + _bracketed(text))
    starts = [start for start, _ in protected]
    cuts = []
    for match in _CUT.finditer(text):
        cut = match.end()
        index = bisect_right(starts, cut - 1) - 1
        if index < 0 or not protected[index][0] < cut < protected[index][1]:
            cuts.append(cut)
    return cuts


def _fenced(text: str) -> list[tuple[int, int]]:
    """Return ranges of fenced code blocks, the closing line and its line break inside."""
    if "```" not in text:
        return []
    marks = [match.start() for match in _FENCE_MARK.finditer(text)]
    ranges = []
    for index in range(0, len(marks), 2):
        end = len(text)
        if index + 1 < len(marks):
            line_break = text.find("\n", marks[index + 1])
            end = line_break + 1 if line_break >= 0 else len(text)
        ranges.append((marks[index], end))
    return ranges


def _bracketed(text: str) -> list[tuple[int, int]]:
    """Return ranges between matching brackets; an opener that never closes is ignored."""
    ranges = []
    open_brackets: list[tuple[str, int]] = []
    for match in _BRACKET.finditer(text):
        bracket, position = match.group(), match.start()
        if bracket in _CLOSER_OF:
            open_brackets.append((bracket, position))
            continue
        opener = _OPENER_OF[bracket]
        for depth in range(len(open_brackets) - 1, -1, -1):
            if open_brackets[depth][0] == opener:
                ranges.append((open_brackets[depth][1], position + 1))
                del open_brackets[depth:]
                break
    return ranges


def _merge(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the union of ranges, ranges that only touch kept apart (a cut between them is
    allowed)."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _forced_pieces(text: str, start: int, end: int) -> list[Span]:
    pieces = []
    while end - start > MAX_BLOCK_CHARACTERS:
        cut = _weak_cut(text, start)
        pieces.append(Span(start, cut, True))
        start = cut
    pieces.append(Span(start, end, False))
    return pieces


def _weak_cut(text: str, start: int) -> int:
    limit = start + MAX_BLOCK_CHARACTERS
    for boundary in _WEAK_CUTS:
        last = None
        for match in boundary.finditer(text, start + EARLIEST_WEAK_CUT - 1, limit):
            last = match.end()
        if last is not None:
            return last
    return limit


def _fold_blank_pieces(text: str, pieces: list[Span]) -> list[Span]:
    """Fold white-space-only pieces into the piece after them, trailing ones into the one before."""
    blocks: list[Span] = []
    start = pieces[0].start
    for piece, following in pairwise([*pieces, None]):
        if piece is None:
            break
        blank = not text[piece.start : piece.end].strip()
        fits_following = following is not None and following.end - start <= MAX_BLOCK_CHARACTERS
        if blank and fits_following:
            continue
        fits_previous = bool(blocks) and piece.end - blocks[-1].start <= MAX_BLOCK_CHARACTERS
        if blank and following is None and fits_previous:
            blocks[-1] = Span(blocks[-1].start, piece.end, blocks[-1].forced)
        else:
            blocks.append(Span(start, piece.end, piece.forced))
        start = piece.end
    return blocks
