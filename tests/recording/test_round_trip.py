"""From cases to a recording and back, without loss."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import InputError
from harness.model import BlockSet, Case, EvidenceSpan, Gold, Item, Query, RecallPlace, Record
from harness.recording import schema
from harness.recording.case_lines import CasesHeader, write_cases
from harness.recording.case_writer import case_object
from harness.recording.recording import Recording
from harness.recording.sources.from_cases import export_cases, import_cases
from harness.storage.folder import FolderState

from ..make.cases import made_record
from ..make.strategies import cases

HEADER = CasesHeader(
    recall={"recall": "bm25", "k1": 1.5, "nested": [None, {"ü": True}]},
    embedder="an embedder",
    dataset_sha256="ab" * 32,
)


@pytest.fixture
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row groups so small that a few cases fill several."""
    monkeypatch.setattr(schema, "CASES_PER_GROUP", 2)
    monkeypatch.setattr(schema, "RECORDS_PER_GROUP", 3)
    monkeypatch.setattr(schema, "BLOCKS_PER_GROUP", 4)


def write(path: Path, made: Sequence[Case], header: CasesHeader = HEADER) -> Path:
    with path.open("w", encoding="utf-8") as stream:
        write_cases(stream, made, header)
    return path


def lines(path: Path) -> list[dict[str, Any]]:
    # not splitlines: a text may hold the line separators of Unicode
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def there_and_back(folder: Path, made: Sequence[Case]) -> list[dict[str, Any]]:
    source = write(folder / "cases.jsonl", made)
    assert import_cases(str(source), folder / "recording", quiet=True) is FolderState.NEW
    recording = Recording.open(folder / "recording")
    assert export_cases(recording, folder / "exported.jsonl", quiet=True) == len(made)
    assert lines(folder / "exported.jsonl") == lines(source)
    return lines(source)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(made=st.lists(cases(), min_size=1, max_size=7))
def test_whatever_cases_hold_comes_back(
    small_groups: None, tmp_path_factory: pytest.TempPathFactory, made: list[Case]
) -> None:
    distinct = [replace(case, case_id=f"{case.case_id} {n}") for n, case in enumerate(made)]
    named = Case(
        "names what windows hold",
        Query("?"),
        (Record("elsewhere", "", session_id="s1"), Record("r1", "", session_id="s2")),
    )
    there_and_back(tmp_path_factory.mktemp("cases"), [*distinct, named])


def block_set(lengths: Sequence[int], vectors: Sequence[Sequence[int] | None] | None) -> BlockSet:
    ends = np.cumsum(lengths, dtype=np.int32)
    starts = (ends - np.array(lengths)).astype(np.int32)
    if vectors is None:
        return BlockSet(starts, ends, None)
    missing = frozenset(place for place, vector in enumerate(vectors) if vector is None)
    rows = [[0, 0] if vector is None else vector for vector in vectors]
    return BlockSet(starts, ends, np.array(rows, dtype=np.int8), missing)


def by_hand() -> Iterator[Case]:
    """One case for each thing that a table could lose."""
    vector = np.array([0.1, -2.5e-8], dtype=np.float32)
    whole = Record("r0", "one two", blocks=block_set([4, 3], [[1, -128], [127, 0]]))
    yield Case("nothing but a question", Query("?"))
    yield Case("no gold, no window", Query("?", "2023-05-20", vector), (whole,))
    yield Case("the same record again", Query("?"), (whole,), (Item("r0"), Item("r0")))
    yield Case(
        "some vectors missing",
        Query("?"),
        (replace(whole, blocks=block_set([4, 3], [None, [0, 0]])),),
    )
    yield Case("no vectors", Query("?"), (replace(whole, blocks=block_set([4, 3], None)),))
    yield Case("no block set", Query("?"), (replace(whole, blocks=None),))
    yield Case("no text", Query(""), (Record("r0", "", blocks=block_set([], None)),))
    yield Case("no text, no block set", Query(""), (Record("r0", ""),))
    yield Case(
        "claims, places and metadata",
        Query("猫?", "2023-05-20T02:21:00+09:00"),
        (
            whole,
            Record("r1", "b", "2023-05-20", "s", {"b": 1, "a": [None, {"ü": 2.5}], "big": 2**70}),
            Record("r2", "b", None, "s", {}),
            Record("r3", "b", "2023-05-20", "t", {"a": [None, {"ü": 2.5}], "b": 1, "big": 2**70}),
        ),
        (
            Item("r2", ("r0", "r1"), reserved=True, recall=RecallPlace(7, -0.1)),
            Item("r3", (), recall=RecallPlace(0, 1e300)),
            Item("r1", ("r2",)),
        ),
        category="multi-session",
    )
    span = EvidenceSpan("not in the window", 3, 9, "user")
    yield Case("gold: text", Query("?"), gold=Gold("7", True, ("s", "t", "s"), (span, span)))
    in_window = EvidenceSpan("r1", 0, 1, "user")
    yield Case(
        "gold: no answer",
        Query("?"),
        (Record("r1", "b", session_id="s"),),
        (Item("r1"),),
        gold=Gold(sessions=("s",), evidence=(span, in_window)),
    )
    yield Case("gold: number", Query("?"), gold=Gold(7))
    yield Case("gold: a large number", Query("?"), gold=Gold(-(10**40)))
    yield Case("gold: empty", Query("?"), gold=Gold(""))
    yield Case("line \u2028 ends \x85 and \x00", Query("\x00 \u2029"), category="")


