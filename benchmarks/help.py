"""Answering at once: processor time of `harness --help`, against an interpreter that does nothing.

    python benchmarks/help.py

Every call is a process of its own; the ways take turns. Processor seconds are user and system time
of the child; the best of the rounds is shown, since anything else on the machine only adds to it.
"""

from __future__ import annotations

import argparse
import platform
import resource
import subprocess
import sys
from pathlib import Path

from tabulate import tabulate

BASELINE = "python -c pass"
GOAL = "harness --help"
WAYS = {
    BASELINE: [sys.executable, "-c", "pass"],
    GOAL: [str(Path(sys.executable).with_name("harness")), "--help"],
    "harness replay --help": [str(Path(sys.executable).with_name("harness")), "replay", "--help"],
}


def processor_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def compare(rounds: int) -> str:
    """A Markdown table of all ways."""
    best = dict.fromkeys(WAYS, float("inf"))
    for _ in range(rounds + 1):  # the first warms the page cache; a best is never of a cold start
        for way, command in WAYS.items():
            best[way] = min(best[way], processor_seconds(command))
    rows = [[way, f"{time:.3f}", f"{time / best[BASELINE]:.1f}"] for way, time in best.items()]
    headings = ["way", "processor s", f"ratio to {BASELINE}"]
    table = tabulate(rows, headings, tablefmt="github", disable_numparse=True)
    return (
        f"best of {rounds} rounds, Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}\n\n{table}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=10, help="measured rounds (default: 10)")
    print(compare(parser.parse_args().rounds))


if __name__ == "__main__":
    main()
