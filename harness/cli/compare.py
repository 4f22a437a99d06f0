"""`harness compare`: two reports of readers' attempts, or two arms before they are paid for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.errors import ExitCode, UsageError
from harness.show.printing import OutputFormat

from .looked_at import note_look
from .options import PATH, chosen_part, quiet_option, split_options, table_options
from .output import chosen_format, print_table

if TYPE_CHECKING:
    from harness.attempts.comparing.comparison import ReportComparison
    from harness.datasets.split import Split


@click.command()
@click.argument("before")
@click.argument("after")
@click.option("--only", metavar="COMPONENT", help="Exactly this binary's hash must have changed.")
@click.option(
    "--feature",
    metavar="NAME",
    help="A feature that must have been used in AFTER: coalesce, pin, hop, …, or a tool's name.",
)
@click.option(
    "--policies", is_flag=True, help="Compare two readers' policies on identical binaries."
)
@click.option(
    "--client-repo",
    type=PATH,
    metavar="PATH",
    help="Say how far each measured client is behind HEAD of this git repository.",
)
@click.option(
    "--client-ref", metavar="REF", help="With --client-repo: behind this branch, tag or commit."
)
@click.option(
    "--max-behind",
    type=click.IntRange(min=0),
    metavar="N",
    help="With --client-repo: refuse a client more than N commits behind, or not known.",
)
@split_options("Compare only the attempts at these tasks.")
@click.option("--exit-code", is_flag=True, help="Exit 1 if AFTER regressed.")
@click.option("--markdown", is_flag=True, help="Print Markdown for a pull request.")
@click.option(
    "--preflight",
    type=PATH,
    metavar="WORLD",
    help="Instead: check two arms (runs or traces) before you pay for reader calls.",
)
@click.option(
    "--schemas",
    type=PATH,
    nargs=2,
    metavar="BEFORE AFTER",
    help="With --preflight: the tool lists (JSON) of both servers.",
)
@click.option(
    "--points",
    nargs=2,
    metavar="BEFORE AFTER",
    help="With --preflight: a point of each run, where they have several.",
)
@click.option(
    "--stubs-count",
    is_flag=True,
    help="With --preflight: a stub counts as the text that it names.",
)
@quiet_option
@table_options
def compare(
    before: str,
    after: str,
    only: str | None,
    feature: str | None,
    policies: bool,
    client_repo: Path | None,
    client_ref: str | None,
    max_behind: int | None,
    split: Path | None,
    part: str,
    exit_code: bool,
    markdown: bool,
    preflight: Path | None,
    schemas: tuple[Path, Path] | None,
    points: tuple[str, str] | None,
    stubs_count: bool,
    quiet: bool,
    as_json: bool,
    as_csv: bool,
) -> int:
    """Compare two reports of the same tasks, strictly: what a correct answer costs, what was lost.

    BEFORE and AFTER are reports (demarkus-answer-report-v2), such as `harness score --out` writes,
    or folders with a report.json. Their run specification must be equal, and so must what readers
    were told of their tools; binaries may differ.

    \b
    The state is the first of these that holds:
      incomparable             something differs that must not, attempts are missing, or a usage
                               is unknown; every reason is named; exit code 2
      regressed                a task or category lost correct repeats, or the interval of the
                               tokens per correct answer lies wholly above 0
      inconclusive (feature not exercised)   with --feature
      unchanged                equal total tokens and equal correct answers
      improved                 the interval lies wholly below 0, and no fewer answers are correct
      inconclusive (interval)

    Intervals are 95 % percentile bootstraps over tasks of a difference of ratios of sums, with a
    fixed seed (docs/comparing.md). --exit-code exits with 1 for regressed and 0 for the other
    states except incomparable; a report that is damaged or superseded is refused with 2.

    With --preflight nothing has been answered yet: BEFORE and AFTER are two runs of recorded
    lookups or two files of attempts. Tool schemas must be equal, every header must name an existing
    version and section, and no fewer required passages may be citable. Exit code 1 if a check
    fails.

    \b
    Example:
      harness compare before.json after.json --only mcp --feature hop --exit-code
      harness compare before.json after.json --client-repo ../client --max-behind 0
      harness compare before.json after.json --split museum.split.json --part dev
      harness compare before.json after.json --markdown > comment.md
      harness compare RUN RUN --preflight WORLD --schemas tools-before.json tools-after.json \\
        --points 'lookup-before(budget_tokens=1500)' 'lookup-budgeted(budget_tokens=1500)'
    """
    form = chosen_format(as_json, as_csv)
    if markdown and form is not OutputFormat.TEXT:
        raise UsageError("--markdown excludes --json and --csv", "Use one of them.")
    if preflight is not None:
        reports_only = {
            "--only": only,
            "--feature": feature,
            "--policies": policies,
            "--client-repo": client_repo,
            "--split": split,
            "--markdown": markdown,
        }
        _refuse(reports_only, "compares reports", "Leave it out, or --preflight.")
        return _preflight(before, after, preflight, schemas, points, stubs_count, form)
    before_payment = {"--schemas": schemas, "--points": points, "--stubs-count": stubs_count}
    _refuse(before_payment, "is part of a preflight", "Add --preflight WORLD.")
    if client_repo is None:
        of_clients = {"--client-ref": client_ref, "--max-behind": max_behind is not None}
        _refuse(of_clients, "goes with --client-repo", "Name the client's git repository.")
    clients = None if client_repo is None else (client_repo, client_ref or "HEAD", max_behind)
    drawn = chosen_part(split, part)
    of = None if drawn is None else (drawn, part)
    comparison = _compared(before, after, only, feature, policies, clients, of)
    if drawn is not None:
        shown = {comparison.before.name: comparison.before, comparison.after.name: comparison.after}
        arms = {name: report.attempts for name, report in shown.items()}
        note_look(arms, drawn, part, comparison.before.path, quiet)
    _print(comparison, form, markdown=markdown)
    return int(_exit_code(comparison, exit_code))


def _refuse(options: dict[str, Any], what: str, hint: str) -> None:
    given = [name for name, value in options.items() if value]
    if given:
        raise UsageError(f"{', '.join(given)} {what}", hint)


def _compared(
    before: str,
    after: str,
    only: str | None,
    feature: str | None,
    policies: bool,
    clients: tuple[Path, str, int | None] | None,
    of: tuple[Split, str] | None,
) -> ReportComparison:
    from harness.attempts.comparing import comparison
    from harness.attempts.comparing.clients import ClientRule
    from harness.attempts.comparing.comparison import check_component
    from harness.attempts.comparing.report import read_report
    from harness.attempts.comparing.superseded import refuse_superseded

    if only is not None:
        check_component(only)
        if policies:
            raise UsageError(
                "--only and --policies exclude each other: policies are compared on identical "
                "binaries",
                "Give one of them.",
            )
    reports = [read_report(Path(source)) for source in (before, after)]
    for report in reports:
        refuse_superseded(report.path, report.lineage)
    rule = None if clients is None else ClientRule(*clients)
    if of is not None:
        tasks = of[0].listed(of[1])
        reports = [report.of_tasks(tasks) for report in reports]
    ask = comparison.Ask(only, feature, policies, rule)
    return comparison.compare(reports[0], reports[1], ask)


def _print(comparison: ReportComparison, form: OutputFormat, *, markdown: bool) -> None:
    from harness.show.attempts_tables import comparison_object, comparison_text, measures_for_csv
    from harness.show.printing import json_text

    if form is OutputFormat.JSON:
        click.echo(json_text(comparison_object(comparison), indent=1))
    elif form is OutputFormat.CSV:
        print_table(measures_for_csv(comparison), form)
        if comparison.reasons:
            click.echo("\n".join(comparison.reasons), err=True)
    else:
        click.echo(
            comparison_text(comparison, OutputFormat.MARKDOWN if markdown else OutputFormat.TEXT)
        )


def _exit_code(comparison: ReportComparison, asked: bool) -> ExitCode:
    from harness.attempts.comparing.comparison import ComparisonState

    if comparison.state is ComparisonState.INCOMPARABLE:
        return ExitCode.ERROR
    regressed = asked and comparison.state is ComparisonState.REGRESSED
    return ExitCode.DIFFERENCE if regressed else ExitCode.SUCCESS


def _preflight(
    before: str,
    after: str,
    world: Path,
    schemas: tuple[Path, Path] | None,
    points: tuple[str, str] | None,
    stubs: bool,
    form: OutputFormat,
) -> int:
    from harness.attempts.comparing.preflight import preflight, read_tools
    from harness.attempts.comparing.shown_lookups import open_side
    from harness.show import attempts_tables as tables
    from harness.show.printing import json_text
    from harness.worlds import load_world

    loaded = load_world(world)
    named = points or (None, None)
    sides = [
        open_side(source, loaded, point)
        for source, point in zip((before, after), named, strict=True)
    ]
    tools = None if schemas is None else (read_tools(schemas[0]), read_tools(schemas[1]))
    checks = preflight(sides[0], sides[1], loaded, tools, stubs=stubs)
    names = sides[0].name, sides[1].name
    if form is OutputFormat.JSON:
        click.echo(json_text(tables.checks_object(checks, *names, stubs=stubs), indent=1))
    else:
        print_table(tables.checks_table(checks), form)
    if form is OutputFormat.TEXT:
        click.echo("\n".join(tables.checks_remarks(checks, *names, stubs=stubs)))
    failed = any(check.passed is False for check in checks)
    return int(ExitCode.DIFFERENCE if failed else ExitCode.SUCCESS)
