"""A second layout of datasets is one module and an entry point: it is recorded, split, replayed and
reported, and told apart from the first by its keys."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from harness.cli.main import run
from harness.datasets.layout import (
    LAYOUTS,
    Layout,
    Question,
    Session,
    Turn,
    layout_of,
    read_questions,
)
from harness.errors import InputError, UsageError
from harness.recording.recording import Recording
from harness.replay.run import Run
from harness.trial.answer_in_context import read_gold_answers

from ..make.offers import offer
from ..make.questions import made_questions, word_embedder, write_questions

EXAMPLE = """\
{
  "talk": "t0",
  "days": [{"day": "2024-03-01", "lines": ["My kettle is in the shed.", "Noted."]}],
  "asked": [{"text": "Where is the kettle?", "answer": "in the shed", "line": [0, 0]}]
}"""


class Day(msgspec.Struct):
    """One day of a talk; the lines are the user's and the assistant's in turn."""

    day: str
    lines: list[str]


class Asked(msgspec.Struct):
    """A question; `line`: day and line of its evidence, None where nobody said it."""

    text: str
    answer: str | None = None
    line: tuple[int, int] | None = None


class Talk(msgspec.Struct):
    """Several questions of one talk."""

    talk: str
    days: list[Day]
    asked: list[Asked]


class Talks(Layout):
    """A tiny layout: a talk per object, with all that is asked of it."""

    name = "talks"
    title = "Talks"
    example = EXAMPLE
    row = Talk

    def questions(self, row: Talk) -> Iterable[Question]:
        for number, asked in enumerate(row.asked):
            said = asked.line
            sessions = tuple(
                Session(
                    f"{row.talk}:{place}",
                    day.day,
                    tuple(
                        Turn(("user", "assistant")[line % 2], text, said == (place, line))
                        for line, text in enumerate(day.lines)
                    ),
                    f"{day.day}T00:00:00+00:00",
                )
                for place, day in enumerate(row.days)
            )
            yield Question(
                f"{row.talk}-{number}{'' if said else '?'}",
                "talk",
                asked.text,
                asked.answer,
                row.days[-1].day,
                sessions,
                () if said is None else (f"{row.talk}:{said[0]}",),
                f"{row.days[-1].day}T00:00:00+00:00",
                said is None,
            )

    def is_abstention(self, question_id: str) -> bool:
        return question_id.endswith("?")

    def faults(self, row: Talk, place: str) -> list[str]:
        return [] if row.days else [f"talk {row.talk!r} ({place}), days: is empty"]


@pytest.fixture(autouse=True)
def talks(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, LAYOUTS, talks=Talks())


def made_talk(number: int) -> dict[str, object]:
    words = ("kettle", "piano", "bicycle", "camera")
    days = [
        {"day": f"2024-03-{day + 1:02d}", "lines": [f"My {word} is in room {number}.", "Noted."]}
        for day, word in enumerate(words)
    ]
    asked = [
        {"text": f"Where is the {word}?", "answer": f"room {number}", "line": [day, 0]}
        for day, word in enumerate(words[:3])
    ]
    unknown = {"text": "Where is the boat?", "answer": "nobody said", "line": None}
    return {"talk": f"t{number}", "days": days, "asked": [*asked, unknown]}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "talks.jsonl"
    lines = [json.dumps(made_talk(number)) for number in range(5)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_second_layout_is_recorded_split_replayed_and_reported(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, recorded = tmp_path / "run", tmp_path / "recording"
    cache = ["--cache", str(tmp_path / "cache.sqlite"), "-q"]
    with word_embedder():
        assert run(["record", "talks", str(data), "--out", str(recorded), *cache]) == 0
    opened = Recording.open(recorded)
    assert opened.manifest.arguments["verb"] == "record talks"
    assert opened.manifest.work["layout"] == "talks"
    assert opened.manifest.content["counts"]["cases"] == 20
    golds = {case.case_id: case.gold for case in opened.cases()}
    (span,) = golds["t2-1"].evidence if golds["t2-1"] is not None else ()
    assert (span.record_id, span.role) == ("t2-1:1", "user")
    assert [name for name, gold in golds.items() if gold is not None and gold.abstention] == [
        f"t{number}-3?" for number in range(5)
    ]

    content = data.read_bytes()
    listed = [
        json.dumps({"question_id": name, "question_type": "talk"}) for name in opened.case_ids
    ]
    (tmp_path / "list.jsonl").write_text("\n".join(listed) + "\n", encoding="utf-8")
    register = tmp_path / "register.toml"
    register.write_text(
        f'[[dataset]]\nname = "talks"\npath = "{data.name}"\nsize = {len(content)}\n'
        f'sha256 = "{hashlib.sha256(content).hexdigest()}"\nlicence = "MIT"\ncitation = "nobody"\n'
        'questions = "list.jsonl"\n',
        encoding="utf-8",
    )
    assert run(["dataset", "verify", str(data), "--register", str(register)]) == 0
    assert "registered talks" in capsys.readouterr().out
    split = tmp_path / "split.json"
    drawn = ["dataset", "split", "talks", "--seed", "1", "--dev", "8", "--out", str(split)]
    assert run([*drawn, "--data", str(data), "--register", str(register), "-q"]) == 0

    points = ["-p", "count-curve(k=1)", "-p", "count-curve(k=full)"]
    part = ["--split", str(split), "--part", "dev"]
    assert run(["replay", str(recorded), "--out", str(out), *points, *part, "-q"]) == 0
    assert Run.open(out).manifest.content["counts"] == {"cases": 8, "points": 2}
    assert run(["report", str(out), "--out", str(tmp_path / "report"), "-q"]) == 0
    assert "count-curve" in (tmp_path / "report" / "README.md").read_text(encoding="utf-8")


def record_talk(folder: Path, talk: dict[str, object]) -> int:
    data = folder / "talk.jsonl"
    data.write_text(json.dumps(talk) + "\n", encoding="utf-8")
    cache = ["--cache", str(folder / "cache.sqlite"), "-q"]
    with word_embedder():
        return run(["record", "talks", str(data), "--out", str(folder / "recording"), *cache])


def test_a_layout_may_have_no_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    talk = {**made_talk(0), "asked": [{"text": "Where is the kettle?", "line": [0, 0]}]}
    assert record_talk(tmp_path, talk) == 0
    (case,) = Recording.open(tmp_path / "recording").cases()
    assert case.gold is not None
    assert (case.gold.answer, case.gold.sessions) == (None, ("t0:0",))
    gold = read_gold_answers(tmp_path / "talk.jsonl", None, quiet=True).by_id["t0-0"]
    assert gold.excluded == "no-answer-in-evidence"
    out, inputs = str(tmp_path / "run"), str(tmp_path / "inputs")
    replayed = ["replay", str(tmp_path / "recording"), "--out", out, "-p", "items", "-q"]
    assert run(replayed) == 0
    data = ["--dataset", str(tmp_path / "talk.jsonl")]
    assert run(["export", "omnimemeval", out, "--point", "items", "--out", inputs, *data]) == 2
    assert "question 't0-0' has no answer in the dataset" in capsys.readouterr().err


def test_answer_sessions_that_no_haystack_has_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talk = {**made_talk(0), "asked": [{"text": "Where is the kettle?", "line": [9, 0]}]}
    assert record_talk(tmp_path, talk) == 2
    assert "of 1 answer session, 0 are in the haystack" in capsys.readouterr().err
    assert not (tmp_path / "recording").exists()


def test_files_are_told_apart_by_their_keys(data: Path, tmp_path: Path) -> None:
    published = write_questions(tmp_path / "data.json", made_questions(2))
    assert layout_of(data).name == "talks"
    assert layout_of(published).name == "longmemeval"
    damaged = tmp_path / "damaged.json"
    damaged.write_text("nothing", encoding="utf-8")
    assert layout_of(damaged).name == "longmemeval"


def test_each_layout_reads_its_own_example(tmp_path: Path) -> None:
    for name in LAYOUTS.names():
        layout = LAYOUTS.load(name)
        path = tmp_path / f"{name}.json"
        path.write_text(f"[{layout.example}]", encoding="utf-8")
        (question,) = read_questions(path)
        assert layout_of(path) is layout
        assert question.abstention == layout.is_abstention(question.question_id)
        assert any(turn.has_answer for session in question.sessions for turn in session.turns)


def test_faults_of_a_second_layout_come_together(tmp_path: Path) -> None:
    path = tmp_path / "talks.jsonl"
    empty = {"talk": "t8", "days": [], "asked": []}
    rows = [made_talk(0), empty, made_talk(0), {"talk": "t9", "days": []}]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    with pytest.raises(InputError) as raised:
        list(read_questions(path))
    message = str(raised.value.message)
    assert "talk 't8' (line 2), days: is empty" in message
    assert "question 't0-0' (line 3), question_id: is also the id of line 1" in message
    assert "line 4: Object missing required field `asked`" in message


def test_an_entry_that_is_no_layout_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, LAYOUTS, broken="json:dumps")
    with pytest.raises(UsageError, match="the dataset layout 'broken' of json:dumps is function"):
        LAYOUTS.load("broken")
