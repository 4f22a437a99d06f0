"""`harness ledger` at the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cli.main import run

from ..make.project import CONTROL_RIGHT, POINT_RIGHT, Project, make_project
from ..make.study import CONTROL, POINT

LEDGER = "registrations/ledger.jsonl"


@pytest.fixture
def judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Project:
    """A project whose test split was opened twice."""
    monkeypatch.chdir(tmp_path)
    project = make_project(tmp_path)
    project.register()
    project.grade_both()
    project.judged()
    project.register("second", head="# second", control=POINT, point=CONTROL)
    project.registration = Path("registrations/second.json")
    project.grade("new-2", POINT, project.rows(POINT_RIGHT))
    project.grade("old-2", CONTROL, project.rows(CONTROL_RIGHT))
    assert project.judge(grades=("old-2", "new-2")) == 0
    capsys.readouterr()
    return project


def test_openings_are_counted_by_split(judged: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ledger"]) == 0
    out, notes = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0].split()[0] == "line"
    rows = lines[-2:]
    assert [row.split()[0] for row in rows] == ["1", "2"]
    assert "second.json" in rows[1]
    split = judged.openings()[0]["split_sha256"]
    assert notes == f"Split {split[:12]}: opened 2 times.\n"


def test_json_has_every_key(judged: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ledger", LEDGER, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["number"], row["of_split"], row["kind"], row["stamp"]) for row in rows] == [
        (1, 1, "opening", "registered (contexts not checked)"),
        (2, 2, "opening", "exploratory"),
    ]
    for row, line in zip(rows, judged.openings(), strict=True):
        for key in ("registration", "registration_sha256", "split_sha256"):
            assert row[key] == line[key]


def test_a_whole_chain_is_verified(judged: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ledger", "--verify"]) == 0
    assert capsys.readouterr().out == f"{LEDGER}: 2 lines, each follows the one before.\n"


def test_a_broken_line_is_named(judged: Project, capsys: pytest.CaptureFixture[str]) -> None:
    text = judged.ledger.read_text()
    judged.ledger.write_text(text.replace('"part": "test"', '"part": "dev"', 1))
    assert run(["ledger", "--verify"]) == 1
    assert capsys.readouterr().out.startswith(f"broken: {LEDGER}, line 1: was edited")
    assert run(["ledger"]) == 2


def test_lines_that_were_taken_from_the_end(
    judged: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    judged.git("add", "-f", LEDGER)
    judged.git("commit", "-q", "-m", "opened")
    judged.ledger.write_text(judged.ledger.read_text().splitlines(keepends=True)[0])
    assert run(["ledger", "--verify"]) == 1
    assert "does not begin with the 2 lines that its last commit has" in capsys.readouterr().out


def test_no_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["ledger"]) == 0
    assert capsys.readouterr().out == "(none)\n"
    assert run(["ledger", "none.jsonl"]) == 2
