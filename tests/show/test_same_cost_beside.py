"""Points of one arm beside the points of other arms that cost about the same."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from harness.points import Point
from harness.replay.run import Run
from harness.show.figures import Figures, gather
from harness.show.markdown import Table
from harness.show.numbers import change_text
from harness.show.same_cost_beside import NEAR, same_cost_beside

ARM = "count-curve"


@pytest.fixture(scope="module")
def figures(run: Run) -> Figures:
    return gather(run)


def costs(figures: Figures) -> Mapping[Point, float]:
    values = figures.values["context_tokens"]
    return {point: values[str(point)].value or 0.0 for point in figures.points}


def test_the_nearest_point_of_each_other_arm_if_it_is_near(run: Run, figures: Figures) -> None:
    """Recomputed from the costs: every pair within a tenth, and the nearest of its arm."""
    table = same_cost_beside(run, figures, figures.points_of(ARM))
    found = {(row[0].strip("`"), row[1].strip("`")): row[2:4] for row in table.rows}
    cost = costs(figures)
    wanted = {}
    for point in figures.points_of(ARM):
        for arm in figures.arms:
            if arm == ARM:
                continue
            nearest = min(
                figures.points_of(arm), key=lambda each: abs(cost[point] / cost[each] - 1)
            )
            gap = cost[point] / cost[nearest] - 1
            if abs(gap) <= NEAR:
                same = "yes" if abs(gap) <= NEAR / 2 else "no"
                wanted[str(point), str(nearest)] = (change_text(gap), same)
    assert found == wanted
    assert len(wanted) >= 2


def test_a_point_beside_its_equal_differs_by_nothing(run: Run, figures: Figures) -> None:
    """`count-curve(k=full)` is `items`."""
    row = _row(
        same_cost_beside(run, figures, figures.points_of(ARM)), "count-curve(k=full)", "items"
    )
    assert row[2:4] == ("0.0 %", "yes")
    assert set(row[4:]) == {"0.0 (0.0, 0.0)"}


def test_the_difference_is_the_point_less_the_other(run: Run, figures: Figures) -> None:
    """Of the evidence share, as the difference of the two values."""
    table = same_cost_beside(run, figures, figures.points_of("evidence"))
    shares = figures.values["evidence_share_pooled"]
    for row in table.rows:
        point, other = (shares[cell.strip("`")].value for cell in row[:2])
        assert point is not None
        assert other is not None
        text = row[-1].split(" ")[0].replace("\N{MINUS SIGN}", "-")
        assert float(text) == pytest.approx(100 * (point - other), abs=0.051)
    assert any(not row[-1].startswith("0.0") for row in table.rows)


def _row(table: Table, point: str, other: str) -> tuple[str, ...]:
    return next(row for row in table.rows if row[:2] == (f"`{point}`", f"`{other}`"))


def test_points_with_the_same_figures_stand_once(run: Run, figures: Figures) -> None:
    twice = [figures.points_of(ARM)[0], figures.points_of(ARM)[0]]
    assert same_cost_beside(run, figures, twice) == same_cost_beside(run, figures, twice[:1])
