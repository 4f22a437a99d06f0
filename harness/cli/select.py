"""`harness select`: what points choose for cases of a file, by hand."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from harness.errors import InputError, UsageError, nearest
from harness.escapes import terminal
from harness.words import counted

from .options import PATH, force_option, quiet_option
from .output import note, on_terminal

if TYPE_CHECKING:
    from harness.model import Case, Positions, Selection
    from harness.points import Point

Lost = tuple[str, str, str, str]
"""An arm, its smaller and its larger point, and the case in which the larger shows less."""

_POINT_HELP = "A point, such as 2.6.5a1(budget=2800); a bare arm name means its default points."


@click.command()
@click.argument("cases", metavar="CASES.jsonl")
@click.option("-p", "--point", "specs", metavar="SPEC", multiple=True, help=_POINT_HELP)
@click.option("--case", "case_ids", metavar="ID", multiple=True, help="Only the case of this id.")
@click.option(
    "--out",
    type=PATH,
    help="Write to this file, whole or not at all, instead of standard output.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON Lines on a terminal too.")
@force_option
@quiet_option
def select(
    cases: str,
    specs: tuple[str, ...],
    case_ids: tuple[str, ...],
    out: Path | None,
    as_json: bool,
    force: bool,
    quiet: bool,
) -> None:
    """Print what points select for cases: the passages, the context and the reasons.

    CASES.jsonl holds one harness.case/1 or harness.lookup/1 object per line, and may be compressed
    (.gz, .xz); `-` is standard input. A terminal shows readable text; a pipe and --out get one
    harness.selection/1 object per line for each case and each point, as soon as the case has been
    read and checked. An arm that does not run on a kind of case is left out, with a note. --point
    and --case may be repeated.

    \b
    Example:
      harness select cases.jsonl --point '2.6.5a1(budget=2800)'
      harness select cases.jsonl --point items --point evidence --out selections.jsonl
      harness export cases REC | harness select - --point items --case q17 | jq -r .context
    """
    from harness.points import parse_points
    from harness.progress import progress
    from harness.recording.case_lines import CaseLines
    from harness.replay.growth import broken_growth
    from harness.replay.plan import applicable

    if not specs:
        raise UsageError(
            "no point was given", "Add --point SPEC, such as --point items; see: harness arms"
        )
    points = parse_points(specs)
    lines = CaseLines(cases)
    chosen = _with_ids(lines, case_ids) if case_ids else iter(lines)
    if out is not None:
        chosen = progress(chosen, total=None, label="select", unit="case", quiet=quiet)
    count = 0
    told: set[str] = set()
    as_text = out is None and not as_json and on_terminal()
    spelled = _as_text if as_text else _as_json
    lost: list[Lost] = []
    with _opened(out, force=force) as stream:
        for case in chosen:
            _tell_left_out(points, case, told, quiet)
            for text in spelled(case, points, lost):
                stream.write(text.encode("utf-8"))
                count += 1
            stream.flush()
        if not count:
            for kind in sorted(told):
                applicable(points, kind)  # raises: no arm runs on any of the cases
    for sentence in broken_growth(lost):
        note(f"warning: {sentence}")
    if out is not None:
        note(f"{out}: {counted(count, 'selection')}", quiet)


def _tell_left_out(points: Sequence[Point], case: Case, told: set[str], quiet: bool) -> None:
    """Say once for each kind of case which arms do not run on it."""
    from harness.replay.plan import by_kind

    _, others = by_kind(points, case.kind)
    if others and case.kind not in told:
        arms = ", ".join(dict.fromkeys(point.arm for point in others))
        note(f"not applicable to {case.kind} cases, left out: {arms}", quiet)
    told.add(case.kind)


def _as_json(case: Case, points: Sequence[Point], lost: list[Lost]) -> Iterator[str]:
    from harness.replay.selection_writer import selection_object

    for point, records, selection, context in _selections(case, points, lost):
        value = selection_object(case, records, str(point), selection, context)
        yield json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"


def _as_text(case: Case, points: Sequence[Point], lost: list[Lost]) -> Iterator[str]:
    from .select_text import selection_lines

    for point, records, selection, context in _selections(case, points, lost):
        lines = selection_lines(case, records, str(point), selection, context)
        yield "".join(f"{terminal(line)}\n" for line in lines)


def _selections(
    case: Case, points: Sequence[Point], lost: list[Lost]
) -> Iterator[tuple[Point, Positions, Selection, str]]:
    """Yield what each point selects, and add to `lost` what a larger point lacks of a smaller."""
    from harness.model import view_of
    from harness.replay.context import render_context
    from harness.replay.growth import growth_pairs, losses, shown_by
    from harness.replay.plan import by_kind

    view, records = view_of(case)
    accepted, _ = by_kind(points, case.kind)
    shown = {}
    for point in accepted:
        selection = point.policy.select(view)
        context = render_context(selection, records)
        shown[point] = shown_by(selection)
        yield point, records, selection, context
    lost.extend(
        (pair.arm, str(pair.smaller), str(pair.larger), case.case_id)
        for pair in growth_pairs(accepted)
        if any(losses(pair, shown[pair.smaller], shown[pair.larger]))
    )


def _with_ids(cases: Iterable[Case], case_ids: Sequence[str]) -> Iterator[Case]:
    """Yield the cases of the given ids, in the order of the file, which is read no further than the
    last of them."""
    wanted = set(case_ids)
    seen: list[str] = []
    for case in cases:
        if case.case_id in wanted:
            wanted.remove(case.case_id)
            yield case
            if not wanted:
                return
        seen.append(case.case_id)
    missing = [f"{case_id!r}{nearest(case_id, seen)}" for case_id in case_ids if case_id in wanted]
    raise InputError(
        f"no case has the id {', nor '.join(missing)}",
        f"The file has {counted(len(seen), 'case')}.",
    )


@contextmanager
def _opened(out: Path | None, *, force: bool) -> Iterator[IO[bytes]]:
    """Open the file to write, or standard output; both as bytes, since the format is UTF-8."""
    if out is None:
        yield sys.stdout.buffer
        return
    from .single_file import new_file

    with new_file(out, force=force) as temporary, temporary.open("wb") as stream:
        yield stream
