"""`harness export` and `harness import`: JSON Lines out and in."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from harness.errors import InputError
from harness.storage.folder import State

from .output import force_option, note, quiet_option


@click.group()
def export() -> None:
    """Write cases or prompts as JSON Lines."""


@click.group(name="import")
def import_() -> None:
    """Make a recording from cases in JSON Lines."""


@export.command(name="cases")
@click.argument("recording", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="File to write; stdout by default.")
@click.option("--case", "case_ids", multiple=True, metavar="ID", help="Only this case; repeatable.")
@force_option
@quiet_option
def export_cases_command(
    recording: Path, out: Path | None, case_ids: tuple[str, ...], force: bool, quiet: bool
) -> None:
    """Write the cases of a recording as harness.case/1, without loss.

    \b
    Example:
      harness export cases REC --out cases.jsonl
      harness export cases REC --case ID | harness select - --point '2.6.5a1(budget=2800)'
    """
    from harness.recording.from_cases import export_cases, stream_cases
    from harness.recording.recording import Recording

    opened = Recording.open(recording)
    numbers = [opened.number_of(case_id) for case_id in case_ids] or None
    if out is None:
        stream_cases(opened, sys.stdout, numbers=numbers, quiet=quiet)
        return
    refuse_existing(out, force)
    count = export_cases(opened, out, numbers=numbers, quiet=quiet)
    note(f"{out}: {count} cases", quiet)


@import_.command(name="cases")
@click.argument("source", metavar="FILE")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Recording to make.")
@force_option
@quiet_option
def import_cases_command(source: str, out: Path, force: bool, quiet: bool) -> None:
    """Make a recording of a file of harness.case/1 (plain, .gz or .xz), or of standard input (-).

    \b
    Example:
      harness import cases cases.jsonl --out REC
    """
    from harness.recording.from_cases import import_cases

    state = import_cases(source, out, quiet=quiet, force=force, given={"file": source})
    done = "holds this recording already" if state is State.FINISHED else "imported"
    note(f"{out}: {done}. Next: harness replay {out} --out RUN", quiet)


def refuse_existing(out: Path, force: bool) -> None:
    """Refuse to overwrite a file unless forced."""
    if out.exists() and not force:
        raise InputError(f"{out} exists", "Choose another --out, or replace it with --force.")
