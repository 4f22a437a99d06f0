"""`harness ledger`: how often each test split was opened, and which reports are superseded."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.show.printing import OutputFormat
from harness.show.table import Column, Table
from harness.words import Kind, counted

from .options import PATH, quiet_option, table_options
from .output import chosen_format, note, print_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.trial.ledger import Opening


def _hash(value: str) -> str:
    return value[:12]


COLUMNS = (
    Column("number", "line", Kind.NUMBER),
    Column("split_sha256", "split", Kind.HASH),
    Column("of_split", "opening of it", Kind.NUMBER),
    Column("kind", "kind"),
    Column("stamp", "stamp"),
    Column("registration", "registration"),
    Column("points", "points", Kind.CODE),
    Column("repeat", "repeat, because"),
)


SUPERSEDED_COLUMNS = (
    Column("number", "line", Kind.NUMBER),
    Column("report", "report"),
    Column("report_sha256", "sha256", Kind.HASH),
    Column("reason", "superseded, because"),
)


@click.command()
@click.argument("file", type=PATH, required=False)
@click.option("--verify", is_flag=True, help="Check the chain; exit 1 if a line breaks it.")
@click.option(
    "--supersede",
    type=PATH,
    metavar="REPORT",
    help="Mark a report, which `harness compare` then refuses; needs --reason.",
)
@click.option("--reason", metavar="TEXT", help="Why it must not be compared any more.")
@table_options
@quiet_option
def ledger(
    file: Path | None,
    verify: bool,
    supersede: Path | None,
    reason: str | None,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> int:
    """Print every opening of a test split that FILE records, or mark a report as superseded.

    FILE is registrations/ledger.jsonl at the top of the git repository by default. Each line holds
    the hash of the one before, so an edited, removed or added line shows; in a git checkout,
    --verify also checks that the file begins with what is committed.

    --supersede appends a line to superseded.jsonl in REPORT's folder, by the report's hash and
    chained in the same way; from then on the report, and what was made from it, is refused by
    compare. A FILE of that name is printed as such.

    \b
    Example:
      harness ledger
      harness ledger registrations/ledger.jsonl --verify
      harness ledger --supersede reports/after-r1.json --reason 'the tool schema changed'
      harness ledger reports/superseded.jsonl --verify
    """
    from harness.errors import ExitCode, InputError
    from harness.storage.chain import BrokenChainError
    from harness.trial.history import uncommitted_problem
    from harness.trial.ledger import the_ledger

    form = chosen_format(as_json, as_csv)
    if supersede is not None or reason is not None:
        return _supersede(supersede, reason, given=file is not None or verify, quiet=quiet)
    path = file if file is not None else the_ledger()
    problem = uncommitted_problem(path) if verify else None
    if file is not None and not path.exists() and problem is None:
        raise InputError(
            f"{path} does not exist", "harness judge makes it when it first opens a split."
        )
    try:
        rows, columns, notes = _read(path)
    except BrokenChainError as error:
        if not verify:
            raise
        click.echo(f"broken: {error}")
        return int(ExitCode.DIFFERENCE)
    if problem is not None:
        click.echo(f"broken: {problem}")
        return int(ExitCode.DIFFERENCE)
    if verify and form is OutputFormat.TEXT:
        click.echo(f"{path}: {counted(len(rows), 'line')}, each follows the one before.")
        return int(ExitCode.SUCCESS)
    print_table(Table(columns, rows), form)
    if form is OutputFormat.TEXT:
        for line in notes:
            note(line, quiet)
    return int(ExitCode.SUCCESS)


def _read(path: Path) -> tuple[list[dict[str, Any]], Sequence[Column], list[str]]:
    """Read the rows of either kind of ledger, recognised by name; their columns, and what to
    note."""
    from harness.attempts.comparing.superseded import SUPERSEDED_NAME, read_superseded
    from harness.trial.ledger import read_ledger

    if path.name == SUPERSEDED_NAME:
        return [asdict(line) for line in read_superseded(path)], SUPERSEDED_COLUMNS, []
    openings = read_ledger(path)
    return _rows(openings), COLUMNS, _counts(openings)


def _supersede(report: Path | None, reason: str | None, *, given: bool, quiet: bool) -> int:
    from harness.attempts.comparing.superseded import SUPERSEDED_NAME, supersede
    from harness.errors import ExitCode, UsageError

    if report is None or reason is None:
        missing = "--supersede REPORT" if report is None else "--reason TEXT"
        raise UsageError(
            f"{missing} is missing: they go together", "The reason is kept with the mark."
        )
    if given:
        raise UsageError(
            "--supersede takes neither FILE nor --verify",
            f"The mark goes to {SUPERSEDED_NAME} in the report's folder.",
        )
    line = supersede(report, reason)
    note(f"{report.parent / SUPERSEDED_NAME}, line {line.number}: {line.report} is marked", quiet)
    return int(ExitCode.SUCCESS)


def _rows(openings: Sequence[Opening]) -> list[dict[str, Any]]:
    seen: dict[str, int] = {}
    rows = []
    for opening in openings:
        request = opening.line
        seen[request.split_sha256] = seen.get(request.split_sha256, 0) + 1
        rows.append(
            {
                "number": opening.number,
                "split_sha256": request.split_sha256,
                "part": request.part,
                "of_split": seen[request.split_sha256],
                "registration": request.registration,
                "registration_sha256": request.registration_sha256,
                "points": list(request.points),
                "grades": dict(_grades(opening)),
                "repeat": opening.repeat,
                "verdict": request.verdict,
                "line_sha256": opening.line_sha256,
                "kind": opening.kind,
                "stamp": getattr(request, "stamp", None),
            }
        )
    return rows


def _grades(opening: Opening) -> Iterator[tuple[str, str]]:
    """Yield each point with the hash of what was opened first: of its folder in an earlier line,
    else the identity of its outcomes."""
    from harness.trial.ledger import EarlierLine

    line = opening.line
    if isinstance(line, EarlierLine):
        yield from line.grades.items()
        return
    yield from {opened.point: opened.identity for opened in reversed(line.sets)}.items()


def _counts(openings: Sequence[Opening]) -> list[str]:
    counts: dict[str, int] = {}
    for opening in openings:
        counts[opening.line.split_sha256] = counts.get(opening.line.split_sha256, 0) + 1
    return [
        f"Split {split[:12]}: opened {counted(count, 'time')}." for split, count in counts.items()
    ]
