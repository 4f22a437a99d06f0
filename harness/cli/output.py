"""Tables and notes, and the options that verbs share.

Tables go to standard output: aligned for people, JSON or CSV when asked for. Notes go to standard
error unless `--quiet`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from harness.escapes import terminal
from harness.show.printing import OutputFormat, print_as
from harness.show.table import Table

from .standard_output import for_programs

Command = TypeVar("Command", bound=Callable[..., Any])


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


def print_table(table: Table, form: OutputFormat) -> None:
    """Print a table: every key of its rows in JSON and CSV, its columns for people."""
    is_data = form in (OutputFormat.CSV, OutputFormat.JSON)
    stream = for_programs() if is_data else None
    click.echo(print_as(table, form), nl=form is not OutputFormat.CSV, file=stream)


def note(message: str, quiet: bool = False) -> None:
    """Print a line for the person at the terminal, on standard error."""
    if not quiet:
        click.echo(terminal(message), err=True)
