"""`harness dataset`: list, fetch, verify and split datasets."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from harness.errors import ExitCode, InputError, UsageError
from harness.show.table import Column, Table
from harness.words import Kind, counted

from .options import PATH, force_option, quiet_option, table_options
from .output import chosen_format, note, print_table
from .single_file import write_new

if TYPE_CHECKING:
    from harness.datasets.register import Dataset, Register
    from harness.datasets.split import Split

Command = TypeVar("Command", bound=Callable[..., Any])


def _count(value: int) -> str:
    return f"{value:,}"


LIST_COLUMNS = (
    Column("name", "name"),
    Column("size", "bytes", Kind.COUNT),
    Column("questions", "questions", Kind.COUNT),
    Column("licence", "licence"),
    Column("file", "file"),
    Column("kind", "kind"),
)


def register_option(command: Command) -> Command:
    """Add `--register`; the command takes `register` (a path or None)."""
    return click.option(
        "--register",
        type=PATH,
        metavar="FILE",
        help="The register of datasets.  [default: datasets/register.toml of the current folder, "
        "else of the checkout]",
    )(command)


@click.group()
def dataset() -> None:
    """List, fetch, verify and split datasets.

    \b
    harness dataset list
    harness dataset fetch longmemeval-s --out longmemeval_s.json
    harness dataset verify longmemeval_s.json
    harness dataset split longmemeval-s --seed 20261003 --dev 100 --out split.json
    """


@dataset.command("list")
@register_option
@table_options
def list_(register: Path | None, as_json: bool, as_csv: bool) -> None:
    """Print the datasets of the register.

    --json and --csv add the address, the sha256 and the citation.

    Example: harness dataset list --json
    """
    from harness.datasets.question_list import read_question_list

    form = chosen_format(as_json, as_csv)
    rows = [
        {
            "name": entry.name,
            "size": entry.size,
            "questions": len(read_question_list(entry.questions))
            if entry.questions.is_file()
            else None,
            "licence": entry.licence,
            "file": entry.file_name,
            "kind": "bundled" if entry.url is None else "fetched",
            "source": entry.source,
            "sha256": entry.sha256,
            "citation": entry.citation,
        }
        for entry in _register(register).datasets
    ]
    print_table(Table(LIST_COLUMNS, rows), form)


@dataset.command()
@click.argument("name")
@click.option(
    "--out",
    type=PATH,
    default=Path(),
    metavar="FILE|FOLDER",
    help="Where to write it; in a folder, under its published name.  [default: current folder]",
)
@click.option("--url", help="Fetch from here instead of the register's address.")
@click.option(
    "--retries",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="How often an interrupted transfer is retried at once.",
)
@click.option("--force", is_flag=True, help="Replace another file at --out.")
@register_option
@quiet_option
def fetch(
    name: str,
    out: Path,
    url: str | None,
    retries: int,
    force: bool,
    register: Path | None,
    quiet: bool,
) -> None:
    """Fetch dataset NAME and check its size and sha256.

    The bytes go to OUT.part until the file is complete and verified. If interrupted, run the same
    command again: it resumes.

    Example: harness dataset fetch longmemeval-s --out longmemeval_s.json
    """
    from harness.datasets.fetch import FetchResult, Patience
    from harness.datasets.fetch import fetch as fetch_dataset

    entry = _register(register).find(name)
    target = out / entry.file_name if out.is_dir() else out
    with _byte_bar(entry.size, name, quiet) as (report, say):
        outcome = fetch_dataset(
            entry,
            target,
            url=url,
            force=force,
            patience=Patience(retries),
            report=report,
            say=say,
        )
    ending = "; nothing to do" if outcome is FetchResult.THERE else ""
    note(
        f"{target}: {outcome.value}, {counted(entry.size, 'byte')}, sha256 as registered{ending}",
        quiet,
    )


@dataset.command()
@click.argument("file", type=PATH)
@click.option("--name", help="The dataset that FILE must be; exit code 1 if it is not.")
@register_option
@table_options
def verify(file: Path, name: str | None, register: Path | None, as_json: bool, as_csv: bool) -> int:
    """Hash FILE, look it up in the register, read all of it and count.

    FILE is JSON or JSON Lines, plain or packed with gzip or xz. Every fault is reported, by
    question id and field.

    Example: harness dataset verify longmemeval_s.json --name longmemeval-s
    """
    from harness.datasets.verify import compare, identify, nearest_dataset, read_contents

    from .verification import identity_text, print_verification

    form = chosen_format(as_json, as_csv)
    known = _register(register)
    wanted = known.find(name) if name else None
    identity = identify(file, known)
    try:
        contents = read_contents(file)
    except InputError as error:
        raise InputError(
            error.message, f"The file {identity_text(identity)}. {error.hint}".strip()
        ) from error
    comparison = (
        compare(contents.questions, wanted)
        if wanted
        else nearest_dataset(contents.questions, known)
    )
    print_verification(file, identity, contents, comparison, form)
    is_it = wanted is None or identity.registered == wanted.name
    return int(ExitCode.SUCCESS if is_it else ExitCode.DIFFERENCE)


@dataset.command()
@click.argument("name", metavar="NAME|REC|CASES|WORLD")
@click.option(
    "--data", type=PATH, metavar="FILE", help="Data that may lack questions; restrict to it."
)
@click.option("--seed", type=click.IntRange(min=0), required=True, help="The seed of the draw.")
@click.option("--dev", type=click.IntRange(min=1), required=True, help="How many dev questions.")
@click.option(
    "--by",
    type=click.Choice(["task", "category"]),
    default="task",
    show_default=True,
    help="Of a WORLD: draw tasks, or categories, all of whose tasks are then dev.",
)
@click.option("--out", type=PATH, required=True, metavar="FILE", help="The split file to write.")
@force_option
@register_option
@quiet_option
def split(
    name: str,
    data: Path | None,
    seed: int,
    dev: int,
    by: str,
    out: Path,
    force: bool,
    register: Path | None,
    quiet: bool,
) -> None:
    """Draw the dev questions of NAME; all others are test.

    NAME is a dataset of the register, or your own: the folder of a recording, or a file of cases
    (.jsonl, .gz, .xz), or a world, whose list of questions or tasks the split then holds itself, so
    that no register is needed. The draw is Python's random.Random(SEED).sample(range(N), DEV),
    sorted, over the N questions of the full list, or with --by category over the N categories. With
    --data the split of a dataset is then restricted to the questions in that file, so that it
    agrees with the split of the whole dataset.

    Dev and test questions that share a stem (one is the other without an answer), an answer session
    or all that they are asked of are counted: what is learned on dev is then known of test. For a
    dataset that is not bundled, the last two need --data.

    \b
    Example:
      harness dataset split longmemeval-s --seed 20261003 --dev 100 --out split.json
      harness dataset split recordings/mine --seed 1 --dev 40 --out mine.split.json
      harness dataset split datasets/worlds/museum --by category --seed 1 --dev 4 --out museum.json
    """
    drawn, told, labels = _drawn(name, data, seed, dev, by, register)
    if write_new(out, drawn.text(), force=force):
        note(
            f"{out}: {counted(len(drawn.dev), 'dev question')} of {drawn.of}, the others are test",
            quiet,
        )
    else:
        note(f"{out} holds this split already; nothing to do", quiet)
    for line in (*told, *_leakage(drawn.dev_ids, labels)):
        note(line, quiet)


Labels = Mapping[str, Mapping[str, frozenset[str]] | None]
"""By what questions may share: the labels of each question by id; None where they are not known."""


def _drawn(
    name: str, data: Path | None, seed: int, dev: int, by: str, register: Path | None
) -> tuple[Split, list[str], Labels]:
    """Return the split of a dataset, of own cases or of a world, with what to say of it."""
    from harness.datasets.register import known_datasets
    from harness.worlds.opening import is_world

    known = known_datasets(register)
    if Path(name).exists() and name not in [entry.name for entry in known.datasets]:
        if data is not None:
            raise UsageError(
                "--data is of a dataset of the register, and NAME is a path", "Leave --data out."
            )
        if is_world(Path(name)):
            return _of_world(Path(name), seed, dev, by)
        _refuse_category(by)
        return _of_own_cases(Path(name), seed, dev)
    _refuse_category(by)
    return _of_dataset(known.find(name), data, seed, dev)


def _refuse_category(by: str) -> None:
    if by != "task":
        raise UsageError("--by category is of a world, and NAME is not one", "Leave --by out.")


def _of_world(folder: Path, seed: int, dev: int, by: str) -> tuple[Split, list[str], Labels]:
    from harness.datasets.leakage import stems_of
    from harness.datasets.question_list import ListedQuestion, question_hash
    from harness.datasets.split_draw import draw_by_category, draw_split
    from harness.worlds import load_world
    from harness.worlds.questions import cited_documents, world_sha256

    world = load_world(folder)
    listed = [
        ListedQuestion(task.task_id, task.category, question_hash(task.question))
        for task in world.tasks
    ]
    sha256 = world_sha256(world)
    if by == "category":
        drawn = draw_by_category(listed, seed=seed, dev=dev, dataset_sha256=sha256)
        told = [f"dev categories: {', '.join(drawn.categories or ())}"]
    else:
        drawn = draw_split(listed, seed=seed, dev=dev, dataset_sha256=sha256, keep_list=True)
        told = []
    labels: Labels = {
        "stem": stems_of([question.question_id for question in listed]),
        "document to cite": cited_documents(world),
    }
    return drawn, [*told, f"dataset.sha256 of a plan: {sha256}"], labels


def _of_own_cases(source: Path, seed: int, dev: int) -> tuple[Split, list[str], Labels]:
    from harness.datasets.leakage import stems_of
    from harness.datasets.split_draw import draw_split
    from harness.recording.questions import questions_of

    own = questions_of(source)
    drawn = draw_split(
        own.questions, seed=seed, dev=dev, dataset_sha256=own.dataset_sha256, keep_list=True
    )
    names = [question.question_id for question in own.questions]
    labels = {"stem": stems_of(names), "answer session": own.answer_sessions, "window": own.windows}
    return drawn, [f"dataset.sha256 of a plan: {own.dataset_sha256}"], labels


def _of_dataset(
    entry: Dataset, data: Path | None, seed: int, dev: int
) -> tuple[Split, list[str], Labels]:
    from harness.datasets.layout import read_questions
    from harness.datasets.leakage import stems_of
    from harness.datasets.question_list import read_question_list
    from harness.datasets.sharing import sources_of
    from harness.datasets.split_draw import draw_split
    from harness.datasets.verify import read_contents
    from harness.storage.content import content_size_and_sha256

    from .verification import first_ids

    source = data or entry.path
    present = read_contents(data).questions if data else None
    listed = read_question_list(entry.questions)
    drawn = draw_split(
        listed,
        seed=seed,
        dev=dev,
        dataset_sha256=content_size_and_sha256(source)[1] if source else entry.sha256,
        present=present,
    )
    told = []
    if drawn.restricted_to:
        lacking = drawn.restricted_to.missing
        told.append(
            f"restricted: {data} lacks {len(lacking)} of the "
            f"{counted(drawn.of, 'question')} of {entry.name} "
            f"({first_ids(lacking)}); {drawn.drawn - len(drawn.dev)} of them were drawn as dev"
        )
    labels: dict[str, Mapping[str, frozenset[str]] | None] = {
        "stem": stems_of([question.question_id for question in present or listed]),
        "answer session": None,
        "haystack": None,
    }
    if source is not None:
        found = {question.question_id: sources_of(question) for question in read_questions(source)}
        labels["answer session"] = {name: of.answer_sessions for name, of in found.items()}
        labels["haystack"] = {name: of.haystack for name, of in found.items()}
    return drawn, told, labels


def _leakage(dev: Sequence[str], labels: Labels) -> Iterator[str]:
    """Yield what dev questions share with test questions."""
    from harness.datasets.leakage import shared_labels
    from harness.words import counted

    from .verification import first_ids

    unknown = [what for what, of in labels.items() if of is None]
    for what, of in labels.items():
        if of is None:
            continue
        found = shared_labels(dev, of)
        if not found.test:
            yield f"leakage: dev and test questions have no {what} in common"
            continue
        article = "an" if what[0] in "aeiou" else "a"
        yield (
            f"leakage: {counted(len(found.dev), 'dev question')} and "
            f"{counted(len(found.test), 'test question')} have {article} {what} in common "
            f"({first_ids((*found.dev, *found.test))})"
        )
    if unknown:
        plural = " and ".join(f"{what}s" for what in unknown)
        yield f"leakage: {plural} are compared with --data alone"


def _register(given: Path | None) -> Register:
    from harness.datasets.register import find_register, read_register

    return read_register(find_register(given))


@contextmanager
def _byte_bar(
    total: int, label: str, quiet: bool
) -> Iterator[tuple[Callable[[int], None], Callable[[str], None]]]:
    """Open a progress bar of bytes, and a function that prints a line above it."""
    from tqdm import tqdm

    hidden = quiet or not sys.stderr.isatty()
    with tqdm(
        total=total, desc=label, unit="B", unit_scale=True, disable=hidden, file=sys.stderr
    ) as bar:

        def report(length: int) -> None:
            if not bar.n:  # what was there before does not count into the speed
                bar.initial = bar.n = length
            bar.update(length - bar.n)

        def say(message: str) -> None:
            if not quiet:
                bar.write(message, file=sys.stderr)

        yield report, say
