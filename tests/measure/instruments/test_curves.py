"""Curves: differences, bands, the smallest point that holds, and the curves at equal cost."""

from __future__ import annotations

from dataclasses import replace
from math import fsum
from pathlib import Path

import numpy as np
import pytest

from harness.cli.main import run as call
from harness.datasets.split import read_split
from harness.errors import InputError, UsageError
from harness.evidence import metric_named, paired_differences
from harness.measure.answers import read_answers
from harness.measure.curves import (
    Curves,
    curves_of,
    full_point,
    margin_rule,
    points_of_curves,
)
from harness.measure.equal_cost import at_equal_cost
from harness.measure.measured import (
    ACCURACY,
    MeasuredValues,
    curve_metrics,
    measured_accuracy,
    measured_evidence,
)
from harness.measure.subject import MeasuredRun, subject_of
from harness.points import parse_point, parse_points
from harness.replay.run import Run
from harness.statistics.bands import simultaneous_bands
from harness.statistics.counts import PairedCounts
from harness.statistics.exact_bootstrap import exact_interval
from harness.statistics.tango import tango_interval

from ...make.once import copied
from ...make.recordings import labelled_run
from ...make.splits import LONG_DEV, long_grades, long_split

CURVES = ("count-curve", "quote-curve")
TOUCHED = "evidence_turns_touched"
FULL = parse_point("items")
COUNT = [parse_point(f"count-curve(k={k})") for k in (1, 2, 3)]
QUOTE = [parse_point(f"quote-curve(head={head}, tail=100)") for head in (200, 300)]


# every point a policy of its own
COMPUTED_AS = {str(point): str(point) for point in (FULL, *COUNT, *QUOTE)}


