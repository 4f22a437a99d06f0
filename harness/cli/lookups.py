"""`harness lookups`: what a run of lookups printed, and what a reader can cite of it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from .lookup_columns import change, difference_row, share_change, thousands
from .options import PATH
from .output import Column, chosen_format, note, print_table, quiet_option, table_options


@click.command()
@click.argument("run", type=PATH)
@click.option(
    "--point", "specs", multiple=True, metavar="SPEC", help="Only these points; repeatable."
)
@click.option("--against", metavar="SPEC", help="Add paired differences from this point.")
@click.option("--by", type=click.Choice(["category"]), help="Print a row per point and category.")
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
      harness lookups build/lookups --needed --point lookup-budgeted\\(\\)
    """
    form = chosen_format(as_json, as_csv)
    if needed:
        print_table(_needed(run, specs, stubs_count), _NEEDED, form)
    else:
        _print_summary(run, specs, against, by, stubs_count, form)
    counted = "counts" if stubs_count else "does not count"
    note(f"A stub {counted} as the text that it names.", quiet)


def _print_summary(
    run: Path, specs: tuple[str, ...], against: str | None, by: str | None, stubs: bool, form: Any
) -> None:
    from harness.measure.lookups.summary import compared, summaries
    from harness.points import parse_point
    from harness.replay.run import Run

    opened = Run.open(run)
    points = opened.chosen(specs) if specs else ()
    rows = [each.row for each in summaries(opened, points, by_category=by is not None)]
    citable = "fields_citable_with_stubs" if stubs else "fields_citable"
    columns = [*_columns(citable)]
    if by is not None:
        columns.insert(1, Column("category", "category"))
    if against is not None:
        if by is not None:
            raise click.UsageError("--against and --by exclude each other; give one of them.")
        found = {
            str(point): differences
            for point, differences in compared(
                opened, parse_point(against), points, stubs=stubs
            ).items()
        }
        for row in rows:
            tokens, share = found.get(row["point"], (None, None))
            row["tokens"] = difference_row(tokens)
            row["citable"] = difference_row(share)
        columns += [
            Column("tokens", "tokens a lookup", change, numeric=True),
            Column("citable", "citable, points", share_change, numeric=True),
        ]
    print_table(rows, columns, form)


def _needed(folder: Path, specs: tuple[str, ...], stubs: bool) -> list[dict[str, Any]]:
    from harness.measure.lookups.needed import default_points, needed_budgets
    from harness.points import parse_point
    from harness.recording.recording import Recording
    from harness.replay.run import Run
    from harness.storage.manifest import MANIFEST_NAME, kind_of_folder

    if (folder / MANIFEST_NAME).is_file() and kind_of_folder(folder / MANIFEST_NAME) == "run":
        folder = Path(Run.open(folder).manifest.content["recording"]["folder"])
    recording = Recording.open(folder)
    chosen = [(spec, parse_point(spec)) for spec in specs]
    chosen = chosen or [(str(point), point) for point in default_points()]
    return [
        {"point": spec, **asdict(each)}
        for spec, point in chosen
        for each in needed_budgets(recording, point, stubs=stubs)
    ]


def _columns(citable: str) -> tuple[Column, ...]:
    return (
        Column("point", "point"),
        Column("lookups", "lookups", str, numeric=True),
        Column("result_tokens_estimated", "tokens (4 bytes)", thousands, numeric=True),
        Column("result_tokens", "tokens (o200k)", thousands, numeric=True),
        Column("table_bytes", "table", thousands, numeric=True),
        Column("block_bytes", "blocks", thousands, numeric=True),
        Column("relation_bytes", "relations", thousands, numeric=True),
        Column("note_bytes", "notes", thousands, numeric=True),
        Column("stub_bytes", "stubs", thousands, numeric=True),
        Column("over_budget_bytes", "over", thousands, numeric=True),
        Column("hop_exercised", "hops", str, numeric=True),
        Column("omitted", "omitted", str, numeric=True),
        Column(citable, "citable", str, numeric=True),
        Column("fields", "of", str, numeric=True),
    )


_NEEDED = (
    Column("point", "point"),
    Column("case_id", "task"),
    Column("category", "category"),
    Column("field", "field"),
    Column("budget_tokens", "budget needed", thousands, numeric=True),
)
