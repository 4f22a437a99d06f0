"""`harness parity`: what other systems answered, recomputed and compared exactly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from harness.errors import ExitCode
from harness.show.printing import OutputFormat
from harness.show.table import Column, Table
from harness.words import Kind, counted

from .options import quiet_option, table_options
from .output import chosen_format, print_table

if TYPE_CHECKING:
    from harness.explain.parity.check import DifferentLine, ParityReport

SIDES = ("here", "recorded")
SHOWN = 10

COLUMNS = (
    Column("arm", "arm"),
    Column("field", "field"),
    Column("compared", "compared", Kind.COUNT),
    Column("same", "same", Kind.COUNT),
    Column("different", "different", Kind.COUNT),
    Column("left_out", "left out", Kind.COUNT),
)


@click.command()
@click.argument("cases", metavar="CASES")
@click.argument("expected", metavar="EXPECTED")
@click.option(
    "--all", "show_all", is_flag=True, help=f"List every difference, not the first {SHOWN}."
)
@table_options
@quiet_option
def parity(
    cases: str, expected: str, show_all: bool, as_json: bool, as_csv: bool, quiet: bool
) -> int:
    """Recompute recorded selections, and compare each field exactly.

    CASES holds harness.case/1, EXPECTED what a system answered for them, one selection per line
    (docs/parity.md); either may be compressed (.gz, .xz), and one may be `-`, standard input. Every
    field of a line is compared, without tolerance. The table counts, for each arm and field, the
    lines that were compared, that are the same, and that declare that they leave the field out.

    For a selection that differs, the first difference of the two sequences is shown, with both
    passages and all their ranks, else the first range or character that differs. Exit code 1 when
    anything differs. --csv prints only the counts.

    \b
    Example:
      harness parity cases.jsonl.gz expected.jsonl.gz
      harness parity cases.jsonl.gz expected.jsonl.gz --json --all | jq .differences
    """
    from harness.explain.parity.check import check
    from harness.explain.parity.selections import ExpectedFile
    from harness.recording.case_lines import CaseLines

    form = chosen_format(as_json, as_csv)
    if cases == expected == "-":
        raise click.UsageError("CASES and EXPECTED are both standard input; give one as a file.")
    recorded = ExpectedFile(expected)
    report = check(CaseLines(cases), list(recorded), recorded.name, quiet=quiet)
    _print(report, form, len(report.differences) if show_all else SHOWN)
    return int(ExitCode.DIFFERENCE if report.differences else ExitCode.SUCCESS)


def _print(report: ParityReport, form: OutputFormat, shown: int) -> None:
    counts = [asdict(count) for count in report.counts]
    if form is OutputFormat.JSON:
        value = {
            "lines": report.lines,
            "same": report.lines - len(report.differences),
            "different": len(report.differences),
            "counts": counts,
            "differences": [
                _difference_object(different) for different in report.differences[:shown]
            ],
        }
        click.echo(json.dumps(value, ensure_ascii=False, indent=1))
        return
    print_table(Table(COLUMNS, counts), form)
    if form is OutputFormat.TEXT:
        click.echo("\n".join(_summary(report, shown)))


def _summary(report: ParityReport, shown: int) -> Iterator[str]:
    from harness.explain.parity.wording import difference_lines

    differences = report.differences
    yield ""
    if not differences:
        yield f"No difference in {counted(report.lines, 'recorded selection')}."
        return
    yield f"Different: {len(differences):,} of {counted(report.lines, 'recorded selection')}."
    for different in differences[:shown]:
        yield ""
        title = f"line {different.line}, case {different.case_id}, {different.point}"
        yield from difference_lines(title, different.comparison, SIDES)
    if len(differences) > shown:
        yield ""
        yield f"… and {len(differences) - shown:,} more; --all lists them."


def _difference_object(different: DifferentLine) -> dict[str, Any]:
    from harness.explain.parity.wording import difference_object

    place = {"line": different.line, "case_id": different.case_id, "point": different.point}
    return {**place, **difference_object(different.comparison, SIDES)}
