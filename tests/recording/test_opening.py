"""Opening a recording: verified by hash, read a few row groups at a time."""

from __future__ import annotations

import shutil
import weakref
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from harness.cli.main import run
from harness.errors import InputError
from harness.model import Case, Item, Query
from harness.recording import schema, store
from harness.recording.case_lines import CasesHeader, write_cases
from harness.recording.case_writer import case_object
from harness.recording.recording import Recording
from harness.recording.sources.from_cases import import_cases

from ..make.cases import made_record
from ..make.manifests import edit_manifest

VERBS = {
    "show": ["show", "{recording}"],
    "verify": ["show", "{recording}", "--verify"],
    "replay": ["replay", "{recording}", "--out", "{out}", "--point", "items"],
    "export": ["export", "cases", "{recording}", "--out", "{out}"],
}


def call(verb: str, recording: Path, out: Path) -> int:
    return run([part.format(recording=recording, out=out) for part in VERBS[verb]])


@pytest.fixture
def copied(recording: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(recording, tmp_path / "copied"))


def flip(path: Path, position: int) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("table", schema.TABLES)
def test_one_changed_byte_is_refused_by_name(
    copied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], table: str, verb: str
) -> None:
    path = copied / table
    flip(path, path.stat().st_size // 2)
    assert call(verb, copied, tmp_path / "out") == 2
    captured = capsys.readouterr()
    assert f"{path} has sha256" in captured.err
    assert captured.out == ""
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("verb", VERBS)
def test_a_missing_table_is_refused_by_name(
    copied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    (copied / schema.GOLD).unlink()
    assert call(verb, copied, tmp_path / "out") == 2
    assert f"{copied / schema.GOLD} is missing" in capsys.readouterr().err


@pytest.mark.parametrize("verb", VERBS)
def test_a_newer_version_is_refused(
    copied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    path = copied / "manifest.json"
    path.write_text(path.read_text().replace("harness.recording/1", "harness.recording/2"))
    assert call(verb, copied, tmp_path / "out") == 2
    assert "is newer than 'harness.recording/1'" in capsys.readouterr().err


@pytest.mark.parametrize("verb", VERBS)
def test_unfinished_and_other_folders_are_refused(
    copied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    (copied / "manifest.json").unlink()
    assert call(verb, copied, tmp_path / "out") == 2
    assert "it is not a recording, or writing it was interrupted" in capsys.readouterr().err
    assert call(verb, tmp_path / "none", tmp_path / "out") == 2
    assert f"{tmp_path / 'none'} is not a folder" in capsys.readouterr().err


def test_a_manifest_without_a_table_is_refused(copied: Path) -> None:
    edit_manifest(copied, lambda value: value["files"].pop(schema.WINDOWS))
    with pytest.raises(InputError, match=r"does not name windows\.parquet"):
        Recording.open(copied)


def test_cases_come_by_place_in_order_and_once(recording: Path) -> None:
    opened = Recording.open(recording)
    everything = {case.case_id: case_object(case) for case in opened.cases()}
    assert list(everything) == list(opened.case_ids)
    some = list(opened.cases([39, 3, 17, 3]))
    assert [case.case_id for case in some] == [opened.case_ids[n] for n in (3, 17, 39)]
    assert [case_object(case) for case in some] == [everything[case.case_id] for case in some]
    assert opened.number_of(opened.case_ids[17]) == 17


def test_an_unknown_case_names_the_nearest(recording: Path) -> None:
    with pytest.raises(InputError, match=r"has no case 'q7x'; did you mean 'q7'\?"):
        Recording.open(recording).number_of("q7x")


CASES = 30
BLOCKS_OF_A_CASE = 8


@pytest.fixture
def in_small_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recording:
    """Thirty cases with a record of eight blocks each, in many small row groups."""
    monkeypatch.setattr(schema, "CASES_PER_GROUP", 2)
    monkeypatch.setattr(schema, "RECORDS_PER_GROUP", 2)
    monkeypatch.setattr(schema, "BLOCKS_PER_GROUP", 16)
    monkeypatch.setattr(store, "_RECORD_GROUPS_KEPT", 2)
    monkeypatch.setattr(store, "_BLOCK_GROUPS_KEPT", 2)
    made = []
    for number in range(CASES):
        texts = [f"case {number}, block {place}. " for place in range(BLOCKS_OF_A_CASE)]
        vectors = np.full((BLOCKS_OF_A_CASE, 4), number, dtype=np.int8).tolist()
        record = made_record("r", *texts, vectors=vectors)
        made.append(Case(f"q{number}", Query("?"), (record,), (Item("r"),)))
    with (tmp_path / "cases.jsonl").open("w", encoding="utf-8") as stream:
        write_cases(stream, made, CasesHeader())
    import_cases(str(tmp_path / "cases.jsonl"), tmp_path / "small", quiet=True)
    return Recording.open(tmp_path / "small")


def test_a_reader_holds_only_what_it_read_last(in_small_groups: Recording) -> None:
    alive: list[weakref.ref[Any]] = []
    most = 0
    for number, case in enumerate(in_small_groups.cases()):
        blocks = case.records[0].blocks
        assert blocks is not None
        assert blocks.vectors is not None
        assert (blocks.vectors == number).all()
        alive.append(weakref.ref(blocks.vectors))
        most = max(most, sum(reference() is not None for reference in alive))
    assert len(alive) == CASES
    assert most <= 2 * 2  # the records of two row groups


def test_one_case_reads_only_its_row_groups(
    in_small_groups: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: Counter[int] = Counter()
    plain = pq.ParquetFile.read_row_group

    def counted(file: pq.ParquetFile, group: int, **options: Any) -> Any:
        read[group] += 1
        return plain(file, group, **options)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", counted)
    [case] = in_small_groups.cases([20])
    assert case.case_id == "q20"
    # four tables of cases, the records of the group, and their blocks
    assert read == {10: 6}
