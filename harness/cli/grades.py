"""`harness grades`: import, show and compare grades, or make them without a reader."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from harness.errors import ExitCode
from harness.show.printing import OutputFormat
from harness.words import counted

from .audit import audit
from .dataset import register_option
from .options import (
    FILE,
    PATH,
    LazyChoice,
    ListingCommand,
    command_arguments,
    force_option,
    part_option,
    quiet_option,
    table_options,
)
from .output import chosen_format, note, print_table

if TYPE_CHECKING:
    from harness.storage.folder import FolderState
    from harness.trial.grades import Grades

Command = TypeVar("Command", bound=Callable[..., Any])


def _subject_options(command: Command) -> Command:
    """Return what grades are of, and what lets test questions be graded."""
    for option in reversed(
        (
            click.option(
                "--point",
                required=True,
                metavar="SPEC",
                help="The point that the answers are of, or external(name=NAME).",
            ),
            click.option("--split", required=True, type=FILE, help="The split file."),
            part_option("Which part to grade; rows of the other part are left out and counted."),
            click.option(
                "--registration",
                type=PATH,
                metavar="FILE",
                help="For test questions: a registration that names the point, committed in git.",
            ),
            click.option(
                "--exploratory",
                is_flag=True,
                help="For test questions without a registration; recorded with the grades.",
            ),
            click.option(
                "--out", required=True, type=PATH, metavar="GRADES", help="Folder of the grades."
            ),
        )
    ):
        command = option(command)
    return command


@click.group()
def grades() -> None:
    """Import, show and compare grades: which answers to which questions were right.

    Outcomes are stored in a separate table. Those of test questions are sealed: no verb but
    judge reads them before the ledger has an opening that holds them. To show exploratory ones is
    such an opening: the ledger gets a line of it.

    \b
    harness grades import log.jsonl --format longmemeval-eval --point 'external(name=rag_con)' \\
        --split datasets/splits/longmemeval-s.json --part dev --out grades/rag_con-dev
    harness grades show grades/rag_con-dev
    harness grades agree grades/full-1 grades/full-2
    """


grades.add_command(audit)


@grades.command("import", cls=ListingCommand)
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option(
    "--format",
    "file_format",
    required=True,
    type=LazyChoice("harness.trial.formats:FORMATS"),
    help="What FILE is; see below.",
)
@_subject_options
@click.option(
    "--data", type=FILE, metavar="DATA", help="Take the questions from this dataset file."
)
@click.option(
    "--questions",
    type=FILE,
    metavar="LIST",
    help="Take them from this question list.  [default: that of the register's dataset whose "
    "questions agree with the split]",
)
@click.option(
    "--prompts",
    type=FILE,
    metavar="FILE",
    help="The prompts of harness export prompts that were answered: they say of which context each "
    "answer is, where the log does not.",
)
@click.option("--reader", metavar="MODEL", help="The model that answered, if the files do not say.")
@click.option("--judge", metavar="MODEL", help="The model that judged, if the files do not say.")
@force_option
@register_option
@quiet_option
def import_(
    files: tuple[Path, ...],
    file_format: str,
    point: str,
    split: Path,
    part: str,
    registration: Path | None,
    exploratory: bool,
    out: Path,
    data: Path | None,
    questions: Path | None,
    prompts: Path | None,
    reader: str | None,
    judge: str | None,
    force: bool,
    register: Path | None,
    quiet: bool,
) -> None:
    """Import the recorded grades of one point.

    Every question of the part is accounted for, in every pass: graded, missing, duplicate (several
    rows, so none counts) or error (no verdict). Faulty rows are refused and reported at once.

    \b
    Example:
      harness grades import log.jsonl --format longmemeval-eval \\
          --point 'external(name=rag_con)' --split datasets/splits/longmemeval-s.json \\
          --part test --registration registrations/rag.json --out grades/rag_con
    """
    from harness.points import parse_point
    from harness.trial.importing import GradeImport, import_grades

    request = GradeImport(
        files=files,
        format=file_format,
        point=parse_point(point),
        split=split,
        part=part,
        registration=registration,
        exploratory=exploratory,
        data=data,
        questions=questions,
        prompts=prompts,
        register=register,
        reader=reader,
        judge=judge,
    )
    given = {**command_arguments(), "files": [file.as_posix() for file in files]}
    done, before = import_grades(request, out, force=force, given=given)
    _say(done, before, quiet)


@grades.command("answer-in-context")
@click.argument("run", type=PATH)
@_subject_options
@click.option(
    "--data",
    type=FILE,
    metavar="DATA",
    help="The dataset that RUN was recorded from; its questions are then the cohort's.  [default: "
    "the bundled dataset of that hash]",
)
@force_option
@register_option
@quiet_option
def answer_in_context(
    run: Path,
    point: str,
    split: Path,
    part: str,
    registration: Path | None,
    exploratory: bool,
    out: Path,
    data: Path | None,
    force: bool,
    register: Path | None,
    quiet: bool,
) -> None:
    """Grade the contexts of RUN at a point without a reader: a stand-in, to try things out.

    A question counts as right when its gold answer occurs in the context as whole tokens, after
    NFKC, case folding and folding of white space; lines that only date a text are ignored.
    Abstention questions, and questions whose answer is in none of their own evidence sessions, are
    excluded by rule and counted. It says nothing about what a reader would have answered, and is
    labelled "reader: none (answer-in-context)".

    \b
    Example:
      harness grades answer-in-context build/run --point '2.6.5a1(budget=2800)' \\
          --split datasets/splits/sample.json --part dev --out build/grades/a1-dev
    """
    from harness.points import parse_point
    from harness.trial.answer_in_context import StandInRequest, grade_by_context

    request = StandInRequest(
        run=run,
        point=parse_point(point),
        split=split,
        part=part,
        registration=registration,
        exploratory=exploratory,
        data=data,
        register=register,
    )
    done, before = grade_by_context(
        request, out, quiet=quiet, force=force, given=command_arguments()
    )
    _say(done, before, quiet)


_cases_option = click.option(
    "--cases", is_flag=True, help="Name the questions; in JSON and CSV in place of the counts."
)


@grades.command()
@click.argument("folder", type=PATH, metavar="GRADES")
@_cases_option
@table_options
def show(folder: Path, cases: bool, as_json: bool, as_csv: bool) -> None:
    """Print what grades hold: counts, tokens and origin, and the accuracy unless it is sealed.

    Means and the accuracy are over the graded questions. Accuracies are in points in the table and
    fractions in JSON and CSV. Showing exploratory grades of test questions opens them, on record.

    \b
    Example:
      harness grades show grades/rag_con-dev
      harness grades show grades/rag_con --json
    """
    from harness.show import grade_tables as tables
    from harness.trial.grades import Grades
    from harness.trial.seal import looked_at

    form = chosen_format(as_json, as_csv)
    opened = Grades.open(folder)
    seal = looked_at(opened)
    table = tables.grades_table(seal)
    if form is OutputFormat.TEXT:
        for name, value in tables.properties(seal):
            click.echo(f"{name:<12} {value}")
        click.echo()
    if cases and form is not OutputFormat.TEXT:
        print_table(tables.cases_table(seal), form)
        return
    print_table(table, form)
    if form is OutputFormat.TEXT:
        for further in (*tables.type_tables(seal), *([tables.cases_table(seal)] if cases else [])):
            click.echo()
            print_table(further, form)
        click.echo("\n".join(tables.remarks(seal)))


@grades.command()
@click.argument("first", type=PATH, metavar="A")
@click.argument("second", type=PATH, metavar="B")
@click.option(
    "--void-above",
    type=click.FloatRange(min=0),
    default=2.0,
    show_default=True,
    metavar="POINTS",
    help="The noise check is void when the accuracies differ by more.",
)
@click.option(
    "--exit-code", is_flag=True, help="Exit with 1 unless every noise check was made and holds."
)
@_cases_option
@table_options
@quiet_option
def agree(
    first: Path,
    second: Path,
    void_above: float,
    exit_code: bool,
    cases: bool,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> int:
    """Print how far two sets of grades agree, question by question, and the noise check.

    Each pass of A is compared with each pass of B, over the questions that both graded; A and A
    again compares the passes of A. The noise check is void when the two accuracies differ by more
    than 2 points. All of it is sealed while the outcomes of A or B are.

    \b
    Example:
      harness grades agree grades/full-1 grades/full-2
      harness grades agree grades/full grades/full --void-above 1.5 --json
    """
    from harness.show import grade_tables as tables
    from harness.trial.agreement import pairings
    from harness.trial.grades import Grades

    form = chosen_format(as_json, as_csv)
    sides = Grades.open(first), Grades.open(second)
    pairings(*sides)  # what cannot be compared opens nothing
    is_sealed = tables.is_sealed_pair(*sides)
    table = tables.agreement_table(*sides, void_above, is_sealed=is_sealed)
    if form is OutputFormat.TEXT:
        for name, side in zip("AB", sides, strict=True):
            click.echo(f"{name}  {side.folder}: {side.point}, {tables.origin(side)}")
        click.echo()
    if not cases or form is OutputFormat.TEXT:
        print_table(table, form)
    if cases:
        differing = tables.differing_table(*sides, is_sealed=is_sealed)
        if form is OutputFormat.TEXT:
            click.echo("\nQuestions that one side alone answered right")
        print_table(differing, form)
    if is_sealed:
        note("Sealed: the ledger has no opening that holds both (harness judge).", quiet)
    all_hold = all(row["noise_check"] == "holds" for row in table.rows)
    return int(ExitCode.DIFFERENCE if exit_code and not all_hold else ExitCode.SUCCESS)


def _say(done: Grades, before: FolderState, quiet: bool) -> None:
    """Say what was imported, and what a verdict would lack."""
    from harness.show.grade_tables import counts_text
    from harness.storage.folder import FolderState

    again = "holds these grades already: " if before is FolderState.FINISHED else ""
    note(f"{done.folder}: {again}{counts_text(done.counts, len(done.passes))}", quiet)
    for reason, rows in done.content.left_out.items():
        note(f"left out: {counted(rows, 'row')}, {reason}", quiet)
    if done.reader is not None:
        note(f"reader: {done.reader}", quiet)
    if not done.counts.complete:
        note("A verdict needs a grade for every question that no rule excludes.", quiet)
    note(f"Next: harness grades show {shlex.quote(str(done.folder))}", quiet)
