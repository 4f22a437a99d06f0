"""Tables and notes, and the options that verbs share.

Tables go to standard output: aligned for people, JSON or CSV when asked for. Notes go to standard
error unless `--quiet`.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

import click

from harness.escapes import csv_cell, terminal

from .standard_output import for_programs

Command = TypeVar("Command", bound=Callable[..., Any])


class OutputFormat(Enum):
    """How a table is printed."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: its key in the rows, its heading, and how people see a value."""

    key: str
    heading: str
    show: Callable[[Any], str] = str
    numeric: bool = False


def table_options(command: Command) -> Command:
    """Add `--json` and `--csv`; the command takes `as_json` and `as_csv`."""
    command = click.option(
        "--csv", "as_csv", is_flag=True, help="Print the table as CSV, full precision."
    )(command)
    return click.option(
        "--json", "as_json", is_flag=True, help="Print the table as JSON, full precision."
    )(command)


def quiet_option(command: Command) -> Command:
    """Add `-q/--quiet`; the command takes `quiet`."""
    return click.option(
        "-q", "--quiet", is_flag=True, help="No progress and no notes on standard error."
    )(command)


def force_option(command: Command) -> Command:
    """Add `--force`; the command takes `force`."""
    return click.option(
        "--force",
        is_flag=True,
        help="Replace the file at --out, or what the harness wrote in that folder.",
    )(command)


def jobs_option(command: Command) -> Command:
    """Add `--jobs`; the command takes `jobs`."""
    return click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Processes to use; the result does not depend on it.",
    )(command)


def chosen_format(as_json: bool, as_csv: bool) -> OutputFormat:
    """Return the format that the two flags ask for; both together are refused."""
    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other; give one of them.")
    return OutputFormat.JSON if as_json else OutputFormat.CSV if as_csv else OutputFormat.TEXT


def format_for_reader(as_json: bool, as_csv: bool) -> OutputFormat:
    """Like `chosen_format`, for verbs whose answer is one object: JSON where nobody looks on."""
    chosen = chosen_format(as_json, as_csv)
    return OutputFormat.JSON if chosen is OutputFormat.TEXT and not on_terminal() else chosen


def on_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout.isatty()


def print_table(
    rows: Sequence[Mapping[str, Any]], columns: Sequence[Column], form: OutputFormat
) -> None:
    """Print rows: every key in JSON and CSV, the given columns for people."""
    if form is OutputFormat.JSON:
        text = json.dumps(list(rows), indent=1, ensure_ascii=False, default=_plain)
        click.echo(text, file=for_programs())
    elif form is OutputFormat.CSV:
        click.echo(_csv(rows, columns), nl=False, file=for_programs())
    else:
        click.echo(text_table(rows, columns))


def text_table(rows: Sequence[Mapping[str, Any]], columns: Sequence[Column]) -> str:
    """Return rows as an aligned table; a missing or null value is shown as a dash."""
    from tabulate import tabulate

    body = [[_shown(row.get(column.key), column) for column in columns] for row in rows]
    alignments = ["right" if column.numeric else "left" for column in columns]
    headings = [column.heading for column in columns]
    return str(
        tabulate(body, headings, tablefmt="simple", colalign=alignments, disable_numparse=True)
        if body
        else "(none)"
    )


def note(message: str, quiet: bool = False) -> None:
    """Print a line for the person at the terminal, on standard error."""
    if not quiet:
        click.echo(terminal(message), err=True)


def _shown(value: Any, column: Column) -> str:
    return "–" if value is None else terminal(column.show(value))


def _csv(rows: Sequence[Mapping[str, Any]], columns: Sequence[Column]) -> str:
    keys = list(rows[0]) if rows else [column.key for column in columns]
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, keys, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: _cell(row.get(key)) for key in keys})
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    return csv_cell(value)


def _plain(value: Any) -> Any:
    """Return JSON for numpy scalars and enumerations."""
    if isinstance(value, Enum):
        return value.value
    return value.item()
