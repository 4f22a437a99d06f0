"""Tables and notes: what a verb prints.

Tables go to standard output: aligned for people, JSON or CSV when asked for. Notes go to standard
error unless `--quiet`.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from harness.escapes import terminal
from harness.show.printing import OutputFormat, print_as
from harness.show.table import Table

from .standard_output import for_programs


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


def print_table(table: Table, form: OutputFormat) -> None:
    """Print a table: every key of its rows in JSON and CSV, its columns for people."""
    is_data = form in (OutputFormat.CSV, OutputFormat.JSON)
    stream = for_programs() if is_data else None
    click.echo(print_as(table, form), nl=form is not OutputFormat.CSV, file=stream)


def next_after_replay(run: Path) -> str:
    """Say what a run is for. The report is not to go to `reports`, where that of the sample is."""
    folder, report = shlex.quote(str(run)), shlex.quote(f"{run}-report")
    return f"Next: harness evidence {folder}, or harness report {folder} --out {report}"


def note(message: str, quiet: bool = False) -> None:
    """Print a line for the person at the terminal, on standard error."""
    if not quiet:
        click.echo(terminal(message), err=True)


def shown_or(text: str | None, absent: str) -> str:
    """Return a text as people see it: `absent` for None, and quotes around nothing for an empty
    one."""
    if text is None:
        return absent
    return text or '""'
