"""The hand-made cases of datasets/fixtures/selection, and what arms select of them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arms.sea import Candidate, select, semantic_signal
from harness.model import MEMORY, Case, Selection, SequencePolicy, view_of
from harness.points import Point, default_points, load_arms, parse_point
from harness.recording.case_lines import CaseLines
from harness.replay.context import render_context

FIXTURES = Path(__file__).resolve().parents[2] / "datasets" / "fixtures" / "selection"
CASES = {case.case_id: case for case in CaseLines(str(FIXTURES / "cases.jsonl"))}
EXPECTED: list[dict[str, Any]] = [
    json.loads(line) for line in (FIXTURES / "expected.jsonl").read_text("utf-8").splitlines()
]
MEMORY_POINTS = default_points(kind=MEMORY)


def selected(case: Case, point: Point) -> Selection:
    return point.policy.select(view_of(case)[0])


def shown(case: Case, selection: Selection) -> list[Any]:
    """Head and ranges of each item, as `expected.jsonl` writes them; no fixture has a claim."""
    _, records = view_of(case)
    assert not any(item.excerpts for item in selection.items)
    return [
        [records[item.head.record].record_id, [list(span) for span in item.head.ranges]]
        for item in selection.items
    ]


def walk(case: Case, selection: Selection) -> list[list[str]] | None:
    trace = selection.candidates
    if trace is None:
        return None
    return [
        [case.items[int(item)].head, "selected" if taken else ", ".join(reasons)]
        for item, taken, reasons in zip(trace.item, trace.selected, trace.reasons, strict=True)
    ]


@pytest.mark.parametrize(
    "expected", EXPECTED, ids=[f"{line['case_id']}, {line['point']}" for line in EXPECTED]
)
def test_what_was_reckoned_by_hand(expected: dict[str, Any]) -> None:
    case = CASES[expected["case_id"]]
    selection = selected(case, parse_point(expected["point"]))
    assert shown(case, selection) == expected["shown"]
    assert selection.used == expected["used"]
    assert walk(case, selection) == expected.get("walk")


def test_every_case_has_hand_made_selections_of_three_arms() -> None:
    for case_id in CASES:
        arms = {parse_point(line["point"]).arm for line in EXPECTED if line["case_id"] == case_id}
        assert arms >= {"items", "2.6.5a1", "sea"}


def test_the_points_are_of_every_arm_that_takes_memory_cases() -> None:
    wanted = {arm.name for arm in load_arms() if MEMORY in arm.accepts}
    assert {point.arm for point in MEMORY_POINTS} == wanted
    assert len(wanted) >= 8


@pytest.mark.parametrize("point", MEMORY_POINTS, ids=str)
@pytest.mark.parametrize("case_id", CASES)
def test_every_arm_runs_on_every_case(case_id: str, point: Point) -> None:
    case = CASES[case_id]
    selection = selected(case, point)
    _, records = view_of(case)
    assert bool(selection.items) == bool(case.items)
    places = [item.item for item in selection.items]
    assert places == sorted(set(places))
    for item in selection.items:
        ranges = item.head.ranges
        assert records[item.head.record].record_id == case.items[item.item].head
        assert all(0 <= start < end for start, end in ranges)
        assert ranges[-1][1] <= len(records[item.head.record].text)
    context = render_context(selection, records)
    assert bool(context) == bool(case.items)
    context.encode("utf-8")
    if selection.budget is not None and not isinstance(point.policy, SequencePolicy):
        assert selection.used <= selection.budget or len(selection.items) == 1


@pytest.mark.parametrize("case_id", CASES)
def test_a_second_look_selects_the_same(case_id: str) -> None:
    case = CASES[case_id]
    for point in MEMORY_POINTS:
        first, second = selected(case, point), selected(case, point)
        assert (first.items, first.used, first.context) == (
            second.items,
            second.used,
            second.context,
        )


def test_the_greedy_example_of_the_design_note() -> None:
    """Budget ten: eight is taken, five does not fit beside it, and the walk goes on to two."""
    given = [Candidate("1", 0, 8, 0.9), Candidate("2", 1, 5, 0.8), Candidate("3", 2, 2, 0.1)]
    both = select(given[:2], max_tokens=10, max_records=5, per_cluster_limit=5)
    assert (both.selected, both.rejected, both.total_tokens) == (["1"], ["2"], 8)
    three = select(given, max_tokens=10, max_records=5, per_cluster_limit=5)
    assert (three.selected, three.rejected, three.total_tokens) == (["1", "3"], ["2"], 10)


def test_a_cosine_that_is_no_number() -> None:
    signals = semantic_signal(np.array([math.nan, math.inf, -math.inf, 0.0], np.float32))
    assert signals.tolist() == [0.0, 0.0, 0.0, 0.5]
    given = [Candidate("1", 0, 1, 0.9), Candidate("2", 0, 1, math.nan)]
    choice = select(given, max_tokens=10, max_records=1, per_cluster_limit=0)
    assert (choice.selected, choice.rejected) == (["2"], ["1"])
