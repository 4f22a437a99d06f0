"""`harness answer`: ask a reader for the prompts of a run."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.show.printing import OutputFormat

from .options import (
    FILE,
    PATH,
    LazyChoice,
    ListingCommand,
    amount_of,
    quiet_option,
    table_options,
)
from .output import chosen_format, note, print_table

if TYPE_CHECKING:
    from harness.grading.answering import AnswerPlan, AnswerRequest
    from harness.readers.asking import Asked
    from harness.readers.prompts import PromptSpool


@click.command(cls=ListingCommand)
@click.argument("run", type=PATH)
@click.option(
    "-p",
    "--point",
    "specs",
    multiple=True,
    required=True,
    metavar="SPEC",
    help="A point of the run, or an arm; repeatable.",
)
@click.option(
    "--reader",
    required=True,
    metavar="FILE|NAME",
    help="The reader's file, or NAME for readers/NAME.toml.",
)
@click.option("--store", required=True, type=PATH, metavar="ANSWERS", help="The store of answers.")
@click.option("--split", type=FILE, metavar="FILE", help="The split file.")
@click.option(
    "--part",
    type=LazyChoice("harness.datasets.split:Part"),
    help="The part of the split whose questions are asked.",
)
@click.option(
    "--registration",
    type=PATH,
    metavar="FILE",
    help="For test questions: a registration that names the points, committed in git.",
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Answers to each prompt. The first decides a rule, the others measure noise.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0, max=2**31 - 1),
    default=0,
    show_default=True,
    help="Orders the prompts, those of all points together.",
)
@click.option(
    "--max-calls",
    type=click.IntRange(min=0),
    metavar="N",
    help="At most so many calls of this reader in this store, earlier ones and new tries included.",
)
@click.option(
    "--max-cost",
    metavar="AMOUNT",
    help="They may cost so much at most, in the currency of the reader's price.",
)
@click.option("--dry-run", is_flag=True, help="Say what it would take, and ask nothing.")
@table_options
@quiet_option
def answer(
    run: Path,
    specs: tuple[str, ...],
    reader: str,
    store: Path,
    split: Path | None,
    part: str | None,
    registration: Path | None,
    repeats: int,
    seed: int,
    max_calls: int | None,
    max_cost: str | None,
    dry_run: bool,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> None:
    """Ask a reader for every distinct prompt of RUN at the points, once.

    What the store holds is not asked again: points that show the same context share an answer, and
    an interrupted call goes on where it was. Two processes may use one store at once. Errors are
    kept as errors, and asked again by the same command.

    A call reserves the most that it may cost before it is sent, so that no limit is exceeded; what
    was reserved for a call that a kill cut off stays charged.

    Test questions need a registration. Their answers are not shown before harness judge has opened
    them; they lie on your own disk all the same.

    \b
    Example:
      harness answer RUN --point '2.6.5a1(budget=2800)' --point 'count-curve(k=4)' \\
        --reader examples/openai.toml --store answers/ --dry-run \\
        --split datasets/splits/sample.json --part dev
    """
    from harness.grading.answering import AnswerRequest
    from harness.readers.prompts import PromptSpool

    form = chosen_format(as_json, as_csv)
    request = AnswerRequest(
        run=run,
        points=specs,
        reader=reader,
        split=split,
        part=part,
        registration=registration,
        repeats=repeats,
        seed=seed,
        max_calls=max_calls,
        max_cost=amount_of("--max-cost", max_cost),
    )
    with PromptSpool() as prompts:
        if dry_run:
            _estimate(request, prompts, store, form)
        else:
            _ask(request, prompts, store, form, quiet)


def _estimate(
    request: AnswerRequest, prompts: PromptSpool, folder: Path, form: OutputFormat
) -> None:
    from harness.grading.answer_estimate import estimate
    from harness.grading.answering import plan_answers
    from harness.readers.store import AnswerStore
    from harness.show.answer_tables import estimate_table

    plan = plan_answers(request, prompts, asked=False)
    if not AnswerStore.is_at(folder):  # nothing is made by looking
        print_table(estimate_table(estimate(plan, None)), form)
        return
    with AnswerStore(folder) as store:
        print_table(estimate_table(estimate(plan, store)), form)


def _ask(
    request: AnswerRequest, prompts: PromptSpool, folder: Path, form: OutputFormat, quiet: bool
) -> None:
    from harness.grading.answering import plan_answers
    from harness.readers.asking import ask_all
    from harness.readers.store import AnswerStore
    from harness.show.answer_tables import answers_table

    plan = plan_answers(request, prompts)
    with AnswerStore(folder) as store:
        asking = plan.asking(store, say=note)
        wanted = len(prompts) * request.repeats
        pending = asking.pending()
        asked = ask_all(asking, label="answers", unit="answer", quiet=quiet)
        print_table(answers_table(plan.sets, store), form)
    note(
        f"{wanted:,} answers wanted: {len(prompts):,} distinct prompts × {request.repeats:,}; "
        f"{wanted - pending:,} were in the store. {asked.calls:,} calls, of which "
        f"{asked.calls - asked.answered - asked.failed:,} new tries.",
        quiet,
    )
    _conclude(plan, folder, asked, quiet)


def _conclude(plan: AnswerPlan, folder: Path, asked: Asked, quiet: bool) -> None:
    """Say what to do next; raise `InputError` where an answer is lacking."""
    from harness.errors import InputError
    from harness.words import counted

    if len(asked.models) > 1:
        named = ", ".join(
            f"{name or 'no name'} ({times:,})" for name, times in asked.models.items()
        )
        note(f"The service answered by several models: {named}.", quiet)
    if asked.stopped is not None:
        raise asked.stopped
    if asked.failed:
        ((most, times),) = asked.errors.most_common(1)
        raise InputError(
            f"{counted(asked.failed, 'prompt')} had no answer; {times:,} times: {most}",
            "They are kept as errors: run the same command again to ask for them.",
        )
    if plan.sealed:
        note("Sealed: answers to test questions are not shown before they are opened.", quiet)
    note(f"Next: harness grade {shlex.quote(str(folder))} --grader contains --out GRADES", quiet)
