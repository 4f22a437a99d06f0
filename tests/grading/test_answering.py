"""`harness answer`: which prompts are asked for the points of a run, and what is said of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.datasets.split import read_split
from harness.evidence.tokens import Tokenizer
from harness.grading.answer_set import AnswerSet
from harness.readers.entry import AnswerKey
from harness.readers.reader import read_reader
from harness.readers.reply import Prompt
from harness.readers.store import AnswerStore

from ..make.answered import Answered
from ..make.project import DEV_IDS, TEST_IDS
from ..make.readers import write_reader
from ..make.trial import FULL, ITEMS, ONE, TWO
from ..readers.faulty_server import (
    FaultyServer,
    answer_to,
    changed,
    faulty_server,
    right,
    status,
)

STORE = Path("answers")
THREE = "count-curve(k=3)"


@pytest.fixture
def server(answered: Answered) -> Iterator[FaultyServer]:
    """A server, with a reader `made` that leads to it."""
    Path("readers").mkdir()
    Path(".gitignore").write_text("answers/\nreaders/\nrun/\nrecording/\ngrade*/\n*.jsonl\n")
    with faulty_server() as running:
        write_reader(Path("readers/made.toml"), running.url)
        yield running


def command(*points: str, part: str | None = "dev", store: Path = STORE) -> list[str]:
    named = [word for point in points for word in ("--point", point)]
    of = [] if part is None else ["--split", "split.json", "--part", part]
    return ["answer", "run", *named, "--reader", "made", "--store", str(store), *of]


def asked(*points: str, options: tuple[str, ...] = (), **how: Any) -> int:
    return run([*command(*points, **how), *options])


def exported(point: str, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """The prompts that harness export prompts writes, by question."""
    capsys.readouterr()
    assert run(["export", "prompts", "run", "--point", point]) == 0
    lines = map(json.loads, capsys.readouterr().out.splitlines())
    return {line["question_id"]: line["prompt"] for line in lines}


def sets(store: Path = STORE) -> dict[str, AnswerSet]:
    """The sets of the store, by point."""
    found = [AnswerSet.read(path) for path in sorted((store / "sets").glob("*.json"))]
    return {str(answers.point): answers for answers in found}


def rows(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def commit_registration(answered: Answered) -> None:
    answered.project.register("made", True, head="# made", point=TWO, control=ONE)


REGISTERED = ("--registration", "registrations/made.json")


def test_the_prompts_of_the_part_are_asked_as_they_are_exported(
    server: FaultyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    prompts = exported(TWO, capsys)
    assert asked(TWO) == 0
    assert Counter(server.asked) == Counter(prompts[name] for name in DEV_IDS)
    answers = sets()[TWO]
    with AnswerStore(STORE) as store:
        for question in answers.questions:
            entry = store.get(answers.key(question))
            assert entry is not None
            assert entry.answer == answer_to(prompts[question.question_id])


@pytest.mark.parametrize(("part", "ids"), [("dev", DEV_IDS), ("test", TEST_IDS)])
def test_a_run_of_the_part_alone_is_asked_as_it_is(
    server: FaultyServer, answered: Answered, part: str, ids: tuple[str, ...]
) -> None:
    replay = ["replay", "recording", "--out", "part", "--split", "split.json", "--part", part]
    assert run([*replay, "--point", TWO, "-q"]) == 0
    commit_registration(answered)
    words = [word if word != "run" else "part" for word in command(TWO, part=part)]
    assert run([*words, *(REGISTERED if part == "test" else ())]) == 0
    assert [question.question_id for question in sets()[TWO].questions] == sorted(ids)


def test_a_set_says_what_was_asked(server: FaultyServer, answered: Answered) -> None:
    assert asked(TWO, options=("--seed", "3", "--repeats", "2")) == 0
    answers = sets()[TWO]
    reader = read_reader("made")
    split = read_split(Path("split.json"))
    assert answers.split is not None
    assert (answers.split.file, answers.split.sha256) == ("split.json", split.sha256)
    assert (answers.part, answers.registration) == ("dev", None)
    assert (answers.run, answers.run_sha256) == ("run", answered.run.manifest.content_sha256)
    assert (answers.reader, answers.reader_name) == (reader.identity, "made")
    assert answers.reader_about == reader.about
    assert (answers.repeats, answers.seed) == (2, 3)
    contexts = {name: digest for name, digest, _ in answered.run.contexts(answers.point)}
    assert {each.question_id: each.context_sha256 for each in answers.questions} == {
        name: contexts[name] for name in DEV_IDS
    }
    assert all(each.prompt_tokens_estimated for each in answers.questions)


def test_equal_contexts_are_asked_once(
    server: FaultyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three items are all that there are: two of the points show the same."""
    assert run(["replay", "recording", "--out", "run", "-q", "--point", THREE]) == 0
    assert asked(TWO, FULL, THREE, options=("--repeats", "2")) == 0
    distinct = {
        prompt
        for point in (TWO, FULL, THREE)
        for name, prompt in exported(point, capsys).items()
        if name in DEV_IDS
    }
    assert len(distinct) == 2 * len(DEV_IDS)
    assert Counter(server.asked) == Counter(dict.fromkeys(distinct, 2))
    full, three = sets()[FULL], sets()[THREE]
    assert [each.prompt_sha256 for each in full.questions] == [
        each.prompt_sha256 for each in three.questions
    ]


