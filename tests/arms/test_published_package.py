"""What the published package answered over a small store, selection by selection."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.exchange.case_reader import read_case
from harness.exchange.selection_writer import selection_object
from harness.model import Case, CaseView, Positions, view_of
from harness.points import parse_point
from harness.replay.context import render_context

pytestmark = pytest.mark.shared


@pytest.mark.parametrize("recall", ["deep", "default"])
def test_every_recorded_selection_is_the_same(shared: Path, recall: str) -> None:
    folder = shared / "golden" / "cpersona"
    cases = {}
    for value in _lines(folder / f"cases.{recall}.jsonl.gz"):
        case = read_case(value, "case")
        cases[case.case_id] = (case, *view_of(case))
    differences: Counter[str] = Counter()
    compared = 0
    for expected in _lines(folder / f"expected.{recall}.jsonl.gz"):
        compared += 1
        for field in _differing_fields(*cases[expected["case_id"]], expected):
            differences[f"{expected['arm']} {field}"] += 1
    assert compared == {"deep": 581, "default": 582}[recall]
    assert not differences


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


def _differing_fields(
    case: Case, view: CaseView, records: Positions, expected: dict[str, Any]
) -> list[str]:
    point = parse_point(f"{expected['arm']}(budget={expected['budget']})")
    selection = point.policy.select(view)
    found = selection_object(
        case, records, str(point), selection, render_context(selection, records)
    )
    differing = []
    if found["used"] != expected["used"]:
        differing.append("used")
    if [_comparable(item) for item in found["items"]] != [
        _comparable(item) for item in expected["items"]
    ]:
        differing.append("items")
    if expected["sequence_taken"] is not None:
        without_cosine = expected["left_out"] == "cosine_ranks"
        taken = [_trace(step, without_cosine) for step in found["sequence"] if step["taken"]]
        if taken != [_recorded_trace(step, without_cosine) for step in expected["sequence_taken"]]:
            differing.append("sequence")
    return differing


def _comparable(item: dict[str, Any]) -> tuple[Any, ...]:
    excerpts = [
        (excerpt["record_id"], excerpt["range"], _digest(excerpt)) for excerpt in item["excerpts"]
    ]
    return item["head"], item["ranges"], _digest(item), excerpts


def _digest(value: dict[str, Any]) -> str:
    if "content_sha256" in value:
        return str(value["content_sha256"])
    return hashlib.sha256(value["content"].encode("utf-8")).hexdigest()


def _trace(step: dict[str, Any], without_cosine: bool) -> tuple[Any, ...]:
    ranks = step["ranks"]
    cosine = None if without_cosine else ranks["cosine"]
    return step["record_id"], step["span"], ranks["record"], ranks["inside"], cosine


def _recorded_trace(step: dict[str, Any], without_cosine: bool) -> tuple[Any, ...]:
    return _trace(
        {**step, "record_id": step["ref"] if "ref" in step else step["record_id"]}, without_cosine
    )
