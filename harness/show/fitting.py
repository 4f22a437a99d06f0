"""Fitting a table of texts to a width: where a terminal is narrower than the table.

Headings break first, then optional columns are left out, then long texts fold, and what is still
too wide goes on below in further blocks, each with the first column. Widths are of a terminal's
cells: wide characters, such as those of Japanese, take two.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from wcwidth import wcswidth, wcwidth

NARROW = 10
"""Headings that break have lines of at least this width."""
_LEAST_TEXT = 24
"""Texts that fold have lines of at least this width."""
_GAP = 2
"""Cells between two columns; and what tabulate adds to a heading, at least."""


@dataclass(frozen=True, slots=True)
class PrintedColumn:
    """A column as texts. `foldable` texts may take several lines; an `optional` column may be left
    out."""

    title: str
    cells: tuple[str, ...]
    numeric: bool
    foldable: bool
    optional: bool

    @property
    def width(self) -> int:
        return max([cells_of(self.title) + _GAP, *map(cells_of, self.cells)])


@dataclass(frozen=True, slots=True)
class Fitted:
    """Blocks of columns, one below the other, and the titles of what is left out."""

    blocks: tuple[tuple[PrintedColumn, ...], ...]
    left_out: tuple[str, ...] = ()


def fitted(columns: Sequence[PrintedColumn], width: int) -> Fitted:
    """Fit columns to a width; what cannot be made narrower stands as it is."""
    made = tuple(columns)
    if _width(made) > width:
        made = with_broken_headings(made)
    left_out: list[str] = []
    for place in reversed(range(1, len(made))):
        if _width(made) > width and made[place].optional:
            made = (*made[:place], *made[place + 1 :])
            left_out.insert(0, columns[place].title)
    return Fitted(tuple(_blocks(_folded(made, width), width)), tuple(left_out))


def with_broken_headings(columns: Sequence[PrintedColumn]) -> tuple[PrintedColumn, ...]:
    """Break every heading into lines as narrow as its column."""
    return tuple(
        replace(
            column,
            title=textwrap.fill(
                column.title,
                max([NARROW, *map(cells_of, column.cells)]),
                break_long_words=False,
                break_on_hyphens=False,
            ),
        )
        for column in columns
    )


def cells_of(text: str) -> int:
    """Return how many cells of a terminal the widest line of a text takes."""
    return max(max(wcswidth(line), 0) for line in text.split("\n"))


def fold(text: str, width: int) -> str:
    """Break a text into lines of at most so many cells, between words where there are some."""
    if cells_of(text) == max(map(len, text.split("\n"))):
        return textwrap.fill(text, width)
    lines, taken = [""], 0
    for character in text:
        own = max(wcwidth(character), 0)
        if taken + own > width:
            lines.append("")
            taken = 0
        lines[-1] += character
        taken += own
    return "\n".join(lines)


def _folded(columns: tuple[PrintedColumn, ...], width: int) -> tuple[PrintedColumn, ...]:
    """Fold the widest texts as far as needed; the first column, by which rows are known, stays."""
    made = list(columns)
    while (beyond := _width(made) - width) > 0:
        wide = [
            place
            for place, column in enumerate(made)
            if place and column.foldable and column.width > _LEAST_TEXT
        ]
        if not wide:
            break
        place = max(wide, key=lambda place: made[place].width)
        column = made[place]
        target = max(_LEAST_TEXT, cells_of(column.title) + _GAP, column.width - beyond)
        cells = tuple(fold(cell, target) for cell in column.cells)
        folded = replace(column, cells=cells, foldable=False)
        made[place] = folded
    return tuple(made)


def _blocks(columns: Sequence[PrintedColumn], width: int) -> Iterator[tuple[PrintedColumn, ...]]:
    """Split columns into blocks that fit, each of which begins with the first column."""
    block = list(columns[:1])
    for column in columns[1:]:
        if len(block) > 1 and _width([*block, column]) > width:
            yield tuple(block)
            block = list(columns[:1])
        block.append(column)
    yield tuple(block)


def _width(columns: Sequence[PrintedColumn]) -> int:
    return sum(column.width for column in columns) + _GAP * (len(columns) - 1)
