"""`harness interval`: the interval of a paired difference, from counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from harness.show.printing import OutputFormat
from harness.show.table import Column, Table
from harness.words import Kind

from .options import LazyChoice, ListingCommand, quiet_option, table_options
from .output import format_for_reader, note, print_table

if TYPE_CHECKING:
    from harness.decode.fields import ObjectReader
    from harness.statistics.counts import Interval, Level, PairedCounts

    from .statistics_lines import RequestForm

MOST_PAIRS = 1_000_000


@click.command(cls=ListingCommand)
@click.option("--wins", type=int, help="Pairs in which only the point is right.")
@click.option("--losses", type=int, help="Pairs in which only the other is right.")
@click.option("-n", "--n", type=int, help="All pairs; the rest are ties.")
@click.option(
    "--method",
    type=LazyChoice("harness.statistics.methods:METHODS", checked=False),
    help="How the interval is computed; see below.  [default: exact]",
)
@click.option(
    "--level", metavar="DECIMAL", help="Confidence level, meant exactly.  [default: 0.95]"
)
@click.option(
    "--from",
    "source",
    metavar="FILE",
    help="Answer each line of this file of JSON Lines, or of standard input (-).",
)
@table_options
@quiet_option
def interval(
    wins: int | None,
    losses: int | None,
    n: int | None,
    method: str | None,
    level: str | None,
    source: str | None,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> None:
    """Print the interval of the difference (wins - losses) / n of paired answers.

    The table is in points (hundredths); JSON and CSV are in fractions, with 17 significant digits.
    With --from, each line is an object with the keys n, wins, losses, and perhaps method and level;
    or, for questions that are resampled within their types, with strata, a list of {n, wins,
    losses}, and method exact. Options supply keys that a line lacks. Prints one JSON object per
    input line, in order. Definitions and sources: docs/statistics.md.

    Prints a table on a terminal, and one line of JSON into a pipe, as with --json.

    \b
    Examples:
      harness interval --wins 29 --losses 25 --n 500
      harness interval --wins 13 --losses 10 --n 400 --method tango --json
      echo '{"n": 400, "wins": 0, "losses": 1, "level": "0.90"}' | harness interval --from -
    """
    from .statistics_lines import print_answers, request_of_options, requests_of_lines

    form = format_for_reader(as_json, as_csv)
    options = {"wins": wins, "losses": losses, "n": n, "method": method, "level": level}
    if source is not None:
        requests = requests_of_lines(_form(), source, options)
        answers = [(number, request.answer()) for number, request in requests]
        print_answers([answer.row for _, answer in answers], form)
        _note_lines([(number, answer.warnings) for number, answer in answers], quiet)
        return
    answer = request_of_options(_form(), options).answer()
    if form is OutputFormat.TEXT:
        print_table(Table(_COLUMNS, [answer.row]), form)
    else:
        print_answers([answer.row], form)
    for warning in answer.warnings:
        note(f"warning: {warning}", quiet)


@dataclass(frozen=True, slots=True)
class _Answer:
    row: dict[str, Any]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Request:
    """An interval to make: of one set of counts, or of strata."""

    strata: tuple[PairedCounts, ...]
    method: str
    level: Level

    def answer(self) -> _Answer:
        from harness.statistics.counts import PairedCounts
        from harness.statistics.warnings import interval_warnings

        wins = sum(counts.wins for counts in self.strata)
        losses = sum(counts.losses for counts in self.strata)
        ties = sum(counts.ties for counts in self.strata)
        pooled = PairedCounts(wins, losses, ties)
        limits = self._limits()
        row = {
            "method": self.method,
            "level": self.level.text,
            "n": pooled.n,
            "wins": wins,
            "losses": losses,
            "difference": float(pooled.difference),
            "lower": limits.lower,
            "upper": limits.upper,
        }
        return _Answer(row, interval_warnings(pooled, limits, self.method))

    def _limits(self) -> Interval:
        from harness.statistics.exact_bootstrap import stratified_exact_interval
        from harness.statistics.methods import method_named

        if len(self.strata) > 1:
            return stratified_exact_interval(self.strata, self.level)
        return method_named(self.method).interval(self.strata[0], self.level)


def _form() -> RequestForm[_Request]:
    from .statistics_lines import RequestForm

    return RequestForm(
        "interval",
        ("n", "wins", "losses", "strata", "method", "level", "convention"),
        _PASSED_OVER,
        _read,
        '{"n": 500, "wins": 29, "losses": 25, "level": "0.95"}; see: harness interval --help',
    )


_PASSED_OVER = (
    *("difference", "lower", "upper", "lower_sum", "upper_sum"),
    *("mean", "estimate", "centre", "se", "lower_untruncated", "upper_untruncated"),
    *("cdf_lower", "cdf_upper", "cdf_below_lower", "cdf_below_upper", "quantile_gap"),
    *("p_gt_0", "p_le_0", "p_ge_minus_0_02", "p_lt_minus_0_02", "tie_at_lower", "tie_at_upper"),
)
"""Results: of an earlier answer, or of a row of reference values."""


def _read(fields: ObjectReader) -> _Request | None:
    from .statistics_lines import level_of

    strata = _strata(fields)
    method = _method(fields)
    level = level_of(fields)
    if fields.has("strata") and method not in (None, "exact"):
        fields.fault("method", f"is {method!r}; strata are resampled, so the method is exact")
    if strata is None or method is None or level is None:
        return None
    return _Request(strata, method, level)


def _method(fields: ObjectReader) -> str | None:
    """Return the method of the option, else that of the row's convention, else exact."""
    from harness.decode.fields import kind_of
    from harness.errors import HarnessError
    from harness.statistics.methods import METHODS, method_named

    from .statistics_lines import check_convention, wrong

    by_convention = {method.convention: method.name for method in METHODS.values()}
    by_convention["exact-percentile-stratified/1"] = "exact"
    check_convention(fields, by_convention)
    if not fields.has("method"):
        return by_convention.get(str(fields.raw("convention")), "exact")
    name = fields.raw("method")
    if not isinstance(name, str):
        fields.fault("method", f"is {kind_of(name)}, expected one of {', '.join(METHODS)}")
        return None
    try:
        return method_named(name).name
    except HarnessError as error:
        fields.fault("method", wrong(error))
        return None


