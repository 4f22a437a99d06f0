"""What the instruments share at the command line: their options, and opening what they look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from harness.words import counted

from .options import FILE, FOLDER, by_option, part_option
from .output import note

if TYPE_CHECKING:
    from harness.measure.answers import GradedPoints
    from harness.measure.subject import MeasuredRun
    from harness.points import Point

Command = TypeVar("Command", bound=Callable[..., Any])


def subject_options(command: Command) -> Command:
    """Add what is looked at; the command takes `subject`, `split`, `part` and `by`."""
    for option in reversed(
        (
            click.argument("subject", metavar="RUN|REC", type=FOLDER),
            click.option("--split", type=FILE, help="The split file; needed for --part."),
            part_option("Use only these questions."),
            by_option("Print a table per question type."),
        )
    ):
        command = option(command)
    return command


def point_option(command: Command) -> Command:
    return click.option(
        "-p",
        "--point",
        "specs",
        metavar="SPEC",
        multiple=True,
        help="A point, or an arm for its default points; repeatable. Default: all of the run.",
    )(command)


def grades_options(command: Command) -> Command:
    return click.option(
        "--grades",
        "folders",
        multiple=True,
        type=FOLDER,
        metavar="GRADES",
        help="Grades of a point of the run; repeatable. Test grades are sealed, and then not "
        "read, until harness judge has opened them; exploratory ones are opened by this.",
    )(command)


def recording_option(command: Command) -> Command:
    return click.option(
        "--recording",
        type=FOLDER,
        metavar="DIR",
        help="The recording of RUN.  [default: the path that the run names]",
    )(command)


@contextmanager
def opened_for(
    subject: Path,
    specs: Sequence[str],
    split: Path | None,
    part: str,
    recording: Path | None,
    quiet: bool,
) -> Iterator[MeasuredRun]:
    """Open the subject; a recording is replayed at the points that `specs` spell, else at all
    default points."""
    from harness.datasets.split import read_split
    from harness.evidence.prompt import DEFAULT_TEMPLATE
    from harness.evidence.tokens import CONTEXT_ENCODING
    from harness.measure.subject import is_recording, opened_subject
    from harness.model import MEMORY
    from harness.points import default_points, parse_points
    from harness.replay.writer import TokenCounting

    points: list[Point] = []
    if is_recording(subject):
        points = parse_points(specs) if specs else default_points(kind=MEMORY)
        note(f"{subject} is a recording: replayed at {counted(len(points), 'point')}", quiet)
    with opened_subject(
        subject,
        points,
        split=None if split is None else read_split(split),
        part=part,
        recording=recording,
        counting=TokenCounting(CONTEXT_ENCODING, "o200k_base", DEFAULT_TEMPLATE),
        quiet=quiet,
    ) as opened:
        yield opened


def graded_for(subject: MeasuredRun, folders: Sequence[Path], quiet: bool) -> GradedPoints:
    """Open the grades; note what is sealed."""
    from harness.measure.answers import read_answers

    graded = read_answers(folders, subject)
    for point in graded.sealed:
        note(f"sealed, and not read: the grades of {point} (harness judge opens a test)", quiet)
    return graded
