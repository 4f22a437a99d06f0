"""`harness profile`: what readers' attempts spent their tokens on."""

from __future__ import annotations

from pathlib import Path

import click

from harness.show.printing import OutputFormat

from .options import PATH, by_option, table_options
from .output import chosen_format, print_table


@click.command()
@click.argument("reports", metavar="REPORT...", type=PATH, nargs=-1, required=True)
@by_option("Print a row per report and category.")
@table_options
def profile(reports: tuple[Path, ...], by: str | None, as_json: bool, as_csv: bool) -> None:
    """Print what the attempts of each REPORT spent their tokens on, and how they used their tools.

    A REPORT is a report that `harness score` wrote, a folder with a report.json, or a folder of
    reports. Superseded ones are profiled too: what they cost was spent, and the sum has them.

    Shares are of model tokens. Replayed prompts are input and cache tokens less what the tools
    printed (o200k_base tokens, counted once); output is with reasoning. Lookups with a budget are
    known only where the report keeps the calls' inputs.

    \b
    Example:
      harness profile before.json after.json
      harness profile reports-of-readers/ --by category --json
    """
    from harness.attempts.comparing.spent import read_spent
    from harness.show import profile_tables as tables
    from harness.show.printing import json_text

    form = chosen_format(as_json, as_csv)
    spent = read_spent(reports)
    rows = tables.profile_rows(spent, by_category=by is not None)
    if form is OutputFormat.JSON:
        value = {
            "reports": tables.reports_table(spent).values,
            "tokens": tables.tokens_by_state(spent),
            "profiles": rows,
        }
        click.echo(json_text(value, indent=1))
    elif form is OutputFormat.CSV:
        print_table(tables.profile_table(rows), form)
    else:
        print_table(tables.reports_table(spent), form)
        click.echo(f"\n{tables.tokens_line(spent)}\n")
        for table in (tables.profile_table, tables.turns_table, tables.tools_table):
            print_table(table(rows), form)
            click.echo()
