"""`harness score`: recorded attempts of readers, scored on their world."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.errors import UsageError
from harness.show.printing import OutputFormat
from harness.show.table import Column, Table
from harness.words import Kind

from .looked_at import note_look
from .options import (
    PATH,
    chosen_part,
    force_option,
    quiet_option,
    split_options,
    table_options,
)
from .output import chosen_format, note, print_table
from .single_file import write_new

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.attempts.comparing.writing import Head
    from harness.attempts.scoring import ScoredAttempt


COLUMNS = (
    Column("task", "task"),
    Column("repeat", "repeat", Kind.COUNT),
    Column("category", "category"),
    Column("correct", "correct"),
    Column("answer_correct", "values"),
    Column("citations_valid", "citations"),
    Column("evidence_sufficient", "evidence"),
    Column("scope_complete", "scope"),
    Column("contradictions_observed", "contradictions", Kind.COUNT),
    Column("tokens", "tokens", Kind.COUNT),
)
SUMMARY = (
    Column("category", "category"),
    Column("correct", "correct", Kind.COUNT),
    Column("answer_correct", "values", Kind.COUNT),
    Column("citations_valid", "citations", Kind.COUNT),
    Column("evidence_sufficient", "evidence", Kind.COUNT),
    Column("scope_complete", "scope", Kind.COUNT),
    Column("attempts", "attempts", Kind.COUNT),
    Column("known_total_tokens", "tokens", Kind.COUNT),
    Column("tokens_per_correct_answer", "tokens per correct", Kind.TOKENS),
)
MISSES = (
    Column("task", "task"),
    Column("repeat", "repeat", Kind.COUNT),
    Column("subject", "field or step"),
    Column("reason", "near miss"),
    Column("given", "given"),
    Column("detail", "detail"),
)


@click.command()
@click.argument("world", type=PATH)
@click.argument("attempts", metavar="ATTEMPTS")
@click.option("--out", type=PATH, help="Write a report, which `harness compare` reads.")
@click.option(
    "--spec",
    type=PATH,
    metavar="FILE",
    help="What the report says of the run: JSON {spec, implementation_hashes, lifecycle, …}.",
)
@click.option(
    "--schemas",
    type=PATH,
    metavar="FILE",
    help="The tool list (JSON) that readers were offered; the report carries its hash.",
)
@split_options("Use only the attempts at these tasks.")
@click.option(
    "--stubs-count",
    is_flag=True,
    help="A stub ('same text as …') counts as the text that it names. Default: it does not.",
)
@force_option
@quiet_option
@table_options
def score(
    world: Path,
    attempts: str,
    out: Path | None,
    spec: Path | None,
    schemas: Path | None,
    split: Path | None,
    part: str,
    stubs_count: bool,
    force: bool,
    quiet: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Score readers' recorded attempts at the tasks of WORLD.

    ATTEMPTS is JSON Lines {task, category, repeat, trace: {calls: [{name, input, output, error}],
    final, usage, usage_complete, turns}}, plain, .gz or .xz, or `-`; or a report that keeps its
    traces, which is rescored. A metrics-only report has no traces and cannot be scored.

    An answer is correct if its values equal the rubric's, every citation is valid (the quote is in
    that section of that version, was shown to the reader, and supports its field), and every
    required passage is cited; or if it rightly says that there is no answer, after the calls that
    the rubric requires. Near misses are listed with the reason; they change no score. The rules are
    in docs/comparing.md.

    With --split and --part only the tasks of that part are scored. A look at test tasks is a line
    in the ledger, like one at test grades.

    \b
    Example:
      harness score build/worlds/museum attempts.jsonl
      harness score build/worlds/museum attempts.jsonl --spec run.json --schemas tools.json \\
        --out before.json
      harness score build/worlds/museum before.json --out before-rescored.json --json
    """
    from harness.attempts.comparing.sources import open_attempts
    from harness.attempts.comparing.writing import Head, head_of, read_head, result_tokens, told
    from harness.attempts.scoring.scoring import score_attempts
    from harness.worlds import load_world

    form = chosen_format(as_json, as_csv)
    source = open_attempts(attempts)
    if source.report is not None and (spec or schemas) is not None:
        given = "--schemas" if spec is None else "--spec"
        raise UsageError(
            f"{given} goes with JSON Lines", "A report says what was run; leave it out."
        )
    head = Head() if spec is None else read_head(spec)
    head = head if schemas is None else told(head, schemas)
    if source.report is not None:
        head = head_of(source.report)
    loaded = load_world(world)
    read = [
        replace(attempt, tool_result_tokens=result_tokens(attempt.trace))
        for attempt in source.attempts(loaded)
    ]
    drawn = chosen_part(split, part)
    tasks = None if drawn is None else drawn.of_part(part, [task.task_id for task in loaded.tasks])
    read = [attempt for attempt in read if tasks is None or attempt.task in tasks]
    scored = score_attempts(read, loaded, stubs=stubs_count)
    if drawn is not None:
        note_look({attempts: [each.attempt for each in scored]}, drawn, part, world, quiet)
    if out is not None:
        written = (out, None if tasks is None else len(tasks))
        _write(written, scored, head, world, stubs_count, force=force, quiet=quiet)
    _print(scored, form)
    counts = "counts" if stubs_count else "does not count"
    note(f"A stub {counts} as the text that it names.", quiet)


