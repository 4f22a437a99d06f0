"""Points of one arm beside other points: at about the same cost, and the usual two."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from harness.points import Point, parse_point
from harness.replay import schema
from harness.replay.run import Run
from harness.show.beside_points import NEAR, beside_targets, same_cost_beside
from harness.show.figures import Figures, gather
from harness.show.printing import cell_text
from harness.show.table import Table
from harness.words import Kind, number, plain_of

ARM = "count-curve"


def rows_of(table: Table) -> list[tuple[str, ...]]:
    """The cells as people see them, without marks."""
    return [
        tuple(
            plain_of(cell_text(value, column.kind))
            for value, column in zip(row, table.columns, strict=True)
        )
        for row in table.cells
    ]


@pytest.fixture(scope="module")
def figures(run: Run) -> Figures:
    return gather(run)


def costs(figures: Figures) -> Mapping[Point, float]:
    values = figures.values["context_tokens"]
    return {point: values[str(point)].value or 0.0 for point in figures.points}


def test_the_nearest_point_of_each_other_arm_if_it_is_near(run: Run, figures: Figures) -> None:
    """Recomputed from the costs: every pair within a tenth, and the nearest of its arm."""
    table = same_cost_beside(run, figures, figures.points_of(ARM))
    found = {row[:2]: row[2:4] for row in rows_of(table)}
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
                wanted[str(point), str(nearest)] = (number(gap, Kind.RELATIVE), same)
    assert found == wanted
    assert len(wanted) >= 2


def test_a_point_beside_its_equal_differs_by_nothing(run: Run, figures: Figures) -> None:
    """`count-curve(k=full)` is `items`."""
    row = _row(
        same_cost_beside(run, figures, figures.points_of(ARM)), "count-curve(k=full)", "items"
    )
    assert row[2:4] == ("0.0", "yes")
    assert set(row[4:]) == {"0.0 †"}


def test_the_mark_is_explained_below(run: Run, figures: Figures) -> None:
    (note,) = same_cost_beside(run, figures, figures.points_of(ARM)).notes
    assert str(note).startswith("† No interval is shown, since it would mislead: fewer than 10")


def test_the_difference_is_the_point_less_the_other(run: Run, figures: Figures) -> None:
    """Of the evidence share, as the difference of the two values."""
    table = same_cost_beside(run, figures, figures.points_of("evidence"))
    shares = figures.values["evidence_share_pooled"]
    rows = rows_of(table)
    for row in rows:
        point, other = (shares[cell].value for cell in row[:2])
        assert point is not None
        assert other is not None
        text = row[-1].split(" ")[0].replace("\N{MINUS SIGN}", "-")
        assert float(text) == pytest.approx(100 * (point - other), abs=0.051)
    assert any(not row[-1].startswith("0.0") for row in rows)


def _row(table: Table, point: str, other: str) -> tuple[str, ...]:
    return next(row for row in rows_of(table) if row[:2] == (point, other))


def test_points_with_the_same_figures_stand_once(run: Run, figures: Figures) -> None:
    twice = [figures.points_of(ARM)[0], figures.points_of(ARM)[0]]
    assert same_cost_beside(run, figures, twice) == same_cost_beside(run, figures, twice[:1])


def test_every_point_beside_every_target_that_the_run_has(run: Run) -> None:
    figures = gather(run)
    points = figures.points_of("quote-curve")
    there = [str(run.points[0]), str(run.points[-1])]
    ids = run.cases().column("case_id").to_pylist()
    dev = set(ids[:3])
    targets = [*map(parse_point, there), parse_point("items(budget=900)")]
    table = beside_targets(run, figures, points, dev, targets=targets)
    pairs = [row[:2] for row in rows_of(table)]
    assert there[0] != there[1]
    assert pairs == [(str(point), other) for other in there for point in points]
    stored = run.table(schema.SELECTIONS).to_pylist()
    for row in rows_of(table):
        name = run.computed_as[row[0]]
        counts = {
            each["case_id"]: each["context_tokens"] for each in stored if each["point"] == name
        }
        on_dev = sum(counts[case_id] for case_id in dev) / len(dev)
        assert row[2:4] == (f"{on_dev:,.1f}", f"{sum(counts.values()) / len(counts):,.1f}")


def test_without_a_split_only_all_questions_stand(run: Run) -> None:
    figures = gather(run)
    table = beside_targets(run, figures, figures.points_of("quote-curve"), None)
    assert tuple(column.heading for column in table.columns[:4]) == (
        "point",
        "less",
        "context tokens",
        "of the other",
    )
