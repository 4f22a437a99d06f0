"""Points beside four items and 2.6.5a1 at 2,800."""

from __future__ import annotations

from harness.points import parse_point
from harness.replay import schema
from harness.replay.run import Run
from harness.show.figures import gather
from harness.show.targets import beside_targets


def test_every_point_beside_every_target_that_the_run_has(run: Run) -> None:
    figures = gather(run)
    points = figures.points_of("quote-curve")
    there = [str(run.points[0]), str(run.points[-1])]
    ids = run.cases().column("case_id").to_pylist()
    dev = set(ids[:3])
    table = beside_targets(
        run,
        figures,
        points,
        dev,
        targets=[*map(parse_point, there), parse_point("items(budget=900)")],
    )
    pairs = [(row[0].strip("`"), row[1].strip("`")) for row in table.rows]
    assert there[0] != there[1]
    assert pairs == [(str(point), other) for other in there for point in points]
    rows = run.table(schema.SELECTIONS).to_pylist()
    for row in table.rows:
        name = run.computed_as[row[0].strip("`")]
        counts = {each["case_id"]: each["context_tokens"] for each in rows if each["point"] == name}
        on_dev = sum(counts[case_id] for case_id in dev) / len(dev)
        assert row[2:4] == (f"{on_dev:,.1f}", f"{sum(counts.values()) / len(counts):,.1f}")


def test_without_a_split_only_all_questions_stand(run: Run) -> None:
    figures = gather(run)
    table = beside_targets(run, figures, figures.points_of("quote-curve"), None)
    assert table.headings[:4] == ("point", "less", "context tokens", "of the other")