def _strata(fields: ObjectReader) -> tuple[PairedCounts, ...] | None:
    if not fields.has("strata"):
        counts = _counts(fields)
        return None if counts is None else (counts,)
    for key in ("n", "wins", "losses"):
        if fields.has(key):
            fields.fault(
                key, "does not go with strata, which have their own; leave one of them out"
            )
    return _list_of_counts(fields)


def _list_of_counts(fields: ObjectReader) -> tuple[PairedCounts, ...] | None:
    from harness.decode.fields import ObjectReader
    from harness.errors import Faults

    found = []
    entries = list(fields.items("strata"))
    if fields.raw("strata") == []:
        fields.fault("strata", "is empty, expected a list of {n, wins, losses}")
    for path, entry in entries:
        faults = Faults()
        inner = ObjectReader(entry, path, faults, (), ("n", "wins", "losses"))
        counts = _counts(inner) if isinstance(entry, dict) else None
        for message in faults:
            where, _, what = message.partition(" ")
            fields.fault(where, what)
        if counts is not None:
            found.append(counts)
    return tuple(found) if found and len(found) == len(entries) else None


def _counts(fields: ObjectReader) -> PairedCounts | None:
    from harness.statistics.counts import PairedCounts

    from .statistics_lines import whole_number

    n = whole_number(fields, "n", 1, MOST_PAIRS)
    wins = whole_number(fields, "wins", 0, MOST_PAIRS)
    losses = whole_number(fields, "losses", 0, MOST_PAIRS)
    if n is None or wins is None or losses is None:
        return None
    if wins + losses > n:
        fields.fault(
            "n",
            f"is the number {n}, less than wins + losses = {wins + losses}; "
            "n counts all pairs, ties too",
        )
        return None
    return PairedCounts.of_total(n, wins, losses)


_COLUMNS = (
    Column("method", "method"),
    Column("level", "level"),
    *(Column(key, key, Kind.COUNT) for key in ("n", "wins", "losses")),
    *(Column(key, key, Kind.POINTS) for key in ("difference", "lower", "upper")),
)


def _note_lines(warned: list[tuple[int, tuple[str, ...]]], quiet: bool) -> None:
    from .statistics_lines import lines_noted

    numbers = [number for number, warnings in warned if warnings]
    if numbers:
        first = next(warnings[0] for _, warnings in warned if warnings)
        note(f"warning: {lines_noted(numbers)}: such as {first}", quiet)
