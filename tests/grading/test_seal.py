"""The seal: with every outcome of the test flipped, nothing that is shown before the opening
differs, and no file of judgments has another name or size."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from harness.cli.main import VERBS, cli, run
from harness.readers.store import AnswerStore

from ..make.answered import Answered, judged, make_answered, right, write_judge
from ..make.project import TEST_IDS
from ..make.trial import ONE, TWO

REGISTRATION = "registrations/made.json"
RIGHT = '"yes" if gold in response else "no"'
FLIPPED = '"no" if gold in response else "yes"'
# a yes takes more tokens and more time, costs more, and says so; now and then it is spelled out
REPLY = """(lambda word: __import__("time").sleep(0.05 if word == "yes" else 0) or {
    "answer": word + ("." if word == "yes" and "q1" in gold else ""),
    "model": "judge-of-" + word,
    "finish_reason": "length" if word == "yes" else None,
    "usage": {"input": 10, "output": 1000 if word == "yes" else 1},
})(WORD)"""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@dataclass
class Seen:
    """What one side shows: by command, its exit code and both outputs."""

    shown: dict[str, tuple[int, str, str]]
    files: dict[str, int]
    progress: list[str]


def files(*folders: str) -> Iterator[tuple[str, int]]:
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                yield path.as_posix(), path.stat().st_size


BY_THE_JUDGE = "--reader judges/one.toml --store answers --split split.json"
COMMANDS = [
    f"grades show 'graded/{TWO}'",
    f"grades show 'graded/{TWO}' --cases",
    f"grades show 'graded/{TWO}' --json",
    f"grades show 'graded/{TWO}' --csv --cases",
    f"grades show 'graded/second-judge/{TWO}' --json",
    f"grades agree 'graded/{TWO}' 'graded/{ONE}' --cases",
    f"grades agree 'graded/{TWO}' 'graded/{ONE}' --json",
    f"grades agree 'graded/{TWO}' 'graded/second-judge/{TWO}' --json",
    f"grades audit 'graded/{TWO}' 'graded/{ONE}'",
    f"grades audit 'graded/{TWO}' --write audit.csv",
    f"grades audit 'graded/second-judge/{TWO}' --write audit.csv",
    f"choose --grades 'graded/{TWO}' --rule best-accuracy --at-most 5000",
    f"register made.toml --dev-grades 'graded/{TWO}' --out other.json",
    f"answer run --point '{TWO}' {BY_THE_JUDGE} --part dev --dry-run",
    f"answer run --point '{TWO}' {BY_THE_JUDGE} --part dev --dry-run --json",
    "grade answers --grader judge --judge judges/one.toml --recording recording --dry-run",
    "answers export answers",
    "answers export answers --stable",
    "ledger",
    "ledger --json",
    f"instrument curves run --grades 'graded/{TWO}'",
    f"evidence run --grades 'graded/{TWO}' --grades 'graded/{ONE}'",
    f"evidence run --grades 'graded/{TWO}' --json",
    f"answers flips 'graded/{TWO}' 'graded/{ONE}'",
    f"answers flips 'graded/{TWO}' 'graded/{ONE}' --json",
    f"answers flips 'graded/{TWO}' 'graded/{ONE}' --csv --counts",
    f"answers flips 'graded/{TWO}' 'graded/second-judge/{TWO}' --json",
    f"answers show {TEST_IDS[0]} 'graded/{TWO}' 'graded/{ONE}' --json",
    f"report run --grades 'graded/{TWO}' --grades 'graded/{ONE}' --out pages",
]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answered:
    folder = tmp_path / "one"
    folder.mkdir()
    monkeypatch.chdir(folder)
    answered = make_answered(folder)
    answered.project.register("made", True, point=TWO, control=ONE, head="# made")
    answered.store(ONE, "test", right(TEST_IDS, *TEST_IDS[:9]), registration=REGISTRATION)
    answered.store(TWO, "test", right(TEST_IDS, *TEST_IDS[15:]), registration=REGISTRATION)
    return answered


def looked_at(
    word: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Seen:
    """Judge in the current folder by a judge of that word, and look at all that there is."""
    price = "[parameters]\nmax_tokens = 5\n[price]\ninput = 1\noutput = 1000\n"
    write_judge("one", REPLY.replace("WORD", word), price)
    write_judge("two", REPLY.replace("WORD", word), price)
    second = ("--second-judge", "judges/two.toml", "--sample", "6")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    asked = ("--judge", "judges/one.toml", "--template", "judges/template.txt")
    grade = ["grade", "answers", "--recording", "recording", "--grader", "judge", "--out", "graded"]
    code = run([*grade, *asked, *second])
    monkeypatch.undo()
    frames = [frame.strip() for frame in re.split(r"[\r\n]", terminal.getvalue())]
    notes = "\n".join(frame for frame in frames if not frame.startswith("judged"))
    shown = {"grade": (code, capsys.readouterr().out, notes)}
    return Seen(shown, {}, [frame for frame in frames if frame.startswith("judged")])


def all_shown(capsys: pytest.CaptureFixture[str]) -> dict[str, tuple[int, str, str]]:
    import shlex

    shown = {}
    for command in COMMANDS:
        code = run(shlex.split(command))
        captured = capsys.readouterr()
        shown[command] = (code, captured.out, captured.err)
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(Path("pages").rglob("*.*"))}
    assert Path("pages/cost-evidence.svg") in pages
    return shown | {path.as_posix(): (0, text, "") for path, text in pages.items()}


def test_nothing_tells_before_the_opening(
    made: Answered,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    sides = []
    for name, word in (("one", RIGHT), ("two", FLIPPED)):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tmp_path / name)
            with pytest.MonkeyPatch.context() as inner:
                seen = looked_at(word, inner, capsys)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tmp_path / name)
            seen.shown |= all_shown(capsys)
            seen.files = dict(files("graded", "answers", "registrations"))
        sides.append(seen)
    one, two = sides
    assert one.shown == two.shown
    assert one.files == two.files
    assert {code for code, _, _ in one.shown.values()} == {0, 2}
    assert "sealed" in one.shown[COMMANDS[0]][1]
    for side in sides:  # counts alone: no rate, no time, no cost
        assert side.progress
        assert [one for one in side.progress if not re.fullmatch(r"judged: \d+ of \d+", one)] == []
    # it was all there, and the other way round
    for name in ("one", "two"):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tmp_path / name)
            grades = [part for point in (TWO, ONE) for part in ("--grades", f"graded/{point}")]
            assert run(["judge", REGISTRATION, *grades, "--run", "run", "-q"]) == 0
    verdicts = [
        json.loads((tmp_path / name / "registrations/made.verdict.json").read_text())
        for name in ("one", "two")
    ]
    rules = [verdict["rules"][0] for verdict in verdicts]
    assert (rules[0]["accuracy"], rules[1]["accuracy"]) == (0.75, 0.25)
    assert rules[0]["wins"] == rules[1]["losses"] == 9


def test_every_judgment_takes_as_much_room(
    made: Answered, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the store too, errors included; those of dev questions are as long as they are."""
    write_judge("one", '{"answer": "yes" if "q0" in gold else "no." if "q1" in gold else "maybe"}')
    assert judged("one") == 0
    with AnswerStore(Path("answers")) as store:
        rows = store._rows("SELECT length(entry), reader FROM answers ORDER BY id")
    lengths = {length for length, reader in rows if reader == 2}
    assert lengths == {4096}


NOT_LOOKED_AT = {
    "judge": "opens",
}
"""Verbs that take grades or answers, and why `COMMANDS` has none of them."""


def test_every_verb_that_takes_grades_is_looked_at() -> None:
    found = {name for name in VERBS if takes_grades(cli.get_command(CONTEXT, name))}
    looked = {command.split()[0] for command in COMMANDS}
    assert found - looked == set(NOT_LOOKED_AT) & found
    assert {"grade", "grades", "judge"} <= found


CONTEXT = click.Context(cli)


def takes_grades(command: click.Command | None) -> bool:
    if isinstance(command, click.Group):
        names = command.list_commands(CONTEXT)
        return any(takes_grades(command.get_command(CONTEXT, name)) for name in names)
    return command is not None and any(
        word in " ".join([*option.opts, option.metavar or ""]).lower()
        for option in command.params
        for word in ("grades", "answers", "verdict")
    )
