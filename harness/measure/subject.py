"""What an instrument looks at: a run, which of its questions, and the recording it was made of."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from harness.datasets.cohort import ALL, Cohort
from harness.datasets.split import Split
from harness.decode import json_of_file
from harness.errors import InputError, UsageError
from harness.evidence import CohortCounts, cohort_of
from harness.model import MEMORY
from harness.points import Point
from harness.recording.absent import Absence, absences
from harness.recording.recording import Recording
from harness.recording.schema import RECORDING_SCHEMA
from harness.replay.engine import ReplayRequest, replay
from harness.replay.run import Run
from harness.replay.writer import TokenCounting
from harness.storage.manifest import MANIFEST_NAME


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """A run and the questions of it that are looked at.

    `case_ids` are in the run's order. `part` is `all`, `dev` or `test`: of the split that was
    given, else that of the run. `recording` is where the run's recording is looked for.
    """

    run: Run
    case_ids: tuple[str, ...]
    part: str
    recording: Path

    def rows(self, points: Sequence[Point]) -> pa.Table:
        """Return the evidence counts of the questions at the points."""
        table = self.run.evidence_rows(points)
        wanted = pa.array(self.case_ids, pa.string())
        return table.filter(pc.is_in(table["case_id"].cast(pa.string()), wanted))

    def cohort(self, points: Sequence[Point]) -> CohortCounts:
        """Return the counts of the questions at the points, as arrays."""
        return cohort_of(self.rows(points), [str(point) for point in points])

    @property
    def types(self) -> dict[str, str | None]:
        """Return the type of every case of the run."""
        cases = self.run.cases()
        return dict(zip(cases["case_id"].to_pylist(), cases["category"].to_pylist(), strict=True))

    def open_recording(self) -> Recording:
        """Open the recording that the run was made of; raises what `recording_of` does."""
        return recording_of(self.run, self.recording)


def absences_of(
    run: Run, points: Sequence[Point], recording: Path | None = None
) -> tuple[Absence, ...]:
    """Say which signals of the points' arms are absent in the run's cases; nothing where its
    recording is not at hand, which alone knows."""
    try:
        opened = recording_of(run, recording, verify=False)
    except InputError:
        return ()
    return tuple(absences(opened, run.cohort.ids, [point.arm for point in points]))


def recording_of(run: Run, folder: Path | None = None, *, verify: bool = True) -> Recording:
    """Open the recording that `run` was made of: in `folder`, or where the run says it was.

    Raises `InputError` if it is not there, or is another one.
    """
    named = run.manifest.content["recording"]
    place = Path(named["folder"]) if folder is None else folder
    if not (place / MANIFEST_NAME).is_file():
        raise InputError(
            f"the recording of {run.folder} is not at {place}",
            "Name it with --recording DIR, or run the command from where the run was made.",
        )
    opened = Recording.open(place, verify=verify)
    if opened.sha256 != named["sha256"]:
        raise InputError(
            f"{place} is another recording (sha256 {opened.sha256}) than that of {run.folder} "
            f"({named['sha256']})",
            "Name the one that was replayed with --recording DIR.",
        )
    return opened


def every_question(run: Run) -> MeasuredRun:
    """Return all questions of a run, of whatever kind."""
    named = run.manifest.content["recording"]
    return MeasuredRun(run, run.cohort.ids, run.cohort.part, Path(named["folder"]))


def subject_of(
    run: Run, split: Split | None = None, part: str = ALL, recording: Path | None = None
) -> MeasuredRun:
    """Return the questions of `run` that are in the part.

    Raises `UsageError` for a part without a split or without a question in the run, and
    `InputError` for a run of lookups, which have no evidence turns.
    """
    named = run.manifest.content["recording"]
    cohort = _part_of(run.cohort, split, part)
    if not cohort.ids:
        raise UsageError(
            f"{run.folder} has no question of the part {part!r}; it is of the part "
            f"{run.cohort.part!r}",
            "Choose another --part, or replay the recording without --part.",
        )
    if run.manifest.content.get("kind", MEMORY) != MEMORY:
        raise InputError(
            f"{run.folder} is a run of lookups, which have no evidence turns",
            "Give a run of questions.",
        )
    return MeasuredRun(run, cohort.ids, cohort.part, recording or Path(named["folder"]))


@contextmanager
def opened_subject(
    folder: Path,
    points: Sequence[Point],
    *,
    split: Split | None = None,
    part: str = ALL,
    recording: Path | None = None,
    counting: TokenCounting | None = None,
    quiet: bool = False,
) -> Iterator[MeasuredRun]:
    """Open the subject in `folder`: a run as it is, or a recording, replayed at `points`.

    The run of a recording is of the part's questions alone. It stands in a temporary folder and is
    gone afterwards.
    """
    if not is_recording(folder):
        yield subject_of(Run.open(folder), split, part, recording)
        return
    opened = Recording.open(folder)
    if opened.kind != MEMORY:
        raise InputError(
            f"{folder} holds {opened.kind} cases, which have no evidence turns",
            "Give a recording of questions.",
        )
    cohort = _part_of(Cohort(opened.case_ids), split, part)
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "run"
        replay(opened, ReplayRequest(folder, tuple(points), cohort, counting), out, quiet=quiet)
        yield MeasuredRun(Run.open(out), cohort.ids, cohort.part, folder)


def _part_of(whole: Cohort, split: Split | None, part: str) -> Cohort:
    """Narrow a cohort to a part of the split; `all` is the whole of it."""
    if part == ALL:
        return whole
    if split is None:
        raise UsageError(f"--part {part} needs to know the split", "Give --split FILE with it.")
    return Cohort.of_split(split, part, whole.ids)


def is_recording(folder: Path) -> bool:
    """Return whether the manifest in `folder` is that of a recording; one that cannot be read is
    not."""
    value = json_of_file(folder / MANIFEST_NAME)
    return isinstance(value, dict) and value.get("schema") == RECORDING_SCHEMA