def test_cases_by_hand(small_groups: None, tmp_path: Path) -> None:
    made = list(by_hand())
    assert len(there_and_back(tmp_path, made)) == 1 + len(made)


@pytest.mark.parametrize("kept", range(15))
def test_each_of_them_alone(tmp_path: Path, kept: int) -> None:
    there_and_back(tmp_path, [list(by_hand())[kept]])


def test_groups_without_rows_do_not_shift_later_ones(tmp_path: Path) -> None:
    """The first row groups of gold, windows and records of cases are empty."""
    empty = [Case(f"empty {number}", Query("?")) for number in range(40)]
    full = [
        Case(
            f"full {number}",
            Query("?"),
            (made_record("r", f"text {number}", vectors=[[number, 1]]),),
            (Item("r"),),
            gold=Gold(number),
        )
        for number in range(20)
    ]
    there_and_back(tmp_path, [*empty, *full, replace(empty[0], case_id="last")])
    table = Recording.open(tmp_path / "recording")
    assert next(table.cases([45])).gold == Gold(5)


def test_equal_texts_with_other_vectors_are_other_blocks(tmp_path: Path) -> None:
    made = [
        Case("a", Query("?"), (made_record("r", "x", "x", vectors=[[1, 2], [3, 4]]),)),
        Case("b", Query("?"), (made_record("r", "x", vectors=[[1, 2]]),)),
        Case("c", Query("?"), (made_record("r", "x"),)),
    ]
    there_and_back(tmp_path, made)
    counts = Recording.open(tmp_path / "recording").manifest.content["counts"]
    assert (counts["records"], counts["blocks"], counts["distinct_blocks"]) == (3, 4, 3)
    assert counts["shared_blocks"] == 1


def test_vectors_of_several_widths_are_refused(tmp_path: Path) -> None:
    made = [
        Case("a", Query("?", vector=np.ones(2, dtype=np.float32))),
        Case("b", Query("?"), (made_record("r", "x", vectors=[[1, 2, 3]]),)),
    ]
    source = write(tmp_path / "cases.jsonl", made)
    with pytest.raises(InputError, match="case 'b' has vectors of 3 dimensions, the cases before"):
        import_cases(str(source), tmp_path / "recording", quiet=True)
    assert not (tmp_path / "recording").exists()


def test_the_same_lines_are_the_same_work(tmp_path: Path) -> None:
    source = write(tmp_path / "cases.jsonl", list(by_hand()))
    packed = tmp_path / "packed" / "cases.jsonl"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(source.read_bytes()))
    assert import_cases(str(source), tmp_path / "recording", quiet=True) is FolderState.NEW
    assert import_cases(str(packed), tmp_path / "recording", quiet=True) is FolderState.FINISHED
    changed = write(packed, list(by_hand())[:3])
    with pytest.raises(InputError, match="holds other finished work"):
        import_cases(str(changed), tmp_path / "recording", quiet=True)


@pytest.mark.shared
@pytest.mark.parametrize("recall", ["deep", "default"])
def test_the_recorded_cases_of_the_published_package(
    shared: Path, tmp_path: Path, recall: str
) -> None:
    source = shared / "golden" / "cpersona" / f"cases.{recall}.jsonl.gz"
    assert import_cases(str(source), tmp_path / "recording", quiet=True) is FolderState.NEW
    recording = Recording.open(tmp_path / "recording")
    assert export_cases(recording, tmp_path / "exported.jsonl", quiet=True) == 86
    exported = lines(tmp_path / "exported.jsonl")
    with gzip.open(source, "rt", encoding="utf-8") as stream:
        expected = [json.loads(line) for line in stream]
    assert exported[1:] == [case for case in expected if case["schema"] == "harness.case/1"]
    assert exported[0]["schema"] == "harness.cases/1"
    first = expected[0] if expected[0]["schema"] == "harness.cases/1" else {}
    for key in ("recall", "embedder", "dataset_sha256"):
        assert exported[0][key] == first.get(key)


def test_a_recording_of_an_exported_one_holds_the_same(recording: Path, tmp_path: Path) -> None:
    opened = Recording.open(recording)
    export_cases(opened, tmp_path / "cases.jsonl", quiet=True)
    import_cases(str(tmp_path / "cases.jsonl"), tmp_path / "again", quiet=True)
    again = Recording.open(tmp_path / "again")
    assert [case_object(case) for case in again.cases()] == [
        case_object(case) for case in opened.cases()
    ]
    assert again.sha256 == opened.sha256  # the tables are the same to the byte
    for key in ("recall", "embedder"):
        assert again.manifest.content[key] == opened.manifest.content[key]
    assert (
        again.manifest.content["dataset"]["sha256"] == opened.manifest.content["dataset"]["sha256"]
    )
