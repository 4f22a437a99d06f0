"""`harness ledger`: how often each test split was opened, and by what."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .output import Column, Format, chosen_format, note, print_table, quiet_option, table_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.judgment.ledger import Opening


def _hash(value: str) -> str:
    return value[:12]


COLUMNS = (
    Column("number", "line", numeric=True),
    Column("split_sha256", "split", _hash),
    Column("of_split", "opening of it", numeric=True),
    Column("registration", "registration"),
    Column("points", "points", ", ".join),
    Column("repeat", "repeat, because"),
)


@click.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--verify", is_flag=True, help="Check the chain; exit 1 if a line breaks it.")
@table_options
@quiet_option
def ledger(file: Path | None, verify: bool, as_json: bool, as_csv: bool, quiet: bool) -> int:
    """Print every opening of a test split that FILE records.

    FILE is registrations/ledger.jsonl by default. Each line holds the hash of the one before, so an
    edited, removed or added line shows; in a git checkout, --verify also checks that the file
    begins with what is committed.

    \b
    Example:
      harness ledger
      harness ledger registrations/ledger.jsonl --verify
    """
    from harness.errors import ExitCode, InputError
    from harness.grades.seal import REGISTRATIONS
    from harness.judgment.chain import BrokenChainError
    from harness.judgment.ledger import LEDGER_NAME, read_ledger
    from harness.judgment.ledger_history import committed_problem

    form = chosen_format(as_json, as_csv)
    path = file if file is not None else REGISTRATIONS / LEDGER_NAME
    problem = committed_problem(path) if verify else None
    if file is not None and not path.exists() and problem is None:
        raise InputError(
            f"{path} does not exist", "harness judge makes it when it first opens a split."
        )
    try:
        openings = read_ledger(path)
    except BrokenChainError as error:
        if not verify:
            raise
        click.echo(f"broken: {error}")
        return int(ExitCode.DIFFERENCE)
    if problem is not None:
        click.echo(f"broken: {problem}")
        return int(ExitCode.DIFFERENCE)
    if verify and form is Format.TEXT:
        click.echo(f"{path}: {len(openings)} lines, each follows the one before.")
        return int(ExitCode.SUCCESS)
    print_table(_rows(openings), COLUMNS, form)
    if form is Format.TEXT:
        for line in _counts(openings):
            note(line, quiet)
    return int(ExitCode.SUCCESS)


def _rows(openings: Sequence[Opening]) -> list[dict[str, Any]]:
    seen: dict[str, int] = {}
    rows = []
    for opening in openings:
        asked = opening.asked
        seen[asked.split_sha256] = seen.get(asked.split_sha256, 0) + 1
        rows.append(
            {
                "number": opening.number,
                "split_sha256": asked.split_sha256,
                "part": asked.part,
                "of_split": seen[asked.split_sha256],
                "registration": asked.registration,
                "registration_sha256": asked.registration_sha256,
                "points": list(asked.points),
                "grades": dict(asked.grades),
                "repeat": opening.repeat,
                "verdict": asked.verdict,
                "line_sha256": opening.line_sha256,
            }
        )
    return rows


def _counts(openings: Sequence[Opening]) -> list[str]:
    counts: dict[str, int] = {}
    for opening in openings:
        counts[opening.asked.split_sha256] = counts.get(opening.asked.split_sha256, 0) + 1
    return [
        f"Split {split[:12]}: opened {count} time{'s' if count > 1 else ''}."
        for split, count in counts.items()
    ]
