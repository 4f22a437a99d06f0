"""`harness answers flips` and `harness answers show`: two points next to each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from harness.escapes import terminal
from harness.show.printing import OutputFormat

from .options import FOLDER, quiet_option, table_options
from .output import chosen_format, note, print_table

if TYPE_CHECKING:
    from harness.measure.flips import Side
    from harness.trial.grades import Grades

Command = TypeVar("Command", bound=Callable[..., Any])


def _sides(command: Command) -> Command:
    """Add A and B, and where they and their run are."""
    for option in reversed(
        (
            click.argument("first", metavar="A"),
            click.argument("second", metavar="B"),
            click.option(
                "--grades",
                type=FOLDER,
                metavar="DIR",
                help="Where A and B are points: the folder that harness grade --out made.",
            ),
            click.option(
                "--run",
                "run_folder",
                type=FOLDER,
                metavar="RUN",
                help="The run that was answered.  [default: where the answers say that it is]",
            ),
        )
    ):
        command = option(command)
    return command


@click.command()
@_sides
@click.option(
    "--counts", is_flag=True, help="In JSON and CSV the counts, in place of the questions."
)
@table_options
@quiet_option
def flips(
    first: str,
    second: str,
    grades: Path | None,
    run_folder: Path | None,
    counts: bool,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> None:
    """Print the questions whose outcome differs between A and B, and what would explain each.

    A and B are folders of grades, or points below --grades. A question that one side answered right
    and the other wrong stands with the evidence that each context showed: evidence gained or lost
    first, then equal contexts, where only the reader or the judge can differ, then the others. The
    first answer to each question counts. Nothing is shown while either side is sealed.

    \b
    Example:
      harness answers flips '2.6.5a1(budget=2800)' 'count-curve(k=4)' --grades grades/dev
      harness answers flips grades/small/items grades/large/items --json
    """
    from harness.measure.flips import compared_questions
    from harness.show import flip_tables as tables

    form = chosen_format(as_json, as_csv)
    sides = _opened(first, second, grades, run_folder)
    compared = () if sides is None else compared_questions(*sides)
    caveats = [] if sides is None else tables.pair_caveats(*sides)
    if form is OutputFormat.TEXT and sides is not None:
        for name, side in zip("AB", sides, strict=True):
            click.echo(f"{name}  {side.grades.point}  ({side.grades.folder})")
        click.echo()
    if sides is None:
        note(_SEALED, quiet)
    if form is OutputFormat.TEXT or counts:
        print_table(tables.counts_table(compared), form)
    if form is OutputFormat.TEXT:
        click.echo()
    if form is OutputFormat.TEXT or not counts:
        print_table(tables.flips_table(compared, caveats), form)


@click.command()
@click.argument("case_id", metavar="CASE")
@_sides
@click.option(
    "--recording",
    type=FOLDER,
    metavar="DIR",
    help="The recording of the run, for the gold answer and the evidence turns.  [default: where "
    "the run says that it is]",
)
@table_options
@quiet_option
def show(
    case_id: str,
    first: str,
    second: str,
    grades: Path | None,
    run_folder: Path | None,
    recording: Path | None,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> None:
    """Print one question as A and B answered it: gold answer, both answers and verdicts, and how
    much of each evidence turn either context held.

    \b
    Example:
      harness answers show 51a45a95 '2.6.5a1(budget=2800)' 'count-curve(k=4)' --grades grades/dev
    """
    from harness.errors import InputError
    from harness.measure.answered_case import answered_case
    from harness.show import flip_tables as tables

    form = chosen_format(as_json, as_csv)
    sides = _opened(first, second, grades, run_folder)
    if sides is None:
        raise InputError(_SEALED, "Open them first: harness judge REGISTRATION --grades …")
    found = answered_case(case_id, *sides, recording)
    if form is not OutputFormat.TEXT:
        print_table(tables.case_table(found), form)
        return
    click.echo(terminal("\n".join(tables.case_lines(found))))
    click.echo()
    print_table(tables.sides_table(found), form)
    turns = tables.turns_table(found)
    if turns is not None:
        click.echo()
        print_table(turns, form)
    elif any(side.turns is None for side in found.sides):
        note("Gold answer and evidence turns need the recording (--recording DIR).", quiet)


_SEALED = "sealed: no ledger has an opening that holds the answers of both sides (harness judge)"


def _opened(
    first: str, second: str, root: Path | None, run: Path | None
) -> tuple[Side, Side] | None:
    from harness.measure.flips import opened_sides

    return opened_sides(_grades(first, root), _grades(second, root), run)


def _grades(named: str, root: Path | None) -> Grades:
    """Open a folder of grades, or those of a point below `root`."""
    from harness.errors import UsageError, nearest
    from harness.points import parse_point
    from harness.trial.grades import Grades

    if Path(named).is_dir():
        return Grades.open(Path(named))
    if root is None:
        raise UsageError(
            f"{named} is not a folder of grades",
            "Name a folder, or a point together with --grades DIR.",
        )
    point = str(parse_point(named))
    if not (root / point).is_dir():
        there = sorted(path.name for path in root.iterdir() if path.is_dir())
        raise UsageError(
            f"{root} has no grades of {point}{nearest(point, there)}",
            f"It has: {', '.join(there) or 'none'}.",
        )
    return Grades.open(root / point)
