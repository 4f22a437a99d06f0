"""`harness ablate`: the effect of each part of a lookup arm."""

from __future__ import annotations

from pathlib import Path

import click

from .options import PATH, quiet_option, table_options
from .output import chosen_format, note, print_table


@click.command()
@click.argument("recording", type=PATH)
@click.option(
    "--point",
    "spec",
    metavar="SPEC",
    help="The point whose parts are switched.  [default: the arm with parts at its defaults: "
    "lookup-budgeted(budget_tokens=1500)]",
)
@click.option("--stubs-count", is_flag=True, help="Count a stub as the text that it names.")
@click.option("--no-tokens", is_flag=True, help="Do not count tokens of o200k_base.")
@quiet_option
@table_options
def ablate(
    recording: Path,
    spec: str | None,
    stubs_count: bool,
    no_tokens: bool,
    quiet: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Switch each part of a lookup arm off, and on, one at a time, over the same recorded lookups.

    `exercised` counts the lookups whose printed text changes with the part. Differences are from
    the point that is varied: estimated result tokens per lookup, and points of citable fields, with
    95 % intervals over tasks.

    \b
    Example:
      harness record lookups datasets/worlds/observatory --out build/lookups
      harness ablate build/lookups --point 'lookup-budgeted(budget_tokens=1000)'
    """
    from harness.measure.ablation import ablate as run_ablation
    from harness.measure.ablation import default_point
    from harness.points import parse_point
    from harness.recording.recording import Recording
    from harness.show.lookups import ablation_table

    form = chosen_format(as_json, as_csv)
    rows = run_ablation(
        Recording.open(recording),
        default_point() if spec is None else parse_point(spec),
        counted=not no_tokens,
        stubs=stubs_count,
    )
    print_table(ablation_table(rows), form)
    counted = "counts" if stubs_count else "does not count"
    note(f"A stub {counted} as the text that it names.", quiet)
