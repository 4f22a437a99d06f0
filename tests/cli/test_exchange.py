"""`harness export cases` and `harness import cases`."""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.model import divide
from harness.recording.case_example import example_line
from harness.recording.recording import Recording
from harness.retrieval import quantise

from ..make.questions import SESSIONS, contents_of, question, word_embedder
from ..make.recordings import recording_of_questions

Object = dict[str, Any]


@pytest.fixture(scope="module")
def recording() -> Path:
    made = [question("q1", SESSIONS), question("q2", SESSIONS[1:], question="Is it 瓶?")]
    return recording_of_questions(made)


def lines(text: str) -> list[Object]:
    return [json.loads(line) for line in text.split("\n") if line]


def test_export_to_standard_output_and_to_a_file(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", "cases", str(recording)]) == 0
    printed = capsys.readouterr()
    out = tmp_path / "new" / "cases.jsonl"
    assert run(["export", "cases", str(recording), "--out", str(out)]) == 0
    assert out.read_text(encoding="utf-8") == printed.out
    assert capsys.readouterr().err == f"{out}: 2 cases\n"
    header, first, second = lines(printed.out)
    assert header["schema"] == "harness.cases/1"
    assert header["embedder"]["name"] == "words"
    data = (recording.parent / "data.json").read_bytes()
    assert header["dataset_sha256"] == hashlib.sha256(data).hexdigest()
    assert (first["case_id"], second["case_id"]) == ("q1", "q2")
    assert "Is it 瓶?" in printed.out


def test_export_of_some_cases(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", "cases", str(recording), "--case", "q2"]) == 0
    assert [line.get("case_id") for line in lines(capsys.readouterr().out)] == [None, "q2"]
    assert run(["export", "cases", str(recording), "--case", "q2", "--case", "q3"]) == 2
    captured = capsys.readouterr()
    assert "has no case 'q3'; did you mean" in captured.err
    assert captured.out == ""


def test_a_file_that_is_there_is_replaced_by_force_alone(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "cases.jsonl"
    out.write_text("mine")
    assert run(["export", "cases", str(recording), "--out", str(out)]) == 2
    assert out.read_text() == "mine"
    assert run(["export", "cases", str(recording), "--out", str(out), "--force", "-q"]) == 0
    assert len(lines(out.read_text(encoding="utf-8"))) == 3


def test_a_full_disk_leaves_no_half_file(
    recording: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    out = tmp_path / "cases.jsonl"
    assert run(["export", "cases", str(recording), "--out", str(out)]) == 2
    assert f"no room left on the disk while writing {out}" in capsys.readouterr().err
    assert contents_of(tmp_path) == {}


@pytest.mark.parametrize("packed", [False, True])
def test_import_from_standard_input(
    recording: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    packed: bool,
) -> None:
    assert run(["export", "cases", str(recording)]) == 0
    exported = capsys.readouterr().out.encode("utf-8")
    data = gzip.compress(exported) if packed else exported
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert run(["import", "cases", "-", "--out", str(tmp_path / "again")]) == 0
    assert "imported. Next: harness replay" in capsys.readouterr().err
    assert Recording.open(tmp_path / "again").sha256 == Recording.open(recording).sha256


def test_import_twice_is_nothing_to_do(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "cases.jsonl", tmp_path / "out"
    assert run(["export", "cases", str(recording), "--out", str(source)]) == 0
    given = ["import", "cases", str(source), "--out", str(out)]
    assert run(given) == 0
    before = contents_of(out)
    capsys.readouterr()
    assert run(given) == 0
    assert "holds this recording already" in capsys.readouterr().err
    assert run([*given, "--force"]) == 0
    assert contents_of(out) == before


def case(**changes: Any) -> Object:
    made: Object = {
        "schema": "harness.case/1",
        "case_id": "c1",
        "query": {"text": "?", "vector": [0.5, 1.0]},
        "records": [
            {
                "record_id": "r",
                "text": "abcd",
                "blocks": [{"start": 0, "end": 2, "vector": "AAE="}, {"start": 2, "end": 4}],
            }
        ],
        "items": [{"head": "r"}],
    }
    return made | changes


def blocks(*made: Object) -> list[Object]:
    return [{"record_id": "r", "text": "abcd", "blocks": list(made)}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not JSON", "line 1"),
        ("", "holds no case"),
        (json.dumps(case(gold=None, golden=1)), "golden is an unknown key; did you mean 'gold'?"),
        (json.dumps(case(schema="harness.case/2")), "newer than 'harness.case/1'"),
        (
            json.dumps(case(records=blocks({"start": 0, "end": 3}, {"start": 2, "end": 4}))),
            "overlaps the block before it",
        ),
        (json.dumps(case(records=blocks({"start": 0, "end": 9}))), "records[0].blocks[0].end is 9"),
        (
            json.dumps(case(records=blocks({"start": 0, "end": 4, "vector": "AAAA"}))),
            "has 2 dimensions, that of 1 block 3",
        ),
        (json.dumps(case(query={"text": "?", "vector": [float("nan")]})), "query.vector[0]"),
        (json.dumps(case()) + "\n" + json.dumps(case()), "is already in line 1"),
    ],
)
def test_bad_cases_are_refused_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    source = tmp_path / "cases.jsonl"
    source.write_text(text, encoding="utf-8")
    assert run(["import", "cases", str(source), "--out", str(tmp_path / "out")]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.startswith(f"error: {source}")
    assert not (tmp_path / "out").exists()


def test_a_packed_file_that_is_cut_short(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "cases.jsonl.gz"
    source.write_bytes(gzip.compress(json.dumps(case()).encode() * 50)[:-20])
    assert run(["import", "cases", str(source), "--out", str(tmp_path / "out")]) == 2
    assert str(source) in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def bare(name: str, text: str, **more: Any) -> Object:
    """A case of one record, neither divided nor embedded."""
    record = {"record_id": "r", "text": text, **more}
    return {
        "schema": "harness.case/1",
        "case_id": name,
        "query": {"text": f"Where is {name}?"},
        "records": [record],
        "items": [{"head": "r"}],
    }


def write_cases(path: Path, *cases: Object) -> Path:
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    return path


def test_import_divides_and_embeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "user: The kettle is here. The tent is there.\n\nassistant: Noted."
    own = [{"start": 0, "end": 10}, {"start": 10, "end": len(text)}]
    write_cases(Path("cases.jsonl"), bare("a", text), bare("b", ""), bare("c", text, blocks=own))
    call = ["import", "cases", "cases.jsonl", "--embed", "--embedder", "words", "-q"]
    with word_embedder() as embedder:
        assert run([*call, "--cache", "cache", "--out", "embedded"]) == 0
        one, empty, divided = Recording.open(Path("embedded")).cases()
        blocks = one.records[0].blocks
        assert blocks is not None
        spans = divide(text)
        assert list(zip(blocks.starts, blocks.ends, strict=True)) == [
            (span.start, span.end) for span in spans
        ]
        assert blocks.vectors is not None
        for row, span in zip(blocks.vectors, spans, strict=True):
            vector = embedder.embed(text[span.start : span.end])
            assert row.tolist() == quantise(vector).tolist()
        assert one.query.vector is not None
        assert one.query.vector.tolist() == embedder.embed("Where is a?").tolist()
        assert empty.records[0].blocks is None or len(empty.records[0].blocks) == 0
        kept = divided.records[0].blocks
        assert kept is not None
        assert kept.ends.tolist() == [10, len(text)]  # as it was given
    content = Recording.open(Path("embedded")).manifest.content
    assert content["embedder"]["name"] == "words"


def test_what_is_embedded_already_is_not_embedded_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "cases.jsonl"
    source.write_text(example_line(), encoding="utf-8")
    call = ["import", "cases", str(source), "--out", str(tmp_path / "out"), "--embed"]
    with word_embedder():
        given = ["--embedder", "words", "--cache", str(tmp_path / "cache")]
        assert run([*call, *given]) == 2
    assert "case 'kettle-1' has vectors already" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_an_embedder_without_embed_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write_cases(tmp_path / "cases.jsonl", bare("a", "b"))
    call = ["import", "cases", str(source), "--out", str(tmp_path / "out")]
    assert run([*call, "--embedder", "http"]) == 2
    assert "Add --embed" in capsys.readouterr().err
