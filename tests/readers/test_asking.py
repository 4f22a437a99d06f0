"""Asking for many prompts: once each, in a seeded order, within limits, and again after errors."""

from __future__ import annotations

import contextlib
import io
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError, InputError, UsageError
from harness.readers.asking import Asking, ask_all
from harness.readers.entry import AnswerEntry, AnswerKey
from harness.readers.prompts import PromptSpool
from harness.readers.reader import ReaderDefinition, read_reader
from harness.readers.reply import Prompt, Reply
from harness.readers.store import AnswerStore

from .conftest import Define
from .faulty_server import (
    FAULTS,
    Fault,
    FaultyServer,
    answer_to,
    changed,
    right,
    status,
    without_usage,
)

TEXTS = [f"What is number {number}?" for number in range(30)]
PRICE = "[price]\ninput = 10\ncached = 2.5\noutput = 40\n"
TRILLION = 10**12


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnswerStore]:
    with AnswerStore(tmp_path / "answers") as opened:
        yield opened


Ask = Callable[..., list[tuple[AnswerKey, AnswerEntry | None]]]


@pytest.fixture
def asking(store: AnswerStore, spool: PromptSpool, define: Define) -> Callable[..., Asking]:
    def make(
        definition: ReaderDefinition | None = None, texts: list[str] = TEXTS, **how: Any
    ) -> Asking:
        for text in texts:
            spool.add(text)
        return Asking(reader=definition or define(), store=store, prompts=spool, **how)

    return make


def texts_of(store: AnswerStore) -> dict[str, str | None]:
    return {key.prompt: entry.answer for key, entry in store.entries()}


def plan_of(fault: Fault) -> Callable[[str, int], Fault]:
    return lambda prompt, before: fault


RIGHT = {Prompt(text).sha256: answer_to(text) for text in TEXTS}


def test_every_prompt_is_asked_once(
    asking: Callable[..., Asking], server: FaultyServer, store: AnswerStore
) -> None:
    first = asking(texts=[*TEXTS, *TEXTS])
    assert first.pending() == len(TEXTS)
    assert len(list(first.run())) == len(TEXTS)
    assert Counter(server.asked) == Counter(TEXTS)
    assert texts_of(store) == RIGHT
    assert first.pending() == 0
    assert [entry for _, entry in first.run()] == [None] * len(TEXTS)
    assert len(server.asked) == len(TEXTS)


def test_repeats_are_passes(
    asking: Callable[..., Asking], server: FaultyServer, store: AnswerStore
) -> None:
    list(asking(repeats=1).run())
    entries = list(asking(repeats=3).run())
    assert Counter(key.repeat for key, entry in entries if entry is None) == {1: 30}
    assert Counter(key.repeat for key, entry in entries if entry is not None) == {2: 30, 3: 30}
    assert Counter(server.asked) == Counter(TEXTS * 3)
    # the second pass is over before the third begins
    order = [key.repeat for key in asking(repeats=3).order()]
    assert order == [1] * 30 + [2] * 30 + [3] * 30


def test_the_order_is_shuffled_by_the_seed(
    asking: Callable[..., Asking], server: FaultyServer, define: Define
) -> None:
    one_at_a_time = define(more_limits="")
    one_at_a_time.path.write_text(
        one_at_a_time.path.read_text().replace("concurrency = 4", "concurrency = 1")
    )

    reader = read_reader(str(one_at_a_time.path))
    list(asking(reader, seed=7).run())
    order = [key.prompt for key in asking(reader, seed=7).order()]
    assert [Prompt(text).sha256 for text in server.asked] == order
    assert order != [key.prompt for key in asking(reader, seed=8).order()]
    assert sorted(order) == sorted(RIGHT)
    # what is asked beside them does not change it
    more = [key.prompt for key in asking(reader, [*TEXTS, "And this?"], seed=7).order()]
    assert [prompt for prompt in more if prompt in RIGHT] == order


