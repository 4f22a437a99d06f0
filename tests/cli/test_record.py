"""`harness record longmemeval` as a verb; what it makes is tested with the recordings."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli.main import run
from harness.recording.recording import Recording

from ..make.questions import SESSIONS, question, record, word_embedder, write_questions


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_questions(tmp_path / "data.json", [question("q1", SESSIONS)])


def test_it_says_what_comes_next_unless_quiet(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["record", "longmemeval", str(data), "--cache", str(tmp_path / "cache")]
    with word_embedder():
        assert run([*given, "--out", str(tmp_path / "one")]) == 0
        captured = capsys.readouterr()
        assert (
            captured.err
            == f"{tmp_path / 'one'}: recorded. Next: harness replay {tmp_path / 'one'} --out RUN\n"
        )
        assert run([*given, "--out", str(tmp_path / "two"), "-q"]) == 0
    quiet = capsys.readouterr()
    assert (captured.out, quiet.out, quiet.err) == ("", "", "")


def test_a_dry_run_prints_a_table(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with word_embedder():
        assert record(data, tmp_path / "out", "--dry-run") == 0
    heading, _, row = capsys.readouterr().out.splitlines()
    assert heading.split("  ")[0] == "  cases".strip() or "cases" in heading
    assert "texts to embed" in heading
    assert row.split()[:2] == ["1", "3"]
    assert row.endswith("0 MB")


def test_the_manifest_has_what_was_given_and_what_it_meant(data: Path, tmp_path: Path) -> None:
    with word_embedder():
        assert record(data, tmp_path / "out", "--items", "2", "--jobs", "2") == 0
    arguments = Recording.open(tmp_path / "out").manifest.arguments
    assert arguments["verb"] == "record longmemeval"
    assert arguments["given"] == {"data": str(data), "items": 2}
    assert arguments["resolved"]["items"] == 2
    assert arguments["resolved"]["reserved"] == 2
    assert arguments["resolved"]["recall"]["recall"] == "bm25"


def test_the_default_cache_is_not_touched_when_another_is_given(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    default = tmp_path / "default" / "vectors.sqlite"
    monkeypatch.setattr("harness.retrieval.default_cache_path", lambda: default)
    given = ["record", "longmemeval", str(data), "-q"]
    with word_embedder():
        assert record(data, tmp_path / "one") == 0
        assert not default.exists()
        assert run([*given, "--out", str(tmp_path / "two"), "--dry-run"]) == 0
        assert not default.exists()
        assert run([*given, "--out", str(tmp_path / "two")]) == 0
    assert default.exists()


@pytest.mark.parametrize("name", ["none.json", "."])
def test_data_must_be_a_file(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert record(tmp_path / name, tmp_path / "out") == 2
    assert "Invalid value for 'DATA'" in capsys.readouterr().err
