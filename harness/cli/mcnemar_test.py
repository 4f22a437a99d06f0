"""`harness test`: McNemar's test of paired answers, from counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import click

from harness.show.printing import OutputFormat
from harness.show.table import Column, Table
from harness.words import Kind

from .options import quiet_option, table_options
from .output import format_for_reader, print_table
from .statistics_lines import (
    RequestForm,
    check_convention,
    print_answers,
    request_of_options,
    requests_of_lines,
    whole_number,
)

MOST_PAIRS = 200_000


@click.command("test")
@click.option("--wins", type=int, help="Pairs in which only the point is right.")
@click.option("--losses", type=int, help="Pairs in which only the other is right.")
@click.option(
    "--from",
    "source",
    metavar="FILE",
    help="Answer each line of this file of JSON Lines, or of standard input (-).",
)
@table_options
@quiet_option
def mcnemar_test(
    wins: int | None,
    losses: int | None,
    source: str | None,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> None:
    """Print the p-values of McNemar's test: are wins and losses equally likely?

    exact_p is that of the exact conditional test, which is conservative; mid_p counts half of the
    outcomes that are as likely as the observed one, and is nearer its nominal size. Both are
    two-sided; without a discordant pair both are 1.

    With --from, each line is an object with the keys wins and losses; prints one JSON object per
    input line, in order. Definitions and sources: docs/statistics.md.

    Prints a table on a terminal, and one line of JSON into a pipe, as with --json.

    \b
    Examples:
      harness test --wins 29 --losses 25
      harness test --wins 13 --losses 3 --json
      echo '{"wins": 13, "losses": 3}' | harness test --from -
    """
    form = format_for_reader(as_json, as_csv)
    options = {"wins": wins, "losses": losses}
    if source is not None:
        requests = requests_of_lines(_FORM, source, options)
        print_answers([request.answer() for _, request in requests], form)
        return
    request = request_of_options(_FORM, options)
    if form is OutputFormat.TEXT:
        counts = {"wins": request.wins, "losses": request.losses}
        print_table(Table(_COLUMNS, [counts | request.answer()]), form)
    else:
        print_answers([request.answer()], form)


@dataclass(frozen=True, slots=True)
class _Request:
    wins: Annotated[int, *whole_number(0, MOST_PAIRS)]
    losses: Annotated[int, *whole_number(0, MOST_PAIRS)]
    convention: str | None = None

    def __post_init__(self) -> None:
        check_convention(self.convention, ("mcnemar/1",))

    def answer(self) -> dict[str, Any]:
        from harness.statistics.mcnemar import mcnemar

        p_values = mcnemar(self.wins, self.losses)
        return {"exact_p": p_values.exact_p, "mid_p": p_values.mid_p}


_FORM = RequestForm(
    "test",
    lambda parts: parts.part(_Request),
    ("exact_p", "mid_p", "statistic", "asymptotic_p"),
    '{"wins": 29, "losses": 25}; see: harness test --help',
)


_COLUMNS = [
    Column("wins", "wins", Kind.COUNT),
    Column("losses", "losses", Kind.COUNT),
    Column("exact_p", "exact p", Kind.P),
    Column("mid_p", "mid-p", Kind.P),
]
