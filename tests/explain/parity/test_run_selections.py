"""A run says of its selections what `harness select` prints of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.errors import UsageError
from harness.explain.parity import FIELDS, compare
from harness.explain.parity.check import recomputed
from harness.explain.parity.recorded import Budget, RecordedSelection
from harness.explain.parity.run_selections import RunSelections
from harness.explain.parity.selections import open_source
from harness.model import Case
from harness.points import parse_point
from harness.replay import schema

from ...make.selections import made_case, write_case

POINTS = (
    "items",
    "count-curve(k=full)",
    "2.6.5a2(budget=800, parts=ledger)",
    "evidence(budget=800)",
    "sea()",
)
ADDED = ("evidence(budget=900)", "whole(budget=800)")
CASES = [made_case(name) for name in ("first", "second", "third")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three cases in two shards, with points added in a second batch."""
    made = tmp_path_factory.mktemp("run")
    source = write_case(made / "cases.jsonl", *CASES)
    assert run(["import", "cases", source, "--out", str(made / "recording"), "-q"]) == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "CASES_PER_SHARD", 2)
        for points in (POINTS, ADDED):
            specs: list[Any] = [part for point in points for part in ("--point", point)]
            replay = ["replay", str(made / "recording"), "--out", str(made / "run"), "-q"]
            assert run([*replay, *specs]) == 0
    return made / "run"


def opened(folder: Path) -> RunSelections:
    source = open_source(str(folder))
    assert isinstance(source, RunSelections)
    return source


def canonical(spellings: tuple[str, ...]) -> list[str]:
    return [str(parse_point(spelling)) for spelling in spellings]


def test_every_selection_is_the_one_that_select_prints(folder: Path) -> None:
    points = canonical((*POINTS, *ADDED))
    by_id: dict[str, Case] = {case.case_id: case for case in CASES}
    keys = []
    for line in opened(folder).selections(None):
        keys.append((line.case_id, line.point))
        found = compare(recomputed(by_id[line.case_id], parse_point(line.point)), line.selection)
        assert found.partings == (), keys[-1]
        assert {*FIELDS} - {*found.compared} <= {"content", "parts", "candidates", "expansion"}
        assert ("parts" in found.compared) == line.point.startswith("2.6.5a2")
        assert ("candidates" in found.compared) == line.point.startswith("sea")
    assert keys == [(case.case_id, point) for case in CASES for point in points]


def test_a_difference_from_the_run_is_found(folder: Path) -> None:
    """One field at a time, so that no comparison above passes for want of anything to compare."""
    line = next(opened(folder).selections(["evidence(budget=800)"]))
    selection = line.selection
    sequence = selection.sequence
    assert sequence is not None
    changes: dict[str, RecordedSelection] = {
        "items": replace(selection, items=selection.items[:1]),
        "taken": replace(selection, sequence=replace(sequence, taken=1)),
        "used": replace(selection, used=0),
        "budget": replace(selection, budget=Budget(1, "characters")),
    }
    for field, changed in changes.items():
        ours = recomputed(CASES[0], parse_point(line.point))
        assert field in compare(ours, changed).differing


def test_chosen_points(folder: Path) -> None:
    found = [line.point for line in opened(folder).selections(["whole(budget=800)", "items"])]
    assert found == ["items", "whole(budget=800)"] * 3
    with pytest.raises(UsageError, match=r"has no point whole\(budget=900\)"):
        list(opened(folder).selections(["whole(budget=900)"]))


def test_equal_policies_stand_under_both_names(folder: Path) -> None:
    """`count-curve(k=full)` is `items`, whose rows stand for both."""
    one, other = list(opened(folder).selections(["items", "count-curve(k=full)"]))[:2]
    assert (one.point, other.point) == ("items", "count-curve(k=full)")
    assert one.selection is other.selection
