"""`harness record lookups`: the first lookups of a world."""

from __future__ import annotations

from pathlib import Path

import click

from harness.words import counted

from .options import FILE, PATH, LazyChoice, command_arguments, force_option, quiet_option
from .output import note
from .recorded import note_recording

_NAMED = 5
"""So many lookups without a row are named."""


@click.command()
@click.argument("world", type=PATH)
@click.option("--out", required=True, type=PATH, help="Folder of the recording.")
@click.option(
    "--match",
    type=LazyChoice("harness.recording.sources.lookup_ranking:MATCHES"),
    default="catalog",
    show_default=True,
    help="Rank documents by title and tags, or sections by their text.",
)
@click.option(
    "--queries", type=FILE, help="JSON Lines {case_id, query, scope?, match?}; a case is a task."
)
@click.option("--traces", type=FILE, help="JSON Lines of readers' attempts: their first lookups.")
@force_option
@quiet_option
def lookups(
    world: Path,
    out: Path,
    match: str,
    queries: Path | None,
    traces: Path | None,
    force: bool,
    quiet: bool,
) -> None:
    """Record the table that a first lookup prints for each task of WORLD.

    The query is the task's question in its scope; the rubric is not read for it. With --queries,
    those are looked up instead; with --traces, the tables are those that real readers were shown.

    \b
    Example:
      harness record lookups datasets/worlds/observatory --out build/lookups
      harness replay build/lookups --out build/lookups-run
    """
    from harness.recording.sources.lookup_ranking import MATCHES
    from harness.recording.sources.lookups import LookupPlan, record_lookups
    from harness.worlds import load_world

    plan = LookupPlan(
        load_world(world),
        next(each for each in MATCHES if each == match),
        None if queries is None else str(queries),
        None if traces is None else str(traces),
    )
    outcome = record_lookups(plan, out, quiet=quiet, force=force, given=command_arguments())
    if outcome.without:
        note(f"{counted(outcome.without, 'attempt')} made no lookup, left out", quiet)
    if outcome.empty:
        named = ", ".join(outcome.empty[:_NAMED]) + (", …" if outcome.empty[_NAMED:] else "")
        found = f"{len(outcome.empty):,} of {counted(outcome.lookups, 'lookup')} found nothing"
        note(f"warning: {found}, so their tables have no row: {named}", quiet)
    note_recording(out, f"{counted(outcome.lookups, 'lookup')} recorded", outcome.state, quiet)
