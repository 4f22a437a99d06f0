"""The sweep itself: each recording's dev questions, replayed through every setting in one pass.

One recording gives one run, at `out`. Several give one run each in a folder below `out`, which is
named after its recording; `out` itself then has a manifest that names them by hash.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.datasets.cohort import Cohort
from harness.datasets.split import Part, Split
from harness.errors import Faults, InputError, UsageError
from harness.model import MEMORY
from harness.points import Point
from harness.recording.recording import Recording
from harness.replay.engine import ReplayOutcome, ReplayRequest, replay
from harness.replay.plan import applicable
from harness.replay.run import Run
from harness.replay.writer import TokenCounting
from harness.storage.folder import FolderState, OutputFolder, open_output, started_work
from harness.storage.manifest import (
    MANIFEST_NAME,
    Manifest,
    code_version,
    environment,
    file_entries,
    read_manifest,
)

SCHEMA = "harness.sweep/1"
"""Of the folder of several runs."""


@dataclass(frozen=True, slots=True)
class SweepRequest:
    """What is asked for; the first of `points` is what the others are compared with."""

    recordings: tuple[Path, ...]
    points: tuple[Point, ...]
    split: Split
    counting: TokenCounting


@dataclass(frozen=True, slots=True)
class Swept:
    """A finished run, the name of its recording, and what the replay did now."""

    name: str
    run: Run
    outcome: ReplayOutcome


def run_sweep(
    request: SweepRequest,
    out: Path,
    *,
    jobs: int = 1,
    quiet: bool = False,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
) -> tuple[Swept, ...]:
    """Replay every recording; after an interruption, the same call resumes.

    `given` are the arguments for the runs' manifests, the recording aside. Raises `InputError` for
    recordings that do not hold the same dev questions, and `UsageError` for a point whose arm does
    not run on them; nothing is written before that is known.
    """
    paths = dict(zip(recording_names(request.recordings), request.recordings, strict=True))
    opened = {name: Recording.open(path) for name, path in paths.items()}
    check_same_questions(opened, request.split)
    for recording in opened.values():
        _check_applicable(request.points, recording.kind)
    several = len(paths) > 1
    folder = _open_several(opened, request, out, force=force) if several else None
    swept = []
    for name, path in paths.items():
        work = ReplayRequest(
            path, request.points, dev_cohort(opened[name], request.split), request.counting
        )
        outcome = replay(
            opened[name],
            work,
            out / name if several else out,
            jobs=jobs,
            quiet=quiet,
            force=force and not several,  # the folder above has removed what was there
            given={"recording": path.as_posix(), **(given or {})},
        )
        swept.append(Swept(name, Run.open(out / name if several else out), outcome))
    if folder is not None:
        _finish(folder, swept)
    return tuple(swept)


def recording_names(paths: Sequence[Path]) -> list[str]:
    """Return a name for each recording: as much of the end of its path as makes it unique.

    `a/recording` and `b/recording` are `a-recording` and `b-recording`. Raises `UsageError` for a
    path that is given twice.
    """
    parts = [path.resolve().parts[1:] for path in paths]
    if len(set(parts)) < len(parts):
        raise UsageError("a recording is given twice", "Give each recording once.")
    for length in range(1, max(map(len, parts)) + 1):
        names = ["-".join(part[-length:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    return [f"{number}-{part[-1]}" for number, part in enumerate(parts, 1)]


def _check_applicable(points: Iterable[Point], kind: str) -> None:
    others = applicable(tuple(points), kind)[1]
    if others:
        arms = ", ".join(dict.fromkeys(point.arm for point in others))
        raise UsageError(
            f"{arms} does not run on {kind} cases",
            "Sweep it on another recording; harness arms says what each arm runs on.",
        )


def _open_several(
    recordings: Mapping[str, Recording], request: SweepRequest, out: Path, *, force: bool
) -> OutputFolder:
    """Open the folder above the runs, started. Finished work of the same recordings is added to."""
    work = {
        "recordings": {name: opened.sha256 for name, opened in recordings.items()},
        "part": "dev",
        "split_sha256": request.split.sha256,
    }
    entries = [*recordings, *(_former_names(out) if force else ())]
    folder = open_output(out, SCHEMA, work, list(dict.fromkeys(entries)), force=force, growing=True)
    if not force and (out / MANIFEST_NAME).is_file():
        earlier = read_manifest(out, SCHEMA).work
        other = [key for key, value in work.items() if earlier.get(key) != value]
        if other:
            what = "other recordings" if "recordings" in other else "another split"
            raise InputError(
                f"{out} holds a sweep of {what}",
                "Choose another --out, or replace it with --force.",
            )
    folder.start()
    return folder


def _former_names(out: Path) -> list[str]:
    """Return the runs of the sweep in `out`, finished or not, that `--force` replaces."""
    works = [started_work(out)]
    if (out / MANIFEST_NAME).is_file():
        works.append(read_manifest(out, SCHEMA).work)
    names = [name for work in works if work is not None for name in work.get("recordings", ())]
    return [name for name in names if name == Path(name).name]  # nothing outside the folder


def _finish(folder: OutputFolder, swept: Sequence[Swept]) -> None:
    if all(entry.outcome.state is FolderState.FINISHED for entry in swept) and _is_complete(folder):
        folder.finish()
        return
    Manifest(
        schema=SCHEMA,
        work=folder.work,
        content={
            "runs": {entry.name: entry.run.manifest.content_sha256 for entry in swept},
            "points": [str(point) for point in swept[0].run.points],
        },
        files=file_entries(folder.path, [f"{entry.name}/{MANIFEST_NAME}" for entry in swept]),
        arguments={"verb": "sweep", "resolved": dict(folder.work)},
        code=code_version(),
        environment=environment(),
    ).write(folder.path)
    folder.finish()


def _is_complete(folder: OutputFolder) -> bool:
    """Return whether the manifest is there, and of the runs as they are now."""
    if not (folder.path / MANIFEST_NAME).is_file():
        return False
    files = read_manifest(folder.path, SCHEMA).files
    return file_entries(folder.path, files) == dict(files)


def dev_cohort(recording: Recording, split: Split) -> Cohort:
    """Take the recording's dev cases.

    Raises `InputError` where the split cannot be one of the recording's questions, or where these
    are not questions with labelled evidence at all.
    """
    if recording.kind != MEMORY:
        raise InputError(
            f"{recording.folder} holds {recording.kind} cases, which have no evidence metric",
            "Give a recording of questions, such as harness record longmemeval makes.",
        )
    return Cohort.of_split(split, Part.DEV.value, recording.case_ids)


def check_same_questions(recordings: Mapping[str, Recording], split: Split) -> None:
    """Refuse recordings that differ in their dev questions, by id or by text, and one that is
    given twice; `recordings` by name."""
    faults = Faults(limit=10)
    (first, reference), *others = (
        (name, (opened.sha256, _dev_questions(opened, split)))
        for name, opened in recordings.items()
    )
    seen = {reference[0]: first}
    for name, (sha256, questions) in others:
        if sha256 in seen:
            faults.add(f"{name} and {seen[sha256]} are the same recording")
        seen.setdefault(sha256, name)
        for case_id in sorted(reference[1].keys() ^ questions.keys()):
            has, lacks = (first, name) if case_id in reference[1] else (name, first)
            faults.add(f"question {case_id!r} is in {has} and not in {lacks}")
        for case_id in sorted(reference[1].keys() & questions.keys()):
            if reference[1][case_id] != questions[case_id]:
                faults.add(f"question {case_id!r} has another text in {name} than in {first}")
    faults.raise_if_any(
        "the recordings do not hold the same dev questions",
        "Record the same dataset each time, with another --recall or --embedder.",
    )


def _dev_questions(recording: Recording, split: Split) -> dict[str, str]:
    dev = frozenset(dev_cohort(recording, split).ids)
    numbers = [number for number, case_id in enumerate(recording.case_ids) if case_id in dev]
    return {query["case_id"]: query["text"] for _, query in recording.queries(numbers)}
