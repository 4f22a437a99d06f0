"""The split is opened once, on record, before an outcome is read."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path

import pytest

from harness.storage.chain import BrokenChainError, locked_chain
from harness.storage.hashing import sha256_of_file, sha256_of_text
from harness.trial import judge as judging
from harness.trial.grades import Grades
from harness.trial.ledger import read_ledger

from ...make.project import CONTROL_RIGHT, DATASET_SHA256, TEST_IDS, Project
from ...make.study import CONTROL, POINT


class Killed(BaseException):
    """What a kill looks like to the code that it hits."""


def _kill_before_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*arguments: object) -> None:
        raise Killed

    monkeypatch.setattr(judging, "write_verdict", killed)


def test_the_line_says_what_was_opened(ready: Project) -> None:
    verdict = ready.judged()
    (line,) = ready.openings()
    assert (line["kind"], line["number"], line["previous"]) == ("opening", 1, None)
    assert line["registration"] == "made.json"
    assert line["registration_sha256"] == sha256_of_file(ready.folder / ready.registration)
    assert line["split_sha256"] == sha256_of_file(ready.folder / "split.json")
    assert (line["part"], line["dataset_sha256"]) == ("test", DATASET_SHA256)
    assert [(opened["role"], opened["point"], opened["identity"]) for opened in line["sets"]] == [
        (role, point, Grades.open(Path(f"grades/{name}")).identity(1))
        for role, name, point in (("point", "new", POINT), ("control", "old", CONTROL))
    ]
    assert verdict["stamp"] == line["stamp"] == "registered (contexts not checked)"
    text = ready.ledger.read_text().rstrip("\n")
    assert verdict["opening"]["line_sha256"] == sha256_of_text(text)


def test_the_line_is_there_before_an_outcome_is_read(
    ready: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = Grades.outcomes
    seen = []

    def watched(grades: Grades) -> object:
        seen.append(len(ready.openings()))
        return outcomes(grades)

    monkeypatch.setattr(Grades, "outcomes", watched)
    ready.judged()
    assert seen == [1, 1]  # one reading of each folder


def test_judging_again_adds_nothing(ready: Project, capsys: pytest.CaptureFixture[str]) -> None:
    ready.judged()
    ledger, verdict = ready.ledger.read_bytes(), ready.verdict_file.read_bytes()
    assert ready.judge() == 0
    assert (ready.ledger.read_bytes(), ready.verdict_file.read_bytes()) == (ledger, verdict)
    ready.verdict_file.unlink()
    assert ready.judge() == 0
    assert (ready.ledger.read_bytes(), ready.verdict_file.read_bytes()) == (ledger, verdict)


def test_other_grades_are_a_second_opening_too(ready: Project) -> None:
    ready.judged()
    ready.grade("new", POINT, ready.rows(TEST_IDS), "--force")
    assert ready.judge() == 2
    assert ready.judge("--out", "elsewhere.json") == 2
    assert len(ready.openings()) == 1


def test_there_is_no_repeat(ready: Project) -> None:
    ready.judged()
    assert ready.judge("--again", "the reader had failed") == 2
    assert len(ready.openings()) == 1


def test_a_crash_after_opening_resumes(ready: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        _kill_before_the_verdict(patch)
        with pytest.raises(Killed):
            ready.judge()
    assert len(ready.openings()) == 1
    assert not ready.verdict_file.exists()
    ready.judged()
    assert len(ready.openings()) == 1
    resumed = ready.verdict_file.read_bytes()
    ready.ledger.unlink()
    ready.verdict_file.unlink()
    ready.judged()
    assert ready.verdict_file.read_bytes() == resumed  # as if it had not been interrupted


def test_a_crash_does_not_open_for_other_grades(
    ready: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        _kill_before_the_verdict(patch)
        with pytest.raises(Killed):
            ready.judge()
    ready.grade("new", POINT, ready.rows(TEST_IDS), "--force")
    assert ready.judge() == 2
    assert len(ready.openings()) == 1


def test_a_ledger_that_lost_the_opening_of_a_verdict(ready: Project) -> None:
    ready.judged()
    ready.ledger.unlink()
    assert ready.judge() == 2
    assert not ready.ledger.exists()


def test_a_committed_ledger_keeps_its_lines(
    ready: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    ready.judged()
    ready.git("add", "-f", "registrations/ledger.jsonl")
    ready.git("commit", "-q", "-m", "opened")
    ready.ledger.write_text("")
    ready.verdict_file.unlink()
    assert ready.judge() == 2
    assert "does not begin with the 1 line that its last commit has" in capsys.readouterr().err


def test_a_broken_ledger_opens_nothing(ready: Project, capsys: pytest.CaptureFixture[str]) -> None:
    ready.judged()
    ready.ledger.write_text(ready.ledger.read_text().replace("test", "dev"))
    assert ready.judge() == 2
    assert "ledger.jsonl, line 1: was edited" in capsys.readouterr().err


def test_a_file_that_is_no_verdict_is_kept(ready: Project) -> None:
    ready.verdict_file.write_text("[]")
    assert ready.judge() == 2
    assert ready.verdict_file.read_text() == "[]"
    assert not ready.ledger.exists()


def _judge_in_a_process(project: Project, found: multiprocessing.Queue[int]) -> None:
    found.put(project.judge())


def test_of_two_judges_at_once_one_opens(ready: Project) -> None:
    context = multiprocessing.get_context("fork")
    found: multiprocessing.Queue[int] = context.Queue()
    judges = [context.Process(target=_judge_in_a_process, args=(ready, found)) for _ in range(2)]
    for process in judges:
        process.start()
    codes = sorted(found.get(timeout=120) for _ in judges)
    for process in judges:
        process.join()
    assert codes == [0, 0]  # the second says that it is done
    assert len(ready.openings()) == 1


def test_the_grades_say_that_they_are_open(
    ready: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    from harness.cli.main import run

    assert run(["grades", "show", "grades/new", "--json"]) == 0
    sealed = json.loads(capsys.readouterr().out)
    ready.judged()
    capsys.readouterr()
    assert run(["grades", "show", "grades/new", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) != sealed


def test_controls_may_be_graded_twice_as_well(ready: Project) -> None:
    ready.grade("old-2", CONTROL, ready.rows(CONTROL_RIGHT | {TEST_IDS[0]}), "--exploratory")
    assert ready.judge(grades=("new", "old", "old-2")) == 0
    (line,) = ready.openings()
    identity = Grades.open(Path("grades/old-2")).identity(1)
    (further,) = [opened for opened in line["sets"] if opened["role"] == "pass"]
    assert (further["point"], further["identity"]) == (CONTROL, identity)


def test_a_line_that_is_no_opening_names_every_fault(ready: Project) -> None:
    with locked_chain(ready.ledger) as chain:
        chain.append({"kind": "opening", "registration": 1, "points": "all"})
    with pytest.raises(BrokenChainError, match="line 1: is not an opening") as caught:
        read_ledger(ready.ledger)
    assert "registration is the number 1, expected a string" in caught.value.message
    assert "points is the string 'all', expected a list" in caught.value.message
    assert "verdict is missing" in caught.value.message