def made(values: dict[str, list[float]], costs: dict[str, float]) -> MeasuredValues:
    """Questions q0, q1, … with the given values and the same cost each, by point."""
    points = tuple(parse_point(name) for name in values)
    columns = np.array([values[str(point)] for point in points]).T
    count = len(columns)
    return MeasuredValues(
        measure=ACCURACY,
        cost="context_tokens",
        case_ids=tuple(f"q{number}" for number in range(count)),
        categories=("even", "odd") * (count // 2),
        points=points,
        values=columns,
        costs=np.array([[costs[str(point)] for point in points]] * count),
        denominator=f"{count} of {count} questions",
    )


def right(count: int, of: int = 100) -> list[float]:
    """The first `count` questions are right."""
    return [1.0] * count + [0.0] * (of - count)


def drawn(measured: MeasuredValues, margin: str = "-2.0 points") -> Curves:
    return curves_of(measured, COMPUTED_AS, CURVES, FULL, margin_rule(margin))


MEASURED = made(
    {
        "items": right(80),
        "count-curve(k=1)": right(50),
        "count-curve(k=2)": right(80),
        "count-curve(k=3)": right(74),
        "quote-curve(head=200, tail=100)": right(60),
        "quote-curve(head=300, tail=100)": right(79),
    },
    {
        "items": 400.0,
        "count-curve(k=1)": 100.0,
        "count-curve(k=2)": 200.0,
        "count-curve(k=3)": 300.0,
        "quote-curve(head=200, tail=100)": 150.0,
        "quote-curve(head=300, tail=100)": 500.0,
    },
)


def test_the_smallest_point_that_holds_is_the_cheapest_one() -> None:
    curves = drawn(MEASURED)
    count, quote = curves.curves
    assert [str(each.point) for each in count.points] == list(map(str, COUNT))
    # of 100 questions without a difference, the score interval reaches to -3.7 points
    assert [each.holds for each in count.points] == [False, False, False]
    assert [each.holds_by_percentile for each in count.points] == [False, True, False]
    assert count.smallest is None
    assert count.smallest_by_percentile is count.points[1]
    assert quote.smallest is None  # 1 of 100 lost: the interval reaches below -2 points
    count, quote = drawn(MEASURED, "-5.0 points").curves
    assert count.smallest is count.points[1]
    assert [str(each.point) for each in count.costlier_that_fail] == ["count-curve(k=3)"]
    assert quote.smallest is None
    assert quote.smallest_by_percentile is quote.points[1]


def test_of_right_and_wrong_the_score_interval_holds() -> None:
    point = drawn(MEASURED).curves[0].points[2]
    assert point.tango == tango_interval(PairedCounts(0, 6, 94), "0.95")
    shares = replace(MEASURED, values=MEASURED.values / 2)
    for curve in drawn(shares).curves:
        for each in curve.points:
            assert each.tango is None
            assert each.holds == each.holds_by_percentile


def test_an_accuracy_has_the_exact_interval() -> None:
    found = drawn(MEASURED).curves[0].points[2].difference
    assert found is not None
    assert (found.difference, found.wins, found.losses, found.pairs) == (-0.06, 0, 6, 100)
    assert found.interval == exact_interval(PairedCounts(0, 6, 94), "0.95")


def test_the_bands_are_of_all_points_of_both_curves() -> None:
    curves = drawn(MEASURED)
    values = MEASURED.values
    bands = simultaneous_bands(values[:, [1, 2, 3, 4, 5]] - values[:, [0]], "0.95")
    assert bands.left_out == (1,)  # the count of 2 never differs
    by_point = {each.point: each.band for curve in curves.curves for each in curve.points}
    assert by_point[COUNT[1]] is None
    assert by_point[COUNT[2]] is by_point[QUOTE[1]] is None  # 6 and 1 questions differ
    for place, point in zip((0, 3), (COUNT[0], QUOTE[0]), strict=True):
        band = by_point[point]
        assert band is not None
        assert (band.lower, band.upper) == (bands.lower[place], bands.upper[place])
    assert curves.band_points == 5


def test_the_curves_at_equal_cost() -> None:
    curves = drawn(MEASURED)
    cheap, dear = at_equal_cost(MEASURED, curves)
    assert (cheap.point.point, cheap.other) == (QUOTE[0], "count-curve")
    assert cheap.interpolated is not None
    # halfway between 50 and 80 of 100 right
    assert (cheap.interpolated.below, cheap.interpolated.above) == tuple(COUNT[:2])
    assert cheap.interpolated.weight == 0.5
    assert cheap.interpolated.value == 0.65
    assert cheap.interpolated.difference.difference == pytest.approx(-0.05, abs=1e-12)
    # of the 30 questions that are half right, 10 are right at the point
    assert (cheap.interpolated.difference.wins, cheap.interpolated.difference.losses) == (10, 20)
    assert cheap.nearest.point == COUNT[0]  # of two as near, the cheaper
    assert (cheap.nearest.gap, cheap.nearest.same_cost) == (0.5, False)
    assert (cheap.nearest.verdict, cheap.nearest.difference.wins) == ("better", 10)
    assert dear.interpolated is None  # dearer than the whole count curve
    assert (dear.nearest.point, dear.nearest.verdict) == (COUNT[2], "better")


def test_a_point_at_the_cost_of_a_measured_one_is_compared_with_it() -> None:
    same = made(
        {
            "items": right(9, 10),
            "count-curve(k=1)": right(5, 10),
            "count-curve(k=2)": right(8, 10),
            "quote-curve(head=200, tail=100)": right(7, 10),
        },
        {
            "items": 300.0,
            "count-curve(k=1)": 100.0,
            "count-curve(k=2)": 200.0,
            "quote-curve(head=200, tail=100)": 200.0,
        },
    )
    (row,) = at_equal_cost(same, drawn(same))
    assert row.interpolated is not None
    assert row.interpolated.below == row.interpolated.above == COUNT[1]
    assert row.interpolated.value == 0.8
    assert row.nearest.same_cost
    assert row.nearest.difference.difference == row.interpolated.difference.difference
    assert row.nearest.difference.difference == pytest.approx(-0.1, abs=1e-12)


def test_categories_are_parts_of_the_questions() -> None:
    parts = MEASURED.by_category()
    assert [name for name, _ in parts] == ["even", "odd"]
    assert [len(part.case_ids) for _, part in parts] == [50, 50]
    even = drawn(parts[0][1]).curves[0].points[0]
    assert (even.value, even.cost) == (0.5, 100.0)


def test_the_curves_of_a_run_are_its_evidence_metrics(subject: MeasuredRun) -> None:
    run = subject.run
    full = full_point(run)
    points = points_of_curves(run, CURVES, full)
    measured = measured_evidence(subject, points, TOUCHED, "context_tokens")
    curves = curves_of(measured, run.computed_as, CURVES, full, margin_rule("-2.0 points"))
    cohort = subject.cohort(points)
    expected = paired_differences(metric_named(TOUCHED), cohort, "items")
    counts = cohort.counts
    scored = [place for place in range(8) if counts["evidence_turns"][place, 0] > 0]
    assert (curves.questions, curves.scored, len(scored)) == (8, 6, 6)
    for curve in curves.curves:
        for each in curve.points:
            place = cohort.points.index(str(each.point))
            shares = [
                counts["evidence_turns_touched"][at, place] / counts["evidence_turns"][at, place]
                for at in scored
            ]
            assert each.value == pytest.approx(fsum(shares) / 6, abs=1e-12)
            assert each.cost == counts["context_tokens"][:, place].mean()
            if str(each.point) == "count-curve(k=full)":
                assert each.is_full
                continue
            found, wanted = each.difference, expected[str(each.point)]
            assert found is not None
            assert (found.difference, found.interval.lower) == (wanted.difference, wanted.lower)
            assert found.interval.upper == wanted.upper
            assert (found.wins, found.losses, found.pairs) == (
                wanted.wins,
                wanted.losses,
                wanted.pairs,
            )


def test_accuracies_are_over_the_graded_questions(run: Run, tmp_path: Path) -> None:
    dev = subject_of(run, read_split(long_split(tmp_path)), "dev")
    grades = [
        long_grades(tmp_path, "items", LONG_DEV[:3]),
        long_grades(tmp_path, "count-curve(k=1)", LONG_DEV[1:2]),
    ]
    graded = read_answers([each.folder for each in grades], dev)
    points = points_of_curves(run, CURVES, FULL)
    measured = measured_accuracy(dev, points, graded, FULL, "context_tokens")
    assert measured.points == (FULL, COUNT[0])
    curves = curves_of(measured, run.computed_as, CURVES, FULL, margin_rule("0"))
    (each,) = curves.curves[0].points
    assert (each.value, each.difference is not None and each.difference.losses) == (0.25, 2)
    table = run.evidence_rows([COUNT[0]]).to_pylist()
    tokens = [row["context_tokens"] for row in table if row["case_id"] in LONG_DEV]
    assert each.cost == sum(tokens) / 4
    assert at_equal_cost(measured, curves) == ()


def test_the_denominator_of_an_accuracy_has_its_errors(run: Run, tmp_path: Path) -> None:
    dev = subject_of(run, read_split(long_split(tmp_path)), "dev")
    grades = [
        long_grades(tmp_path, point, LONG_DEV[1:], failed=LONG_DEV[:1])
        for point in ("items", "count-curve(k=1)")
    ]
    graded = read_answers([each.folder for each in grades], dev)
    points = points_of_curves(run, CURVES, FULL)
    measured = measured_accuracy(dev, points, graded, FULL, "context_tokens")
    assert measured.mean_value(0) == 1  # of three, not of four
    assert measured.denominator == "3 of 4 questions; 1 not graded, of which 1 error"


def test_the_grades_of_every_item_count_under_either_name(run: Run, tmp_path: Path) -> None:
    """`items` and `count-curve(k=full)` are one policy, and show the same contexts."""
    dev = subject_of(run, read_split(long_split(tmp_path)), "dev")
    grades = [
        long_grades(tmp_path, "count-curve(k=full)", LONG_DEV[:3]),
        long_grades(tmp_path, "count-curve(k=1)", LONG_DEV[1:2]),
    ]
    graded = read_answers([each.folder for each in grades], dev)
    points = points_of_curves(run, CURVES, FULL)
    measured = measured_accuracy(dev, points, graded, FULL, "context_tokens")
    assert measured.points == (FULL, COUNT[0], parse_point("count-curve(k=full)"))
    curves = curves_of(measured, run.computed_as, CURVES, FULL, margin_rule("0"))
    one, every = curves.curves[0].points
    assert (every.value, every.is_full) == (0.75, True)
    assert one.difference is not None
    assert (one.difference.difference, one.difference.losses) == (-0.5, 2)
    alone = read_answers([grades[1].folder], dev)
    with pytest.raises(UsageError, match="items, which every point is compared with, has no grade"):
        measured_accuracy(dev, points, alone, FULL, "context_tokens")


def test_a_full_that_means_several_points_lists_them(tmp_path: Path) -> None:
    folder = copied(labelled_run().folder.parent, tmp_path / "made") / "run"
    recording = str(folder.parent / "recording")
    assert call(["replay", recording, "--out", str(folder), "-p", "quote-curve", "-q"]) == 0
    points = ", ".join(str(point) for point in parse_points(["quote-curve"]))
    with pytest.raises(UsageError) as told:
        full_point(Run.open(folder), "quote-curve")
    assert f"--full quote-curve means 3 points: {points}" in str(told.value)


def test_points_that_are_graded_on_other_questions_are_refused(run: Run, tmp_path: Path) -> None:
    dev = subject_of(run, read_split(long_split(tmp_path)), "dev")
    whole = long_grades(tmp_path, "items", LONG_DEV)
    fewer = long_grades(tmp_path, "count-curve(k=1)", LONG_DEV, names=LONG_DEV[1:])
    graded = read_answers([whole.folder, fewer.folder], dev)
    with pytest.raises(InputError, match="'question 1' is graded at items and not at count-curve"):
        measured_accuracy(dev, run.points, graded, FULL, "context_tokens")


def test_what_no_curve_can_be_drawn_of(subject: MeasuredRun) -> None:
    assert [metric.name for metric in curve_metrics()] == [
        "answer_sessions_shown",
        "all_answer_sessions_shown",
        "evidence_turns_touched",
        "evidence_turn_chars_macro",
    ]
    with pytest.raises(UsageError, match="first_item_rank is not a mean"):
        measured_evidence(subject, subject.run.points, "first_item_rank", "context_tokens")
    with pytest.raises(UsageError, match="has no point of whole"):
        points_of_curves(subject.run, ["whole"], FULL)
    with pytest.raises(UsageError, match=r"--margin '2\.0 points' asks each point to be better"):
        margin_rule("2.0 points")
    with pytest.raises(UsageError, match="has no unit"):
        margin_rule("-0.02")
