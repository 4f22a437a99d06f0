"""Asks a reader for made-up prompts, in a process that tests can kill."""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path

from harness.errors import HarnessError
from harness.readers.asking import Asking
from harness.readers.prompts import PromptSpool
from harness.readers.reader import read_reader
from harness.readers.store import AnswerStore


def prompt_of(number: int) -> str:
    """A prompt of some length, which no other number has."""
    return f"{'It rained. ' * 20}What came of number {number:06}?"


def ask(
    reader: Path,
    folder: Path,
    prompts: int,
    *,
    max_calls: int | None = None,
    max_cost: Decimal | None = None,
) -> int:
    """Ask for so many prompts; 2 where something stops it, else 0."""
    with PromptSpool() as spool, AnswerStore(folder) as store:
        for number in range(prompts):
            spool.add(prompt_of(number))
        asking = Asking(
            reader=read_reader(str(reader)),
            store=store,
            prompts=spool,
            max_calls=max_calls,
            max_cost=max_cost,
        )
        try:
            for _ in asking.run():
                pass
        except HarnessError as error:
            print(error, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    file, store, count, calls, cost = sys.argv[1:]
    code = ask(
        Path(file),
        Path(store),
        int(count),
        max_calls=int(calls) if calls else None,
        max_cost=Decimal(cost) if cost else None,
    )
    sys.exit(code)
