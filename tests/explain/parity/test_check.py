"""Recomputing recorded selections."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from harness.errors import InputError
from harness.explain.parity import RecordedSequence
from harness.explain.parity.check import WHOLE_LINE, FieldCount, ParityReport, check, recomputed
from harness.explain.parity.selections import ExpectedFile
from harness.points import parse_point
from harness.recording.case_lines import CaseLines

from ...make.selections import expected_lines, made_case, write_case, write_lines

ITEMS, EVIDENCE, WHOLE = expected_lines()


def checked(folder: Path, *lines: Any, cases: str | None = None) -> ParityReport:
    source = cases or write_case(folder / "cases.jsonl", made_case("other"), made_case())
    expected = ExpectedFile(write_lines(folder / "expected.jsonl", *lines))
    return check(CaseLines(source), list(expected), "expected")


def test_selections_worked_out_by_hand(tmp_path: Path) -> None:
    report = checked(tmp_path, ITEMS, EVIDENCE, WHOLE)
    assert (report.lines, report.differences) == (3, ())
    fields = (WHOLE_LINE, "items", "ranges", "excerpts", "content", "used")
    with_sequence = (*fields, "sequence", "cosine_ranks")
    assert report.counts == tuple(
        FieldCount(arm, name, compared=1, same=1, different=0, left_out=0)
        for arm, names in (("items", fields), ("evidence", with_sequence), ("whole", with_sequence))
        for name in names
    )


def test_differences_are_told_in_the_order_of_the_lines(tmp_path: Path) -> None:
    lines = [
        {**EVIDENCE, "case_id": "other", "used": 25},
        {**EVIDENCE, "sequence_taken": EVIDENCE["sequence_taken"][::-1]},
        {**EVIDENCE, "case_id": "other", "budget": 816},
    ]
    report = checked(tmp_path, *lines[:1], ITEMS, *lines[1:])
    assert [(one.line, one.case_id, one.point) for one in report.differences] == [
        (1, "other", "evidence(budget=800)"),
        (3, "first", "evidence(budget=800)"),
    ]
    assert [one.comparison.differing for one in report.differences] == [("used",), ("sequence",)]
    parting = report.differences[1].comparison.first
    assert parting is not None
    ranks = {"record": 0, "inside": 0, "cosine": None}
    assert (parting.left, parting.right) == (
        {"record_id": "tea", "span": [0, 12], "ranks": ranks},
        {"record_id": "long", "span": [0, 5], "ranks": {**ranks, "record": 1}},
    )
    counts = {(one.arm, one.field): one for one in report.counts}
    assert counts["evidence", WHOLE_LINE] == FieldCount("evidence", WHOLE_LINE, 3, 1, 2, 0)
    assert counts["evidence", "used"] == FieldCount("evidence", "used", 3, 2, 1, 0)
    assert counts["items", WHOLE_LINE].different == 0


def test_what_is_left_out_is_counted_and_not_compared(tmp_path: Path) -> None:
    without_cosine = copy.deepcopy(EVIDENCE)
    without_cosine["left_out"] = "cosine_ranks"
    for passage in without_cosine["sequence_taken"]:
        del passage["ranks"]["cosine"]
    without = {**EVIDENCE, "budget": 810, "left_out": "sequence", "sequence_taken": None}
    report = checked(tmp_path, without_cosine, without)
    assert report.differences == ()
    assert [
        (one.compared, one.left_out)
        for one in report.counts
        if one.field in ("sequence", "cosine_ranks")
    ] == [(1, 1), (0, 2)]


def test_a_sequence_that_ends_early_differs(tmp_path: Path) -> None:
    line = {**EVIDENCE, "sequence_taken": EVIDENCE["sequence_taken"][:1]}
    (difference,) = checked(tmp_path, line).differences
    first = difference.comparison.first
    assert first is not None
    assert (first.place, first.right) == (1, None)


def test_faults_that_show_beside_the_cases(tmp_path: Path) -> None:
    unknown = {**EVIDENCE, "case_id": "frist"}
    silent = {**EVIDENCE, "budget": 900, "sequence_taken": None}
    with pytest.raises(InputError) as raised:
        checked(tmp_path, unknown, ITEMS, silent)
    source = tmp_path / "cases.jsonl"
    assert raised.value.message == (
        "expected: 2 faults\n"
        "  line 3: sequence_taken is null, but evidence has a sequence; a line that leaves it out "
        "says so: left_out 'sequence'\n"
        f"  line 1: no case 'frist' in {source}; did you mean 'first'?"
    )


def test_a_faulty_case_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 1: schema is the string 'x', expected"):
        checked(tmp_path, ITEMS, cases=write_lines(tmp_path / "cases.jsonl", {"schema": "x"}))


def test_recomputing_gives_all_that_select_prints() -> None:
    found = recomputed(made_case(), parse_point("evidence(budget=800)"))
    assert found.sequence is not None
    assert isinstance(found.sequence, RecordedSequence)
    assert (len(found.sequence.passages), found.sequence.taken) == (3, 2)
    assert found.context is not None
    assert found.context.text is not None
    assert found.context.text.endswith("[undated]\nTea? \n")
