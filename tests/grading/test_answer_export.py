"""`harness answers export`, and the seal on answers to test questions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.grading.answer_set import AnswerSet
from harness.readers.reader import read_reader
from harness.readers.reply import Prompt

from ..make.answered import Answered
from ..make.project import DEV_IDS, TEST_IDS
from ..make.readers import write_reader
from ..make.trial import FULL, TWO
from ..readers.faulty_server import Fault, FaultyServer, changed, faulty_server, right

TAIL = '[cohort]\nexclude = ["abstention"]'
REGISTERED = ("--part", "test", "--registration", "registrations/made.json")


@pytest.fixture
def server(answered: Answered) -> Iterator[FaultyServer]:
    Path("readers").mkdir()
    ignored = "answers/\nkept*/\nreaders/\nrun/\nrecording/\ngrade*/\n*.jsonl\nledger*\n"
    Path(".gitignore").write_text(ignored)
    answered.project.register("made", True, head="# made", point=TWO, control=FULL, tail=TAIL)
    with faulty_server() as running:
        write_reader(Path("readers/made.toml"), running.url)
        yield running


def asked(*options: str, store: str = "answers") -> int:
    points = ["--point", TWO, "--point", FULL]
    words = ["answer", "run", *points, "--reader", "made", "--store", store]
    return run([*words, "--split", "split.json", *options])


def set_of(point: str, part: str, store: str = "answers") -> Path:
    """The file of a set."""
    (path,) = (
        path
        for path in Path(store, "sets").glob(f"{part}-*.json")
        if str(AnswerSet.read(path).point) == point
    )
    return path


def exported(
    capsys: pytest.CaptureFixture[str], *words: str | Path, code: int = 0
) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run(["answers", "export", *map(str, words)]) == code
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def saying(text: str) -> Fault:
    """The answer `text`, whatever the question is."""
    return changed(choices=[{"message": {"content": text}, "finish_reason": "stop"}])


def test_a_store_is_exported_sorted_and_reads_back(
    server: FaultyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked("--part", "dev") == 0
    lines = exported(capsys, "answers")
    assert len(lines) == len(set(server.asked))
    assert lines == sorted(lines, key=lambda line: str(line["prompt_sha256"]))
    assert {line["reader"] for line in lines} == {read_reader("made").identity}
    assert all(line["time"].startswith("20") and line["attempts"] == 1 for line in lines)
    # as the answers of a recorded reader
    assert run(["answers", "export", "answers", "--out", "old.jsonl", "-q"]) == 0
    Path("readers/old.toml").write_text('kind = "recorded"\nmodel = "m"\nanswers = "../old.jsonl"')
    old = read_reader("old").connect()
    for prompt in server.asked:
        (line,) = (one for one in lines if one["prompt_sha256"] == Prompt(prompt).sha256)
        assert old.ask(Prompt(prompt)).text == line["answer"]


def test_stable_lines_are_those_of_any_asking(
    server: FaultyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked("--part", "dev") == 0
    server.plan = lambda prompt, before: right
    assert asked("--part", "dev", "--seed", "9", store="kept-2") == 0
    first, second = (exported(capsys, store, "--stable") for store in ("answers", "kept-2"))
    assert first == second
    assert exported(capsys, "answers") != exported(capsys, "kept-2")


def test_a_set_has_a_line_per_question(
    server: FaultyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked("--part", "dev", "--repeats", "2") == 0
    lines = exported(capsys, set_of(FULL, "dev"))
    assert [line["question_id"] for line in lines] == [*DEV_IDS, *DEV_IDS]
    assert [line["repeat"] for line in lines] == [1] * 4 + [2] * 4


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nothing"], "nothing"),
        (["run"], "run is not a store of answers"),
        (["split.json"], "split.json: "),
        (["answers", "--grades", "run"], "--grades belongs to a set"),
        (["DEV", "--grades", "run"], "--grades is about answers to test questions"),
        (["answers", "--out", "split.json"], "split.json exists"),
    ],
)
def test_wrong_usage(
    words: list[str], says: str, server: FaultyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked("--part", "dev") == 0
    capsys.readouterr()
    named = [str(set_of(FULL, "dev")) if word == "DEV" else word for word in words]
    assert run(["answers", "export", *named]) == 2
    assert says in capsys.readouterr().err


class TestSeal:
    """The seal covers the verbs: what they show is the same whatever the answers are."""

    def test_nothing_that_is_shown_depends_on_an_answer(
        self, server: FaultyServer, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def shown(store: str, text: str) -> Iterator[str]:
            """All that verbs show of a store, in which every answer is that text."""
            server.plan = lambda prompt, before: saying(text)
            calls: list[Callable[[], int]] = [
                lambda: asked(*REGISTERED, "--dry-run", store=store),
                lambda: asked(*REGISTERED, store=store),
                lambda: asked(*REGISTERED, "--json", store=store),
                lambda: run(["answers", "export", store]),
                lambda: run(["answers", "export", str(set_of(TWO, "test", store))]),
                lambda: run(["answers", "export", str(set_of(FULL, "test", store)), "--stable"]),
            ]
            for call in calls:
                code = call()
                captured = capsys.readouterr()
                yield f"{code}\n{captured.out}\n{captured.err}".replace(store, "STORE")
            yield " ".join(sorted(path.name for path in Path(store, "sets").iterdir()))

        # all right, and all wrong
        outcomes = zip(shown("kept-1", "yes"), shown("kept-2", "no!"), strict=True)
        for one, other in outcomes:
            assert one == other
            assert "yes" not in one

    def test_an_export_leaves_them_out(
        self, server: FaultyServer, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert asked("--part", "dev") == 0
        dev = exported(capsys, "answers")
        assert asked(*REGISTERED) == 0
        assert exported(capsys, "answers") == dev
        assert run(["answers", "export", "answers"]) == 0
        left_out = len(set(server.asked)) - len(dev)
        said = capsys.readouterr().err
        assert f"{left_out} answers to test questions are sealed and left out" in said

    def test_an_edited_set_does_not_open_them(
        self, server: FaultyServer, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert asked(*REGISTERED) == 0
        path = set_of(TWO, "test")
        path.write_text(path.read_text().replace('"part": "test"', '"part": "dev"'))
        assert exported(capsys, path) == []

    def test_an_opening_opens_those_that_it_holds(
        self, server: FaultyServer, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert asked(*REGISTERED) == 0
        two, one = set_of(TWO, "test"), set_of(FULL, "test")
        gold = ["--recording", "recording", "--grader", "contains", "--part", "test"]
        assert run(["grade", "answers", *gold, "--out", "graded", "-q"]) == 0
        grades = f"graded/{TWO}"
        exported(capsys, two, code=2)
        exported(capsys, two, "--grades", grades, code=2)
        given = ["--grades", grades, "--grades", f"graded/{FULL}", "--run", "run", "-q"]
        assert run(["judge", "registrations/made.json", *given]) == 0
        lines = exported(capsys, two, "--grades", grades)
        assert [line["question_id"] for line in lines] == list(TEST_IDS)
        assert all(line["answer"] for line in lines)
        # grades of something else open nothing
        exported(capsys, one, "--grades", grades, code=2)
        assert "are not grades of the answers of" in _error(capsys, one, "--grades", grades)
        assert "sealed" in _error(capsys, two)


def _error(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    capsys.readouterr()
    assert run(["answers", "export", *map(str, words)]) == 2
    return capsys.readouterr().err
