"""A thousand answers from a faulty server, with ten kills on the way.

In a test there are fewer of both. The whole of it: `python -m tests.readers.test_kills 1000 10`.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from harness.readers.entry import VARYING
from harness.readers.pricing import cost_of
from harness.readers.reader import Price, read_reader
from harness.readers.reply import Prompt, ReportedUsage
from harness.readers.store import AnswerStore

from .ask_prompts import ask, prompt_of
from .faulty_server import (
    FAULTS,
    MODEL,
    Fault,
    FaultyServer,
    answer_to,
    changed,
    faulty_server,
    right,
    usage_of,
)

READER = """
kind = "openai"
model = "{model}"
base_url = "{url}"
key = ""
[parameters]
max_tokens = 20
[limits]
concurrency = 12
deadline_seconds = 1.5
pause_seconds = 0.02
stop_after = 1000
[price]
input = 2
cached = 0.5
output = 8
"""
PRICE = Price(input=Decimal(2), cached=Decimal("0.5"), output=Decimal(8))
PER_CALL = (len(prompt_of(0)) + 100) * 2 * 10**6 + 20 * 8 * 10**6
"""The most that a call may cost, in trillionths: a byte is a token at most."""

TRILLION = 10**12
CHECKOUT = Path(__file__).resolve().parents[2]


def faults_of(seed: int) -> Callable[[str, int], Fault]:
    """A third of the prompts fail at first, some of them twice; a few in ways that end a try."""
    quick = [name for name in FAULTS if name not in ("time-out", "slow drip", "gigabyte")]
    slow = ["time-out", "slow drip", "gigabyte", "another model"]
    faults = {**FAULTS, "another model": changed(model="another")}

    def plan(prompt: str, before: int) -> Fault:
        draw = random.Random(f"{seed}:{prompt}:{before}").random()
        if before < 2 and draw < 0.3:
            return faults[quick[int(draw / 0.3 * len(quick))]]
        if before < 2 and draw < 0.32:
            return faults[slow[int((draw - 0.3) / 0.02 * len(slow))]]
        return right

    return plan


@dataclass
class KillTrial:
    """One asking in many processes, of which all but the last are killed or run into a limit."""

    folder: Path
    server: FaultyServer
    prompts: int
    kept: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.reader = self.folder / "reader.toml"
        self.reader.write_text(READER.format(model=MODEL, url=self.server.url))
        self.store = self.folder / "answers"

    def kill_after(self, requests: int, max_calls: int | str = "", max_cost: str = "") -> None:
        """Ask, and kill after so many more requests; what was stored is not asked again."""
        words = [self.reader, self.store, self.prompts, max_calls, max_cost]
        aim = len(self.server.asked) + requests
        with subprocess.Popen(
            [sys.executable, "-m", "tests.readers.ask_prompts", *map(str, words)],
            cwd=CHECKOUT,
            stderr=subprocess.DEVNULL,
        ) as child:
            while len(self.server.asked) < aim and child.poll() is None:
                time.sleep(0.002)
            assert child.poll() is None, "it ended before it was killed"
            child.send_signal(signal.SIGKILL)
        self.settle()

    def settle(self) -> None:
        """Wait until the server has heard all that was sent, and look at what is stored."""
        heard = -1
        while heard != len(self.server.asked):
            heard = len(self.server.asked)
            time.sleep(0.1)
        again = set(self.server.asked[len(self.kept) :]) & set(self.answered_before)
        assert again == set(), "asked again after the answer was stored"
        self.kept = list(self.server.asked)
        self.answered_before = self.answers()

    answered_before: dict[str, str] = field(default_factory=dict)

    def answers(self) -> dict[str, str]:
        """Every stored answer by its prompt, each of which must be the right one."""
        texts = {Prompt(text).sha256: text for text in map(prompt_of, range(self.prompts))}
        with AnswerStore(self.store) as store:
            found = {
                texts[key.prompt]: entry.answer
                for key, entry in store.entries()
                if entry.answer is not None
            }
        assert {text: answer_to(text) for text in found} == found
        lost = self.answered_before.keys() - found.keys()
        assert lost == set(), "an answer was lost"
        return found

    def dump(self, folder: Path) -> list[tuple[Any, dict[str, Any]]]:
        """The store's content, but for what differs from one asking to the next."""
        with AnswerStore(folder) as store:
            return [
                (
                    key,
                    {
                        name: entry.as_json()[name]
                        for name in entry.as_json()
                        if name not in VARYING
                    },
                )
                for key, entry in store.entries()
            ]

    def charged(self) -> tuple[int, int]:
        with AnswerStore(self.store) as store:
            spent = store.charged(read_reader(str(self.reader)).identity)
        return spent.calls, spent.cost

    def cost_at_the_server(self) -> int:
        """What the server would bill: every answer that it began to send."""
        total = 0
        for prompt in self.server.answered:
            usage = usage_of(prompt)
            cached = usage["prompt_tokens_details"]["cached_tokens"]
            reported = ReportedUsage(usage["prompt_tokens"], cached, usage["completion_tokens"])
            total += cost_of(PRICE, reported) or 0
        return total

    def check_limits(self, max_calls: int | None, max_cost: Decimal | None) -> None:
        """What the server saw is never more than what is charged, nor that than a limit."""
        self.settle()
        calls, cost = self.charged()
        assert len(self.server.asked) <= calls
        assert self.cost_at_the_server() <= cost
        assert max_calls is None or calls <= max_calls
        assert max_cost is None or cost <= max_cost * TRILLION


def trial(folder: Path, prompts: int, kills: int, seed: int = 0) -> KillTrial:
    """Ask for so many prompts with so many kills; raises `AssertionError` where one of the promises
    is not kept."""
    with faulty_server() as server:
        server.plan = faults_of(seed)
        of = KillTrial(folder, server, prompts)
        per_kill = prompts // (kills + 4)
        limited = kills // 2
        max_calls = per_kill * (limited + 1)
        for _ in range(limited):
            of.kill_after(per_kill, max_calls)
            of.check_limits(max_calls, None)
        assert ask(of.reader, of.store, prompts, max_calls=max_calls) == 2
        of.check_limits(max_calls, None)
        max_cost = (of.charged()[1] + PER_CALL * (per_kill // 5)) / Decimal(TRILLION)
        assert ask(of.reader, of.store, prompts, max_cost=max_cost) == 2
        of.check_limits(None, max_cost)
        for _ in range(kills - limited):
            of.kill_after(per_kill)
        rounds = 0
        while len(of.answered_before) < prompts:
            assert rounds < 20, "errors are asked again, and come to an end"
            rounds += 1
            assert ask(of.reader, of.store, prompts) == 0
            of.settle()
        of.check_limits(None, None)

        server.plan = lambda prompt, before: right
        clean = folder / "clean"
        assert ask(of.reader, clean, prompts) == 0
        assert of.dump(of.store) == of.dump(clean)
        return of


def test_answers_survive_kills(tmp_path: Path) -> None:
    trial(tmp_path, prompts=200, kills=4)


if __name__ == "__main__":
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as made:
        done = trial(Path(made), int(sys.argv[1]), int(sys.argv[2]))
    print(
        f"{done.prompts:,} answers, {sys.argv[2]} kills, {len(done.kept):,} requests: every promise"
    )
    print(f"was kept ({time.monotonic() - start:.0f} s)")
