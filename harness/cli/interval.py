"""`harness interval`: the interval of a paired difference, from counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import click

from harness.decode import FieldError, Via, named
from harness.show.printing import OutputFormat
from harness.show.table import Column, Table
from harness.words import Kind

from .options import LazyChoice, ListingCommand, quiet_option, table_options
from .output import format_for_reader, note, print_table
from .statistics_lines import (
    DEFAULT,
    ConfidenceLevel,
    Fields,
    RequestForm,
    check_convention,
    print_answers,
    request_of_options,
    requests_of_lines,
    whole_number,
    wrong,
)

if TYPE_CHECKING:
    from harness.statistics.counts import Interval, Level, PairedCounts

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

    The table is in points (hundredths); JSON and CSV are in fractions, with all their digits.
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
    form = format_for_reader(as_json, as_csv)
    options = {"wins": wins, "losses": losses, "n": n, "method": method, "level": level}
    if source is not None:
        requests = requests_of_lines(_FORM, source, options)
        answers = [(number, request.answer()) for number, request in requests]
        print_answers([row for _, row in answers], form)
        _note_lines([(number, row["warnings"]) for number, row in answers], quiet)
        return
    row = request_of_options(_FORM, options).answer()
    if form is OutputFormat.TEXT:
        print_table(Table(_COLUMNS, [row], notes=tuple(map(_warning, row["warnings"]))), form)
        return
    print_answers([row], form)
    for warning in row["warnings"]:
        note(_warning(warning), quiet)


def _warning(text: str) -> str:
    return f"warning: {text}"


@dataclass(frozen=True, slots=True)
class _Request:
    """An interval to make: of one set of counts, or of strata."""

    strata: tuple[PairedCounts, ...]
    method: str
    level: Level

    def answer(self) -> dict[str, Any]:
        from harness.statistics.counts import PairedCounts
        from harness.statistics.warnings import interval_warnings

        wins = sum(counts.wins for counts in self.strata)
        losses = sum(counts.losses for counts in self.strata)
        ties = sum(counts.ties for counts in self.strata)
        pooled = PairedCounts(wins, losses, ties)
        limits = self._limits()
        return {
            "method": self.method,
            "level": self.level.text,
            "n": pooled.n,
            "wins": wins,
            "losses": losses,
            "difference": float(pooled.difference),
            "lower": limits.lower,
            "upper": limits.upper,
            "warnings": list(interval_warnings(pooled, limits, self.method)),
        }

    def _limits(self) -> Interval:
        from harness.statistics.exact_bootstrap import stratified_exact_interval
        from harness.statistics.methods import method_named

        if len(self.strata) > 1:
            return stratified_exact_interval(self.strata, self.level)
        return method_named(self.method).interval(self.strata[0], self.level)


@dataclass(frozen=True, slots=True)
class _Counts:
    n: Annotated[int, *whole_number(1, MOST_PAIRS)]
    wins: Annotated[int, *whole_number(0, MOST_PAIRS)]
    losses: Annotated[int, *whole_number(0, MOST_PAIRS)]

    def __post_init__(self) -> None:
        decided = self.wins + self.losses
        if decided > self.n:
            message = f"is the number {self.n}, less than wins + losses = {decided}"
            raise FieldError("n", f"{message}; n counts all pairs, ties too")


@dataclass(frozen=True, slots=True)
class _Strata:
    strata: tuple[_Counts, ...]

    def __post_init__(self) -> None:
        if not self.strata:
            raise FieldError("strata", "is empty, expected a list of {n, wins, losses}")


def _method(name: Any) -> str:
    from harness.errors import HarnessError
    from harness.statistics.methods import METHODS, method_named

    if not isinstance(name, str):
        raise FieldError("", f"is {named(name)}, expected one of {', '.join(METHODS)}")
    try:
        return method_named(name).name
    except HarnessError as error:
        raise FieldError("", wrong(error)) from error


@dataclass(frozen=True, slots=True)
class _Settings:
    """The level, and the method: as given, else that of the row's convention, else exact."""

    method: Annotated[str, Via(Any, _method)] | None = None
    level: ConfidenceLevel = DEFAULT
    convention: str | None = None

    def __post_init__(self) -> None:
        check_convention(self.convention, self._by_convention)

    @property
    def _by_convention(self) -> dict[str, str]:
        from harness.statistics.methods import METHODS

        known = {method.convention: method.name for method in METHODS.values()}
        return known | {"exact-percentile-stratified/1": "exact"}

    @property
    def chosen(self) -> str:
        return self.method or self._by_convention.get(self.convention or "", "exact")


def _read(parts: Fields) -> _Request | None:
    from harness.statistics.counts import PairedCounts

    settings = parts.part(_Settings)
    counts: tuple[_Counts, ...] | None = None
    if parts.has("strata"):
        for key in ("n", "wins", "losses"):
            if parts.has(key):
                parts.add(f"{key} does not go with strata, which have their own; leave one out")
        strata = parts.part(_Strata)
        counts = None if strata is None else strata.strata
        if settings is not None and settings.chosen != "exact":
            chosen = settings.chosen
            parts.add(f"method is {chosen!r}; strata are resampled, so the method is exact")
    elif (alone := parts.part(_Counts)) is not None:
        counts = (alone,)
    if counts is None or settings is None:
        return None
    pairs = tuple(PairedCounts.of_total(part.n, part.wins, part.losses) for part in counts)
    return _Request(pairs, settings.chosen, settings.level)


_FORM = RequestForm(
    "interval",
    _read,
    (
        *("n", "wins", "losses"),  # which strata have themselves
        *("difference", "lower", "upper", "lower_sum", "upper_sum"),
        *("mean", "estimate", "centre", "se", "lower_untruncated", "upper_untruncated"),
        *("cdf_lower", "cdf_upper", "cdf_below_lower", "cdf_below_upper", "quantile_gap"),
        *("p_gt_0", "p_le_0", "p_ge_minus_0_02", "p_lt_minus_0_02"),
        *("tie_at_lower", "tie_at_upper", "warnings"),
    ),
    '{"n": 500, "wins": 29, "losses": 25, "level": "0.95"}; see: harness interval --help',
)
"""Passed over are results: of an earlier answer, or of a row of reference values."""


_COLUMNS = (
    Column("method", "method"),
    Column("level", "level"),
    *(Column(key, key, Kind.COUNT) for key in ("n", "wins", "losses")),
    *(Column(key, key, Kind.POINTS) for key in ("difference", "lower", "upper")),
)


def _note_lines(warned: list[tuple[int, list[str]]], quiet: bool) -> None:
    from .statistics_lines import lines_noted

    numbers = [number for number, warnings in warned if warnings]
    if numbers:
        first = next(warnings[0] for _, warnings in warned if warnings)
        note(f"warning: {lines_noted(numbers)}: such as {first}", quiet)
