"""`harness replay`: every case of a recording through every point, into a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.words import counted

from .options import (
    FILE,
    PATH,
    command_arguments,
    counting_options,
    force_option,
    jobs_option,
    part_option,
    quiet_option,
    token_counting,
)
from .output import next_after_replay, note

if TYPE_CHECKING:
    from harness.datasets.cohort import Cohort
    from harness.recording.recording import Recording


@click.command()
@click.argument("recording", type=PATH)
@click.option("--out", required=True, type=PATH, help="Folder of the run.")
@click.option(
    "-p",
    "--point",
    "points",
    multiple=True,
    metavar="SPEC",
    help="A point, or an arm for its default points; repeatable. Default: the default points of "
    "every arm that runs on these cases.",
)
@click.option(
    "--bundled-arms",
    is_flag=True,
    help="Without --point: only the arms that come with the harness, whatever is installed.",
)
@click.option("--split", type=FILE, help="A split file.")
@part_option("Which part of the split to replay.")
@counting_options
@click.option("--no-tokens", is_flag=True, help="Do not count tokens.")
@jobs_option
@force_option
@quiet_option
def replay(
    recording: Path,
    out: Path,
    points: tuple[str, ...],
    bundled_arms: bool,
    split: Path | None,
    part: str,
    prompt_template: Path | None,
    reader_encoding: str,
    no_tokens: bool,
    jobs: int,
    force: bool,
    quiet: bool,
) -> None:
    """Replay RECORDING through points: selections, contexts, costs and evidence counts.

    Points can be added to a run later: replay the same recording into it with other --point. If
    interrupted, run the same command again: it resumes, and the output is byte-identical.

    \b
    Example:
      harness replay datasets/sample/recording --out build/run
      harness replay REC --out RUN --point '2.6.5a1(budget=2800)' --point count-curve
      harness replay REC --out RUN --split datasets/splits/longmemeval-s.json --part dev
    """
    from harness.points import default_points, load_arms, parse_points
    from harness.recording.absent import absences
    from harness.recording.recording import Recording
    from harness.replay.engine import ReplayRequest
    from harness.replay.engine import replay as run_replay
    from harness.storage.folder import FolderState
    from harness.words import plain_of

    asked = parse_points(points)
    counting = None if no_tokens else token_counting(prompt_template, reader_encoding)
    opened = Recording.open(recording)
    chosen = asked or default_points(load_arms(bundled=bundled_arms), kind=opened.kind)
    cohort = _cohort(opened, split, part)
    outcome = run_replay(
        opened,
        ReplayRequest(recording, tuple(chosen), cohort, counting),
        out,
        jobs=jobs,
        quiet=quiet,
        force=force,
        given=command_arguments(),
    )
    for sentence in outcome.broken_growth:
        note(f"warning: {sentence}")
    for absence in absences(opened, cohort.ids, [point.arm for point in chosen]):
        note(plain_of(absence.sentence()), quiet)
    if outcome.not_applicable:
        arms = ", ".join(dict.fromkeys(point.arm for point in outcome.not_applicable))
        note(f"not applicable to {opened.kind} cases, left out: {arms}", quiet)
    if outcome.state is FolderState.FINISHED:
        note(f"{out}: holds these points already", quiet)
    else:
        note(
            f"{out}: {counted(outcome.points, 'point')} of {counted(outcome.cases, 'case')} "
            f"replayed",
            quiet,
        )
    note(next_after_replay(out), quiet)


def _cohort(recording: Recording, split: Path | None, part: str) -> Cohort:
    from harness.datasets.cohort import Cohort
    from harness.datasets.split import read_split

    if split is None:
        if part != "all":
            raise click.UsageError(f"--part {part} needs --split FILE.")
        return Cohort(recording.case_ids)
    return Cohort.of_split(read_split(split), part, recording.case_ids)
