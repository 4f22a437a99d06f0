"""`harness grade`: grade the answers of a store, by a rule or by a judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.show.printing import OutputFormat

from .dataset import register_option
from .options import (
    FILE,
    PATH,
    LazyChoice,
    ListingCommand,
    amount_of,
    command_arguments,
    force_option,
    quiet_option,
    sample_options,
    table_options,
)
from .output import chosen_format, note, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.grading.grade_answers import GradingRequest
    from harness.storage.folder import FolderState
    from harness.trial.grades import Grades


@click.command(cls=ListingCommand)
@click.argument("answers", nargs=-1, required=True, type=PATH, metavar="ANSWERS...")
@click.option(
    "--grader",
    "grader",
    required=True,
    type=LazyChoice("harness.grading.graders:GRADERS_BY_NAME", checked=False),
    help="How answers are found right; with settings as in 'token-f1(threshold=0.6)'. See below.",
)
@click.option(
    "--judge", metavar="READER", help="For --grader judge: the reader to ask, a file or its name."
)
@click.option(
    "--template",
    type=FILE,
    metavar="FILE",
    help="For --grader judge: a text of your own with {question}, {answer} and {response}, or a "
    ".toml with one for each kind of question.",
)
@click.option(
    "-p",
    "--point",
    "specs",
    multiple=True,
    metavar="SPEC",
    help="Grade the answers of this point; repeatable.  [default: of every point]",
)
@click.option(
    "--part",
    type=LazyChoice("harness.datasets.split:Part"),
    help="Grade the answers of this part.  [default: of any]",
)
@click.option(
    "--reader", metavar="NAME", help="Grade the answers of this reader, by name or identity."
)
@click.option(
    "--data",
    type=FILE,
    metavar="DATA",
    help="The dataset with the gold answers; its questions are then the cohort's.  [default: the "
    "bundled dataset of the run's hash]",
)
@click.option(
    "--recording",
    type=PATH,
    metavar="REC",
    help="The recording with the gold answers, for cases that are of no dataset.",
)
@click.option(
    "--second-judge", metavar="READER", help="Another judge, which judges a sample again."
)
@sample_options("--second-judge", "Draws the sample, and orders what a judge is asked.")
@click.option(
    "--max-calls",
    type=click.IntRange(min=1),
    metavar="N",
    help="At most so many calls of a judge, with those that the store has.",
)
@click.option(
    "--max-cost",
    metavar="AMOUNT",
    help="A judge may cost so much at most, in the currency of its price.",
)
@click.option(
    "--dry-run", is_flag=True, help="Say what asking the judges would take, and ask nothing."
)
@click.option(
    "--out",
    type=PATH,
    metavar="GRADES",
    help="Folder of the grades, with a folder for each point, named by its spelling.  [required]",
)
@force_option
@register_option
@table_options
@quiet_option
def grade(
    answers: tuple[Path, ...],
    grader: str,
    judge: str | None,
    template: Path | None,
    specs: tuple[str, ...],
    part: str | None,
    reader: str | None,
    data: Path | None,
    recording: Path | None,
    second_judge: str | None,
    sample: int,
    seed: int,
    max_calls: int | None,
    max_cost: str | None,
    dry_run: bool,
    out: Path | None,
    force: bool,
    register: Path | None,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> None:
    """Grade the answers that harness answer has stored.

    ANSWERS is a store of answers, or the file of a set in it. Each point becomes a folder of grades
    with the context, the answer, the reader, the judge and the tokens that the reader's API
    reported for every question.

    A judge sees the question, the gold answer and the response, never the point or the context. Its
    judgments are kept in the same store and asked for once. A reply that is neither yes nor no, and
    an answer that failed, are errors, never wrong answers; the same command tries them again.

    Answers to test questions need the registration that they were asked under, and their outcomes
    stay sealed until harness judge opens them: of judgments only counts are shown.

    \b
    Example:
      harness grade answers/ --grader contains --part dev --out grades/dev
      harness grade answers/ --grader judge --judge readers/judge.toml --part dev \\
          --second-judge readers/other.toml --sample 50 --out grades/dev-judged
    """
    from harness.grading.answer_sets import chosen_sets
    from harness.grading.gold import GoldPlace
    from harness.grading.grade_answers import GradingRequest, Sample, grade_answers
    from harness.grading.graders import parse_grader
    from harness.grading.judging import JudgingLimits, check_asks, judge_of
    from harness.points import parse_point

    chosen = parse_grader(grader)
    asking = check_asks(chosen.grader, judge, second_judge, template)
    request = GradingRequest(
        sets=chosen_sets(
            answers, points=[parse_point(spec) for spec in specs], part=part, reader=reader
        ),
        grader=chosen,
        judge=judge_of(asking, judge, template) if asking and judge else None,
        second_judge=judge_of(asking, second_judge, template) if asking and second_judge else None,
        sample=Sample(sample, seed),
        gold=GoldPlace(data, recording, register),
        limits=JudgingLimits(
            seed=seed, max_calls=max_calls, max_cost=amount_of("--max-cost", max_cost)
        ),
        quiet=quiet,
    )
    if dry_run:
        _estimate(request, chosen_format(as_json, as_csv))
        return
    if out is None:
        raise click.UsageError("Missing option '--out'.")
    given = {**command_arguments(), "answers": [path.as_posix() for path in answers]}
    _say(grade_answers(request, out, force=force, given=given), request, quiet)


def _estimate(request: GradingRequest, form: OutputFormat) -> None:
    from harness.grading.grade_answers import estimate_judging
    from harness.show.answer_tables import judging_table

    if request.judge is None:
        raise click.UsageError("--dry-run is for a grader that asks a judge: a rule costs nothing.")
    print_table(judging_table(estimate_judging(request)), form)


def _say(done: Sequence[tuple[Grades, FolderState]], request: GradingRequest, quiet: bool) -> None:
    """Say what was graded, and what a verdict would lack."""
    import shlex

    from harness.show.grade_tables import counts_text
    from harness.storage.folder import FolderState

    for grades, before in done:
        again = "holds these grades already: " if before is FolderState.FINISHED else ""
        counts = counts_text(grades.counts, len(grades.passes))
        note(f"{grades.folder}: {again}{counts}", quiet)
    if any(not grades.counts.complete for grades, _ in done):
        note(
            "Run the same command again for what failed; what is missing is answered first.", quiet
        )
    if request.second_judge is not None:
        note("Next: harness grades audit, for how far the judges agree.", quiet)
    else:
        note(f"Next: harness grades show {shlex.quote(str(done[0][0].folder))}", quiet)
