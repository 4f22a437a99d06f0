"""The store of answers: append-only, shared by processes, and whole after a kill."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError, InputError
from harness.readers.claims import Charged, Claim, Claimed, Settlement
from harness.readers.entry import AnswerEntry, AnswerKey
from harness.readers.reply import Prompt, ReportedUsage
from harness.readers.store import FILE, AnswerStore

READER = "ab" * 32
OTHER = "cd" * 32
TIME = "2026-01-01T00:00:00+00:00"


def key(text: str, repeat: int = 1, reader: str = READER) -> AnswerKey:
    return AnswerKey(reader, Prompt(text).sha256, repeat)


def answer(text: str, **more: Any) -> AnswerEntry:
    return AnswerEntry(answer=text, time=TIME, **more)


def error(text: str) -> AnswerEntry:
    return AnswerEntry(error=text, time=TIME)


def claims(store: AnswerStore, *texts: str, most: int = 0, **limits: int) -> list[Claim]:
    return [each.claim for each in store.take([(key(text), most) for text in texts], **limits)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "answers"


@pytest.fixture
def store(folder: Path) -> Iterator[AnswerStore]:
    with AnswerStore(folder) as opened:
        opened.register(READER, {"model": "made-up-1"})
        yield opened


def test_an_answer_is_kept_as_it_came(store: AnswerStore, folder: Path) -> None:
    usage = ReportedUsage(input=7, cached=None, output=2)
    entry = answer(
        "Ada \x00 \n“ü”",
        finish_reason="stop",
        model="made-up-1-2025",
        usage=usage,
        latency_seconds=0.25,
        attempts=3,
        call=9,
    )
    assert store.get(key("Who?")) is None
    store.put(key("Who?"), entry)
    with AnswerStore(folder) as again:
        assert again.get(key("Who?")) == entry
        assert again.get(key("Who?", 2)) is None
        assert again.get(key("Who?", reader=OTHER)) is None
        assert again.readers() == {READER: {"model": "made-up-1"}}


def test_an_error_is_never_an_answer(store: AnswerStore) -> None:
    store.put(key("Who?"), error("status 500"))
    store.put(key("Who?"), error("status 503"))
    assert store.get(key("Who?")) is None
    assert not store.has(key("Who?"))
    assert store.last_error(key("Who?")) == error("status 503")
    store.put(key("Who?"), answer("Ada"))
    assert store.get(key("Who?")) == answer("Ada")
    assert [entry for _, entry in store.entries()] == [answer("Ada")]


def test_an_answer_is_never_replaced(store: AnswerStore, folder: Path) -> None:
    store.put(key("Who?"), answer("Ada"))
    with pytest.raises(InputError, match="has an answer to one of these prompts already"):
        store.put(key("Who?"), answer("Bea"))
    assert store.get(key("Who?")) == answer("Ada")
    connection = sqlite3.connect(folder / FILE)
    for statement in ("DELETE FROM answers", "UPDATE answers SET entry = 'x'"):
        with pytest.raises(sqlite3.IntegrityError, match="answers are only ever added"):
            connection.execute(statement)
    connection.close()


def test_entries_are_sorted_by_key(store: AnswerStore) -> None:
    store.register(OTHER, {})
    keys = [key("b"), key("a", 2), key("a"), key("c", reader=OTHER)]
    for place, each in enumerate(keys):
        store.put(each, answer(str(place)))
    found = [each for each, _ in store.entries()]
    assert found == sorted(keys, key=lambda each: (each.reader, each.prompt, each.repeat))


def test_what_is_settled_together_is_whole_or_absent(store: AnswerStore) -> None:
    store.put(key("b"), answer("Bea"))
    with pytest.raises(InputError):
        store.settle([Settlement(key("a"), answer("Ada")), Settlement(key("b"), answer("x"))])
    assert store.get(key("a")) is None


@pytest.mark.parametrize("texts", [("yes", "no"), ("yes", "no, since the answer names a place")])
def test_padding_hides_the_length_of_an_entry(texts: tuple[str, str], tmp_path: Path) -> None:
    sizes = []
    for text in texts:
        folder = tmp_path / text[:3]
        with AnswerStore(folder) as store:
            store.register(READER, {})
            for number in range(500):
                store.put(key(str(number)), answer(text), padded_to=1024)
            assert store.get(key("3")) == answer(text)
        sizes.append({path.name: path.stat().st_size for path in folder.iterdir()})
    assert sizes[0] == sizes[1]


class TestClaims:
    def test_a_prompt_is_one_process_s(self, store: AnswerStore, folder: Path) -> None:
        assert claims(store, "a", "b") == [Claim.TAKEN, Claim.TAKEN]
        with AnswerStore(folder) as other:
            assert claims(other, "a", "b", "c") == [Claim.BUSY, Claim.BUSY, Claim.TAKEN]
            store.put(key("a"), answer("Ada"))
            assert claims(other, "a") == [Claim.ANSWERED]
            store.put(key("b"), error("status 500"))  # it may be asked again, by anyone
            assert claims(other, "b") == [Claim.TAKEN]

    def test_a_store_that_is_closed_claims_nothing(self, store: AnswerStore, folder: Path) -> None:
        with AnswerStore(folder) as other:
            claims(other, "a")
            assert claims(store, "a") == [Claim.BUSY]
        assert claims(store, "a") == [Claim.TAKEN]

    def test_a_killed_process_claims_nothing(self, store: AnswerStore, folder: Path) -> None:
        script = (
            "import sys, time; from pathlib import Path;"
            "from harness.readers.store import AnswerStore, AnswerKey;"
            "store = AnswerStore(Path(sys.argv[1]));"
            "store.take([(AnswerKey(sys.argv[2], sys.argv[3]), 5)]);"
            "print('taken', flush=True); time.sleep(60)"
        )
        words = [sys.executable, "-c", script, str(folder), READER, key("a").prompt]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"taken\n"
            assert claims(store, "a") == [Claim.BUSY]
            child.send_signal(signal.SIGKILL)
        assert claims(store, "a") == [Claim.TAKEN]
        # what it had reserved stays charged, and its file is gone
        assert store.charged(READER) == Charged(calls=2, reserved=5)
        assert len(list(folder.glob(".*.owner"))) == 1

    def test_what_killed_processes_left_is_taken_away(
        self, store: AnswerStore, folder: Path
    ) -> None:
        (folder / ".0123456789abcdef.owner").write_text("")
        claims(store, "a")
        with AnswerStore(folder) as other:
            claims(other, "b")
            assert len(list(folder.glob(".*.owner*"))) == 2
        assert len(list(folder.glob(".*.owner*"))) == 1

    def test_two_processes_ask_everything_once(self, store: AnswerStore, folder: Path) -> None:
        script = (
            "import sys; from pathlib import Path; from harness.readers.store import *;"
            "store = AnswerStore(Path(sys.argv[1]));"
            "keys = [AnswerKey(sys.argv[2], f'{n:064x}') for n in range(300)];\n"
            "for key in keys:\n"
            "    (found,) = store.take([(key, 1)])\n"
            "    if found.claim is Claim.TAKEN:\n"
            "        entry = AnswerEntry(answer='x', time='2026-01-01')\n"
            "        store.settle([Settlement(key, entry, 1, 1)])\n"
            "        print(key.prompt)\n"
        )
        words = [sys.executable, "-c", script, str(folder), READER]
        children = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        asked = [line for child in children for line in child.communicate()[0].split()]
        assert [child.returncode for child in children] == [0, 0]
        assert sorted(asked) == [f"{number:064x}" for number in range(300)]
        assert store.charged(READER) == Charged(calls=300, reserved=0, charged=300)


class TestLimits:
    def test_calls(self, store: AnswerStore) -> None:
        assert claims(store, "a", "b", "c", "d", max_calls=2) == [
            Claim.TAKEN,
            Claim.TAKEN,
            Claim.BEYOND,
        ]
        assert claims(store, "c", max_calls=2) == [Claim.BEYOND]
        assert claims(store, "c", max_calls=3) == [Claim.TAKEN]

    def test_what_is_answered_takes_no_call(self, store: AnswerStore) -> None:
        store.put(key("a"), answer("Ada"))
        assert claims(store, "a", "b", max_calls=1) == [Claim.ANSWERED, Claim.TAKEN]

    def test_cost(self, store: AnswerStore) -> None:
        taken = store.take([(key("a"), 60), (key("b"), 60)], max_cost=100)
        assert taken == [Claimed(key("a"), Claim.TAKEN, 1, 60), Claimed(key("b"), Claim.BEYOND)]
        # it cost less than was reserved
        store.settle([Settlement(key("a"), answer("Ada"), 60, 40)])
        assert claims(store, "b", most=60, max_cost=100) == [Claim.TAKEN]
        assert store.charged(READER) == Charged(calls=2, reserved=60, charged=40)

    def test_another_try(self, store: AnswerStore) -> None:
        claims(store, "a", most=30, max_calls=2, max_cost=70)
        assert store.renew(READER, 30, 10, max_calls=2, max_cost=39) is None
        assert store.renew(READER, 30, 10, max_calls=1, max_cost=70) is None
        assert store.charged(READER) == Charged(calls=1, reserved=30, charged=0)
        assert store.renew(READER, 30, 10, max_calls=2, max_cost=40) == 2
        assert store.charged(READER) == Charged(calls=2, reserved=30, charged=10)

    def test_a_call_that_was_not_sent(self, store: AnswerStore) -> None:
        claims(store, "a", most=30)
        store.settle([Settlement(key("a"), None, 30, unsent=1)])
        assert store.charged(READER) == Charged()
        assert store.get(key("a")) is None
        assert store.last_error(key("a")) is None


def test_sealed_prompts(store: AnswerStore) -> None:
    store.seal([key("a").prompt, key("a").prompt])
    assert store.is_sealed(key("a").prompt)
    assert not store.is_sealed(key("b").prompt)


class TestOtherFiles:
    def test_a_folder_of_something_else(self, folder: Path) -> None:
        folder.mkdir()
        (folder / "manifest.json").write_text("{}")
        with pytest.raises(InputError, match=r"not a store of answers: it holds 'manifest.json'"):
            AnswerStore(folder)
        assert [path.name for path in folder.iterdir()] == ["manifest.json"]

    def test_what_a_killed_process_left_is_no_hindrance(self, folder: Path) -> None:
        (folder / "sets").mkdir(parents=True)
        AnswerStore(folder).close()

    def test_something_else(self, folder: Path) -> None:
        folder.mkdir()
        (folder / FILE).write_text("no database, but long enough to be read as one" * 30)
        with pytest.raises(InputError, match="the store of answers is damaged"):
            AnswerStore(folder)

    def test_another_database(self, folder: Path) -> None:
        folder.mkdir()
        with sqlite3.connect(folder / FILE) as connection:
            connection.execute("CREATE TABLE notes (text)")
        connection.close()
        with pytest.raises(InputError, match="an SQLite file, but not a store of answers"):
            AnswerStore(folder)

    def test_another_version(self, store: AnswerStore, folder: Path) -> None:
        with sqlite3.connect(folder / FILE) as connection:
            connection.execute("PRAGMA user_version = 9")
        connection.close()
        with pytest.raises(InputError, match="has format 9, this harness reads 1"):
            AnswerStore(folder)

    def test_a_damaged_entry(self, store: AnswerStore, folder: Path) -> None:
        store.put(key("a"), answer("Ada"))
        with sqlite3.connect(folder / FILE) as connection:
            connection.execute("DROP TRIGGER answers_stay")
            connection.execute("UPDATE answers SET entry = '{}'")
        connection.close()
        with pytest.raises(InputError, match="an entry is damaged"):
            store.get(key("a"))

    def test_a_folder_that_cannot_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(HarnessError, match="cannot write"):
            AnswerStore(tmp_path / "file" / "answers")

    def test_a_reader_that_is_not_registered(self, store: AnswerStore) -> None:
        with pytest.raises(InputError, match=f"knows no reader of identity {OTHER}"):
            store.put(key("a", reader=OTHER), answer("Ada"))


def test_nothing_is_left_beside_the_file(folder: Path) -> None:
    with AnswerStore(folder) as store:
        store.register(READER, {})
        claims(store, "a")
    assert os.listdir(folder) == [FILE]
