"""`harness import omnimemeval` and `harness export omnimemeval`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.errors import ExitCode
from harness.show.table import Column, Table
from harness.words import Kind, counted

from .options import (
    FILE,
    FOLDER,
    PATH,
    command_arguments,
    counting_options,
    force_option,
    part_option,
    quiet_option,
    table_options,
    token_counting,
)
from .output import chosen_format, note, print_table

if TYPE_CHECKING:
    from harness.points import Point
    from harness.replay.sources.omnimemeval.checks import Checks
    from harness.replay.sources.omnimemeval.importing import ImportOutcome

_QUESTIONS = click.option(
    "--questions",
    type=FILE,
    metavar="LIST",
    help="The full list of questions that user ids count in, for a DATA that lacks some.  "
    "[default: the order of DATA]",
)


@click.command(name="omnimemeval", short_help="Make a run of OmniMemEval's search results.")
@click.argument("folder", type=FOLDER, metavar="DIR")
@click.option(
    "--records",
    required=True,
    type=FILE,
    metavar="STORE.db|DATA",
    help="Where the quotes are from: the CPersona store that was searched, or DATA, whose sessions "
    "are then stored as `harness record longmemeval` does.",
)
@click.option("--dataset", required=True, type=FILE, metavar="DATA", help="The LongMemEval-S file.")
@click.option("--out", required=True, type=PATH, help="Folder of the run.")
@click.option(
    "--name",
    metavar="NAME",
    help="The point is external(name=NAME).  [default: the name of DIR, LIBRARY-VERSION]",
)
@click.option("--library", metavar="NAME", help="Which results, if DIR has several.")
@click.option(
    "-p",
    "--point",
    "specs",
    multiple=True,
    metavar="SPEC",
    help="Also this point of the count curve, cut from the contexts, which must show every item; "
    "repeatable.",
)
@_QUESTIONS
@click.option("--split", type=FILE, help="A split file.")
@part_option("Which part of the split DIR must have; rows of the other are left out.")
@click.option(
    "--agent",
    metavar="PATTERN",
    help="The agents of STORE.db, with {i} for the question's index.  [default: the user ids]",
)
@counting_options
@click.option("--no-tokens", is_flag=True, help="Do not count tokens.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 unless every quote was located.")
@table_options
@force_option
@quiet_option
def import_omnimemeval(
    folder: Path,
    records: Path,
    dataset: Path,
    out: Path,
    name: str | None,
    library: str | None,
    specs: tuple[str, ...],
    questions: Path | None,
    split: Path | None,
    part: str,
    agent: str | None,
    prompt_template: Path | None,
    reader_encoding: str,
    no_tokens: bool,
    exit_code: bool,
    as_json: bool,
    as_csv: bool,
    force: bool,
    quiet: bool,
) -> int:
    """Make a run from the contexts in DIR that a memory system's search returned.

    Contexts of every library are imported, with their tokens. Where items have dated headers, as
    CPersona writes them, each quote is traced to its record by its text. Of other contexts (mem0,
    Zep, Graphiti and the like) a line is located if its text stands in one place of one record.
    Lost is what is not located, most of all what a library says in words of its own: it counts as
    quoted and never as evidence. Lost are also the items: ranks are places of lines, and no point
    can be cut.

    DIR is a result folder, with LIBRARY_lme_search_results.json. Every check is printed, and kept
    in the run's manifest. A question without a row is refused, unless DIR names it as a failed
    search. Failed and skipped searches stay in every mean, with an empty context.

    \b
    Example:
      harness import omnimemeval results/lme/cpersona-lme1 --records store.db \\
          --dataset longmemeval_s_cleaned.json --out build/lme1
      harness import omnimemeval DIR --records DATA --dataset DATA --out RUN \\
          --point 'count-curve(k=4)' --split datasets/splits/longmemeval-s.json --part dev
      harness evidence RUN
    """
    from harness.points import parse_points
    from harness.replay.sources.omnimemeval.accounting import OmniMemEvalImport
    from harness.replay.sources.omnimemeval.importing import import_search_results

    form = chosen_format(as_json, as_csv)
    if split is None and part != "all":
        raise click.UsageError(f"--part {part} needs --split FILE.")
    counting = None if no_tokens else token_counting(prompt_template, reader_encoding)
    request = OmniMemEvalImport(
        folder=folder,
        records=records,
        dataset=dataset,
        library=library,
        name=name,
        questions=questions,
        split=split,
        part=part,
        agent=agent,
        cut=tuple(parse_points(specs)),
        counting=counting,
    )
    outcome = import_search_results(
        request, out, quiet=quiet, force=force, given=command_arguments()
    )
    print_table(Table(_COLUMNS, _rows(outcome.checks)), form)
    _say(outcome, out, quiet)
    failed = exit_code and outcome.checks.parts_unlocated
    return int(ExitCode.DIFFERENCE if failed else ExitCode.SUCCESS)


_COLUMNS = (
    Column("check", "check"),
    Column("count", "count", Kind.COUNT),
    Column("meaning", "meaning"),
)


def _rows(checks: Checks) -> list[dict[str, object]]:
    from harness.replay.sources.omnimemeval.checks import MEANINGS, names_of

    return [
        {"check": name, "count": getattr(checks, name), "meaning": MEANINGS[name]}
        for name in names_of(checks)
    ]


def _say(outcome: ImportOutcome, out: Path, quiet: bool) -> None:
    """Say what became of the rows, and what the checks do not promise."""
    from dataclasses import asdict

    from harness.replay.sources.omnimemeval.checks import what_is_lost
    from harness.replay.sources.omnimemeval.origin import is_cut
    from harness.storage.folder import FolderState

    again = "holds this run already: " if outcome.state is FolderState.FINISHED else ""
    points = ", ".join(str(point) for point in outcome.points)
    note(f"{out}: {again}{counted(outcome.questions, 'question')} at {points}", quiet)
    for reason, rows in outcome.left_out.items():
        note(f"left out: {counted(rows, 'row')}, {reason}", quiet)
    if outcome.failed:
        read = outcome.failed_with_context
        but = f", but for {read:,} whose context was read" if read else ""
        note(
            f"failed searches: {outcome.failed:,}, in every mean with an empty context{but}", quiet
        )
    if outcome.answered:
        said = "answered by the library itself, so no reader was given the contexts"
        note(f"{said}: {counted(outcome.answered, 'question')}", quiet)
    checks = outcome.checks
    if checks.empty_contexts:
        said = f"{checks.empty_contexts:,}, of searches that did not fail; they stay in every mean"
        note(f"empty contexts: {said}", quiet)
    for point in outcome.points:
        if is_cut(point) and outcome.exported_point is None:
            note(_assumed(point), quiet)
    if checks.records != checks.sessions:
        note(f"the records are {checks.records:,}, the sessions {checks.sessions:,}", quiet)
    for sentence in what_is_lost(asdict(checks)):
        note(sentence, quiet)
    if checks.parts_unlocated and not checks.contexts_undated:
        note("are these the records that were searched?", quiet)
    note(f"Next: harness evidence {shlex.quote(str(out))}", quiet)


def _assumed(point: Point) -> str:
    return f"{point} is that only if the contexts show every item of items, which is not known here"


@click.command(name="omnimemeval", short_help="Write OmniMemEval's answer inputs at a point.")
@click.argument("run", type=FOLDER)
@click.option("-p", "--point", "spec", required=True, metavar="SPEC", help="One point.")
@click.option("--out", required=True, type=PATH, help="Folder of the answer inputs.")
@click.option(
    "--dataset",
    type=FILE,
    metavar="DATA",
    help="The dataset of RUN, for dates, gold answers and evidence texts as published.  "
    "[default: what RUN or its recording has of them]",
)
@_QUESTIONS
@click.option(
    "--library",
    metavar="NAME",
    help="Prefix of the file's name.  [default: that of an imported run, else harness]",
)
@click.option(
    "--subject",
    metavar="NAME",
    help="Used in the user ids, lme_exper_user_NAME_INDEX; an imported run keeps its own.  "
    "[default: the library]",
)
@force_option
@quiet_option
def export_omnimemeval(
    run: Path,
    spec: str,
    out: Path,
    dataset: Path | None,
    questions: Path | None,
    library: str | None,
    subject: str | None,
    force: bool,
    quiet: bool,
) -> None:
    """Write the contexts of RUN at one point as answer inputs, so that OmniMemEval can answer.

    The folder gets LIBRARY_lme_search_results.json, every field's type checked, and the markers of
    the steps that are done; continue there from step 3. No search is made: a run of our own has any
    point of both curves, and from an imported run count-curve(k=…) is cut from its contexts.

    \b
    Example:
      harness export omnimemeval RUN --point '2.6.5a1(budget=2800)' --dataset DATA \\
          --out results/lme/harness-a1
      harness export omnimemeval IMPORTED --point 'count-curve(k=4)' --out results/lme/cpersona-k4
    """
    from harness.replay.sources.omnimemeval.exporting import ExportRequest, export_answer_inputs
    from harness.storage.folder import FolderState

    request = ExportRequest(run, spec, dataset, questions, library, subject)
    done = export_answer_inputs(request, out, force=force, given=command_arguments())
    how = ", cut from its contexts" if done.cut else ""
    again = "holds these already: " if done.state is FolderState.FINISHED else ""
    note(f"{done.path}: {again}{done.questions:,} answer inputs at {done.point}{how}", quiet)
    if done.is_assumed:
        note(_assumed(done.point), quiet)
