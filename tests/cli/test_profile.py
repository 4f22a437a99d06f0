"""`harness profile`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from harness.cli.main import run

from ..make.attempts import right_attempts, write_attempts, write_mill

TABLES = """\
report    state      attempts    tokens  complete    same attempts as    because
--------  -------  ----------  --------  ----------  ------------------  ---------
r.json    kept              5       500  yes

Tokens: 500 in kept reports, 0 in superseded ones, 500 altogether.
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A report of right attempts in a mill."""
    monkeypatch.chdir(tmp_path)
    write_attempts(tmp_path / "attempts.jsonl", *right_attempts())
    write_mill(tmp_path / "mill")
    assert run(["score", "mill", "attempts.jsonl", "--out", "r.json", "-q"]) == 0
    return tmp_path


def test_the_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["profile", "r.json"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(TABLES)
    assert "\nr.json          2           4                 100.0\n" in out
    assert "\nr.json    mark_fetch                 1         1\n" in out


def test_json_and_csv(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["profile", "r.json", "--json", "--by", "category"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["tokens"] == {"kept": 500, "superseded": 0, "all": 500}
    assert [row["category"] for row in found["profiles"]] == ["absent", "broken", "direct"]
    absent = found["profiles"][0]
    assert (absent["lookups"], absent["lookups_with_budget"], absent["turns"]) == (2, 0, 3)
    assert absent["by_turns"] == [{"turns": 3, "attempts": 1, "tokens": 100}]
    assert run(["profile", "r.json", "--csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["report"], row["output_share"]) == ("r.json", "0.1")


def test_what_is_not_a_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profile", "attempts.jsonl"]) == 2
    assert "harness score WORLD attempts.jsonl --out REPORT" in capsys.readouterr().err
    assert run(["profile", "none.json"]) == 2
    assert "none.json" in capsys.readouterr().err
    assert run(["profile"]) == 2
