"""Printing tables: aligned text, Markdown, CSV and JSON, all from the same values.

CSV and JSON spell a number shortest, so that it reads back as the same double, and without the sign
of a negative zero. Nothing here knows what a table is about.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from typing import Any

from harness.escapes import Markdown, csv_cell, terminal
from harness.words import (
    MISSING,
    Code,
    Emphasis,
    Kind,
    Link,
    Strong,
    Text,
    count,
    joined,
    limits,
    markdown_of,
    number,
    plain_of,
)

from .fitting import Fitted, PrintedColumn, fitted, fold, with_broken_headings
from .table import Column, Limits, MeanOf, OfKind, PartOf, Table, WithChange, WithLimits, row_values

DOUBTFUL = "†"
WIDTH = 98
"""How wide a table may be where it does not go to a terminal."""
_HASH_SHOWN = 12
_NESTED = (dict, list, tuple)


class OutputFormat(Enum):
    """How a table is printed."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"


def print_as(table: Table, form: OutputFormat) -> str:
    """Return the table in a form; it ends without a line break, but for CSV, whose lines all
    end."""
    return {
        OutputFormat.TEXT: table_text,
        OutputFormat.MARKDOWN: table_markdown,
        OutputFormat.CSV: table_csv,
        OutputFormat.JSON: table_json,
    }[form](table)


def table_text(table: Table) -> str:
    """Return aligned columns, with the title above and the notes below.

    On a terminal the table is fitted to its width (`fitting`), and a note names what is left out.
    Elsewhere, where it would be wider than `WIDTH`, headings break into lines as narrow as their
    column.
    """
    columns = _printed(table)
    room = _terminal_width()
    if room is not None:
        made = fitted(columns, room)
    else:
        is_wide = _width(_aligned(columns)) > WIDTH
        made = Fitted((with_broken_headings(columns) if is_wide else columns,))
    title = [plain_of(table.title), ""] if table.title else []
    notes = [*map(plain_of, table.notes), *_left_out(made.left_out)]
    if room is not None:
        title, notes = ([textwrap.fill(text, room) for text in texts] for texts in (title, notes))
    blocks = "\n\n".join(map(_aligned, made.blocks))
    lines = "\n".join([*title, blocks, *([""] if notes else []), *notes]).split("\n")
    return "\n".join(line.rstrip() for line in lines)


def _printed(table: Table) -> tuple[PrintedColumn, ...]:
    cells = table.cells
    return tuple(
        PrintedColumn(
            column.title,
            tuple(_on_terminal(row[place], column) for row in cells),
            column.kind.numeric,
            column.kind is Kind.TEXT,
            column.optional,
        )
        for place, column in enumerate(table.columns)
    )


def _left_out(titles: Sequence[str]) -> list[str]:
    if not titles:
        return []
    return [f"Left out, since the terminal is narrow: {', '.join(titles)}. --csv has all."]


def _terminal_width() -> int | None:
    """Return the width of the terminal that is written to; None where there is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _aligned(columns: Sequence[PrintedColumn]) -> str:
    from tabulate import tabulate

    rows = list(zip(*(column.cells for column in columns), strict=True))
    if not rows:
        return "(none)"
    headings = [column.title for column in columns]
    sides = ["right" if column.numeric else "left" for column in columns]
    return str(tabulate(rows, headings, tablefmt="simple", colalign=sides, disable_numparse=True))


def table_markdown(table: Table) -> Markdown:
    """Return a table that every forge renders; its title and notes are the page's business."""
    rules = ["---:" if column.kind.numeric else "---" for column in table.columns]
    body: list[list[str]] = [
        [
            markdown_of(cell_text(value, column.kind))
            for value, column in zip(row, table.columns, strict=True)
        ]
        for row in table.cells
    ]
    head: list[str] = [markdown_of(column.title) for column in table.columns]
    return Markdown(
        "\n".join(f"| {' | '.join(map(_in_row, line))} |" for line in (head, rules, *body))
    )


