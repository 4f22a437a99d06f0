"""Contexts without dated headers: taken with their tokens and with what of them can be located."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.evidence.tokens import Tokenizer
from harness.recording.recording import Recording
from harness.replay.run import Run

from ...make.manifests import edit_manifest
from ...make.results import QUESTIONS, import_results, row, write_data, write_results

TOLD = (
    "Conversation memories:\n\n"
    "- user: The kettle went to the shed.\n\n"
    "assistant: Noted.\n"
    "- The user keeps a kettle in the shed\n"
    "- A cat\n"
)
"""A snippet of two turns, a fact in other words, and a name."""
NOTHING = "Conversation memories:\n\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_data(tmp_path)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    rows = [row(QUESTIONS[0], TOLD), row(QUESTIONS[1], NOTHING, status="success_empty")]
    return write_results(tmp_path / "mem0-v1", rows, library="mem0")


def evidence_of(folder: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    capsys.readouterr()
    assert run(["evidence", str(folder), "--json"]) == 0
    (shown,) = json.loads(capsys.readouterr().out)
    return shown


def test_what_is_located_is_evidence_and_the_rest_is_counted(
    data: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert import_results(results, data, out, "--json") == 0
    captured = capsys.readouterr()
    counts = {each["check"]: each["count"] for each in json.loads(captured.out)}
    assert {name: counts[name] for name in ("contexts_undated", "items", "parts")} == {
        "contexts_undated": 1,
        "items": 3,
        "parts": 3,
    }
    assert (counts["parts_located"], counts["parts_unlocated"]) == (1, 2)
    assert (counts["lines_too_short"], counts["lines_in_several_places"]) == (1, 0)
    assert (counts["empty_contexts"], counts["rendered_differently"]) == (1, 0)
    assert "1 contexts have no dated headers" in captured.err
    assert "2 of 3 lines or runs of lines were not located in the records" in captured.err
    assert "are these the records" not in captured.err
    (case, _) = Run.open(out).evidence_rows(Run.open(out).points).to_pylist()
    snippet = "user: The kettle went to the shed.\n\nassistant: Noted."
    others = "The user keeps a kettle in the shed" + "A cat"
    assert case["quoted_chars_raw"] == len(snippet) + len(others)
    assert case["quoted_chars_in_answer_sessions"] == len(snippet)
    assert case["evidence_turn_chars_quoted"] == len("The kettle went to the shed.")
    assert case["context_tokens"] == Tokenizer("cl100k_base").count(TOLD)
    shown = evidence_of(out, capsys)
    assert shown["answer_sessions_shown"] == 0.5  # the other context is empty
    assert shown["denominators"]["context_tokens"]["scored"] == 2


def test_one_line_with_a_header_makes_headers_expected_of_all(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A context that was cut or edited is not taken for one of another library."""
    rows = [row(QUESTIONS[0]), row(QUESTIONS[1], TOLD)]
    folder = write_results(tmp_path / "memo-1.0", rows)
    assert import_results(folder, data, tmp_path / "run") == 2
    assert "question 'q1': its context cannot be split into items" in capsys.readouterr().err


def test_a_line_of_two_sessions_is_of_none(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twice = [*QUESTIONS[0]["haystack_sessions"][:2], QUESTIONS[0]["haystack_sessions"][1]]
    questions = [{**each, "haystack_sessions": twice} for each in QUESTIONS]
    doubled = write_data(tmp_path, questions)
    folder = write_results(tmp_path / "zep-v3", [row(QUESTIONS[0], TOLD), row(QUESTIONS[1], "")])
    assert import_results(folder, doubled, tmp_path / "run", "--json") == 0
    counts = {each["check"]: each["count"] for each in json.loads(capsys.readouterr().out)}
    assert (counts["parts_located"], counts["lines_in_several_places"]) == (0, 1)
    assert evidence_of(tmp_path / "run", capsys)["answer_sessions_shown"] == 0.0


def test_no_point_is_cut_from_them(
    data: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = ("--point", "count-curve(k=1)")
    assert import_results(results, data, tmp_path / "run", *cut) == 2
    message = f"count-curve(k=1) cannot be cut from the contexts of {results}: they have no dated"
    assert message in capsys.readouterr().err
    assert import_results(results, data, tmp_path / "run", "-q") == 0
    out = ("--out", str(tmp_path / "inputs"))
    assert run(["export", "omnimemeval", str(tmp_path / "run"), *cut, *out]) == 2
    assert (
        "they have no dated headers, so where an item ends is not known" in capsys.readouterr().err
    )
    own = ("--point", "external(name=mem0-v1)")
    assert run(["export", "omnimemeval", str(tmp_path / "run"), *own, *out]) == 0
    written = tmp_path / "inputs" / "mem0_lme_search_results.json"
    rows = json.loads(written.read_text(encoding="utf-8"))
    assert [each["search_context"] for (each,) in rows.values()] == [TOLD, NOTHING]


def test_whoever_shows_the_evidence_says_what_is_lost(
    data: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert import_results(results, data, out, "-q") == 0
    lost = "2 of 3 lines or runs of lines were not located in the records"
    assert run(["evidence", str(out)]) == 0
    assert lost in capsys.readouterr().out
    assert run(["report", str(out), "--out", str(tmp_path / "report"), "-q"]) == 0
    for page in ("README.md", "external/README.md"):
        assert lost in (tmp_path / "report" / page).read_text(encoding="utf-8")
    capsys.readouterr()
    assert run(["show", str(out / "recording"), "--json"]) == 0
    shown = {each["property"]: each["value"] for each in json.loads(capsys.readouterr().out)}
    assert (shown["dataset.parts"], shown["dataset.parts_unlocated"]) == (3, 2)


def test_a_manifest_that_says_something_else_there_is_refused(
    data: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert import_results(results, data, out, "-q") == 0
    edit_manifest(out, lambda value: value["content"]["imported"].update(checks={"parts": "3"}))
    capsys.readouterr()
    assert run(["evidence", str(out)]) == 2
    error = capsys.readouterr().err
    assert "content.imported: 1 fault" in error
    assert "checks.parts is the string '3', expected a whole number" in error


def test_the_recording_keeps_each_line_and_its_session(
    data: Path, results: Path, tmp_path: Path
) -> None:
    assert import_results(results, data, tmp_path / "run", "-q") == 0
    first, second = Recording.open(tmp_path / "run" / "recording").cases()
    assert [item.head for item in first.items] == ["q0:1", "q0:unlocated:0", "q0:unlocated:1"]
    assert [record.session_id for record in first.records] == ["answer_s1", None, None]
    assert [record.timestamp for record in first.records][1:] == [None, None]
    assert second.items == ()