def test_calls_are_counted(server: FaultyServer, capsys: pytest.CaptureFixture[str]) -> None:
    server.plan = lambda prompt, before: status(503) if before == 0 else right
    assert asked(TWO, FULL, options=("--repeats", "3")) == 0
    distinct = 2 * len(DEV_IDS)
    said = capsys.readouterr().err
    assert (
        f"{3 * distinct} answers wanted: {distinct} distinct prompts × 3; 0 were in the store. "
        f"{4 * distinct} calls, of which {distinct} new tries."
    ) in said
    assert len(server.asked) == 4 * distinct
    assert asked(TWO, options=("--repeats", "3")) == 0
    assert f"{3 * len(DEV_IDS)} were in the store. 0 calls" in capsys.readouterr().err


def test_a_comparison_differs_only_where_contexts_do(server: FaultyServer) -> None:
    """A service that answers otherwise every time gives one answer to one context."""

    server.plan = lambda prompt, before: changed(
        choices=[{"message": {"content": str(time.monotonic_ns())}, "finish_reason": "stop"}]
    )
    assert run(["replay", "recording", "--out", "run", "-q", "--point", THREE]) == 0
    assert asked(FULL, THREE) == 0
    full, three = sets()[FULL], sets()[THREE]
    with AnswerStore(STORE) as store:
        for one, other in zip(full.questions, three.questions, strict=True):
            assert one.context_sha256 == other.context_sha256
            assert store.get(full.key(one)) == store.get(three.key(other))


def test_the_table(server: FaultyServer, capsys: pytest.CaptureFixture[str]) -> None:
    bad: list[str] = [exported(TWO, capsys)[DEV_IDS[0]]]
    server.plan = lambda prompt, before: status(400, "too long") if prompt in bad else right
    assert asked(TWO, options=("--json", "--max-calls", "3")) == 2
    (row,) = rows(capsys)
    assert list(row) == [
        "point",
        "part",
        "reader",
        "questions",
        "prompts",
        "repeats",
        "answered",
        "failed",
        "not_asked",
        "answers",
    ]
    assert row["point"] == TWO
    assert (row["questions"], row["prompts"], row["repeats"]) == (4, 4, 1)
    assert row["answered"] + row["failed"] == 3
    assert row["not_asked"] == 1
    assert AnswerSet.read(Path(row["answers"])).point == sets()[TWO].point


