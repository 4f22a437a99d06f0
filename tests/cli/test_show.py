"""`harness show`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.recording import schema
from harness.recording.recording import Recording

from ..make.questions import SESSIONS, question
from ..make.recordings import recording_of_questions


@pytest.fixture(scope="module")
def recording() -> Path:
    made = [question("q1", SESSIONS), question("q2_abs", SESSIONS[:1], answer=7)]
    return recording_of_questions(made)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of a case with what a dataset never has."""
    case = {
        "schema": "harness.case/1",
        "case_id": "c1",
        "query": {"text": "Where?"},
        "records": [
            {"record_id": "r1", "text": "line one\nline two " + "x" * 400},
            {"record_id": "r2", "text": "a claim", "timestamp": "2024-01-01", "blocks": []}
            | {"blocks": [{"start": 0, "end": 7}]},
        ],
        "items": [{"head": "r1", "claims": ["r2"]}],
    }
    folder = tmp_path_factory.mktemp("imported")
    (folder / "cases.jsonl").write_text(json.dumps(case), encoding="utf-8")
    out = folder / "recording"
    assert run(["import", "cases", str(folder / "cases.jsonl"), "--out", str(out), "-q"]) == 0
    return out


def test_json_has_every_count_hash_version_and_name(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(recording), "--json"]) == 0
    shown = {row["property"]: row["value"] for row in json.loads(capsys.readouterr().out)}
    manifest = Recording.open(recording).manifest
    assert shown["schema"] == "harness.recording/1"
    assert shown["content_sha256"] == manifest.content_sha256
    assert (shown["cases"], shown["items"], shown["dimension"]) == (2, 4, 16)
    assert shown["recall.recall"] == "bm25"
    assert shown["recall.stemmer"] is None
    assert shown["embedder.name"] == "words"
    assert shown["dataset.name"] == "data.json"
    assert shown["environment.python"] == manifest.environment["python"]
    assert shown["code.version"] == manifest.code["version"]
    for table in schema.TABLES:
        assert shown[f"sha256 {table}"] == manifest.files[table].sha256


def test_csv_and_text_have_the_same_rows(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(recording), "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert run(["show", str(recording)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["property", "value"]
    assert [line.split("  ")[0] for line in lines[2:]] == [row["property"] for row in rows]
    assert [line.split("  ", 1)[1].strip() for line in lines[2:]] == [
        row["value"] or "–" for row in rows
    ]


def test_verify_names_every_file_and_reads_every_case(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(recording), "--verify"]) == 0
    output = capsys.readouterr().out
    assert output.endswith("2 cases read\n")
    assert run(["show", str(recording), "--verify", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["file"] for row in rows} == set(schema.TABLES)
    assert {row["state"] for row in rows} == {"as recorded"}
    for row in rows:
        assert row["bytes"] == (recording / row["file"]).stat().st_size


def test_a_case_is_readable(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", str(recording), "--case", "q2_abs"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "case      q2_abs  (multi-session)",
        "question  Where did the kettle go?",
        "date      2023-05-30T23:40:00+00:00",
        "answer    7  (abstention)",
        "sessions  –",
        "",
        "  1. q2_abs:0  2023-05-01T10:00:00+00:00  session s0  66 characters, 2 blocks  score 0",
        "     Session date: 2023-05-01T10:00:00+00:00",
        "     ",
        "     user: Rain in Lyon again.",
    ]


def test_a_case_with_evidence_names_its_spans(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(recording), "--case", "q1"]) == 0
    output = capsys.readouterr().out
    assert "sessions  answer_s1\n" in output
    start = len("Session date: 2023-05-02T10:00:00+00:00\n\nuser: ")
    end = start + len("The kettle went to the shed.")
    assert f"evidence  q1:1 [{start}:{end}] user\n" in output


def test_a_case_with_claims_and_a_record_without_blocks(
    imported: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(imported), "--case", "c1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == ["case      c1  (no category)", "question  Where?", "date      –", ""]
    assert lines[4] == "  1. r1  undated  418 characters, no block set"
    assert lines[5] == "     line one"
    assert lines[6].endswith("xxx…")
    assert lines[7] == "     claim r2  2024-01-01  7 characters, 1 block"


def test_what_cannot_be_shown(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", str(recording), "--case", "q2"]) == 2
    assert "has no case 'q2'; did you mean 'q2_abs'?" in capsys.readouterr().err
    assert run(["show", str(recording), "--case", "q1", "--csv"]) == 2
    assert "a case has no CSV form" in capsys.readouterr().err
    assert run(["show", str(recording), "--json", "--csv"]) == 2
    assert "exclude each other" in capsys.readouterr().err


def test_cases_are_listed(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", str(recording), "--cases", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {
            "case_id": name,
            "category": "multi-session",
            "question": "Where did the kettle go?",
            "items": items,
        }
        for name, items in (("q1", 3), ("q2_abs", 1))
    ]
    assert run(["show", str(recording), "--cases"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["case", "type", "items", "question"]
    assert lines[2].split()[0] == "q1"
    assert run(["show", str(recording), "--cases", "--verify"]) == 2
    assert "exclude each other" in capsys.readouterr().err
