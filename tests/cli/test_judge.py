"""`harness judge` at the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cli.main import run

from ..make.project import Project, make_project

JUDGE = ["judge", "registrations/made.json", "--grades", "grades/new", "grades/old"]


@pytest.fixture
def ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Project:
    monkeypatch.chdir(tmp_path)
    project = make_project(tmp_path)
    project.register()
    project.grade_both()
    capsys.readouterr()
    return project


def test_several_grades_after_one_option(
    ready: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(JUDGE) == 0
    out, notes = capsys.readouterr()
    assert out.startswith(
        "Stamp: registered (contexts not checked).\n"
        "  - Not checked: which contexts were answered: the plan declares them external\n\n"
        "Is new better than old?\n\n"
        "NOT MET  better (primary, against external(name=old))\n"
        "  the lower limit is 0.00 points, which does not meet lower > 0 points.\n"
    )
    assert (
        "  - Accuracy 60.00 % against 40.00 % on 20 questions: 5 won, 1 lost, 14 the same\n" in out
    )
    assert notes == (
        "registrations/ledger.jsonl, line 1: opening 1 of this split.\n"
        "registrations/made.verdict.json: the verdict. Commit it with the ledger.\n"
    )


def test_grades_before_the_registration(ready: Project) -> None:
    grades = ["--grades", "grades/new", "--grades", "grades/old"]
    assert run(["judge", *grades, "registrations/made.json", "-q"]) == 0


def test_json_is_the_file(ready: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*JUDGE, "--json", "-q", "--out", "build/verdict.json"]) == 0
    out, notes = capsys.readouterr()
    assert out == Path("build/verdict.json").read_text(encoding="utf-8")
    assert notes == ""
    verdict = json.loads(out)
    assert verdict["registration"] == "../registrations/made.json"
    assert [rule["state"] for rule in verdict["rules"]] == ["NOT MET"]


def test_exit_code_is_asked_for(ready: Project) -> None:
    assert run([*JUDGE, "--exit-code", "-q"]) == 1


def test_one_registration_is_needed(ready: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["judge", "--grades", "grades/new", "grades/old"]) == 2
    assert "Name one registration, a file such as" in capsys.readouterr().err
    assert run(["judge", "registrations/none.json", "--grades", "grades/new"]) == 2
    assert "registrations/none.json does not exist" in capsys.readouterr().err


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["judge", "--help"]) == 0
    text = capsys.readouterr().out
    assert "harness judge registrations/four-items.json --grades" in text
    assert "--demonstration" in text
