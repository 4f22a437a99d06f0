"""Two sources, pair by pair."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import pytest

from harness.errors import InputError
from harness.explain.parity.difference import DiffReport, PointCount, PointPair, differences_of
from harness.explain.parity.recorded import Budget, RecordedSelection
from harness.explain.parity.run_selections import SelectionLine

from ...make.selections import made_selection

SAME = made_selection()
USED = replace(SAME, used=99)
BUDGET = replace(SAME, budget=Budget(900, "characters"))


class Made:
    """A source of the given selections by case and point."""

    def __init__(self, name: str, found: dict[tuple[str, str], RecordedSelection]) -> None:
        self.name = name
        self._found = found

    def selections(self, points: Collection[str] | None) -> Iterator[SelectionLine]:
        for (case_id, point), selection in self._found.items():
            if points is None or point in points:
                yield SelectionLine(case_id, point, selection)


LEFT = Made("A", {("a", "p"): SAME, ("b", "p"): SAME, ("a", "q"): BUDGET, ("c", "q"): SAME})
RIGHT = Made("B", {("b", "p"): USED, ("a", "p"): SAME, ("a", "q"): SAME, ("d", "q"): SAME})


def counted(report: DiffReport) -> dict[str, PointCount]:
    return {count.point: count for count in report.counts}


def test_what_is_equal_different_and_alone() -> None:
    report = differences_of(LEFT, RIGHT)
    assert counted(report) == {
        "p": PointCount("p", 1, 1, 0, 0, (("used", 1),)),
        "q": PointCount("q", 0, 1, 1, 1, (("budget", 1),)),
    }
    found = [
        (one.case_id, one.point, one.comparison is None, one.only_left, one.only_right)
        for one in report.differences
    ]
    assert sorted(found[:2]) == [("a", "q", False, False, False), ("b", "p", False, False, False)]
    assert found[2:] == [("c", "q", True, True, False), ("d", "q", True, False, True)]
    assert (report.pairs, report.different, report.only_left, report.only_right) == (3, 2, 1, 1)
    assert report.all_differences == 4


@pytest.mark.parametrize("shown", [0, 1, 3, 4, 9])
def test_a_bounded_list_counts_all(shown: int) -> None:
    report = differences_of(LEFT, RIGHT, shown=shown)
    assert len(report.differences) == min(shown, 4)
    assert report.all_differences == 4
    assert report.differences == differences_of(LEFT, RIGHT).differences[:shown]


def test_two_points_are_compared_without_their_budgets() -> None:
    pairs = [PointPair("q", "p")]
    report = differences_of(LEFT, RIGHT, pairs)
    assert counted(report) == {"q ~ p": PointCount("q ~ p", 1, 0, 1, 1, ())}
    same = differences_of(LEFT, RIGHT, [PointPair("q", "q")])
    assert counted(same)["q"].different == 1


def test_one_point_against_several() -> None:
    report = differences_of(LEFT, RIGHT, [PointPair("p", "p"), PointPair("p", "q")])
    assert counted(report) == {
        "p": PointCount("p", 1, 1, 0, 0, (("used", 1),)),
        "p ~ q": PointCount("p ~ q", 1, 0, 1, 1, ()),
    }


def test_chosen_cases() -> None:
    report = differences_of(LEFT, RIGHT, case_ids=["a", "d"])
    assert (report.pairs, report.only_left, report.only_right) == (2, 0, 1)
    with pytest.raises(InputError, match="neither A nor B has a case 'bb'; did you mean 'b'"):
        differences_of(LEFT, RIGHT, case_ids=["a", "bb"])


def test_a_source_is_equal_to_itself() -> None:
    report = differences_of(LEFT, LEFT)
    assert (report.pairs, report.all_differences, report.differences) == (4, 0, ())
