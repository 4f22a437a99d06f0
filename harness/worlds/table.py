"""The table that a lookup prints: rendering it, and reading its rows back.

Source: the printed form of demarkus' `mark_lookup`, in our own words (docs/lookups.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.model import LookupRow

_ESCAPED = "\\[]()*_`~#|"
_TO_ESCAPE = re.compile(f"[{re.escape(_ESCAPED)}]")
_ESCAPE = re.compile(f"\\\\([{re.escape(_ESCAPED)}])")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_SEPARATOR_CELL = re.compile(r"-{3,}")
_COLUMNS = ("Path", "Importance", "Title", "Tags")
_SNIPPET = "Snippet"
_SEPARATOR = "|------|------------|-------|------|"
_SNIPPET_SEPARATOR = "---------|"
_CELLS = (len(_COLUMNS), len(_COLUMNS) + 1)


@dataclass(frozen=True, slots=True)
class TableRow:
    """What a row prints. `anchor` for a hit that is a section; `snippet` in body mode only."""

    path: str
    importance: float
    title: str
    tags: tuple[str, ...]
    anchor: str | None = None
    snippet: str | None = None


def render_result(
    envelope: Sequence[tuple[str, str]],
    query: str,
    scope: str,
    rows: Iterable[TableRow],
    *,
    snippets: bool,
) -> str:
    """Render the whole result: the envelope, a blank line, a line break, the heading, the table."""
    lines = [f"{key}: {value}" for key, value in envelope]
    lines += ["", "", f'# Lookup matches for "{escape(query)}" in {escape(scope)}', ""]
    columns = (*_COLUMNS, _SNIPPET) if snippets else _COLUMNS
    lines.append(_joined(columns))
    lines.append(_SEPARATOR + (_SNIPPET_SEPARATOR if snippets else ""))
    lines += [_row(row, snippets) for row in rows]
    return "\n".join(lines) + "\n"


def rows_of(table: str) -> tuple[LookupRow, ...]:
    """Return the data rows of a printed result, in order; everything else in it is skipped."""
    rows = []
    for line in table.split("\n"):
        cells = _cells(line.strip())
        if len(cells) in _CELLS and not _is_header(cells) and not _is_separator(cells):
            rows.append(_location(cells[0]))
    return tuple(rows)


def escape(text: str) -> str:
    """Escape what Markdown reads in a cell's text, and make line breaks blanks."""
    return _TO_ESCAPE.sub(r"\\\g<0>", _LINE_BREAK.sub(" ", text))


def unescape(text: str) -> str:
    return _ESCAPE.sub(r"\1", text)


def _row(row: TableRow, snippets: bool) -> str:
    place = escape(row.path) + (f"#{row.anchor}" if row.anchor else "")
    tags = escape(", ".join(row.tags))
    cells = [place, f"{row.importance:.2f}", escape(row.title), tags]
    if snippets:
        cells.append(escape(row.snippet or ""))
    return _joined(cells)


def _joined(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cells(line: str) -> list[str]:
    """Return the cells of a line that starts and ends with an unescaped pipe; none of any other
    line."""
    cells: list[str] = []
    cell: list[str] = []
    escaped = False
    for letter in line:
        if letter == "|" and not escaped:
            cells.append("".join(cell).strip())
            cell = []
        else:
            cell.append(letter)
        escaped = letter == "\\" and not escaped
    closed = line.startswith("|") and not cell and len(cells) > 1
    return cells[1:] if closed else []


def _is_header(cells: Sequence[str]) -> bool:
    names = [name.lower() for name in (*_COLUMNS, _SNIPPET)]
    return [cell.lower() for cell in cells] == names[: len(cells)]


def _is_separator(cells: Sequence[str]) -> bool:
    return all(_SEPARATOR_CELL.fullmatch(cell.strip(":")) for cell in cells)


def _location(cell: str) -> LookupRow:
    """Return the path and anchor, parted at the first `#` that is not escaped, before anything is
    unescaped: a path may hold an escaped one."""
    escaped = False
    for place, letter in enumerate(cell):
        if letter == "#" and not escaped:
            anchor = cell[place + 1 :]
            return LookupRow(unescape(cell[:place]), anchor or None)
        escaped = letter == "\\" and not escaped
    return LookupRow(unescape(cell))
