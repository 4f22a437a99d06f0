"""The instruments as they are printed: tables and sentences for people, rows for JSON and CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from harness.evidence import COST_METRICS, EVIDENCE_METRICS, Bootstrap
from harness.measure.instruments.curves import Curves
from harness.measure.instruments.equal_cost import AtEqualCost
from harness.measure.instruments.loss import Losses, LossRow, Moves
from harness.measure.instruments.measured import ACCURACY
from harness.measure.instruments.rank import RankRow
from harness.measure.instruments.shown import ShownRow
from harness.points import Point
from harness.replay.run import Run
from harness.show import curve_tables
from harness.show import instrument_tables as tables
from harness.show.markdown import Table
from harness.show.point_tables import NO_CATEGORY

from . import evidence_text
from .instrument_rows import curve_rows, loss_row, rank_row, shown_row
from .output import Column, OutputFormat, print_table, text_table

DEFINITIONS = "Definitions: docs/instruments.md."
_HEADING_WIDTH = 12

MadeCurves = Sequence[tuple[str | None, Curves, Sequence[AtEqualCost]]]


def print_curves(made: MadeCurves, form: OutputFormat, *, by_category: bool) -> None:
    """Print the curves of all questions, or of every type."""
    if form is not OutputFormat.TEXT:
        rows = [
            row
            for category, curves, equal in made
            for row in curve_rows(curves, equal, category, by_category=by_category)
        ]
        print_table(rows, (), form)
        return
    for category, curves, equal in made:
        if by_category:
            click.echo(f"{category or NO_CATEGORY}\n")
        click.echo(_plain(curve_tables.curves_table(curves)))
        click.echo()
        click.echo("\n".join(_bare(line) for line in curve_tables.curve_sentences(curves)))
        click.echo(f"Scored: {curves.denominator}.")
        if equal:
            click.echo(f"\nAt equal cost, on the curve {equal[0].other}\n")
            click.echo(_plain(curve_tables.equal_cost_table(equal)))
        click.echo()
    click.echo(_intervals(made[0][1]))
    click.echo(DEFINITIONS)


def print_shown(
    rows: Sequence[ShownRow],
    metrics: Sequence[Mapping[str, Any]],
    run: Run,
    points: Sequence[Point],
    form: OutputFormat,
    *,
    by_category: bool,
) -> None:
    """Print the metrics, the histogram and the classes."""
    by_row = {(row["point"], row.get("category")): row for row in metrics}
    if form is not OutputFormat.TEXT:
        found = [
            shown_row(row, by_row[str(row.point), row.category], by_category=by_category)
            for row in rows
        ]
        print_table(found, (), form)
        return
    every = (*COST_METRICS, *EVIDENCE_METRICS)
    for name in dict.fromkeys(row.get("category") for row in metrics):
        part = [row for row in metrics if row.get("category") == name]
        if by_category:
            click.echo(f"{name or NO_CATEGORY}\n")
        click.echo(evidence_text.values_table(part, every))
        click.echo("\n" + "\n".join(evidence_text.denominator_lines(part, every)) + "\n")
    click.echo("Questions by the first item that quotes an answer session\n")
    click.echo(_plain(tables.first_item_table(rows)))
    click.echo("\nQuestions by what their context showed\n")
    click.echo(_plain(tables.classes_table(rows)))
    if any(row.wrong is not None for row in rows):
        click.echo("\nWrong answers by what the context showed\n")
        click.echo(_plain(tables.wrong_table(rows)))
    click.echo()
    click.echo("\n".join([*evidence_text.notes(run, points, every)[:-1], DEFINITIONS]))


def print_losses(
    rows: Sequence[LossRow], moves: Sequence[Moves], losses: Losses, form: OutputFormat
) -> None:
    """Print what became of the evidence turns, and what moved where."""
    by_category = _typed(rows)
    if form is not OutputFormat.TEXT:
        print_table([loss_row(row, moves, by_category=by_category) for row in rows], (), form)
        return
    click.echo(_plain(tables.loss_table(rows)))
    if moves:
        click.echo(f"\nWhat moved where, from {moves[0].against}\n")
        click.echo(_plain(tables.moves_table(moves)))
    questions = f"{losses.questions:,} of {losses.expected:,} questions"
    click.echo(f"\n{len(losses.turns):,} evidence turns of {questions}, in the window or not.")
    click.echo(DEFINITIONS)


def print_ranks(rows: Sequence[RankRow], checks: Sequence[RankRow], form: OutputFormat) -> None:
    """Print the turns by rank, and the two checks."""
    if form is not OutputFormat.TEXT:
        print_table([rank_row(row, by_category=_typed(rows)) for row in rows], (), form)
        return
    click.echo(_plain(tables.rank_table(rows)))
    click.echo("\nIs what was recomputed what was quoted?\n")
    click.echo(_plain(tables.rank_checks_table(checks)))
    click.echo(f"\n{DEFINITIONS}")


def _typed(rows: Sequence[LossRow] | Sequence[RankRow]) -> bool:
    return any(row.category is not None for row in rows)


def _intervals(curves: Curves) -> str:
    made = Bootstrap()
    own = "percentile bootstrap"
    if curves.measure is ACCURACY:
        own = "exact percentile bootstrap, interpolated ones and bands"
    return (
        f"Differences in points. Intervals: {made.level:.0%}, {own} of the questions, "
        f"{made.resamples:,} resamples, seed {made.seed}; "
        f"the band holds for all {curves.band_points} points at once."
    )


def _plain(table: Table) -> str:
    """A page's table for the terminal: no code marks, headings in short lines."""
    columns = [
        Column(str(place), _broken(name), numeric=place >= table.left)
        for place, name in enumerate(table.headings)
    ]
    rows = [{str(place): _bare(cell) for place, cell in enumerate(row)} for row in table.rows]
    return text_table(rows, columns)


def _bare(text: str) -> str:
    return text.replace("`", "")


def _broken(heading: str) -> str:
    lines: list[str] = []
    for word in heading.split():
        if lines and len(lines[-1]) + 1 + len(word) <= _HEADING_WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines)
