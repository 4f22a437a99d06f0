"""Replaying a recording through all default points, against replaying one point at a time.

    python benchmarks/replay.py datasets/sample/recording

Both ways do the same work, with tokens left uncounted: read the cases, select, render, count the
evidence, write the tables. `all points together` is one replay, in which points share what they
have in common: the reading, the order of passages of points that differ in their budget, equal
policies. `one point at a time` replays every point into a run of its own, so that nothing is
shared. That both choose the same is checked afterwards.

Each measurement is a fresh process, held to one core where the system can do that. Seconds are from
before the recording is opened (its hashes are checked) until the last manifest is written, with the
libraries imported before. The best of the rounds is shown, as milliseconds a case and point; the
baseline, which takes minutes, is measured once. The ratio is of processor times, which other work
on the machine disturbs less. Peak memory is the process's largest resident set.
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
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tabulate import tabulate

if TYPE_CHECKING:
    from harness.points import Point

BASELINE = "one point at a time"
WAYS = ("all points together", BASELINE)


@dataclass(frozen=True)
class Measurement:
    """One process: what it replayed, wall and processor seconds, peak resident memory in MiB, and
    a hash of every context by case and point."""

    cases: int
    points: int
    seconds: float
    processor_seconds: float
    peak_mib: float
    contexts_sha256: str

    def milliseconds(self, seconds: float) -> str:
        """`seconds` as milliseconds a case and point."""
        return f"{1000 * seconds / (self.cases * self.points):.2f}"


def measure_here(way: str, recording: Path, cases: int | None) -> Measurement:
    _hold_to_one_core()  # before the libraries count the cores
    from harness.datasets.cohort import Cohort
    from harness.model import MEMORY
    from harness.points import default_points
    from harness.recording.recording import Recording
    from harness.replay.engine import ReplayRequest, replay

    def replay_alone(group: Sequence[Point], out: Path) -> int:
        opened = Recording.open(recording)
        cohort = Cohort(opened.case_ids[:cases])
        request = ReplayRequest(recording, tuple(group), cohort, counting=None)
        return replay(opened, request, out, quiet=True).cases

    points = default_points(kind=MEMORY)
    together = [tuple(points)] if way != BASELINE else [(point,) for point in points]
    with tempfile.TemporaryDirectory() as folder:
        runs = [Path(folder) / str(number) for number in range(len(together))]
        start, started = time.perf_counter(), time.process_time()
        for run, group in zip(runs, together, strict=True):
            count = replay_alone(group, run)
        seconds, processor = time.perf_counter() - start, time.process_time() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        units_per_mib = 1 << 20 if sys.platform == "darwin" else 1 << 10
        digest = _contexts_sha256(runs)
    return Measurement(count, len(points), seconds, processor, peak / units_per_mib, digest)


def _hold_to_one_core() -> None:
    if hasattr(os, "sched_setaffinity"):  # not on macOS
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def _contexts_sha256(runs: Sequence[Path]) -> str:
    """A hash of (case, point, context hash), whichever way the points were spread over runs."""
    from harness.replay.run import Run

    rows = []
    for folder in runs:
        run = Run.open(folder)
        for point in run.points:
            rows += [(case, str(point), digest) for case, digest, _ in run.contexts(point)]
    return hashlib.sha256(repr(sorted(rows)).encode("utf-8")).hexdigest()


def measure_apart(way: str, recording: Path, cases: int | None) -> Measurement:
    command = [sys.executable, __file__, str(recording), "--way", way]
    if cases is not None:
        command += ["--cases", str(cases)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Measurement(**json.loads(output))


def compare(recording: Path, cases: int | None, rounds: int) -> str:
    """A Markdown table of both ways."""
    measured: dict[str, list[Measurement]] = {way: [] for way in WAYS}
    for number in range(rounds):
        for way, measurements in measured.items():
            if way != BASELINE or number == 0:
                measurements.append(measure_apart(way, recording, cases))
    if len({one.contexts_sha256 for ones in measured.values() for one in ones}) != 1:
        raise SystemExit("the two ways did not choose the same: the times mean nothing")
    best = {way: min(ones, key=lambda one: one.processor_seconds) for way, ones in measured.items()}
    baseline = best[BASELINE].processor_seconds
    rows = [
        [
            way,
            f"{one.seconds:.1f}",
            one.milliseconds(one.seconds),
            one.milliseconds(one.processor_seconds),
            f"{one.processor_seconds / baseline:.3f}",
            f"{max(other.peak_mib for other in measured[way]):.0f}",
        ]
        for way, one in best.items()
    ]
    headings = ["way", "s", "ms a case and point", "of it processor", "processor ratio", "peak MiB"]
    table = tabulate(rows, headings, tablefmt="github", disable_numparse=True)
    one = best[BASELINE]
    return (
        f"{one.cases:,} cases, {one.points} points, best of {rounds}, "
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}\n\n{table}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recording", type=Path)
    parser.add_argument("--cases", type=int, help="only the first cases (default: all)")
    parser.add_argument("--rounds", type=int, default=3, help="measured rounds (default: 3)")
    parser.add_argument("--way", choices=WAYS, help="measure this way in this process, as JSON")
    arguments = parser.parse_args()
    if arguments.way:
        measurement = measure_here(arguments.way, arguments.recording, arguments.cases)
        print(json.dumps(asdict(measurement)))
    else:
        print(compare(arguments.recording, arguments.cases, arguments.rounds))


if __name__ == "__main__":
    main()
