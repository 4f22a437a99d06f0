"""The harness from Python: open what verbs write, replay a recording, take tables as data frames.

`docs/python.md` documents every name of `__all__`; each is a name of `harness` too. Importing this
module loads nothing heavy. A path is text or a `Path`. What a user can get wrong raises
`harness.errors.HarnessError`, whose message says what, where and what to do next.

Nothing here reads a sealed outcome: whether answers to test questions were right is missing from a
frame until an opening in the ledger holds them, and no function makes one.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from .opened import (
    LEVEL,
    RESAMPLES,
    SEED,
    AnyPath,
    OpenedGrades,
    OpenedRecording,
    OpenedRun,
    evidence_by_metric,
    listed_points,
)

if TYPE_CHECKING:
    import pandas as pd

    from harness.datasets.cohort import Cohort
    from harness.datasets.split import Split
    from harness.statistics.difference import PairedDifference
    from harness.trial.verdict import Verdict

__all__ = [
    "OpenedGrades",
    "OpenedRecording",
    "OpenedRun",
    "evidence_of",
    "interval",
    "open_grades",
    "open_recording",
    "open_run",
    "read_split",
    "read_verdict",
    "replay_recording",
]


def open_recording(folder: AnyPath) -> OpenedRecording:
    """Open a recording, verified by hash."""
    from harness.recording.recording import Recording

    return OpenedRecording(Recording.open(Path(folder)))


def open_run(folder: AnyPath) -> OpenedRun:
    """Open a run, verified by hash."""
    from harness.replay.run import Run

    return OpenedRun(Run.open(Path(folder)))


def open_grades(folder: AnyPath) -> OpenedGrades:
    """Open a folder of grades, verified by hash. No outcome is read."""
    from harness.trial.grades import Grades

    return OpenedGrades(Grades.open(Path(folder)))


def read_split(file: AnyPath) -> Split:
    """Read a split: its `dev_ids`, and by `part_of` the part of any question."""
    from harness.datasets.split import read_split as read

    return read(Path(file))


def read_verdict(file: AnyPath) -> Verdict:
    """Read a verdict, with the fields of formats/verdict.md."""
    from harness.trial.verdict import read_verdict as read

    return read(Path(file))


def replay_recording(
    recording: OpenedRecording | AnyPath,
    out: AnyPath,
    points: Iterable[str] = (),
    *,
    split: AnyPath | None = None,
    part: str = "all",
    tokens: bool = True,
    jobs: int = 1,
    force: bool = False,
) -> OpenedRun:
    """Replay a recording through points into the run `out`, as `harness replay` does.

    Without points: the default points of every arm that runs on its cases. What is there already is
    kept, an interrupted run is continued, and further points are added.
    """
    from harness.evidence.prompt import DEFAULT_TEMPLATE
    from harness.evidence.tokens import CONTEXT_ENCODING, READER_ENCODING
    from harness.points import default_points, load_arms, parse_points
    from harness.replay.engine import ReplayRequest, replay
    from harness.replay.writer import TokenCounting

    opened = recording if isinstance(recording, OpenedRecording) else open_recording(recording)
    specs = listed_points(points)
    chosen = parse_points(specs) or default_points(load_arms(), kind=opened.kind)
    counting = TokenCounting(CONTEXT_ENCODING, READER_ENCODING, DEFAULT_TEMPLATE)
    cohort = _cohort(opened.case_ids, split, part)
    outcome = replay(
        opened._recording,
        ReplayRequest(opened.folder, tuple(chosen), cohort, counting if tokens else None),
        Path(out),
        jobs=jobs,
        quiet=True,
        force=force,
        given={"recording": opened.folder.as_posix(), "points": specs},
    )
    for sentence in outcome.broken_growth:
        warnings.warn(sentence, stacklevel=2)
    return open_run(out)


def evidence_of(
    rows: pd.DataFrame,
    points: Iterable[str] = (),
    *,
    against: str | None = None,
    by_category: bool = False,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> pd.DataFrame:
    """Return every metric of evidence counts, with a row per point and metric, as
    `OpenedRun.evidence` does.

    `rows` has the columns of a run's table `evidence` and a row for every case and point: all of
    `run.frame("evidence")`, or the rows of the cases that are asked about.
    """
    wanted = listed_points(points) or list(dict.fromkeys(rows.get("point", ())))
    return evidence_by_metric(rows, wanted, against, by_category, (level, resamples, seed))


def interval(
    *, wins: int, losses: int, n: int, method: str = "exact", level: float | str = "0.95"
) -> PairedDifference:
    """Return the difference (wins - losses) / n of paired answers with its interval, as fractions.

    `n` counts all pairs, ties too; `warnings` say where the interval may mislead.
    """
    from harness.errors import UsageError
    from harness.statistics.counts import Level, PairedCounts
    from harness.statistics.difference import PairedDifference
    from harness.statistics.methods import method_named
    from harness.statistics.warnings import interval_warnings

    chosen, exact = method_named(method), Level.of(level)
    try:
        counts = PairedCounts.of_total(n, wins, losses)
    except (TypeError, ValueError) as error:
        raise UsageError(str(error), "Give whole numbers with wins + losses at most n.") from error
    limits = chosen.interval(counts, exact)
    return PairedDifference(
        float(counts.difference),
        limits.lower,
        limits.upper,
        counts.n,
        float(exact.value),
        wins=counts.wins,
        losses=counts.losses,
        warnings=interval_warnings(counts, limits, chosen.name),
    )


def _cohort(case_ids: tuple[str, ...], split: AnyPath | None, part: str) -> Cohort:
    from harness.datasets.cohort import ALL, Cohort
    from harness.datasets.split import Part
    from harness.errors import UsageError, nearest

    parts = (*(known.value for known in Part), ALL)
    if part not in parts:
        raise UsageError(f"no part {part!r}{nearest(part, parts)}", f"Parts: {', '.join(parts)}.")
    if split is not None:
        return Cohort.of_split(read_split(split), part, case_ids)
    if part != ALL:
        raise UsageError(f"part {part!r} is of a split, and none is given", "Give split=FILE.")
    return Cohort(case_ids)
