"""Replaying 10,000 recorded lookups over 2,000 documents in one pass.

    python benchmarks/lookups.py

The recording is made first, by `made_up_lookups.py`, which says of what; that is not measured, and
takes a quarter of the three minutes.

- `one pass` is one replay of all lookups at every default point of the arms of lookups, tokens left
  uncounted: read, expand, measure what can be cited, compare budgets, write the tables.
- `one pass, a quarter` is the same over the first quarter of the lookups: the baseline of memory,
  which must not grow with them.
- `each point alone` replays every point into a run of its own, over a part of the lookups: points
  then share neither the reading nor what is known of a document.
- `documents parsed anew` expands every point from Markdown that is read for it alone, as a client
  does that has recorded nothing; it writes nothing, and measures no evidence.

Each is a fresh process, held to one core where the system can do that. Seconds are from before the
recording is opened (its hashes are checked) until the last manifest is written, the libraries
imported before. Ratios are of processor times a case and point. Peak memory is the process's
largest resident set. That all ways print the same is checked.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tabulate import tabulate

if TYPE_CHECKING:
    from harness.model import Case
    from harness.points import Point
    from harness.recording.recording import Recording

ONE_PASS, QUARTER, ALONE, PARSED = (
    "one pass",
    "one pass, a quarter",
    "each point alone",
    "documents parsed anew",
)
WAYS = (ONE_PASS, QUARTER, ALONE, PARSED)
ALONE_SHARE, PARSED_SHARE = 40, 500
"""Of how many lookups one is replayed by the slow ways."""

Printed = dict[str, str]
"""By case: a hash of what every point printed."""


@dataclass(frozen=True)
class Measurement:
    """One process: wall and processor seconds, peak resident memory in MiB, what was printed."""

    points: int
    seconds: float
    processor_seconds: float
    peak_mib: float
    printed: Printed

    @property
    def pairs(self) -> int:
        return len(self.printed) * self.points


def measure_here(way: str, recording: Path) -> Measurement:
    _hold_to_one_core()  # before the libraries count the cores
    from harness.model import LOOKUP
    from harness.points import default_points, load_arm
    from harness.replay import engine, lookup_rows  # noqa: F401  (imported before the clock)

    points = [
        point for point in default_points(kind=LOOKUP) if load_arm(point.arm).accepts == (LOOKUP,)
    ]
    with tempfile.TemporaryDirectory() as folder:
        start, started = time.perf_counter(), time.process_time()
        read_back = _ways()[way](recording, points, Path(folder))
        seconds, processor = time.perf_counter() - start, time.process_time() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        printed = _printed(read_back())
    units_per_mib = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return Measurement(len(points), seconds, processor, peak / units_per_mib, printed)


def _hold_to_one_core() -> None:
    if hasattr(os, "sched_setaffinity"):  # not on macOS
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


Read = Callable[[], Iterable[tuple[str, str, str]]]
"""Case, point and hash of each context, read back after the clock has stopped."""


def _ways() -> Mapping[str, Callable[[Path, Sequence[Point], Path], Read]]:
    return {
        ONE_PASS: lambda recording, points, out: _replayed(recording, [points], out, 1),
        QUARTER: lambda recording, points, out: _replayed(recording, [points], out, 4),
        ALONE: lambda recording, points, out: _replayed(
            recording, [[point] for point in points], out, ALONE_SHARE
        ),
        PARSED: lambda recording, points, out: _parsed(recording, points),
    }


def _part(recording: Recording, share: int) -> range:
    return range(max(1, len(recording.case_ids) // share))


def _replayed(recording: Path, groups: Sequence[Sequence[Point]], out: Path, share: int) -> Read:
    from harness.datasets.cohort import Cohort
    from harness.recording.recording import Recording
    from harness.replay.engine import ReplayRequest, replay
    from harness.replay.run import Run

    runs = [out / str(number) for number in range(len(groups))]
    for run, points in zip(runs, groups, strict=True):
        opened = Recording.open(recording)
        request = ReplayRequest(
            recording, tuple(points), Cohort(opened.case_ids[: len(_part(opened, share))]), None
        )
        replay(opened, request, run, quiet=True)

    def read() -> Iterator[tuple[str, str, str]]:
        for run in runs:
            table = Run.open(run).table("selections", ["case_id", "point", "context_sha256"])
            yield from zip(*(column.to_pylist() for column in table.columns), strict=True)

    return read


def _parsed(recording: Path, points: Sequence[Point]) -> Read:
    from harness.model import view_of
    from harness.recording.recording import Recording

    opened = Recording.open(recording)
    found = []
    for case in opened.cases(_part(opened, PARSED_SHARE)):
        for point in points:
            context = point.policy.select(view_of(_parsed_anew(case))[0]).context or ""
            digest = hashlib.sha256(context.encode("utf-8")).hexdigest()
            found.append((case.case_id, str(point), digest))
    return lambda: found


def _parsed_anew(case: Case) -> Case:
    from harness.worlds import outline_of

    if case.lookup is None:
        raise ValueError(f"{case.case_id} is no lookup")
    documents = []
    for document in case.lookup.documents:
        outline = outline_of(document.body)
        documents.append(
            replace(
                document,
                sections=outline.sections,
                first_paragraph=outline.first_paragraph,
            )
        )
    return replace(case, lookup=replace(case.lookup, documents=tuple(documents)))


def _printed(rows: Iterable[tuple[str, str, str]]) -> Printed:
    by_case: dict[str, list[tuple[str, str]]] = {}
    for case_id, point, digest in rows:
        by_case.setdefault(case_id, []).append((point, digest))
    return {
        case_id: hashlib.sha256(repr(sorted(pairs)).encode("utf-8")).hexdigest()
        for case_id, pairs in by_case.items()
    }


def make_apart(recording: Path, documents: int, lookups: int) -> None:
    """Make the recording in a process of its own: a child's peak starts at its parent's size."""
    numbers = ["--documents", str(documents), "--lookups", str(lookups)]
    script = Path(__file__).with_name("made_up_lookups.py")
    if subprocess.run([sys.executable, script, recording, *numbers]).returncode:
        raise SystemExit(1)


def measure_apart(way: str, recording: Path) -> Measurement:
    command = [sys.executable, __file__, "--recording", str(recording), "--way", way]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return Measurement(**json.loads(output))


def compare(recording: Path) -> str:
    """A Markdown table of all ways."""
    from harness.recording.recording import Recording

    measured = {way: measure_apart(way, recording) for way in WAYS}
    whole = measured[ONE_PASS].printed
    for way, one in measured.items():
        if any(whole[case_id] != digest for case_id, digest in one.printed.items()):
            raise SystemExit(f"error: {way!r} printed something else: the times mean nothing")
    each = {way: one.processor_seconds / one.pairs for way, one in measured.items()}
    peak = measured[ONE_PASS].peak_mib
    rows = [
        [
            way,
            f"{len(one.printed):,}",
            f"{one.seconds:.1f}",
            f"{1000 * one.seconds / one.pairs:.3f}",
            f"{1000 * each[way]:.3f}",
            f"{each[ONE_PASS] / each[way]:.3f}",
            f"{one.peak_mib:.0f}",
            f"{peak / one.peak_mib:.2f}",
        ]
        for way, one in measured.items()
    ]
    headings = [
        "way", "lookups", "s", "ms a case and point", "of it processor",
        "one pass / this, processor", "peak MiB", "one pass / this, peak",
    ]  # fmt: skip
    table = tabulate(rows, headings, tablefmt="github", disable_numparse=True)
    counts = Recording.open(recording, verify=False).manifest.content["counts"]
    return (
        f"{counts['cases']:,} lookups over {counts['records']:,} documents, "
        f"{measured[ONE_PASS].points} points, "
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}\n\n{table}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=2_000, help="default: 2000")
    parser.add_argument("--lookups", type=int, default=10_000, help="default: 10000")
    parser.add_argument("--recording", type=Path, help="one that made_up_lookups.py made before")
    parser.add_argument("--way", choices=WAYS, help="measure this way in this process, as JSON")
    given = parser.parse_args()
    if given.way:
        if given.recording is None:
            parser.error("--way needs --recording")
        print(json.dumps(asdict(measure_here(given.way, given.recording))))
    elif given.recording:
        print(compare(given.recording))
    else:
        with tempfile.TemporaryDirectory() as folder:
            recording = Path(folder) / "recording"
            make_apart(recording, given.documents, given.lookups)
            print(compare(recording))


if __name__ == "__main__":
    main()
