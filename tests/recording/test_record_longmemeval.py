"""`harness record longmemeval`, on made-up questions."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from harness.cli.main import run
from harness.model import Case
from harness.recording import schema
from harness.recording.case_writer import case_object
from harness.recording.recording import Recording

from ..make.questions import (
    SESSIONS,
    WordEmbedder,
    contents_of,
    made_questions,
    question,
    record,
    turn,
    write_questions,
)


def cases_of(out: Path) -> list[Case]:
    return list(Recording.open(out).cases())


def test_twice_from_nothing_is_the_same_to_the_byte(
    embedder: WordEmbedder, data: Path, tmp_path: Path
) -> None:
    assert record(data, tmp_path / "one") == 0
    assert record(data, tmp_path / "two") == 0
    assert contents_of(tmp_path / "one") == contents_of(tmp_path / "two")
    assert set(contents_of(tmp_path / "one")) == {*schema.TABLES, "manifest.json"}


def test_each_distinct_text_is_embedded_once_and_white_space_never(
    embedder: WordEmbedder, data: Path, tmp_path: Path
) -> None:
    assert record(data, tmp_path / "out") == 0
    blocks = pq.read_table(tmp_path / "out" / schema.BLOCKS).column("text").to_pylist()
    asked = {one["question"] for one in made_questions(6)}
    assert sorted(embedder.asked) == sorted([*asked, *(text for text in blocks if text.strip())])


def test_what_the_cache_has_is_not_embedded_again(
    embedder: WordEmbedder, data: Path, tmp_path: Path
) -> None:
    assert record(data, tmp_path / "out") == 0
    embedder.asked.clear()
    assert record(data, tmp_path / "out", "--force") == 0
    assert embedder.asked == []


def test_the_same_again_is_nothing_to_do(
    embedder: WordEmbedder, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert record(data, out) == 0
    before = {path: path.stat().st_mtime_ns for path in out.iterdir()}
    given = ["record", "longmemeval", str(data), "--out", str(out)]
    assert run([*given, "--cache", str(tmp_path / "cache"), "--jobs", "2"]) == 0
    assert "holds this recording already" in capsys.readouterr().err
    assert {path: path.stat().st_mtime_ns for path in out.iterdir()} == before


@pytest.mark.parametrize(
    ("more", "difference"),
    [
        (["--items", "9"], "items: stored 10, asked for 9"),
        (["--reserved", "0"], "reserved: stored 2, asked for 0"),
        (["--recall", "hybrid"], "recall: stored"),
    ],
)
def test_other_work_is_refused_and_force_replaces_it(
    embedder: WordEmbedder,
    data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    difference: str,
) -> None:
    out = tmp_path / "out"
    assert record(data, out) == 0
    before = contents_of(out)
    assert record(data, out, *more) == 2
    assert f"holds other finished work ({difference}" in capsys.readouterr().err
    assert contents_of(out) == before
    assert record(data, out, *more, "--force") == 0
    assert contents_of(out) != before


def test_a_window_is_the_first_places_and_the_reserved_ones(
    embedder: WordEmbedder, data: Path, tmp_path: Path
) -> None:
    assert record(data, tmp_path / "all", "--items", "99", "--reserved", "0") == 0
    assert record(data, tmp_path / "out", "--items", "3", "--reserved", "1") == 0
    for whole, case in zip(cases_of(tmp_path / "all"), cases_of(tmp_path / "out"), strict=True):
        heads = [item.head for item in case.items]
        assert [item.reserved for item in case.items] == [False] * 3 + [True]
        assert heads[:3] == [item.head for item in whole.items[:3]]
        assert len(set(heads)) == 4


def test_small_and_empty_haystacks(embedder: WordEmbedder, tmp_path: Path) -> None:
    silent = [[turn("user", ""), turn("assistant", " ")], []]
    made = [question("three", SESSIONS), question("none", silent, answer=7)]
    data = write_questions(tmp_path / "data.json", made)
    assert record(data, tmp_path / "out") == 0
    three, none = cases_of(tmp_path / "out")
    assert sorted(item.head for item in three.items) == ["three:0", "three:1", "three:2"]
    assert not any(item.reserved for item in three.items)
    assert (none.items, none.records) == ((), ())
    assert none.gold is not None
    assert none.gold.answer == 7
    assert three.gold is not None
    assert three.gold.sessions == ("answer_s1",)


def test_packed_and_by_line_gives_the_same_tables(embedder: WordEmbedder, tmp_path: Path) -> None:
    made = made_questions(4)
    lines = "".join(json.dumps(one) + "\n" for one in made)
    packed = tmp_path / "data.jsonl.gz"
    packed.write_bytes(gzip.compress(lines.encode()))
    assert record(write_questions(tmp_path / "data.json", made), tmp_path / "plain") == 0
    assert record(packed, tmp_path / "packed") == 0
    assert Recording.open(tmp_path / "plain").sha256 == Recording.open(tmp_path / "packed").sha256


def test_hybrid_embeds_every_user_turn_and_says_so(
    embedder: WordEmbedder, data: Path, tmp_path: Path
) -> None:
    assert record(data, tmp_path / "out", "--recall", "hybrid") == 0
    turns = {
        content
        for one in made_questions(6)
        for session in one["haystack_sessions"]
        for said in session
        if said["role"] == "user"
        and (content := said["content"].replace("<|endoftext|>", "").strip())
    }
    assert turns <= set(embedder.asked)
    manifest = Recording.open(tmp_path / "out").manifest
    assert manifest.content["recall"]["recall"] == "hybrid"
    assert manifest.content["recall"]["fusion_constant"] == 60


@pytest.mark.parametrize("recall", ["bm25", "hybrid"])
def test_a_dry_run_writes_nothing(
    embedder: WordEmbedder,
    data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    recall: str,
) -> None:
    more = ["--recall", recall, "--dry-run", "--json"]
    before = contents_of(tmp_path)
    assert record(data, tmp_path / "out", *more) == 0
    assert contents_of(tmp_path) == before
    [row] = json.loads(capsys.readouterr().out)
    assert list(row) == [
        "cases",
        "records",
        "distinct_blocks",
        "texts_to_embed",
        "expected_seconds",
        "expected_bytes",
    ]
    assert record(data, tmp_path / "out", "--recall", "bm25") == 0
    counts = Recording.open(tmp_path / "out").manifest.content["counts"]
    for key in ("cases", "records", "distinct_blocks"):
        assert row[key] == counts[key]
    if recall == "bm25":
        blank = sum(not text.strip() for text in _block_texts(tmp_path / "out"))
        assert row["texts_to_embed"] == counts["distinct_blocks"] - blank
        assert record(data, tmp_path / "out", *more) == 0
        assert json.loads(capsys.readouterr().out)[0]["texts_to_embed"] == 0
    else:
        assert row["texts_to_embed"] > counts["distinct_blocks"]


def _block_texts(out: Path) -> list[str]:
    texts: list[str] = pq.read_table(out / schema.BLOCKS).column("text").to_pylist()
    return texts


def test_cases_by_show_are_those_of_the_questions(
    embedder: WordEmbedder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_questions(tmp_path / "data.json", [question("q1", SESSIONS)])
    assert record(data, tmp_path / "out") == 0
    capsys.readouterr()
    assert run(["show", str(tmp_path / "out"), "--case", "q1", "--json"]) == 0
    [case] = cases_of(tmp_path / "out")
    assert json.loads(capsys.readouterr().out) == case_object(case)