def test_points_are_interleaved(spool: PromptSpool) -> None:
    """Two points of a hundred prompts: a drift of the service meets both alike."""
    first = {spool.add(f"first {number}") for number in range(100)}
    for number in range(100):
        spool.add(f"second {number}")
    half = list(spool.shuffled(0, 1))[:100]
    assert 35 <= len(first & set(half)) <= 65


@pytest.mark.parametrize("name", sorted(set(FAULTS) - {"gigabyte"}))
def test_a_fault_of_the_moment_is_asked_again(
    name: str,
    asking: Callable[..., Asking],
    server: FaultyServer,
    store: AnswerStore,
    define: Define,
) -> None:
    server.plan = lambda prompt, before: FAULTS[name] if before == 0 else right
    texts = TEXTS[:3]
    list(asking(define(deadline=0.5), texts).run())
    assert Counter(server.asked) == Counter(texts * 2)
    assert [entry.attempts for _, entry in store.entries()] == [2, 2, 2]
    assert set(texts_of(store).values()) == {answer_to(text) for text in texts}


def test_errors_are_kept_and_asked_again(
    asking: Callable[..., Asking], server: FaultyServer, store: AnswerStore, define: Define
) -> None:

    bad = TEXTS[3]
    server.plan = lambda prompt, before: status(500) if prompt == bad else right
    entries = list(asking(define(attempts=3)).run())
    key = AnswerKey(define().identity, Prompt(bad).sha256)
    failed = [entry for each, entry in entries if each == key]
    assert len(failed) == 1
    assert failed[0] is not None
    assert failed[0].error == f"{server.url} answered with status 500: it failed"
    assert (failed[0].answer, failed[0].attempts) == (None, 3)
    assert store.get(key) is None
    assert asking().pending() == 1

    server.plan = lambda prompt, before: right
    ((again, entry),) = ((each, found) for each, found in asking().run() if found is not None)
    assert again == key
    assert entry.answer == answer_to(bad)


def test_what_another_try_does_not_help_is_asked_once(
    asking: Callable[..., Asking], server: FaultyServer, define: Define
) -> None:
    server.plan = lambda prompt, before: status(400, "the prompt is too long")
    list(asking(define(stop_after=1000)).run())
    assert Counter(server.asked) == Counter(TEXTS)


def test_failures_in_a_row_stop_it(
    asking: Callable[..., Asking], server: FaultyServer, store: AnswerStore, define: Define
) -> None:
    server.plan = lambda prompt, before: status(401, "no such key")
    with pytest.raises(InputError, match="stopped after 5 prompts in a row") as raised:
        list(asking(define(stop_after=5)).run())
    assert f"{server.url} answered with status 401: no such key" in raised.value.message
    assert len(server.asked) < 15  # those under way come back
    assert store.charged(define().identity).reserved == 0


def test_an_answer_in_between_is_no_row(
    asking: Callable[..., Asking], server: FaultyServer, define: Define
) -> None:

    bad = set(TEXTS[::2])
    server.plan = lambda prompt, before: status(400) if prompt in bad else right
    list(asking(define(stop_after=12)).run())
    assert len(server.asked) == len(TEXTS)


def test_retry_after_holds_everything(
    asking: Callable[..., Asking], server: FaultyServer, define: Define
) -> None:

    times: list[float] = []

    def plan(prompt: str, before: int) -> Any:
        times.append(time.monotonic())
        return status(429, Retry_After="1") if len(times) == 1 else right

    server.plan = plan
    list(asking(define()).run())
    # those that were sent before it was known came back at once; the rest waited
    waited = [at - times[0] for at in times if at - times[0] > 0.5]
    assert min(waited) >= 0.9
    assert len(waited) >= len(TEXTS) - 8


def test_a_wait_that_is_too_long_is_an_error(
    asking: Callable[..., Asking], server: FaultyServer, define: Define
) -> None:
    server.plan = lambda prompt, before: status(429, "come back tomorrow", Retry_After="86400")
    entries = list(asking(define(), TEXTS[:2]).run())
    assert ["come back tomorrow" in str(entry and entry.error) for _, entry in entries] == [
        True
    ] * 2
    assert len(server.asked) == 2