def test_errors_are_told_and_asked_again(
    server: FaultyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = exported(TWO, capsys)[DEV_IDS[0]]
    server.plan = lambda prompt, before: status(400, "too long") if prompt == bad else right
    assert asked(TWO) == 2
    said = capsys.readouterr().err
    assert "error: 1 prompt had no answer; 1 times: " in said
    assert "answered with status 400: too long" in said
    server.plan = lambda prompt, before: right
    assert asked(TWO) == 0
    assert Counter(server.asked)[bad] == 2
    assert len(server.asked) == len(DEV_IDS) + 1


def test_what_stops_it_is_told(server: FaultyServer, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path("readers/made.toml")
    path.write_text(path.read_text().replace("concurrency", "stop_after = 2\nconcurrency"))
    server.plan = lambda prompt, before: status(401, "no such key")
    assert asked(TWO) == 2
    said = capsys.readouterr().err
    assert "stopped after 2 prompts in a row without an answer" in said
    assert "answered with status 401: no such key" in said


def test_limits(server: FaultyServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(TWO, FULL, options=("--max-calls", "5")) == 2
    assert "the limit of 5 calls is reached" in capsys.readouterr().err
    assert len(server.asked) == 5
    assert asked(TWO, FULL, options=("--max-cost", "0.000001")) == 2
    assert "the limit of 0.0001 USD is reached" in capsys.readouterr().err
    assert len(server.asked) == 5
    assert asked(TWO, FULL) == 0
    assert len(server.asked) == 2 * len(DEV_IDS)


def test_several_models(server: FaultyServer, capsys: pytest.CaptureFixture[str]) -> None:

    names = cycle(("made-up-1-0314", "made-up-1-0613"))
    server.plan = lambda prompt, before: changed(model=next(names))
    assert asked(TWO) == 0
    assert "The service answered by several models: made-up-1-0" in capsys.readouterr().err


class TestDryRun:
    def test_it_asks_nothing_and_makes_nothing(
        self, server: FaultyServer, capsys: pytest.CaptureFixture[str]
    ) -> None:

        prompts = exported(TWO, capsys)
        assert asked(TWO, options=("--dry-run", "--json", "--repeats", "2")) == 0
        (row,) = rows(capsys)
        tokens = sum(2 * Tokenizer("o200k_base").count(prompts[name]) for name in DEV_IDS)
        assert row == {
            "points": 1,
            "questions": 4,
            "prompts": 4,
            "repeats": 2,
            "wanted": 8,
            "in_store": 0,
            "calls": 8,
            "prompt_tokens": tokens,
            "encoding": "o200k_base",
            "output_tokens": 400,
            "cost": pytest.approx((2 * tokens + 8 * 400) / 1e6),
            "currency": "USD",
            "cost_so_far": 0.0,
            "calls_so_far": 0,
            "seconds": None,
        }
        assert server.asked == []
        assert not STORE.exists()

    def test_what_is_in_the_store(
        self, server: FaultyServer, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert asked(TWO) == 0
        capsys.readouterr()
        assert asked(TWO, FULL, options=("--dry-run", "--json")) == 0
        (row,) = rows(capsys)
        assert (row["wanted"], row["in_store"], row["calls"]) == (8, 4, 4)
        assert row["calls_so_far"] == 4
        assert row["cost_so_far"] > 0
        assert row["seconds"] > 0

    def test_by_the_limits_of_the_rate(
        self, server: FaultyServer, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = Path("readers/made.toml")
        limit = "requests_per_minute = 2\nconcurrency"
        path.write_text(path.read_text().replace("concurrency", limit))
        assert asked(TWO, options=("--dry-run",)) == 0
        assert "2 min 0 s" in capsys.readouterr().out

    def test_before_a_registration(
        self, server: FaultyServer, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert asked(TWO, part="test", options=("--dry-run", "--json")) == 0
        assert rows(capsys)[0]["calls"] == len(TEST_IDS)
        assert server.asked == []


class TestTestQuestions:
    def test_they_need_a_registration(
        self, server: FaultyServer, answered: Answered, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert asked(TWO, part="test") == 2
        said = capsys.readouterr().err
        assert "--part test holds test questions, which need a registration" in said
        assert "exploratory" not in said
        answered.project.register("made", False, head="# made", point=TWO, control=ONE)
        assert asked(TWO, part="test", options=REGISTERED) == 2
        assert "registrations/made.json is not committed in git" in capsys.readouterr().err
        assert (server.asked, STORE.exists()) == ([], False)
        answered.project.commit("made.toml", "registrations/made.json")
        assert asked(TWO, ITEMS, part="test", options=REGISTERED) == 2
        assert f"registers {TWO}, {ONE}, not {ITEMS}" in capsys.readouterr().err
        assert server.asked == []

    def test_they_are_asked_under_it(
        self, server: FaultyServer, answered: Answered, capsys: pytest.CaptureFixture[str]
    ) -> None:
        commit_registration(answered)
        prompts = exported(TWO, capsys)
        assert asked(TWO, ONE, part="test", options=REGISTERED) == 0
        assert "Sealed: answers to test questions are not shown" in capsys.readouterr().err
        assert {prompts[name] for name in TEST_IDS} < set(server.asked)
        assert not {prompts[name] for name in DEV_IDS} & set(server.asked)
        registration = sets()[TWO].registration
        assert registration is not None
        assert registration.path == "registrations/made.json"
        assert registration.commit is not None

    def test_a_registration_for_dev_questions_is_refused(
        self, server: FaultyServer, answered: Answered, capsys: pytest.CaptureFixture[str]
    ) -> None:
        commit_registration(answered)
        assert asked(TWO, options=REGISTERED) == 2
        assert "--registration is about test questions" in capsys.readouterr().err


class TestWithoutASplit:
    def test_all_questions_are_asked(self, server: FaultyServer) -> None:
        assert asked(TWO, part=None) == 0
        assert len(server.asked) == len(DEV_IDS) + len(TEST_IDS)
        assert (sets()[TWO].part, sets()[TWO].split) == ("all", None)

    def test_a_part_without_a_split(
        self, server: FaultyServer, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert asked(TWO, part=None, options=("--part", "dev")) == 2
        assert "--split and --part go together" in capsys.readouterr().err
        assert asked(TWO, part=None, options=REGISTERED) == 2
        assert "--registration is about test questions" in capsys.readouterr().err

    def test_a_run_of_a_part_needs_its_split(
        self, server: FaultyServer, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = ["--split", "split.json", "--part", "test", "--point", TWO, "-q"]
        assert run(["replay", "recording", "--out", "run-test", *words]) == 0
        words = command(TWO, part=None)
        words[1] = "run-test"
        assert run(words) == 2
        assert "are of the part test of a split" in capsys.readouterr().err

    def test_a_dataset_of_which_a_split_is_known(
        self, checkout: Path, server: FaultyServer, capsys: pytest.CaptureFixture[str]
    ) -> None:
        sample = str(checkout / "datasets/sample/recording")
        assert run(["replay", sample, "--out", "sample", "-q", "--point", "items"]) == 0
        Path("datasets/splits").mkdir()
        text = (checkout / "datasets/splits/sample.json").read_text()
        Path("datasets/splits/sample.json").write_text(text)
        Path("datasets/splits/notes.json").write_text("{}")
        words = command("items", part=None)
        words[1] = "sample"
        assert run(words) == 2
        said = capsys.readouterr().err
        assert "are of the dataset of datasets/splits/sample.json, which says which are" in said
        assert server.asked == []


def test_the_template_of_the_reader_must_be_the_run_s(
    server: FaultyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("readers/own.txt").write_text("{question}\n{context}\n")
    write_reader(Path("readers/made.toml"), server.url, more='template = "own.txt"')
    assert asked(TWO) == 2
    said = capsys.readouterr().err
    assert "the template of readers/made.toml has sha256 " in said
    assert "Give that one with `template` in the reader's file" in said
    words = ["--prompt-template", "readers/own.txt", "--point", TWO, "-q"]
    assert run(["replay", "recording", "--out", "own", *words]) == 0
    again = command(TWO)
    again[1] = "own"
    assert run(again) == 0
    assert all(prompt.startswith("Who am I?\n") for prompt in server.asked)
    Path("readers/own.txt").write_text("{question}")
    assert run(again) == 2
    assert "the template of readers/made.toml lacks {context}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--max-cost", "much"), "--max-cost 'much' is not an amount, such as 2.50."),
        (("--repeats", "0"), "0 is not in the range x>=1"),
        (("--point", "itmes"), "there is no arm 'itmes'"),
        (("--point", "items(k=3)"), "items"),
        (("--reader", "maed"), "no reader 'maed'; did you mean 'made'?"),
        (("--split", "readers/made.toml"), "split"),
    ],
)
def test_wrong_usage(
    options: tuple[str, ...],
    says: str,
    server: FaultyServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert asked(TWO, options=options) == 2
    assert says in capsys.readouterr().err
    assert not STORE.exists()


def test_an_encoding_that_is_not_known(
    server: FaultyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    write_reader(Path("readers/made.toml"), server.url, more='encoding = "o200k"')
    assert asked(TWO) == 2
    assert "no encoding 'o200k'; did you mean 'o200k_base'?" in capsys.readouterr().err


def interrupted(
    server: FaultyServer, words: list[str], times: int
) -> subprocess.CompletedProcess[str]:
    """The command, interrupted so often once four prompts are asked."""
    code = "import sys; from harness.cli.main import main; main(sys.argv[1:])"
    with subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
    ) as child:
        while len(server.asked) < 4 and child.poll() is None:
            time.sleep(0.01)
        for _ in range(times):
            child.send_signal(signal.SIGINT)
            time.sleep(0.5)
        _, said = child.communicate(timeout=60)
    return subprocess.CompletedProcess(words, child.returncode, "", said)


def test_an_interrupt_ends_it_cleanly_and_the_same_command_goes_on(
    server: FaultyServer,
) -> None:
    server.seconds = 0.1
    words = [*command(ONE, TWO, FULL, ITEMS, part=None), "--repeats", "3"]
    ended = interrupted(server, words, 1)
    assert ended.returncode == 130
    assert "waiting for the calls under way; press Ctrl-C again to drop them" in ended.stderr
    assert ended.stderr.endswith("interrupted; run the same command again to continue\n")
    assert "Traceback" not in ended.stderr
    sent = Counter(server.asked)
    with AnswerStore(STORE) as store:
        kept = Counter(key.prompt for key, _ in store.entries())
        assert store.charged(read_reader("made").identity).calls == len(server.asked)
    # what was sent was waited for, and is stored
    assert kept == Counter({Prompt(prompt).sha256: times for prompt, times in sent.items()})
    server.seconds = 0
    assert run(words) == 0
    wanted = {key for answers in sets().values() for key in answers.every_key()}
    assert len(server.asked) == len(wanted)
    with AnswerStore(STORE) as store:
        assert all(store.has(key) for key in wanted)


def test_a_second_interrupt_drops_what_is_under_way(server: FaultyServer) -> None:
    server.seconds = 8
    ended = interrupted(server, command(TWO, FULL), 2)
    assert ended.returncode == 130
    assert "Traceback" not in ended.stderr
    assert ended.stderr.endswith("interrupted; run the same command again to continue\n")
    with AnswerStore(STORE) as store:
        assert list(store.entries()) == []
        spent = store.charged(read_reader("made").identity)
    assert spent.calls >= len(server.asked) == 4  # what was sent stays charged
    assert spent.reserved > 0
    server.seconds = 0
    assert run(command(TWO, FULL)) == 0


def test_the_questions_of_two_readers_are_apart(server: FaultyServer) -> None:
    assert asked(TWO) == 0
    first = read_reader("made").identity
    path = Path("readers/made.toml")
    path.write_text(path.read_text().replace("max_tokens = 50", "max_tokens = 51"))
    assert asked(TWO) == 0
    assert len(server.asked) == 2 * len(DEV_IDS)
    second = read_reader("made").identity
    with AnswerStore(STORE) as store:
        assert set(store.readers()) == {first, second}
        question = sets()[TWO].questions[0]
        assert store.has(AnswerKey(first, question.prompt_sha256))
        assert store.has(AnswerKey(second, question.prompt_sha256))
