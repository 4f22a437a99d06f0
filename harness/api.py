"""The harness from Python: open what verbs write, replay a recording, take tables as data frames.

`docs/python.md` documents every name of `__all__`; each is a name of `harness` too. Importing this
module loads nothing heavy. A path is text or a `Path`. What a user can get wrong raises
`harness.errors.HarnessError`, whose message says what, where and what to do next.

Nothing here reads a sealed outcome: whether answers to test questions were right is missing from a
frame until an opening in the ledger holds them, and no function makes one.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from harness.words import counted

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from harness.datasets.cohort import Cohort
    from harness.datasets.split import Split
    from harness.model import Case
    from harness.recording.recording import Recording
    from harness.replay.run import Run
    from harness.statistics.difference import PairedDifference
    from harness.trial.grades import Grades
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

AnyPath = str | os.PathLike[str]
_LEVEL, _RESAMPLES, _SEED = 0.95, 10_000, 20261003
"""Defaults of a paired bootstrap, as `harness.statistics.paired_bootstrap` has them; a test
compares."""


class OpenedRecording:
    """A recording: a frozen folder of cases."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def __repr__(self) -> str:
        return f"<recording {self.folder}: {len(self.case_ids):,} {self.kind} cases>"

    @property
    def folder(self) -> Path:
        """Where it is."""
        return self._recording.folder

    @property
    def kind(self) -> str:
        """Kind of its cases: `memory` or `lookup`."""
        return self._recording.kind

    @property
    def sha256(self) -> str:
        """Hash of everything it holds."""
        return self._recording.sha256

    @property
    def case_ids(self) -> tuple[str, ...]:
        """Ids of its cases, in order."""
        return self._recording.case_ids

    @property
    def tables(self) -> tuple[str, ...]:
        """Names that `frame` takes."""
        from harness.recording.schema import tables_of

        return tuple(name.removesuffix(".parquet") for name in tables_of(self.kind))

    def frame(self, table: str) -> pd.DataFrame:
        """Return a table of the recording, with the columns of file-formats.md."""
        from harness.show.frames import frame_of
        from harness.storage.parquet import read_table

        _known(table, self.tables, f"the recording {self.folder}")
        return frame_of(read_table(self.folder / f"{table}.parquet"))

    def case(self, case_id: str) -> Case:
        """Return a case with its window, records and labels."""
        return next(self._recording.cases([self._recording.number_of(case_id)]))

    def cases(self) -> Iterator[Case]:
        """Yield every case in order, one at a time."""
        return self._recording.cases()


