"""Which cases are replayed: a part of a split, or all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run as call
from harness.datasets.split import drawn_indices
from harness.recording.recording import Recording
from harness.replay import schema
from harness.replay.run import Run
from harness.storage.hashing import sha256_of_file


@pytest.fixture(scope="module")
def split(recording: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty of the seventy questions for development, in the published format."""
    ids = Recording.open(recording).case_ids
    dev = [
        {"index": index, "question_id": ids[index], "question_type": "multi-session"}
        for index in drawn_indices(7, 20, 70)
    ]
    path = tmp_path_factory.mktemp("split") / "split.json"
    path.write_text(json.dumps({"seed": 7, "drawn": 20, "of": 70, "dev": dev}), encoding="utf-8")
    return path


def replay(recording: Path, out: Path, *more: str) -> int:
    given = ["--point", "items", "--point", "evidence(budget=2000)", "--no-tokens"]
    return call(["replay", str(recording), "--out", str(out), *given, *more])


@pytest.mark.parametrize(("part", "size"), [("dev", 20), ("test", 50), ("all", 70)])
def test_a_part_is_replayed_in_the_order_of_the_recording(
    recording: Path, split: Path, tmp_path: Path, part: str, size: int
) -> None:
    assert replay(recording, tmp_path / "run", "--split", str(split), "--part", part) == 0
    opened = Run.open(tmp_path / "run")
    dev = set(drawn_indices(7, 20, 70))
    wanted = {"dev": dev, "test": set(range(70)) - dev, "all": set(range(70))}[part]
    assert opened.cases().column("case").to_pylist() == sorted(wanted)
    assert len(wanted) == size
    assert opened.manifest.work["part"] == part
    assert opened.manifest.work["split_sha256"] == sha256_of_file(split)
    selections = opened.table(schema.SELECTIONS).to_pylist()
    ids = opened.cases().column("case_id").to_pylist()
    assert sorted({row["case_id"] for row in selections}) == sorted(ids)
    assert len(selections) == 2 * size


def test_a_part_has_the_rows_of_the_whole(recording: Path, split: Path, tmp_path: Path) -> None:
    assert replay(recording, tmp_path / "dev", "--split", str(split), "--part", "dev") == 0
    assert replay(recording, tmp_path / "all") == 0
    dev, whole = (Run.open(tmp_path / name) for name in ("dev", "all"))
    ids = set(dev.cases().column("case_id").to_pylist())
    for table in (schema.SELECTIONS, schema.QUOTES, schema.SEQUENCES, schema.EVIDENCE):
        rows: list[dict[str, Any]] = whole.table(table).to_pylist()
        kept = [row for row in rows if row["case_id"] in ids]
        # rows stand by case, but for the parts of the shards
        assert sorted(map(repr, dev.table(table).to_pylist())) == sorted(map(repr, kept))


def test_a_part_is_not_added_to_another(
    recording: Path, split: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert replay(recording, out, "--split", str(split), "--part", "dev") == 0
    assert replay(recording, out, "--split", str(split), "--part", "test") == 2
    assert "holds a run of another part (dev, asked for test)" in capsys.readouterr().err
    assert replay(recording, out) == 2


def test_without_tokens_there_are_none(recording: Path, tmp_path: Path) -> None:
    assert replay(recording, tmp_path / "run") == 0
    opened = Run.open(tmp_path / "run")
    assert opened.manifest.work["tokens"] is None
    for table in (schema.SELECTIONS, schema.EVIDENCE):
        for column in ("context_tokens", "prompt_tokens_estimated"):
            assert opened.table(table, [column]).column(0).null_count == 140


def all_dev(recording: Path, folder: Path) -> Path:
    ids = Recording.open(recording).case_ids
    dev = [{"index": n, "question_id": name, "question_type": "t"} for n, name in enumerate(ids)]
    path = folder / "all-dev.json"
    path.write_text(json.dumps({"seed": 1, "drawn": 70, "of": 70, "dev": dev}), encoding="utf-8")
    return path


def test_a_part_without_cases_is_refused(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    split = all_dev(recording, tmp_path)
    assert replay(recording, tmp_path / "run", "--split", str(split), "--part", "test") == 2
    assert f"{recording} has no case of the part 'test'" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_part_needs_a_split_and_a_split_of_this_data(
    recording: Path, split: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay(recording, tmp_path / "run", "--part", "dev") == 2
    assert "--part dev needs --split FILE" in capsys.readouterr().err
    other = tmp_path / "other.json"
    other.write_text(split.read_text().replace(': "q', ': "other-q'), encoding="utf-8")
    assert replay(recording, tmp_path / "run", "--split", str(other), "--part", "dev") == 2
    assert "the split is not one of this data" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
