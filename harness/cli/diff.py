"""`harness diff`: two files of selections or runs, case by case."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from harness.errors import ExitCode
from harness.show.printing import OutputFormat
from harness.show.table import Column, Table
from harness.words import Kind, count, counted

from .options import quiet_option, table_options
from .output import chosen_format, note, print_table

if TYPE_CHECKING:
    from harness.explain.parity.difference import DifferentPair, DiffReport, PointCount
    from harness.explain.parity.selections import SelectionSource

SIDES = ("A", "B")
SHOWN = 10


def _fields(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(f"{name} {count(number)}" for name, number in row["fields"].items())


COLUMNS = (
    Column("point", "point"),
    Column("pairs", "pairs", Kind.COUNT),
    Column("equal", "equal", Kind.COUNT),
    Column("different", "different", Kind.COUNT),
    Column("only_a", "only in A", Kind.COUNT),
    Column("only_b", "only in B", Kind.COUNT),
    Column("fields", "differ in", cell=_fields),
)


@click.command()
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
@click.option(
    "-p",
    "--point",
    "points",
    multiple=True,
    metavar="SPEC",
    help="Only this point, or the default points of this arm; repeatable.",
)
@click.option(
    "--against-point",
    "against",
    multiple=True,
    metavar="SPEC",
    help="Compare A at --point with B at this one; repeatable, in the order of --point.",
)
@click.option(
    "--case", "case_ids", multiple=True, metavar="ID", help="Only the case of this id; repeatable."
)
@click.option(
    "--all", "show_all", is_flag=True, help=f"List every difference, not the first {SHOWN}."
)
@table_options
@quiet_option
def diff(
    left: str,
    right: str,
    points: tuple[str, ...],
    against: tuple[str, ...],
    case_ids: tuple[str, ...],
    show_all: bool,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> int:
    """Compare two files of selections or runs, case by case: equal, or what changed first.

    A and B are each a file of harness.selection/1 (plain, .gz or .xz; one may be `-`, standard
    input) or the folder of a run. Selections are joined by case and point. For a pair that differs,
    the first difference of the two sequences is shown, with both passages and all their ranks; if
    they are the same, the first item, range, excerpt or character that differs. A field that one
    side lacks is not compared: a run does not hold the text of each quote.

    With --against-point two points are compared with one another, in one run or in two; their
    budgets, which are settings, are then not compared. An arm's name means its default points,
    joined with those of the other arm that have the same settings.

    Exit code 1 when anything differs or one side lacks a selection. --csv prints only the counts.

    \b
    Example:
      harness diff before.jsonl after.jsonl
      harness diff RUN OTHER-RUN --point '2.6.5a1(budget=2800)'
      harness diff RUN RUN --point evidence --against-point whole
      harness select cases.jsonl -p items | harness diff - kept.jsonl.gz
    """
    from harness.explain.parity.difference import differences_of, point_pairs
    from harness.explain.parity.selections import open_source

    form = chosen_format(as_json, as_csv)
    if left == right == "-":
        raise click.UsageError("A and B are both standard input; give one as a file.")
    if against and not points:
        raise click.UsageError("--against-point needs --point: the point of A to compare it with.")
    pairs = point_pairs(points, against) if points else ()
    first, second = open_source(left), open_source(right)
    _note_recordings(first, second, quiet)
    shown = None if show_all else SHOWN
    report = differences_of(first, second, pairs, case_ids, shown=shown, quiet=quiet)
    _print(report, form)
    return int(ExitCode.DIFFERENCE if report.all_differences else ExitCode.SUCCESS)


def _note_recordings(left: SelectionSource, right: SelectionSource, quiet: bool) -> None:
    """Say so when two runs are of different recordings: then windows and texts may differ."""
    from harness.explain.parity.run_selections import RunSelections

    runs = [source for source in (left, right) if isinstance(source, RunSelections)]
    if len({run.recording_sha256 for run in runs}) > 1:
        note("A and B are runs of different recordings", quiet)


def _print(report: DiffReport, form: OutputFormat) -> None:
    rows = [_row(count) for count in report.counts]
    if form is OutputFormat.JSON:
        value = {
            "pairs": report.pairs,
            "equal": report.pairs - report.different,
            "different": report.different,
            "only_a": report.only_left,
            "only_b": report.only_right,
            "points": rows,
            "differences": [_difference_object(pair) for pair in report.differences],
        }
        click.echo(json.dumps(value, ensure_ascii=False, indent=1))
        return
    print_table(Table(COLUMNS, rows), form)
    if form is OutputFormat.TEXT:
        click.echo("\n".join(_summary(report)))


def _row(count: PointCount) -> dict[str, Any]:
    return {
        "point": count.point,
        "pairs": count.pairs,
        "equal": count.equal,
        "different": count.different,
        "only_a": count.only_left,
        "only_b": count.only_right,
        "fields": dict(count.fields),
    }


def _summary(report: DiffReport) -> Iterator[str]:
    from harness.explain.parity.wording import difference_lines

    yield ""
    if not report.all_differences:
        yield f"No difference in {counted(report.pairs, 'pair')}."
        return
    yield (
        f"Different: {report.different:,} of {counted(report.pairs, 'pair')}; only in A: "
        f"{report.only_left:,}, only in B: {report.only_right:,}."
    )
    if not report.pairs:
        yield "A and B have no case at the same point; --against-point compares two points."
    for pair in report.differences:
        title = f"case {pair.case_id}, {pair.point}"
        if pair.comparison is None:
            yield f"{title}: only in {SIDES[pair.only_right]}"
        else:
            yield ""
            yield from difference_lines(title, pair.comparison, SIDES)
    if report.all_differences > len(report.differences):
        yield ""
        yield f"… and {report.all_differences - len(report.differences):,} more; --all lists them."


def _difference_object(pair: DifferentPair) -> dict[str, Any]:
    from harness.explain.parity.wording import difference_object

    value: dict[str, Any] = {"case_id": pair.case_id, "point": pair.point}
    if pair.comparison is None:
        return {**value, "only_in": SIDES[pair.only_right]}
    return {**value, **difference_object(pair.comparison, SIDES)}
