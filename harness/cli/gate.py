"""`harness gate`: whether a change keeps what is shown, for a pull request."""

from __future__ import annotations

from pathlib import Path

import click

from harness.errors import ExitCode
from harness.show.printing import OutputFormat

from .options import FILE, FOLDER, PATH, force_option, quiet_option, table_options
from .output import chosen_format, note, print_table


@click.command()
@click.argument("run", type=PATH)
@click.option("-p", "--point", "spec", required=True, metavar="SPEC", help="The point to check.")
@click.option(
    "--against",
    metavar="SPEC",
    help="The point that it must not fall behind.  [default with --base: the same]",
)
@click.option(
    "--base",
    type=FOLDER,
    metavar="RUN",
    help="The run that has --against: of the same recording, such as the main branch's.  [default: "
    "RUN]",
)
@click.option(
    "--config", type=FILE, required=True, metavar="FILE", help="Metrics, margins and costs (TOML)."
)
@click.option("--markdown", type=PATH, metavar="FILE", help="Write a comment in Markdown too.")
@click.option("--junit", type=PATH, metavar="FILE", help="Write JUnit XML too.")
@click.option(
    "--recording",
    type=FOLDER,
    metavar="DIR",
    help="The runs' recording, which session_precision needs.  [default: where RUN says that it "
    "was]",
)
@force_option
@table_options
@quiet_option
def gate(
    run: Path,
    spec: str,
    against: str | None,
    base: Path | None,
    config: Path,
    markdown: Path | None,
    junit: Path | None,
    recording: Path | None,
    force: bool,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> int:
    """Check that a point of RUN shows no less than another, within margins, at no higher cost.

    A metric passes where the interval of its paired difference excludes a loss greater than its
    margin, fails where it shows one, and is undecided in between. Costs are compared as they are.
    The gate fails if a check does, else it is undecided if one is. Both exit with 1; the output,
    the comment and the JUnit file tell them apart. docs/ci.md has a whole FILE and a workflow.

    \b
    Example:
      harness gate RUN --point '2.6.5a1(budget=2400)' --against 'count-curve(k=4)' \\
          --config gate.toml
      harness gate RUN --base MAIN_RUN --point items --config gate.toml --markdown gate.md
    """
    from harness.measure.gating import GateState, read_gate, run_gate, sides_of
    from harness.replay.run import Run
    from harness.show.gate_tables import (
        gate_comment,
        gate_heading,
        gate_junit,
        gate_lines,
        gate_table,
    )
    from harness.words import plain_of

    from .single_file import write_all_new

    form = chosen_format(as_json, as_csv)
    asked = read_gate(config)
    sides = sides_of(Run.open(run), spec, None if base is None else Run.open(base), against)
    made = run_gate(*sides, asked, recording)
    files = {
        path: text(made)
        for path, text in ((markdown, gate_comment), (junit, gate_junit))
        if path is not None
    }
    write_all_new(files, force=force)
    if form is OutputFormat.TEXT:
        click.echo(f"{plain_of(gate_heading(made))}\n")
    print_table(gate_table(made), form)
    if form is OutputFormat.TEXT:
        click.echo("\n" + "\n".join(map(plain_of, gate_lines(made))))
    for path in files:
        note(f"{path}: written", quiet)
    return int(ExitCode.SUCCESS if made.state is GateState.PASSED else ExitCode.DIFFERENCE)
