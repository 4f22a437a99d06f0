"""`harness export trec`, and the metric that it shares its sessions with."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from harness import api
from harness.cli.main import run

from ..make.recordings import small_recording, small_run
from ..make.sessions import session_run


def export(*arguments: str) -> int:
    return run(["export", "trec", str(session_run()), *arguments])


def test_a_point_and_its_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "trec"
    assert export("--point", "items", "--out", str(out)) == 0
    assert capsys.readouterr().err == (f"{out}: 6 questions, 1 without a session, 4 with labels\n")
    assert (out / "run.trec").read_text().splitlines()[:3] == [
        "two%20words Q0 a%20b 1 2 items",
        "two%20words Q0 s2 2 1 items",
        "100%25 Q0 s%251 1 2 items",
    ]
    assert (out / "qrels.trec").read_text().splitlines()[:3] == [
        "two%20words 0 s2 1",
        "two%20words 0 elsewhere 1",
        "empty 0 s9 1",
    ]


def test_the_window_is_the_recall_s_own(tmp_path: Path) -> None:
    assert export("--window", "--out", str(tmp_path), "-q") == 0
    lines = (tmp_path / "run.trec").read_text().splitlines()
    assert [line.split()[2] for line in lines if line.startswith("100%25")] == [
        "s%251",
        "s2",
        "void",
    ]
    assert lines[0].endswith(" window")


def test_files_are_replaced_when_forced_and_only_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("--point", "items", "--out", str(tmp_path))
    (tmp_path / "qrels.trec").write_text("mine\n")
    assert export(*given) == 2
    assert "qrels.trec exists and holds something else" in capsys.readouterr().err
    assert not (tmp_path / "run.trec").exists()
    assert export(*given, "--force") == 0
    assert export(*given) == 0
    assert "nothing to do" in capsys.readouterr().err


def test_what_is_ranked_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ("--out", str(tmp_path))
    assert export(*out) == 2
    assert export("--window", "--point", "items", *out) == 2
    assert capsys.readouterr().err.count("Give --point SPEC or --window") == 2
    assert export("--point", "items", "--recording", str(small_recording()), *out) == 2
    assert "is another recording" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_metric_is_printed_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["evidence", str(session_run()), "--metrics", "session_precision"]
    assert run([*given, "--json", "--against", "count-curve(k=1)"]) == 0
    (items, one) = json.loads(capsys.readouterr().out)
    assert items["session_precision"] == pytest.approx(11 / 24, abs=1e-15)
    assert one["session_precision"] == 0.25
    assert items["differences"]["session_precision"]["wins"] == 2
    assert list(items) == ["point", "session_precision", "denominators", "differences"]
    assert run([*given, "--csv"]) == 0
    row = next(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert row["session_precision_scored"] == "4"
    assert run(given) == 0
    assert "session precision (%)" in capsys.readouterr().out


def test_the_metric_is_not_there_unasked(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evidence", str(session_run()), "--json"]) == 0
    assert "session_precision" not in capsys.readouterr().out


def test_python_gives_the_metric_with_the_recording() -> None:
    opened = api.open_run(small_run())
    frame = opened.evidence(recording=small_run().parent / "recording")
    precision = frame[frame.metric == "session_precision"].set_index("point")["value"]
    # q1: the answer session is the second of two; q2: both sessions are
    assert precision.tolist() == [0.5, 0.75, 0.75]
    assert "session_precision" not in set(opened.evidence()["metric"])