def _write(
    written: tuple[Path, int | None],
    scored: Sequence[ScoredAttempt],
    head: Head,
    world: Path,
    stubs: bool,
    *,
    force: bool,
    quiet: bool,
) -> None:
    from harness.attempts.comparing.writing import grading_corrections, report_text
    from harness.worlds.opening import open_world

    opened = open_world(world)
    for correction in grading_corrections(head, opened):
        note(f"A grading correction, not another result: {correction}", quiet)
    out, tasks = written
    made = [entry.attempt for entry in scored]
    text = report_text(made, head, opened, stubs=stubs, tasks=tasks)
    is_new = write_new(out, text, force=force)
    note(f"{out}: {'written' if is_new else 'holds this report already'}", quiet)


def _print(scored: Sequence[ScoredAttempt], form: OutputFormat) -> None:
    rows = [_row(entry) for entry in scored]
    print_table(Table(COLUMNS, rows), form)
    if form is OutputFormat.TEXT:
        click.echo()
        print_table(Table(SUMMARY, _summary(scored)), form)
        misses = [
            {"task": row["task"], "repeat": row["repeat"], **miss}
            for row in rows
            for miss in row["near_misses"]
        ]
        if misses:
            click.echo()
            print_table(Table(MISSES, misses), form)


def _row(scored: ScoredAttempt) -> dict[str, Any]:
    attempt, score = scored.attempt, scored.score
    return {
        "task": attempt.task,
        "repeat": attempt.repeat,
        "category": attempt.category,
        "correct": score.correct,
        "answer_correct": score.answer_correct,
        "citations_valid": score.citations_valid,
        "evidence_sufficient": score.evidence_sufficient,
        "scope_complete": score.scope_complete,
        "contradictions_observed": score.contradictions_observed,
        "tokens": attempt.trace.usage.total if attempt.usage_complete else None,
        "tool_result_tokens": attempt.tool_result_tokens,
        "reasons": list(score.reasons),
        "near_misses": [
            {
                "subject": miss.subject,
                "reason": miss.reason.value,
                "given": miss.given,
                "detail": miss.detail,
            }
            for miss in scored.near_misses
        ],
    }


def _summary(scored: Sequence[ScoredAttempt]) -> list[dict[str, Any]]:
    """Return a row for each category, and one for all."""
    from harness.attempts.comparing.summary import by_category, summarised

    attempts = [entry.attempt for entry in scored]
    rows = [{"category": name, **summary} for name, summary in by_category(attempts).items()]
    return [*rows, {"category": "all", **summarised(attempts)}]