class TestLimits:
    def test_calls_are_never_more(
        self, asking: Callable[..., Asking], server: FaultyServer, store: AnswerStore
    ) -> None:
        with pytest.raises(InputError, match="the limit of 12 calls is reached: 12 were sent"):
            list(asking(max_calls=12).run())
        assert len(server.asked) == 12
        assert len(texts_of(store)) == 12
        list(asking(max_calls=30).run())
        assert len(server.asked) == 30

    def test_new_tries_are_calls(
        self, asking: Callable[..., Asking], server: FaultyServer, define: Define
    ) -> None:
        server.plan = lambda prompt, before: status(500)
        with contextlib.suppress(InputError):
            list(asking(define(stop_after=100), max_calls=12).run())
        assert len(server.asked) == 12

    def test_the_cost_is_that_of_the_reported_usage(
        self, asking: Callable[..., Asking], define: Define, store: AnswerStore
    ) -> None:
        reader = define(parameters=PRICE)
        list(asking(reader).run())
        # by hand: of a prompt's tokens, a quarter of its characters, half are cached
        expected = 0
        for text in TEXTS:
            tokens = len(text) // 4
            cached = tokens // 2
            expected += 10 * (tokens - cached) * 10**6 + 2_500_000 * cached + 40 * 5 * 10**6
        assert store.charged(reader.identity).cost == expected

    def test_cost_is_never_more(
        self,
        asking: Callable[..., Asking],
        server: FaultyServer,
        define: Define,
        store: AnswerStore,
    ) -> None:
        reader = define(parameters=PRICE)
        limit = Decimal("0.005")
        with pytest.raises(InputError, match=r"the limit of 0\.0050 USD is reached"):
            list(asking(reader, max_cost=limit).run())
        spent = store.charged(reader.identity)
        assert spent.reserved == 0
        assert spent.cost <= limit * TRILLION
        # the next call may cost 0.0032: 50 tokens of output, 100 and some of input
        assert spent.cost > (limit - Decimal("0.0033")) * TRILLION
        assert 0 < len(server.asked) < len(TEXTS)

    def test_without_usage_the_most_is_charged(
        self,
        asking: Callable[..., Asking],
        server: FaultyServer,
        define: Define,
        store: AnswerStore,
    ) -> None:
        server.plan = lambda prompt, before: without_usage
        reader = define(parameters=PRICE)
        list(asking(reader, TEXTS[:1]).run())
        most = (len(TEXTS[0]) + 100) * 10 * 10**6 + 50 * 40 * 10**6
        assert store.charged(reader.identity).cost == most

    def test_a_failure_costs_what_it_may_have(
        self,
        asking: Callable[..., Asking],
        server: FaultyServer,
        define: Define,
        store: AnswerStore,
    ) -> None:
        reader = define(parameters=PRICE, attempts=1, deadline=0.3)
        most = (len(TEXTS[0]) + 100) * 10 * 10**6 + 50 * 40 * 10**6
        costs = {"500": 0, "time-out": most, "empty choice": (10 * 2 + 5 + 40 * 5) * 10**6}
        total = 0
        for name, cost in costs.items():
            server.plan = plan_of(FAULTS[name])
            list(asking(reader, TEXTS[:1]).run())
            total += cost
            assert store.charged(reader.identity).cost == total, name

    def test_what_a_limit_of_cost_needs(
        self, asking: Callable[..., Asking], define: Define
    ) -> None:
        with pytest.raises(UsageError, match="a limit of cost needs a price"):
            list(asking(define(), max_cost=Decimal(1)).run())
        reader = define(parameters=PRICE)
        reader.path.write_text(reader.path.read_text().replace("max_tokens = 50", ""))

        with pytest.raises(UsageError, match="a limit of cost needs a longest answer"):
            list(asking(read_reader(str(reader.path)), max_cost=Decimal(1)).run())


def test_requests_are_spaced(
    asking: Callable[..., Asking], server: FaultyServer, define: Define
) -> None:
    start = time.monotonic()
    list(asking(define(more_limits="requests_per_minute = 1200"), TEXTS[:10]).run())
    assert time.monotonic() - start >= 9 * 0.05