class OpenedRun:
    """A run: what points selected for the cases of a recording, at what cost."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __repr__(self) -> str:
        return (
            f"<run {self.folder}: {counted(len(self.case_ids), 'case')} "
            f"at {counted(len(self.points), 'point')}>"
        )

    @property
    def folder(self) -> Path:
        """Where it is."""
        return self._run.folder

    @property
    def points(self) -> tuple[str, ...]:
        """Spellings of its points, in the order in which they were replayed."""
        return tuple(map(str, self._run.points))

    @property
    def case_ids(self) -> tuple[str, ...]:
        """Ids of its cases, in order."""
        return self._run.cohort.ids

    @property
    def tables(self) -> tuple[str, ...]:
        """Names that `frame` takes."""
        from harness.replay.schema import RECORDING

        written = dict.fromkeys(name.split("/")[0] for name in self._run.manifest.files)
        return tuple(name.removesuffix(".parquet") for name in written if name != RECORDING)

    def frame(self, table: str) -> pd.DataFrame:
        """Return a table of the run, with the columns of file-formats.md.

        Points of equal policies were computed once: the rows of each stand under the spelling that
        the column `computed_as` of `points` has.
        """
        from harness.show.frames import frame_of
        from harness.storage.parquet import read_table

        _known(table, self.tables, f"the run {self.folder}")
        if f"{table}.parquet" in self._run.manifest.files:
            return frame_of(read_table(self.folder / f"{table}.parquet"))
        return frame_of(self._run.table(table))

    def evidence(
        self,
        points: Iterable[str] = (),
        *,
        against: str | None = None,
        by_category: bool = False,
        recording: AnyPath | None = None,
        level: float = _LEVEL,
        resamples: int = _RESAMPLES,
        seed: int = _SEED,
    ) -> pd.DataFrame:
        """Return every metric at the points (all by default), with a row per point and metric.

        An arm's name means its default points. With `against`, each row has the paired difference
        from that point and its interval; with `by_category` there is a row per question type too.
        `recording`, the run's own, adds `session_precision`.
        """
        from harness.measure.sessions import with_sessions_shown
        from harness.measure.subject import recording_of

        chosen = self._run.chosen(_listed(points))
        base = None if against is None else self._run.one(against, "against")
        needed = list(dict.fromkeys([*chosen, *([] if base is None else [base])]))
        rows = self._run.evidence_rows(needed)
        if recording is not None:
            source = recording_of(self._run, Path(recording))
            rows = with_sessions_shown(rows, self._run, needed, source)
        spelled = None if base is None else str(base)
        how = (level, resamples, seed)
        return _evidence(rows, list(map(str, chosen)), spelled, by_category, how)

    def contexts(self, point: str) -> pd.DataFrame:
        """Return the text that a reader would be given, with a row per case: `case_id`,
        `context_sha256` and `context`."""
        import pyarrow as pa

        from harness.show.frames import frame_of

        rows = list(self._run.contexts(self._run.one(point, "point")))
        columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
        names = ("case_id", "context_sha256", "context")
        return frame_of(pa.table(dict(zip(names, columns, strict=True))))


class OpenedGrades:
    """Grades of one point: what became of each question, and whether the answer was right where
    that may be known."""

    def __init__(self, grades: Grades) -> None:
        self._grades = grades

    def __repr__(self) -> str:
        return f"<grades {self.folder}: {self.part} questions at {self.point}>"

    @property
    def folder(self) -> Path:
        """Where they are."""
        return self._grades.folder

    @property
    def point(self) -> str:
        """Spelling of the point whose contexts were answered."""
        return str(self._grades.point)

    @property
    def part(self) -> str:
        """Part of the split: `dev`, `test` or `all`."""
        return self._grades.part

    @property
    def sealed(self) -> bool:
        """Whether the outcomes may not be known yet."""
        from harness.trial.seal import seal_of

        return seal_of(self._grades).holds

    def frame(self) -> pd.DataFrame:
        """Return a row per question and pass, with the columns of formats/grades.md and `correct`.

        `correct` is missing for a question that was not graded, and everywhere while the outcomes
        are sealed.
        """
        import pyarrow as pa

        from harness.show.frames import frame_of
        from harness.storage.parquet import read_table
        from harness.trial.grades import GRADED
        from harness.trial.seal import seal_of

        table = read_table(self.folder / GRADED)
        outcomes = seal_of(self._grades).outcomes or ()
        right = {
            (outcome.question_id, outcome.pass_number): outcome.correct for outcome in outcomes
        }
        keys = zip(table["question_id"].to_pylist(), table["pass"].to_pylist(), strict=True)
        correct = pa.array([right.get(key) for key in keys], pa.bool_())
        return frame_of(table.append_column("correct", correct))


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
    specs = _listed(points)
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
    level: float = _LEVEL,
    resamples: int = _RESAMPLES,
    seed: int = _SEED,
) -> pd.DataFrame:
    """Return every metric of evidence counts, with a row per point and metric, as
    `OpenedRun.evidence` does.

    `rows` has the columns of a run's table `evidence` and a row for every case and point: all of
    `run.frame("evidence")`, or the rows of the cases that are asked about.
    """
    wanted = _listed(points) or list(dict.fromkeys(rows.get("point", ())))
    return _evidence(rows, wanted, against, by_category, (level, resamples, seed))


def _evidence(
    rows: pd.DataFrame | pa.Table,
    points: list[str],
    against: str | None,
    by_category: bool,
    bootstrap: tuple[float, int, int],
) -> pd.DataFrame:
    from harness.errors import UsageError
    from harness.evidence import FURTHER_METRICS, METRICS, Bootstrap, evidence_table
    from harness.show.frames import evidence_frame

    level, resamples, _ = bootstrap
    if not 0 < level < 1 or resamples < 1:
        raise UsageError(
            f"the level is {level} and resamples {resamples}",
            "Give a level between 0 and 1, such as 0.95, and at least one resample.",
        )
    columns = rows.column_names if hasattr(rows, "column_names") else rows.columns
    metrics = (*METRICS, *(FURTHER_METRICS if "sessions_shown" in columns else ()))
    table = evidence_table(
        rows,
        points,
        by_category=by_category,
        against=against,
        bootstrap=Bootstrap(*bootstrap),
        metrics=metrics,
    )
    return evidence_frame(table, metrics, by_category=by_category, against=against is not None)


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


def _listed(points: Iterable[str]) -> list[str]:
    """Return the spellings; a text alone is one of them."""
    return [points] if isinstance(points, str) else list(map(str, points))


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


def _known(table: str, tables: tuple[str, ...], what: str) -> None:
    from harness.errors import UsageError, nearest

    if table not in tables:
        raise UsageError(
            f"{what} has no table {table!r}{nearest(table, tables)}",
            f"Its tables: {', '.join(tables)}.",
        )
