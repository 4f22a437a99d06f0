"""Which point is compared with which."""

from __future__ import annotations

import pytest

from harness.errors import UsageError
from harness.explain.parity.difference import PointPair, point_pairs


def test_points_with_themselves() -> None:
    assert point_pairs(["items", "count-curve(k=4)", "items"], []) == (
        PointPair("items", "items"),
        PointPair("count-curve(k=4)", "count-curve(k=4)"),
    )
    assert [pair.left for pair in point_pairs(["quote-curve"], [])] == [
        "quote-curve(head=320, tail=160)",
        "quote-curve(head=500, tail=250)",
        "quote-curve(head=800, tail=400)",
    ]


def test_two_points() -> None:
    (pair,) = point_pairs(["evidence(budget=2800)"], ["count-curve(k=4)"])
    assert pair.two_points
    assert pair.name == "evidence(budget=2800) ~ count-curve(k=4)"
    (same,) = point_pairs(["items"], ["items"])
    assert (same.two_points, same.name) == (False, "items")


def test_default_points_are_matched_by_their_settings() -> None:
    pairs = point_pairs(["evidence"], ["whole"])
    assert len(pairs) == 6
    assert all(pair.right == pair.left.replace("evidence", "whole") for pair in pairs)


def test_several_in_order() -> None:
    pairs = point_pairs(["items", "items"], ["count-curve(k=1)", "count-curve(k=2)"])
    assert [pair.right for pair in pairs] == ["count-curve(k=1)", "count-curve(k=2)"]


def test_imported_answers_can_be_compared() -> None:
    assert point_pairs(["external(name=x)"], ["items"]) == (PointPair("external(name=x)", "items"),)


@pytest.mark.parametrize(
    ("points", "against", "message"),
    [
        (["evidence"], ["count-curve"], "evidence stands for 6 points, count-curve for 9 points"),
        (["2.6.5a1"], ["sea"], "and their settings do not match one to one\n  Name one of each"),
        (["items"], ["items", "whole"], "1 --point and 2 --against-point were given"),
        (["itms"], ["whle"], "there is no arm 'itms'\n  point 'whle': there is no arm 'whle'"),
    ],
)
def test_what_cannot_be_matched(points: list[str], against: list[str], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        point_pairs(points, against)
    assert message in str(raised.value)