def test_tokens_are_spaced(
    asking: Callable[..., Asking], server: FaultyServer, define: Define
) -> None:
    start = time.monotonic()
    reader = define(more_limits="tokens_per_minute = 6000")
    list(asking(reader, TEXTS[:6], count=lambda text: 10).run())
    assert time.monotonic() - start >= 5 * 0.1


def test_whoever_stops_early_loses_nothing_that_was_asked(
    asking: Callable[..., Asking], server: FaultyServer, store: AnswerStore, define: Define
) -> None:
    server.seconds = 0.05
    said: list[str] = []
    with contextlib.closing(asking(say=said.append).run()) as entries:
        for _ in range(5):
            next(entries)
    answered = len(texts_of(store))
    assert len(server.asked) == answered < len(TEXTS)
    assert store.charged(define().identity).calls == answered
    assert said == ["waiting for the calls under way; press Ctrl-C again to drop them"]
    list(asking().run())
    assert Counter(server.asked) == Counter(TEXTS)


def test_two_at_work_on_one_store_ask_everything_once(
    asking: Callable[..., Asking],
    server: FaultyServer,
    store: AnswerStore,
    tmp_path: Path,
    define: Define,
) -> None:
    server.seconds = 0.02
    reader = define()
    found: list[int] = []

    def other() -> None:
        with AnswerStore(tmp_path / "answers") as second, PromptSpool() as prompts:
            for text in TEXTS:
                prompts.add(text)
            found.append(len(list(Asking(reader=reader, store=second, prompts=prompts).run())))

    thread = threading.Thread(target=other)
    thread.start()
    own = len(list(asking(reader).run()))
    thread.join()
    assert Counter(server.asked) == Counter(TEXTS)
    assert texts_of(store) == RIGHT
    assert own + found[0] >= len(TEXTS)


class _Broken:
    """A reader of a kind that does not keep its promise."""

    def ask(self, prompt: Prompt) -> Reply:
        raise ZeroDivisionError("by nought")

    def close(self) -> None:
        pass


def test_a_kind_that_raises_something_else(
    asking: Callable[..., Asking], define: Define, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ReaderDefinition, "connect", lambda self: _Broken())
    with pytest.raises(InputError, match="ZeroDivisionError: by nought") as raised:
        list(asking().run())
    assert "The traceback is in " in raised.value.hint


def test_an_answer_of_white_space_is_none(
    asking: Callable[..., Asking], server: FaultyServer, store: AnswerStore, define: Define
) -> None:
    choice = {"message": {"content": " \n"}, "finish_reason": "stop"}
    server.plan = lambda prompt, before: changed(choices=[choice])
    ((_, entry),) = asking(define(attempts=2), TEXTS[:1]).run()
    assert entry is not None
    assert entry.answer is None
    assert "gave an empty answer" in str(entry.error)


def test_a_full_disk(
    asking: Callable[..., Asking], server: FaultyServer, store: AnswerStore, define: Define
) -> None:
    store.register(define().identity, define().about)
    connection = store._file.connection
    [(pages,)] = connection.execute("PRAGMA page_count")
    connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(HarnessError, match="no room left on the disk") as raised:
        list(asking().run())
    assert "stored answers are kept" in raised.value.hint
    connection.execute("PRAGMA max_page_count = 10000")
    list(asking().run())
    assert texts_of(store) == RIGHT


def test_progress_has_rate_time_left_and_cost_where_it_may(
    asking: Callable[..., Asking], define: Define, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    shown = {}
    for timed in (True, False):
        terminal = Terminal()
        monkeypatch.setattr("sys.stderr", terminal)
        reader = define(parameters=PRICE, head=f'answers_as = "{timed}"', name=str(timed))
        ask_all(asking(reader, seed=timed), label="answers", unit="answer", timed=timed)
        shown[timed] = terminal.getvalue().split("\r")[-1]
    timed_look = r"answers: +100%.*30/30 \[[0-9:]+<[0-9:]+, .*answer/s, 0\.0068 USD\]"
    assert re.search(timed_look, shown[True])
    assert shown[False].strip() == "answers: 30 of 30"
