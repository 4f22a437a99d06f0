"""Asking a reader for many prompts: each once, in a seeded order, within limits.

Worker threads ask; the thread that iterates claims prompts for them, reserves what their calls may
cost, and stores what comes back. Claim and reservation are in the store before a call is sent, and
an answer is before it is yielded, so that a kill loses at most the calls under way.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice

from harness.errors import InputError
from harness.progress import progress
from harness.words import counted

from .budget import CallBudget
from .calling import Caller
from .claims import Claim, Claimed, Settlement
from .entry import AnswerEntry, AnswerKey
from .pricing import amount_text
from .prompts import PromptSpool
from .reader import Reader, ReaderDefinition
from .reply import Prompt
from .store import AnswerStore

_FLUSH_SECONDS = 10.0
_LOOK_AGAIN_SECONDS = 0.5
_AHEAD = 4
"""One prompt in so many threads is taken before a thread is free for it."""

Settled = tuple[AnswerKey, AnswerEntry | None]
"""A prompt, and what was stored for it; None where the store has an answer already."""


@dataclass(frozen=True, kw_only=True)
class Asking:
    """What is asked: every prompt, `repeats` times, of one reader, into one store.

    `max_calls` and `max_cost` are of all calls of the reader in the store, new tries included;
    the cost is in the currency of the reader's price. `count` counts the tokens of a text, for a
    limit of tokens per minute. Entries are `padded_to` a multiple of so many bytes, and their calls
    are then charged with the most that they may cost, so that neither tells what was said. `say` is
    given what somebody who interrupts should know.
    """

    reader: ReaderDefinition
    store: AnswerStore
    prompts: PromptSpool
    repeats: int = 1
    seed: int = 0
    max_calls: int | None = None
    max_cost: Decimal | None = None
    count: Callable[[str], int] = len
    padded_to: int | None = None
    say: Callable[[str], None] = lambda _: None

    def order(self) -> Iterator[AnswerKey]:
        """Yield all keys in the order in which they are asked: the first repeat of every prompt,
        then the second, each in a shuffled order of its own."""
        for repeat in range(1, self.repeats + 1):
            for digest in self.prompts.shuffled(self.seed, repeat):
                yield AnswerKey(self.reader.identity, digest, repeat)

    def pending(self) -> int:
        """Count what the store has no answer to."""
        return sum(not self.store.has(key) for key in self.order())

    def run(self) -> Generator[Settled, None, None]:
        """Ask for what the store has no answer to; yield every prompt as it is settled.

        Errors are stored as errors, and asked again by the next run. Whoever stops early closes the
        iterator: calls under way are waited for and stored, no other is sent. Raises `UsageError`
        for a limit that cannot be kept, and `InputError` where a limit is reached or so many
        prompts in a row had no answer.
        """
        self.store.register(self.reader.identity, self.reader.about)
        budget = CallBudget(
            self.store,
            self.reader,
            max_calls=self.max_calls,
            max_cost=self.max_cost,
            by_usage=self.padded_to is None,
        )
        reader = self.reader.connect()
        try:
            yield from _Work(self, reader, budget).settled()
        finally:
            reader.close()


@dataclass(frozen=True, slots=True)
class Asked:
    """What an asking came to: new entries with and without an answer, the calls that they took, the
    names of the models that answered, and the errors.

    `stopped` is why it did not come to its end.
    """

    answered: int
    failed: int
    calls: int
    models: Counter[str | None]
    errors: Counter[str]
    stopped: InputError | None = None


def ask_all(
    asking: Asking, *, label: str, unit: str, quiet: bool = False, timed: bool = True
) -> Asked:
    """Ask for everything, with progress: counts, and where it is `timed` rate, time left and the
    cost so far."""
    price = asking.reader.file.price

    def cost() -> str:
        spent = asking.store.charged(asking.reader.identity)
        return "" if price is None else amount_text(spent.cost, price.currency)

    answered = calls = 0
    models: Counter[str | None] = Counter()
    errors: Counter[str] = Counter()
    stopped = None
    with contextlib.closing(asking.run()) as settled:
        shown = progress(
            settled,
            total=len(asking.prompts) * asking.repeats,
            label=label,
            unit=unit,
            quiet=quiet,
            timed=timed,
            said=cost if timed else None,
        )
        try:
            for _, entry in shown:
                if entry is None:
                    continue
                calls += entry.attempts
                if entry.error is None:
                    answered += 1
                    models[entry.model] += 1
                else:
                    errors[entry.error] += 1
        except InputError as error:
            stopped = error
    return Asked(answered, errors.total(), calls, models, errors, stopped)


class _Work:
    """Hands prompts to threads that ask, and stores what comes back, until all are settled.

    Only the thread that iterates takes and stores, many at once: threads that took turns at the
    store would wait for each other more than for the service.
    """

    def __init__(self, asking: Asking, reader: Reader, budget: CallBudget) -> None:
        self._asking = asking
        self._budget = budget
        self._limits = asking.reader.file.limits
        self._stop = threading.Event()
        self._caller = Caller(reader, self._limits, budget, self._stop, asking.count)
        self._tasks: queue.SimpleQueue[tuple[Claimed, Prompt] | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[Settlement | BaseException] = queue.SimpleQueue()
        self._keys = asking.order()
        self._back: list[AnswerKey] = []
        self._busy: list[AnswerKey] = []
        self._came: list[Settlement | BaseException] = []
        self._under_way = 0
        self._reason: str | None = None
        self._in_a_row = 0
        self._flushed = time.monotonic()

    def settled(self) -> Iterator[Settled]:
        """Yield each prompt as it is settled. Raises `InputError` where something stops it."""
        workers = [
            threading.Thread(target=self._answer_tasks, daemon=True)
            for _ in range(self._limits.concurrency)
        ]
        for worker in workers:
            worker.start()
        try:
            while True:
                yield from self._hand_out()
                if self._under_way:
                    yield from self._gather()
                elif self._reason is not None:
                    raise InputError(self._reason, "Answers are kept: run the same command again.")
                elif not self._busy:
                    return
                else:  # another process asks these, and may be killed before they are answered
                    time.sleep(_LOOK_AGAIN_SECONDS)
                    self._keys, self._busy = iter(self._busy), []
        finally:
            self._end(workers)

    def _hand_out(self) -> Iterator[Settled]:
        """Take as many prompts as there are threads, and a few more, so that none has to wait."""
        most = self._limits.concurrency + -(-self._limits.concurrency // _AHEAD)
        while self._reason is None and self._under_way < most:
            room = most - self._under_way - len(self._back)
            keys = [*self._back, *islice(self._keys, max(0, room))]
            if not keys:
                return
            answered = self._take(keys)
            yield from ((key, None) for key in answered)
            if self._back:
                return

    def _take(self, keys: list[AnswerKey]) -> list[AnswerKey]:
        """Take what can be taken, and put back what the limits do not allow for now; return what is
        answered already."""
        prompts = {key: Prompt(self._asking.prompts.text(key.prompt), key.repeat) for key in keys}
        taken = self._budget.take([(key, self._budget.most(prompts[key])) for key in keys])
        of: dict[Claim, list[AnswerKey]] = {claim: [] for claim in Claim}
        for claimed in taken:
            of[claimed.claim].append(claimed.key)
            if claimed.claim is Claim.TAKEN:
                self._tasks.put((claimed, prompts[claimed.key]))
        self._under_way += len(of[Claim.TAKEN])
        self._busy += of[Claim.BUSY]
        self._back = [*of[Claim.BEYOND], *keys[len(taken) :]]
        if self._back and not self._under_way:  # what is under way may leave enough
            self._reason = self._budget.reached()
        return of[Claim.ANSWERED]

    def _gather(self) -> Iterator[Settled]:
        """Wait for a prompt to come back, store it and all that are there by now."""
        settlements, error = self._stored()
        if error is not None:
            raise error
        for settlement in settlements:
            if settlement.entry is not None:
                self._look_at(settlement.entry)
        if time.monotonic() - self._flushed > _FLUSH_SECONDS:
            self._flushed = time.monotonic()
            self._asking.store.flush()
        yield from ((each.key, each.entry) for each in settlements if each.entry is not None)

    def _stored(self) -> tuple[list[Settlement], BaseException | None]:
        # what came back is kept until it is stored: an interrupt may come at any moment
        if not self._came:
            self._came.append(self._results.get())
        with contextlib.suppress(queue.Empty):
            while True:
                self._came.append(self._results.get_nowait())
        settlements = [result for result in self._came if isinstance(result, Settlement)]
        errors = [result for result in self._came if isinstance(result, BaseException)]
        self._asking.store.settle(settlements, padded_to=self._asking.padded_to)
        self._under_way -= len(self._came)
        self._came = []
        return settlements, errors[0] if errors else None

    def _look_at(self, entry: AnswerEntry) -> None:
        """Count errors in a row."""
        self._in_a_row = 0 if entry.error is None else self._in_a_row + 1
        if self._in_a_row >= self._limits.stop_after and self._reason is None:
            self._stop.set()
            self._reason = (
                f"stopped after {counted(self._in_a_row, 'prompt')} "
                f"in a row without an answer: {entry.error}"
            )

    def _end(self, workers: list[threading.Thread]) -> None:
        """Send nothing more, wait for what is under way, and store it."""
        self._stop.set()
        for _ in workers:
            self._tasks.put(None)
        if self._under_way:
            self._asking.say("waiting for the calls under way; press Ctrl-C again to drop them")
        while self._under_way:
            self._stored()

    def _answer_tasks(self) -> None:
        """Ask what is handed out, in a thread of its own."""
        while (task := self._tasks.get()) is not None:
            try:
                self._results.put(self._caller.settlement(*task))
            except BaseException as error:  # noqa: BLE001 (raised again by whoever iterates)
                self._results.put(error)
