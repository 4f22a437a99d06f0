"""`harness lookups`: what a run of lookups printed, and what a reader can cite of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.show.printing import OutputFormat

from .options import PATH, by_option, chosen_part, quiet_option, split_options, table_options
from .output import chosen_format, note, print_table

if TYPE_CHECKING:
    from harness.datasets.split import Split
    from harness.show.table import Table


@click.command()
@click.argument("run", type=PATH)
@click.option(
    "--point", "specs", multiple=True, metavar="SPEC", help="Only these points; repeatable."
)
@click.option("--against", metavar="SPEC", help="Add paired differences from this point.")
@by_option("Print a row per point and category.")
@split_options("Use only the lookups of these tasks.")
@click.option("--stubs-count", is_flag=True, help="Count a stub as the text that it names.")
@click.option(
    "--needed",
    is_flag=True,
    help="Show instead the smallest budget at which each field becomes "
    "citable; re-expands the run's recording.",
)
@quiet_option
@table_options
def lookups(
    run: Path,
    specs: tuple[str, ...],
    against: str | None,
    by: str | None,
    split: Path | None,
    part: str,
    stubs_count: bool,
    needed: bool,
    quiet: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print result tokens, bytes by part, and required passages under a citable header.

    RUN is a run of recorded lookups. With --needed it may be a recording as well; then the table
    has the smallest budget at which each field's passages can be cited at each --point.

    \b
    Example:
      harness lookups build/lookups-run --against 'lookup-before(budget_tokens=1500)'
      harness lookups build/lookups-run --by category --json
      harness lookups build/lookups-run --split museum.split.json --part dev
      harness lookups build/lookups --needed --point lookup-budgeted\\(\\)
    """
    form = chosen_format(as_json, as_csv)
    drawn = chosen_part(split, part)
    if needed:
        if drawn is not None:
            raise click.UsageError("--split is of a summary; leave it out with --needed.")
        print_table(_needed(run, specs, stubs_count), form)
    else:
        _print_summary(run, specs, against, by, (drawn, part), stubs_count, form)
    counted = "counts" if stubs_count else "does not count"
    note(f"A stub {counted} as the text that it names.", quiet)


def _print_summary(
    run: Path,
    specs: tuple[str, ...],
    against: str | None,
    by: str | None,
    of: tuple[Split | None, str],
    stubs: bool,
    form: OutputFormat,
) -> None:
    from harness.measure.lookup_summary import compared, summaries
    from harness.points import parse_point
    from harness.replay.run import Run
    from harness.show.lookups import bytes_table, costs_table, exercised_table, summary_rows

    opened = Run.open(run)
    points = opened.chosen(specs) if specs else ()
    drawn, part = of
    cases = None
    if drawn is not None:
        cases = frozenset(drawn.of_part(part, opened.cohort.ids))
    differences = None
    if against is not None:
        if by is not None:
            raise click.UsageError("--against and --by exclude each other; give one of them.")
        base = parse_point(against)
        differences = compared(opened, base, points, stubs=stubs, cases=cases)
    summed = summaries(opened, points, by_category=by is not None, cases=cases)
    rows = summary_rows(summed, differences)
    print_table(costs_table(rows), form)
    if form is OutputFormat.TEXT:
        click.echo("\nBytes by part\n")
        print_table(bytes_table(rows), form)
        click.echo("\nLookups in which a part was at work\n")
        print_table(exercised_table(rows), form)
        click.echo()


def _needed(folder: Path, specs: tuple[str, ...], stubs: bool) -> Table:
    from harness.measure.needed_budget import default_points, needed_budgets
    from harness.points import parse_point
    from harness.recording.recording import Recording
    from harness.replay.run import Run
    from harness.show.lookups import NEEDED, needed_rows
    from harness.show.table import Table
    from harness.storage.manifest import MANIFEST_NAME, kind_of_folder

    if (folder / MANIFEST_NAME).is_file() and kind_of_folder(folder / MANIFEST_NAME) == "run":
        folder = Path(Run.open(folder).manifest.content["recording"]["folder"])
    recording = Recording.open(folder)
    chosen = [(spec, parse_point(spec)) for spec in specs]
    chosen = chosen or [(str(point), point) for point in default_points()]
    rows = [
        row
        for spec, point in chosen
        for row in needed_rows(spec, needed_budgets(recording, point, stubs=stubs))
    ]
    return Table(NEEDED, rows)
