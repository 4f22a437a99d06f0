"""`harness answers`: look at the answers of a store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .flips import flips, show
from .options import PATH, force_option, quiet_option
from .output import note
from .standard_output import for_programs

if TYPE_CHECKING:
    from harness.grading.answer_export import Line


@click.group()
def answers() -> None:
    """Look at the answers that harness answer has stored, and at what grades made of them.

    Answers to test questions are sealed until harness judge has opened grades of them.
    """


answers.add_command(flips)
answers.add_command(show)


@answers.command()
@click.argument("source", type=PATH, metavar="ANSWERS")
@click.option("--out", type=PATH, metavar="FILE", help="File to write; stdout by default.")
@click.option(
    "--grades",
    type=PATH,
    metavar="GRADES",
    help="For a set of test questions: grades of it, which harness judge has opened.",
)
@click.option(
    "--stable",
    is_flag=True,
    help="Leave out latency, attempts, number of the call and time, which differ from one asking "
    "to the next.",
)
@force_option
@quiet_option
def export(
    source: Path, out: Path | None, grades: Path | None, stable: bool, force: bool, quiet: bool
) -> None:
    """Write answers as JSON Lines, which the kind of reader `recorded` reads.

    ANSWERS is a store, with one line per prompt and repeat, sorted; or the file of a set in it,
    with one line per question and repeat, in the set's order. Of a prompt that has no answer it is
    the last error. Sealed answers are left out, and counted.

    \b
    Example:
      harness answers export answers/ --out answers.jsonl
      harness answers export answers/sets/dev-items-1f3b6a0c9d2e.json | jq -r .answer
    """
    import jsonlines

    from harness.grading.answer_export import check_opened, set_lines, store_at, store_lines
    from harness.readers.store import AnswerStore
    from harness.storage.hashing import canonical_json

    from .single_file import new_file

    of_set, folder = store_at(source)
    if of_set is None and grades is not None:
        raise click.UsageError("--grades belongs to a set: name its file in place of the store.")
    opened = of_set is not None and check_opened(of_set, grades)
    sealed: list[None] = []
    with AnswerStore(folder) as store:
        found = (
            store_lines(store, stable=stable)
            if of_set is None
            else set_lines(of_set, store, opened=opened, stable=stable)
        )
        lines = _shown(found, sealed)
        if out is None:
            jsonlines.Writer(for_programs(), dumps=canonical_json).write_all(lines)
        else:
            with (
                new_file(out, force=force) as temporary,
                temporary.open("w", encoding="utf-8", newline="\n") as stream,
            ):
                jsonlines.Writer(stream, dumps=canonical_json).write_all(lines)
    if sealed:
        note(f"{len(sealed):,} answers to test questions are sealed and left out", quiet)


def _shown(found: Iterator[Line], sealed: list[None]) -> Iterator[dict[str, Any]]:
    for line in found:
        if line is None:
            sealed.append(line)
        else:
            yield line
