"""`harness explain`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.recording.case_example import example_line

FIXTURES = Path(__file__).resolve().parents[2] / "datasets" / "fixtures" / "selection"
CASES = FIXTURES / "cases.jsonl"


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fixtures as a recording."""
    out = tmp_path_factory.mktemp("fixtures") / "recording"
    assert run(["import", "cases", str(CASES), "--out", str(out), "-q"]) == 0
    return out


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert run(["explain", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_a_sequence_as_text(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, recording, "greedy", "--point", "2.6.5a1(budget=800)")
    lines = text.splitlines()
    assert lines[:6] == [
        "case      greedy",
        "question  Where does the cat sleep?",
        "point     2.6.5a1(budget=800)",
        "used      640 of 800 characters",
        "",
        "1 of 3 passages are taken, the first of the sequence.",
    ]
    cut = next(line for line in lines if line.split()[:2] == ["2", "no"])
    assert "the first that does not fit: 1,040 of 800 characters" in cut


def test_a_recording_and_its_file_say_the_same(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for point in ("sea(limit=2)", "items", "whole(budget=800)"):
        from_recording = printed(capsys, recording, "zero-vectors", "--point", point)
        assert printed(capsys, CASES, "zero-vectors", "--point", point) == from_recording


def test_json_has_every_reason(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, recording, "conflicting-records", "-p", "sea(limit=2)", "--json")
    value: dict[str, Any] = json.loads(text)
    assert (value["kind"], value["point"], value["used"]) == ("candidates", "sea(limit=2)", 270)
    last = value["reasons"][-1]
    assert last["record_id"] == "superseded"
    assert last["reasons"] == ["record cap"]
    assert last["contributions"]["semantic"] is None
    assert last["score_enough"] == pytest.approx(0.255)


def test_csv_has_a_column_for_each_signal(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(capsys, recording, "conflicting-records", "-p", "sea", "--csv")
    first = next(csv.DictReader(io.StringIO(text)))
    assert first["record_id"] == "contradiction"
    assert float(first["contradiction"]) == pytest.approx(0.05)
    assert first["semantic"] == ""


def test_a_long_sequence_is_shown_up_to_its_cut(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    point = ("--point", "2.6.5a1(budget=800)")
    assert "… and 4 more after the cut" in printed(capsys, recording, "greedy-walk", *point)
    everything = printed(capsys, recording, "greedy-walk", *point, "--all")
    assert "more after the cut" not in everything
    assert "fifty" in everything


def test_an_empty_store(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for point in ("sea", "items", "2.6.5a1(budget=800)"):
        assert "(none)" in printed(capsys, recording, "empty-store", "--point", point)
    empty = json.loads(printed(capsys, recording, "empty-store", "-p", "sea", "--json"))
    assert empty["reasons"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["greedyy", "-p", "items"], "has no case 'greedyy'; did you mean 'greedy'?"),
        (["greedy", "-p", "itemz"], "there is no arm 'itemz'"),
        (["greedy", "-p", "lookup-table"], "lookup-table runs on lookup cases"),
        (["greedy"], "--point"),
        (["greedy", "-p", "items", "--json", "--csv"], "exclude each other"),
    ],
)
def test_refusals(
    recording: Path,
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for source in (recording, CASES):
        assert run(["explain", str(source), *arguments]) == 2
        captured = capsys.readouterr()
        assert message in captured.err
        assert captured.out == ""


def test_a_bare_arm_without_defaults_is_no_point(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explain", str(recording), "greedy", "-p", "2.6.5a1"]) == 2
    assert "needs budget" in capsys.readouterr().err


def test_evidence_is_marked_by_the_labels(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Of the documented example: `r2` has the labelled turn, and is a claim of the first item."""
    cases = tmp_path / "cases.jsonl"
    cases.write_text(example_line(), encoding="utf-8")

    def marks(point: str) -> dict[str, str | None]:
        rows = json.loads(printed(capsys, cases, "kettle-1", "-p", point, "--json"))["reasons"]
        return {row["record_id"]: row["evidence"] for row in rows}

    assert marks("items") == {"r1": None, "r2": "turn", "r3": None}
    assert marks("2.6.5a1(budget=800)") == {"r1": None, "r2": "turn", "r3": None}
    assert marks("sea") == {"r1": None, "r3": None}
    text = printed(capsys, cases, "kettle-1", "-p", "items")
    assert "Evidence, by the labels of the case: turn" in text
    assert "Nothing here is evidence" in printed(capsys, cases, "kettle-1", "-p", "sea")


def test_without_labels_nothing_is_said_of_evidence(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "vidence" not in printed(capsys, recording, "greedy", "-p", "items").split("\n", 4)[4]
