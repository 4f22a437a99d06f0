"""Cases to JSON Lines and back, without loss."""

from __future__ import annotations

import gzip
import io
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from harness.model import BlockSet, Case, Query, Record
from harness.recording.case_lines import CaseLines, CasesHeader, write_cases
from harness.recording.case_reader import read_case
from harness.recording.case_writer import case_object

from ..make.strategies import cases


def assert_same_case(found: Case, expected: Case) -> None:
    """Equal in every value, arrays and their types included."""
    assert case_object(found) == case_object(expected)
    for ours, theirs in zip(found.records, expected.records, strict=True):
        if theirs.blocks is None:
            assert ours.blocks is None
            continue
        assert ours.blocks is not None
        assert_same_blocks(ours.blocks, theirs.blocks)
    if expected.query.vector is not None:
        assert found.query.vector is not None
        assert found.query.vector.dtype == np.float32
        assert np.array_equal(found.query.vector, expected.query.vector)


def assert_same_blocks(found: BlockSet, expected: BlockSet) -> None:
    assert found.starts.dtype == found.ends.dtype == np.int32
    assert np.array_equal(found.starts, expected.starts)
    assert np.array_equal(found.ends, expected.ends)
    assert found.missing == expected.missing
    if expected.vectors is None:
        assert found.vectors is None
    else:
        assert found.vectors is not None
        assert found.vectors.dtype == np.int8
        assert np.array_equal(found.vectors, expected.vectors)


@settings(max_examples=80, deadline=None)
@given(cases())
def test_made_cases_come_back(case: Case) -> None:
    line = json.dumps(case_object(case), ensure_ascii=False, allow_nan=False)
    assert_same_case(read_case(json.loads(line), "line"), case)


@pytest.mark.shared
@pytest.mark.parametrize("recall", ["deep", "default"])
def test_reference_cases_come_back(shared: Path, recall: str) -> None:
    count = 0
    path = shared / "golden" / "cpersona" / f"cases.{recall}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            value = json.loads(line)
            if value["schema"] != "harness.case/1":
                continue
            count += 1
            case = read_case(value, "line")
            again = json.loads(json.dumps(case_object(case)))
            assert_same_case(read_case(again, "line"), case)
            assert lost(value, again) == []
    assert count == 86


def lost(before: Any, after: Any, path: str = "") -> list[str]:
    """Paths of what `before` says and `after` does not; numbers as float32, as vectors are."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [
            fault for key in before for fault in lost(before[key], after.get(key), f"{path}.{key}")
        ]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = zip(before, after, strict=True)
        return [fault for pair in pairs for fault in lost(*pair, path)]
    if isinstance(before, float) and path.endswith(".vector"):
        return [] if np.float32(before) == np.float32(after) else [path]
    return [] if before == after else [path]


def _written(header: CasesHeader, *made: Case) -> str:
    stream = io.StringIO()
    write_cases(stream, iter(made), header)
    return stream.getvalue()


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_a_file_of_cases_comes_back(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    header = CasesHeader({"name": "bm25", "k1": 1.5}, "embedder 日本語", "ab" * 32)
    made = [Case(f"case {number}", Query("line\u2028separator\r")) for number in range(3)]
    path = tmp_path / "cases"
    path.write_bytes(pack(_written(header, *made).encode("utf-8")))
    lines = CaseLines(str(path))
    for found, expected in zip(lines, made, strict=True):
        assert_same_case(found, expected)
    assert lines.header == header


def test_the_hash_is_that_of_the_unpacked_bytes(tmp_path: Path) -> None:
    text = _written(CasesHeader(), Case("one", Query("q"))).encode("utf-8")
    hashes = set()
    for name, data in (("plain", text), ("packed", gzip.compress(text))):
        (tmp_path / name).write_bytes(data)
        lines = CaseLines(str(tmp_path / name))
        assert len(list(lines)) == 1
        hashes.add(lines.sha256)
    assert len(hashes) == 1


def test_lines_of_white_space_and_a_byte_order_mark_are_passed_over(tmp_path: Path) -> None:
    line = json.dumps(case_object(Case("one", Query("q"))))
    other = json.dumps(case_object(Case("two", Query("q"))))
    path = tmp_path / "cases.jsonl"
    path.write_text(f"\ufeff{line}\n\n  \n{other}", encoding="utf-8")
    assert [case.case_id for case in CaseLines(str(path))] == ["one", "two"]


def test_what_may_be_left_out_is_nothing_false_or_empty() -> None:
    value = {
        "schema": "harness.case/1",
        "case_id": "one",
        "query": {"text": "q"},
        "records": [{"record_id": "r", "text": "t"}],
        "items": [{"head": "r"}],
    }
    case = read_case(value, "line")
    assert case.gold is None
    assert case.records == (Record("r", "t"),)
    assert (case.items[0].claims, case.items[0].reserved, case.items[0].recall) == ((), False, None)


def test_a_zero_vector_and_missing_ones_are_told_apart() -> None:
    value = {
        "schema": "harness.case/1",
        "case_id": "one",
        "query": {"text": "q", "vector": [0, 0.5]},
        "records": [
            {
                "record_id": "r",
                "text": "abc",
                "blocks": [
                    {"start": 0, "end": 1, "vector": "AAA="},
                    {"start": 1, "end": 2, "vector": None},
                    {"start": 2, "end": 3, "vector": "gX8="},
                ],
            }
        ],
        "items": [],
    }
    blocks = read_case(value, "line").records[0].blocks
    assert blocks is not None
    assert blocks.missing == {1}
    assert blocks.vectors is not None
    assert blocks.vectors.tolist() == [[0, 0], [0, 0], [-127, 127]]
    assert blocks.complete_vectors is None
