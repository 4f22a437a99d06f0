"""`harness doctor`: what is installed, what works, and how to get what is missing."""

from __future__ import annotations

import click

from harness.errors import ExitCode
from harness.show.printing import OutputFormat
from harness.show.table import Column, Table
from harness.words import counted

from .options import table_options
from .output import chosen_format, print_table

_COLUMNS = (
    Column("area", "area"),
    Column("name", "name"),
    Column("state", "state"),
    Column("detail", "what was found", width=58),
)


@click.command()
@table_options
def doctor(as_json: bool, as_csv: bool) -> int:
    """Check the installation: versions, extras, tokenizer, embedder, disk and plug-ins.

    Every plug-in is loaded, and the embedder embeds a text. What is optional and not installed is
    listed with how to get it. Exit code 1 where something is broken.

    \b
    Example:
      harness doctor
      harness doctor --json | jq '.[] | select(.state != "ok")'
    """
    from dataclasses import asdict

    from .installation import State, findings

    form = chosen_format(as_json, as_csv)
    found = list(findings())
    rows = [{**asdict(finding), "state": finding.state.value} for finding in found]
    print_table(Table(_COLUMNS, rows), form)
    broken = [finding for finding in found if finding.state is State.BROKEN]
    if form is OutputFormat.TEXT:
        for finding in found:
            if finding.remedy:
                click.echo(f"\n{finding.name} ({finding.state.value}): {finding.remedy}")
        summary = f"{len(broken)} broken" if broken else "nothing is broken"
        click.echo(f"\n{counted(len(found), 'thing')} looked at: {summary}.")
    return int(ExitCode.DIFFERENCE if broken else ExitCode.SUCCESS)
