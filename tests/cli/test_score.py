"""`harness score`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from harness.cli.main import run

from ..make.attempts import (
    attempt,
    right_attempts,
    right_wheel,
    whole_wheel,
    write_attempts,
    write_mill,
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A world in `mill`, and attempts of which one is wrong by its formatting."""
    monkeypatch.chdir(tmp_path)
    write_mill(tmp_path / "mill")
    wrong = attempt("wheel", right_wheel(wood="0007"), whole_wheel(), repeat=2, tokens=1200)
    made = [*right_attempts(), *right_attempts(2)[1:], wrong]
    write_attempts(tmp_path / "attempts.jsonl", *made)
    return tmp_path


TABLES = """\
task      repeat  category    correct    values    citations    evidence    scope      contradictions    tokens
------  --------  ----------  ---------  --------  -----------  ----------  -------  ----------------  --------
wheel          1  direct      yes        yes       yes          yes         yes                     0       100
wheel          2  direct      no         no        yes          yes         yes                     0     1,200

category      correct    values    citations    evidence    scope    attempts    tokens    tokens per
                                                                                              correct
----------  ---------  --------  -----------  ----------  -------  ----------  --------  ------------
direct              1         1            2           2        2           2     1,300       1,300.0
all                 1         1            2           2        2           2     1,300       1,300.0

task      repeat  field or step    near miss                    given    detail
------  --------  ---------------  ---------------------------  -------  -------------------
wheel          2  wood             value differs by formatting  '0007'   expected 'oak 0007'
"""  # noqa: E501


def test_the_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (folder / "attempts.jsonl").read_text("utf-8").splitlines()
    (folder / "wheel.jsonl").write_text("\n".join([lines[0], lines[-1]]), "utf-8")
    assert run(["score", "mill", "wheel.jsonl"]) == 0
    out, notes = capsys.readouterr()
    assert out == TABLES
    assert notes == "A stub does not count as the text that it names.\n"


def test_json_and_csv(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", "mill", "attempts.jsonl", "--json", "-q"]) == 0
    out, notes = capsys.readouterr()
    rows = json.loads(out)
    assert notes == ""
    assert [row["correct"] for row in rows] == [True] * 9 + [False]
    assert rows[-1]["reasons"] == ["answer.wood is '0007', expected 'oak 0007'"]
    assert rows[-1]["near_misses"][0]["reason"] == "value differs by formatting"
    assert run(["score", "mill", "attempts.jsonl", "--csv", "-q"]) == 0
    table = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["tokens"] for row in table] == ["100"] * 9 + ["1200"]


def test_a_report_is_written_scored_anew_and_not_written_over(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["score", "mill", "attempts.jsonl", "--out", "r.json"]
    assert run(arguments) == 0
    assert "r.json: written\n" in capsys.readouterr().err
    assert run(arguments) == 0
    assert "r.json: holds this report already\n" in capsys.readouterr().err
    assert run([*arguments, "--stubs-count"]) == 2
    assert "r.json exists and holds something else" in capsys.readouterr().err
    assert run(["score", "mill", "r.json", "--out", "anew.json", "-q"]) == 0
    anew = json.loads((folder / "anew.json").read_text("utf-8"))
    assert anew["rescored_from_sha256"].startswith("sha256-")
    assert anew["summary"]["correct"] == 9


def test_the_tools_that_readers_were_offered(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "tools.json").write_text('[{"name": "mark_lookup"}]', "utf-8")
    (folder / "changed.json").write_text('[{"name": "mark_lookup", "x": 1}]', "utf-8")
    for name in ("tools", "changed"):
        options = ["--schemas", f"{name}.json", "--out", f"{name}-report.json", "-q"]
        assert run(["score", "mill", "attempts.jsonl", *options]) == 0
    capsys.readouterr()
    assert run(["compare", "tools-report.json", "tools-report.json"]) == 0
    assert "- Tool schemas: equal\n" in capsys.readouterr().out
    assert run(["compare", "tools-report.json", "changed-report.json"]) == 2
    assert "tool_schemas_sha256 differs: sha256-" in capsys.readouterr().out


def test_another_rubric_is_called_a_grading_correction(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["score", "mill", "attempts.jsonl", "--out", "r.json", "-q"]) == 0
    rubric = folder / "mill" / "rubric.json"
    rubric.write_text(rubric.read_text("utf-8").replace("oak 0007", "0007"), "utf-8")
    capsys.readouterr()
    assert run(["score", "mill", "r.json", "--out", "corrected.json"]) == 0
    assert "A grading correction, not another result: rubric sha256-" in capsys.readouterr().err
    corrected = json.loads((folder / "corrected.json").read_text("utf-8"))
    assert corrected["summary"]["correct"] == 9  # the right ones of `wheel` swap
    tasks = folder / "mill" / "tasks.json"
    tasks.write_text(tasks.read_text("utf-8").replace("Question", "Questions"), "utf-8")
    assert run(["score", "mill", "r.json", "--out", "other.json"]) == 2
    assert "spec.fixture_hashes.tasks is sha256-" in capsys.readouterr().err
    assert not (folder / "other.json").exists()


def test_what_cannot_be_scored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", "mill", "attempts.jsonl", "--out", "r.json", "-q"]) == 0
    value = json.loads((folder / "r.json").read_text("utf-8"))
    value["metrics_only"] = True
    value["source_report_sha256"] = "sha256-" + "1" * 64
    (folder / "metrics.json").write_text(json.dumps(value), "utf-8")
    capsys.readouterr()
    assert run(["score", "mill", "metrics.json"]) == 2
    assert f"Take the report that it was made from, sha256-{'1' * 64}" in capsys.readouterr().err
    assert run(["score", "mill", "r.json", "--spec", "r.json"]) == 2
    assert "--spec goes with JSON Lines" in capsys.readouterr().err
    assert run(["score", "mill", "r.json", "--schemas", "r.json"]) == 2
    assert "--schemas goes with JSON Lines" in capsys.readouterr().err
    (folder / "cut.jsonl").write_text('{"task": "wheel", "cat', "utf-8")
    assert run(["score", "mill", "cut.jsonl"]) == 2
    assert "line 1: is not JSON" in capsys.readouterr().err
    assert run(["score", "mill", "none.jsonl"]) == 2
    assert "cannot read none.jsonl" in capsys.readouterr().err


def test_attempts_of_another_world_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["score", "mill", "attempts.jsonl", "--out", "r.json", "-q"]) == 0
    text = (folder / "r.json").read_text("utf-8").replace('"task": "race"', '"task": "rice"')
    (folder / "other.json").write_text(text, "utf-8")
    capsys.readouterr()
    assert run(["score", "mill", "other.json"]) == 2
    assert (
        "task is 'rice', which is not a task of the world; did you mean 'race'?"
        in capsys.readouterr().err
    )
