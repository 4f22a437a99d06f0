"""Run the command line, and kill it without a word at the given step of its atomic writes.

`python -m tests.recording.killed STEP SHARD VERB …`. Each file has two steps: before it takes its
name, and after. SHARD is how many cases a run keeps in a part. Vectors are those of the made-up
embedder.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import harness.storage.atomic
from harness.cli.main import run
from harness.replay import schema

from ..make.questions import word_embedder

CHECKOUT = Path(__file__).parents[2]


def run_killed(step: int, *arguments: str, shard: int = schema.CASES_PER_SHARD) -> bool:
    """Whether the verb, run in a process of its own, was killed at the step (else it was done)."""
    command = [sys.executable, "-m", "tests.recording.killed", str(step), str(shard), *arguments]
    finished = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert finished.returncode in (0, -signal.SIGKILL), finished.stderr
    return finished.returncode != 0


def main(step: int, shard: int, arguments: list[str]) -> int:
    schema.CASES_PER_SHARD = shard
    plain = harness.storage.atomic._flush
    steps = 0

    def flush(path: Path) -> None:
        nonlocal steps
        steps += 1
        if steps == step:
            os.kill(os.getpid(), signal.SIGKILL)
        plain(path)

    harness.storage.atomic._flush = flush
    with word_embedder():
        return run(arguments)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
