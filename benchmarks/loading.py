"""Loading a LongMemEval file: `read_questions` against msgspec's typed decoding of the whole.

    python benchmarks/loading.py longmemeval_s.json

Each measurement is a fresh process, the ways take turns, and one unmeasured round comes first so
that the file is in the page cache. Seconds are from before the file is opened until every question
has been given; the median of the rounds is shown, and the ratio of medians to the baseline.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import msgspec
from tabulate import tabulate

from harness.datasets import stream
from harness.datasets.layout import Turn, read_questions
from harness.decode import repeats_a_key

BASELINE = "msgspec, typed, whole file"


class Row(msgspec.Struct, gc=False):
    """A question as it stands in the file, for the baseline."""

    question_id: str
    question_type: str
    question: str
    answer: str | int
    question_date: str
    haystack_dates: list[str]
    haystack_session_ids: list[str]
    haystack_sessions: list[tuple[Turn, ...]]
    answer_session_ids: tuple[str, ...]


def whole_file(path: Path) -> int:
    return len(msgspec.json.decode(path.read_bytes(), type=list[Row]))


def one_by_one(path: Path) -> int:
    return sum(1 for _ in read_questions(path))


def all_kept(path: Path) -> int:
    return len(list(read_questions(path)))


def without_the_scan(path: Path) -> int:
    with patch.object(stream, "_has_a_key_twice", lambda *_: False):
        return one_by_one(path)


def read_twice(path: Path) -> int:
    with patch.object(stream, "_has_a_key_twice", lambda text, *_: repeats_a_key(text)):
        return one_by_one(path)


WAYS: dict[str, Callable[[Path], int]] = {
    BASELINE: whole_file,
    "read_questions, one by one": one_by_one,
    "read_questions, all kept": all_kept,
    "one by one, keys not looked at for repeats": without_the_scan,
    "one by one, every text read a second time": read_twice,
}


@dataclass(frozen=True)
class Measurement:
    """One process: questions read, seconds, and peak resident memory in MiB."""

    questions: int
    seconds: float
    peak_mib: float


def measure_here(way: str, path: Path) -> Measurement:
    start = time.perf_counter()
    questions = WAYS[way](path)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    units_per_mib = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return Measurement(questions, seconds, peak / units_per_mib)


def measure_apart(way: str, path: Path) -> Measurement:
    command = [sys.executable, __file__, str(path), "--way", way]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Measurement(**json.loads(output))


def compare(path: Path, rounds: int) -> str:
    """A Markdown table of all ways."""
    measured: dict[str, list[Measurement]] = {way: [] for way in WAYS}
    for number in range(rounds + 1):
        for way, measurements in measured.items():
            measurement = measure_apart(way, path)
            if number:
                measurements.append(measurement)
    medians = {way: statistics.median(one.seconds for one in measured[way]) for way in WAYS}
    rows = [
        [
            way,
            measurements[0].questions,
            f"{medians[way]:.2f}",
            f"{min(one.seconds for one in measurements):.2f}",
            f"{medians[way] / medians[BASELINE]:.2f}",
            f"{max(one.peak_mib for one in measurements):.0f}",
        ]
        for way, measurements in measured.items()
    ]
    headings = ["way", "questions", "median s", "best s", "ratio", "peak MiB"]
    table = tabulate(rows, headings, tablefmt="github", disable_numparse=True)
    return (
        f"{path.name}: {path.stat().st_size:,} bytes, {rounds} rounds, "
        f"Python {platform.python_version()}, msgspec {msgspec.__version__}, "
        f"{platform.system()} {platform.machine()}\n\n{table}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="the unpacked dataset")
    parser.add_argument("--rounds", type=int, default=5, help="measured rounds (default: 5)")
    parser.add_argument("--way", choices=WAYS, help="measure this way in this process, as JSON")
    arguments = parser.parse_args()
    if arguments.way:
        measurement = measure_here(arguments.way, arguments.file)
        print(msgspec.json.encode(measurement).decode())
    else:
        print(compare(arguments.file, arguments.rounds))


if __name__ == "__main__":
    main()