def table_csv(table: Table) -> str:
    """Return every key of the rows; nested values as JSON."""
    rows = table.values
    keys = list(dict.fromkeys(key for row in rows for key in row)) or [
        column.key for column in table.columns
    ]
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, keys, lineterminator="\n")
    writer.writerow({key: csv_cell(key) for key in keys})
    for row in rows:
        writer.writerow({key: _in_csv(plain_value(row.get(key))) for key in keys})
    return buffer.getvalue()


def table_json(table: Table) -> str:
    """Return a list with an object per row."""
    return json_text(table.values, indent=1)


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Return JSON of plain values, numpy's scalars, enumerations, dataclasses, and by its spelling
    of what has one, such as a point."""
    return json.dumps(plain_value(value), indent=indent, ensure_ascii=False)


def plain_value(value: Any) -> Any:
    """Return what JSON holds for a value; CSV holds the same."""
    if isinstance(value, Enum):
        return plain_value(value.value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return float(value) + 0.0  # the sum drops the sign of a negative zero
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain_value(inner) for key, inner in value.items()}
    if isinstance(value, Sequence):
        return [plain_value(inner) for inner in value]
    if is_dataclass(value) and type(value).__str__ is object.__str__:
        return plain_value(row_values(value))
    return plain_value(value.item()) if hasattr(value, "item") else str(value)


def cell_text(value: Any, kind: Kind) -> Text:
    """Return what people see of a value of this kind, with marks.

    Words may stand where a number would: a text in a column of numbers stays as it is.
    """
    if isinstance(value, OfKind):
        return cell_text(value.value, value.kind)
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Code | Strong | Emphasis | Link):
        return value
    if isinstance(value, WithLimits):
        return _estimate(value, kind)
    if isinstance(value, Limits):
        return limits(value.lower, value.upper, kind)
    if isinstance(value, PartOf):
        return _part(value, kind)
    if isinstance(value, MeanOf):
        return f"{number(value.value, kind)} (n={count(value.scored)})"
    if isinstance(value, WithChange):
        return f"{number(value.value, kind)} ({number(value.difference, kind.of_change)})"
    if kind in (Kind.CODE, Kind.TEXT, Kind.HASH) or isinstance(value, str | Enum | tuple):
        return _words(value, kind)
    return number(value, kind)


def _estimate(value: WithLimits, kind: Kind) -> str:
    if value.difference is None:
        return MISSING
    text = number(value.difference, kind)
    if value.doubtful:
        return f"{text} {DOUBTFUL}"
    if value.lower is None or value.upper is None:
        return f"{text} (no interval)"
    return f"{text} {limits(value.lower, value.upper, kind)}"


def _part(value: PartOf, kind: Kind) -> str:
    if not value.share:
        return f"{count(value.count)} of {count(value.whole)}"
    if kind is Kind.SHARE:
        return number(value.count / value.whole if value.whole else None, kind)
    if not value.whole:
        return count(value.count)
    return f"{count(value.count)} ({number(value.count / value.whole, Kind.SHARE)} %)"


def _words(value: Any, kind: Kind) -> Text:
    if isinstance(value, tuple | list):
        if kind is Kind.CODE:
            return joined([Code(part) for part in value]) or MISSING
        if any(isinstance(part, Code | Strong | Emphasis | Link) for part in value):
            return tuple(value)
        return ", ".join(map(str, value)) or MISSING
    if isinstance(value, Enum):
        value = value.value
    return Code(value) if kind in (Kind.CODE, Kind.HASH) else str(value)


def _on_terminal(value: Any, column: Column) -> str:
    text = terminal(plain_of(cell_text(value, column.kind)))
    if column.kind is Kind.HASH and len(text) > _HASH_SHOWN:
        return f"{text[:_HASH_SHOWN]}…"
    return text if column.width is None else fold(text, column.width)


def _width(text: str) -> int:
    return max(map(len, text.split("\n")))


def _in_row(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _in_csv(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, _NESTED) else csv_cell(value)
