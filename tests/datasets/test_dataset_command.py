"""`harness dataset` as a whole, at the command line."""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.datasets.cohort import question_source
from harness.datasets.split import read_split
from harness.errors import InputError

from ..make.recordings import DATASET_SHA256, long_recording
from ..make.splits import LONG_DEV, LONG_IDS

Capture = pytest.CaptureFixture[str]


@dataclass(frozen=True)
class MadeUp:
    """A register of one bundled dataset of six questions."""

    folder: Path
    data: bytes
    objects: list[dict[str, Any]]

    def run(self, *arguments: str | Path) -> int:
        register = ["--register", str(self.folder / "register.toml")]
        return run(["dataset", *map(str, arguments), *register])

    def write(self, name: str, data: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(data)
        return path


@pytest.fixture
def made_up(tmp_path: Path, question: Callable[..., dict[str, Any]]) -> MadeUp:
    types = ("multi-session", "knowledge-update")
    names = ["q0", "q1", "q2_abs", "q3", "q4", "q5"]
    objects = [
        question(question_id=name, question_type=types[index % 2])
        for index, name in enumerate(names)
    ]
    data = json.dumps(objects).encode()
    lines = [
        json.dumps({key: value[key] for key in ("question_id", "question_type")})
        for value in objects
    ]
    (tmp_path / "list.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "bundled.json").write_bytes(data)
    (tmp_path / "register.toml").write_text(
        f'[[dataset]]\nname = "made-up"\npath = "bundled.json"\nsize = {len(data)}\n'
        f'sha256 = "{hashlib.sha256(data).hexdigest()}"\nlicence = "MIT"\ncitation = "nobody"\n'
        'questions = "list.jsonl"\n'
    )
    return MadeUp(tmp_path, data, objects)


def test_list(made_up: MadeUp, capsys: Capture) -> None:
    assert made_up.run("list") == 0
    heading, _, row = capsys.readouterr().out.splitlines()
    assert heading.split() == ["name", "bytes", "questions", "licence", "file", "kind"]
    assert row.split() == [
        "made-up",
        f"{len(made_up.data):,}",
        "6",
        "MIT",
        "bundled.json",
        "bundled",
    ]
    assert made_up.run("list", "--json") == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert entry["sha256"] == hashlib.sha256(made_up.data).hexdigest()
    assert entry["source"] == str(made_up.folder / "bundled.json")


def test_fetch_into_a_folder_and_again(made_up: MadeUp, capsys: Capture) -> None:
    (made_up.folder / "there").mkdir()
    for outcome in ("copied", "there already"):
        assert made_up.run("fetch", "made-up", "--out", made_up.folder / "there") == 0
        assert outcome in capsys.readouterr().err
    assert (made_up.folder / "there" / "bundled.json").read_bytes() == made_up.data
    assert made_up.run("fetch", "made-upp", "--out", made_up.folder / "x") == 2
    assert "did you mean 'made-up'?" in capsys.readouterr().err


def test_fetch_from_a_server_that_stops(
    made_up: MadeUp, serve: Callable[..., Any], capsys: Capture
) -> None:
    server = serve(made_up.data, drops=[100])
    arguments = ("fetch", "made-up", "--out", made_up.folder / "x", "--url", server.url)
    assert made_up.run(*arguments, "--retries", "0") == 2
    assert "Run the same command again: it continues where it stopped." in capsys.readouterr().err
    assert made_up.run(*arguments, "-q") == 0
    assert capsys.readouterr().err == ""
    assert (made_up.folder / "x").read_bytes() == made_up.data


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_verify_the_registered_file(
    made_up: MadeUp, pack: Callable[[bytes], bytes], capsys: Capture
) -> None:
    path = made_up.write("copy", pack(made_up.data))
    assert made_up.run("verify", path, "--name", "made-up") == 0
    shown = capsys.readouterr().out
    assert f"{path} is the registered made-up" in shown
    assert "6 of the 6 questions of made-up" in shown
    counts = [line.split() for line in shown.splitlines()[-3:]]
    assert counts == [
        ["multi-session", "3", "1", "6", "9"],
        ["knowledge-update", "3", "0", "6", "9"],
        ["all", "6", "1", "12", "18"],
    ]


def test_verify_names_the_missing_questions(made_up: MadeUp, capsys: Capture) -> None:
    path = made_up.write("copy.json", json.dumps(made_up.objects[1:-1]).encode())
    assert made_up.run("verify", path) == 0
    shown = capsys.readouterr().out
    assert f"{path} is not a registered file" in shown
    assert "4 of the 6 questions of made-up" in shown
    assert "missing  2: q0, q5" in shown
    assert made_up.run("verify", path, "--name", "made-up", "--json") == 1
    report = json.loads(capsys.readouterr().out)
    assert report["registered"] is None
    assert report["comparison"] == {
        "dataset": "made-up",
        "listed": 6,
        "missing": ["q0", "q5"],
        "unknown": [],
    }
    assert report["types"][0] == {
        "question_type": "knowledge-update",
        "questions": 2,
        "abstention": 0,
        "sessions": 4,
        "turns": 6,
    }


def test_verify_reports_every_fault_and_what_the_file_is(made_up: MadeUp, capsys: Capture) -> None:
    made_up.objects[1]["answer"] = None
    del made_up.objects[2]["haystack_sessions"]
    path = made_up.write("copy.json", json.dumps(made_up.objects).encode())
    assert made_up.run("verify", path) == 2
    said = capsys.readouterr().err
    assert "2 faults" in said
    assert "question 'q1' (object 2), answer: is null" in said
    assert "question 'q2_abs' (object 3), haystack_sessions: is missing" in said
    assert "The file is not a registered file." in said


def test_verify_a_cut_gzip(made_up: MadeUp, capsys: Capture) -> None:
    path = made_up.write("copy.json.gz", gzip.compress(made_up.data)[:-20])
    assert made_up.run("verify", path) == 2
    said = capsys.readouterr().err
    assert f"error: {path}: the gzip stream ends early, after byte" in said
    assert "fetch it again" in said


def test_split_of_the_whole_and_of_what_is_there(made_up: MadeUp, capsys: Capture) -> None:
    whole, restricted = made_up.folder / "whole.json", made_up.folder / "restricted.json"
    draw = ("split", "made-up", "--seed", "1", "--dev", "2")
    assert made_up.run(*draw, "--out", whole) == 0
    # random.Random(1).sample(range(6), 2) is [1, 4].
    assert read_split(whole).dev_ids == ("q1", "q4")
    assert read_split(whole).dataset_sha256 == hashlib.sha256(made_up.data).hexdigest()
    capsys.readouterr()

    data = made_up.write("less.json", json.dumps(made_up.objects[:4]).encode())
    assert made_up.run(*draw, "--out", restricted, "--data", data) == 0
    said = capsys.readouterr().err
    assert "leakage: dev and test questions have no stem in common" in said
    assert "leakage: " in said.partition("no stem")[2]  # of answer sessions, which are in the data
    assert "lacks 2 of the 6 questions of made-up (q4, q5); 1 of them were drawn as dev" in said
    split = read_split(restricted)
    assert split.dev_ids == ("q1",)
    assert split.dataset_sha256 == hashlib.sha256(data.read_bytes()).hexdigest()


def test_split_does_not_overwrite_another(made_up: MadeUp, capsys: Capture) -> None:
    out = made_up.folder / "split.json"
    assert made_up.run("split", "made-up", "--seed", "1", "--dev", "2", "--out", out) == 0
    assert made_up.run("split", "made-up", "--seed", "1", "--dev", "2", "--out", out) == 0
    assert "nothing to do" in capsys.readouterr().err
    other = ("split", "made-up", "--seed", "2", "--dev", "2", "--out", out)
    assert made_up.run(*other) == 2
    assert "exists and holds something else" in capsys.readouterr().err
    assert made_up.run(*other, "--force") == 0
    assert read_split(out).seed == 2
    assert made_up.run("split", "made-up", "--seed", "1", "--dev", "6", "--out", out) == 2
    assert "Give --dev from 1 to 5" in capsys.readouterr().err


LEAKING = {
    "a": ["answer_1", "rain"],
    "b": ["answer_2", "cat"],
    "a_abs": ["answer_3", "rain"],
    "c": ["answer_4", "cat"],
    "d": ["answer_5", "answer_6", "rain"],
    "e": ["answer_6", "cat"],
    "f": ["answer_6 of another conversation", "rain"],
    "g": ["rain", "answer_6", "answer_5"],
}
"""What the sessions of each question say, the first word being their id. Python draws
random.Random(1).sample(range(8), 2), [2, 4]: `a_abs` and `d` are dev. `a` has the stem of the
first, `e` an answer session of the second, `g` its whole haystack."""


@pytest.fixture
def leaking(tmp_path: Path, question: Callable[..., dict[str, Any]]) -> MadeUp:
    """A fetched dataset whose dev questions tell of its test questions."""
    made = []
    for name, texts in LEAKING.items():
        ids = [text.split()[0] for text in texts]
        changes = {
            "haystack_session_ids": ids,
            "haystack_sessions": [[{"role": "user", "content": text}] for text in texts],
            "haystack_dates": ["2023/05/20 (Sat) 02:21"] * len(ids),
            "answer_session_ids": [each for each in ids if each.startswith("answer")],
        }
        made.append(question(question_id=name, **changes))
    data = json.dumps(made).encode()
    lines = [
        json.dumps({key: value[key] for key in ("question_id", "question_type")}) for value in made
    ]
    (tmp_path / "list.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "data.json").write_bytes(data)
    (tmp_path / "register.toml").write_text(
        f'[[dataset]]\nname = "made-up"\nurl = "https://example.org/data.json"\n'
        f'size = {len(data)}\nsha256 = "{hashlib.sha256(data).hexdigest()}"\n'
        'licence = "MIT"\ncitation = "nobody"\nquestions = "list.jsonl"\n'
    )
    return MadeUp(tmp_path, data, made)


STEMS = "leakage: 1 dev question and 1 test question have a stem in common (a_abs, a)"


def test_split_says_what_dev_tells_of_test(leaking: MadeUp, capsys: Capture) -> None:
    out = leaking.folder / "split.json"
    drawn = ("split", "made-up", "--seed", "1", "--dev", "2", "--out", out)
    assert leaking.run(*drawn, "--data", leaking.folder / "data.json") == 0
    assert read_split(out).dev_ids == ("a_abs", "d")
    wanted = [
        STEMS,
        "leakage: 1 dev question and 2 test questions have an answer session in common (d, e, g)",
        "leakage: 1 dev question and 1 test question have a haystack in common (d, g)",
    ]
    assert capsys.readouterr().err.splitlines()[1:] == wanted
    # once more, of the split that is there
    assert leaking.run(*drawn, "--data", leaking.folder / "data.json") == 0
    assert capsys.readouterr().err.splitlines()[1:] == wanted


def test_without_data_only_stems_are_known(leaking: MadeUp, capsys: Capture) -> None:
    drawn = ("split", "made-up", "--seed", "1", "--dev", "2", "--out", leaking.folder / "s.json")
    assert leaking.run(*drawn) == 0
    assert capsys.readouterr().err.splitlines()[1:] == [
        STEMS,
        "leakage: answer sessions and haystacks are compared with --data alone",
    ]


def test_what_a_restricted_split_lacks_tells_nothing(leaking: MadeUp, capsys: Capture) -> None:
    """Without `a`, `e` and `g` nothing of dev is known of test."""
    left = [each for each in leaking.objects if each["question_id"] not in ("a", "e", "g")]
    data = leaking.write("less.json", json.dumps(left).encode())
    drawn = ("split", "made-up", "--seed", "1", "--dev", "2", "--out", leaking.folder / "s.json")
    assert leaking.run(*drawn, "--data", data) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[-3:] == [
        f"leakage: dev and test questions have no {what} in common"
        for what in ("stem", "answer session", "haystack")
    ]


def test_a_split_of_own_cases_lists_its_questions(tmp_path: Path, capsys: Capture) -> None:
    recording, out = long_recording(), tmp_path / "split.json"
    drawing = ["--seed", "3", "--dev", "4", "--out", str(out)]
    assert run(["dataset", "split", str(recording), *drawing]) == 0
    printed = capsys.readouterr().err
    assert f"{out}: 4 dev questions of 8, the others are test\n" in printed
    assert f"dataset.sha256 of a plan: {DATASET_SHA256}\n" in printed
    assert "leakage: dev and test questions have no window in common\n" in printed
    split = read_split(out)
    assert split.dev_ids == LONG_DEV
    assert split.questions is not None
    assert [question.question_id for question in split.questions] == list(LONG_IDS)
    source = question_source(split)
    assert (source.questions, source.name) == (split.questions, "the split itself")
    cases = recording.parent / "cases.jsonl"
    assert run(["dataset", "split", str(cases), *drawing]) == 0
    assert "holds this split already" in capsys.readouterr().err


def test_own_cases_have_no_data_and_no_name(
    made_up: MadeUp, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawing = ["--seed", "3", "--dev", "4", "--out", str(made_up.folder / "split.json")]
    recording = str(long_recording())
    assert made_up.run("split", recording, "--data", recording, *drawing) == 2
    assert "Leave --data out" in capsys.readouterr().err
    # a dataset of the register goes before a folder of its name
    monkeypatch.chdir(made_up.folder)
    (made_up.folder / "made-up").mkdir()
    assert made_up.run("split", "made-up", *drawing) == 0
    assert read_split(made_up.folder / "split.json").questions is None


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda value: value["questions"].pop(), "questions has 7 questions, of is 8"),
        (
            lambda value: value["questions"].reverse(),
            "dev[0].question_id is not that of questions[",
        ),
        (
            lambda value: value["questions"].__setitem__(0, value["questions"][1]),
            "2 times",
        ),
    ],
)
def test_a_list_that_was_not_drawn_from_is_refused(
    change: Callable[[dict[str, Any]], object], fault: str, tmp_path: Path
) -> None:
    out = tmp_path / "split.json"
    drawing = ["--seed", "3", "--dev", "4", "--out", str(out), "-q"]
    assert run(["dataset", "split", str(long_recording()), *drawing]) == 0
    value = json.loads(out.read_text())
    change(value)
    out.write_text(json.dumps(value))
    with pytest.raises(InputError) as raised:
        read_split(out)
    assert fault in raised.value.message
