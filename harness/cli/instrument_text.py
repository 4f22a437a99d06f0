"""What the instruments print: their tables, with what stands around these on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from harness.evidence import COST_METRICS, EVIDENCE_METRICS, Bootstrap
from harness.measure.answers import GradedPoints
from harness.measure.curves import Curves
from harness.measure.equal_cost import AtEqualCost
from harness.measure.loss import Losses, LossRow, Moves
from harness.measure.measured import ACCURACY
from harness.measure.rank import RankRow
from harness.measure.shown import ShownRow
from harness.points import Point
from harness.replay.run import Run
from harness.show import instrument_tables as tables
from harness.show.evidence_tables import NO_CATEGORY, run_notes, values_table
from harness.show.printing import OutputFormat
from harness.show.table import Table
from harness.words import count, counted, percent, plain_of

from .output import print_table

DEFINITIONS = "Definitions: docs/instruments.md."

MadeCurves = Sequence[tuple[str | None, Curves, Sequence[AtEqualCost]]]


def print_curves(made: MadeCurves, form: OutputFormat, *, by_category: bool) -> None:
    """Print the curves of all questions, or of every type."""
    parts = [
        (
            curves,
            equal,
            tables.curve_rows(curves, equal, category, by_category=by_category),
            category,
        )
        for category, curves, equal in made
    ]
    if form is not OutputFormat.TEXT:
        print_table(Table((), [row for _, _, rows, _ in parts for row in rows]), form)
        return
    for curves, equal, rows, category in parts:
        if by_category:
            click.echo(f"{category or NO_CATEGORY}\n")
        print_table(tables.curves_table(curves, rows), form)
        click.echo()
        if reasons := tables.curve_warnings(curves, equal):
            click.echo(reasons)
        sentences = [*tables.curve_sentences(curves), *tables.caveat_lines(curves.caveats)]
        click.echo("\n".join(map(plain_of, sentences)))
        click.echo(f"Scored: {curves.denominator}.")
        compared = tables.equal_cost_table(curves, rows)
        if compared.rows:
            click.echo(
                f"\nAt equal cost, on the curve {compared.rows[0]['at_equal_cost']['curve']}\n"
            )
            print_table(compared, form)
        click.echo()
    click.echo(_intervals(made[0][1]))
    click.echo(DEFINITIONS)


def print_shown(
    rows: Sequence[ShownRow],
    metrics: Sequence[Mapping[str, Any]],
    graded: GradedPoints,
    run: Run,
    points: Sequence[Point],
    form: OutputFormat,
    *,
    by_category: bool,
) -> None:
    """Print the metrics, the histogram and the classes."""
    by_row = {(row["point"], row.get("category")): row for row in metrics}
    shown = [
        tables.shown_row(row, by_row[str(row.point), row.category], graded, by_category=by_category)
        for row in rows
    ]
    if form is not OutputFormat.TEXT:
        print_table(Table((), shown), form)
        return
    every = (*COST_METRICS, *EVIDENCE_METRICS)
    for name in dict.fromkeys(row.get("category") for row in metrics):
        if by_category:
            click.echo(f"{name or NO_CATEGORY}\n")
        part = [row for row in metrics if row.get("category") == name]
        print_table(values_table(part, every), form)
        click.echo()
    click.echo("Questions by the first item that quotes an answer session\n")
    print_table(tables.first_item_table(shown), form)
    click.echo("\nQuestions by what their context showed\n")
    print_table(tables.classes_table(shown), form)
    if any(row.wrong is not None for row in rows):
        click.echo("\nWrong answers by what the context showed\n")
        print_table(tables.wrong_table(shown), form)
    types, caveats = tables.graded_tables(graded)
    if types is not None:
        click.echo("\nAccuracy by question type\n")
        print_table(types, form)
    click.echo("\n".join(["", *map(plain_of, caveats)]))
    click.echo("\n".join([*run_notes(run, points, every)[:-1], DEFINITIONS]))


def print_losses(
    rows: Sequence[LossRow], moves: Sequence[Moves], losses: Losses, form: OutputFormat
) -> None:
    """Print what became of the evidence turns, and what moved where."""
    typed = any(row.category is not None for row in rows)
    table = tables.loss_table([tables.loss_row(row, moves, by_category=typed) for row in rows])
    print_table(table, form)
    if form is not OutputFormat.TEXT:
        return
    if moves:
        click.echo(f"\nWhat moved where, from {moves[0].against}\n")
        print_table(tables.moves_table(moves), form)
    questions = f"{count(losses.questions)} of {counted(losses.expected, 'question')}"
    turns = counted(len(losses.turns), "evidence turn")
    click.echo(f"\n{turns} of {questions}, in the window or not.")
    click.echo(DEFINITIONS)


def print_ranks(rows: Sequence[RankRow], checks: Sequence[RankRow], form: OutputFormat) -> None:
    """Print the turns by rank, and the two checks."""
    typed = any(row.category is not None for row in rows)
    print_table(tables.rank_table([tables.rank_row(row, by_category=typed) for row in rows]), form)
    if form is not OutputFormat.TEXT:
        return
    click.echo("\nIs what was recomputed what was quoted?\n")
    print_table(tables.rank_checks_table([tables.rank_row(row) for row in checks]), form)
    click.echo(f"\n{DEFINITIONS}")


def _intervals(curves: Curves) -> str:
    made = Bootstrap()
    own = "percentile bootstrap"
    if curves.measure is ACCURACY:
        own = "exact percentile bootstrap, interpolated ones and bands"
    return (
        f"Differences in points. Intervals: {percent(made.level)}, {own} of the questions, "
        f"{count(made.resamples)} resamples, seed {made.seed}; "
        f"the band holds for all {counted(curves.band_points, 'point')} at once."
    )
