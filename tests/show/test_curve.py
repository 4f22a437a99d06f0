"""The cost–evidence curve."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import isclose
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.replay.run import Run
from harness.show.axes import fitted_axis
from harness.show.drawing import COLOURS, MARKS, draw, panels_of
from harness.show.figures import gather

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def drawn(pages: Mapping[str, str]) -> ElementTree.Element:
    return ElementTree.fromstring(pages["cost-evidence.svg"])


def test_one_line_an_arm_in_every_panel(drawn: ElementTree.Element) -> None:
    panels = drawn.findall(f"{SVG}g")
    assert [panel.get("aria-label") for panel in panels] == [
        "answer sessions shown (%)",
        "all answer sessions shown (%)",
        "evidence turns touched (%)",
        "evidence turn chars macro (%)",
    ]
    for panel in panels:
        arms = panel.findall(f"{SVG}g")
        assert [arm.get("aria-label") for arm in arms] == [
            "items",
            "count-curve",
            "2.6.5a1",
            "evidence",
        ]
        assert [len(arm.findall(f"{SVG}polyline")) for arm in arms] == [1, 1, 1, 1]
        assert [len(arm.findall(f"{SVG}path")) for arm in arms] == [1, 3, 2, 3]


def test_lines_go_from_cheap_to_dear(drawn: ElementTree.Element) -> None:
    for line in drawn.iter(f"{SVG}polyline"):
        across = [float(pair.split(",")[0]) for pair in str(line.get("points")).split()]
        assert across == sorted(across)


def test_marks_stand_where_their_words_say(run: Run, drawn: ElementTree.Element) -> None:
    figures = gather(run)
    panels = panels_of(figures, "cl100k_base")
    values = figures.values
    for panel, group in zip(panels, drawn.findall(f"{SVG}g"), strict=True):
        words = [title.text for title in group.iter(f"{SVG}title")]
        expected = []
        for arm in figures.arms:
            points = sorted(
                map(str, figures.points_of(arm)),
                key=lambda point: values["context_tokens"][point].value or 0.0,
            )
            for point in points:
                tokens = values["context_tokens"][point].value
                share = values[panel.metric.name][point].value
                assert tokens is not None
                assert share is not None
                expected.append(f"{point}: {tokens:,.1f} tokens, {100 * share:.1f} %")
        assert words == expected


def test_it_can_be_read_by_everyone(pages: Mapping[str, str], drawn: ElementTree.Element) -> None:
    labelled = str(drawn.get("aria-labelledby")).split()
    by_id = {element.get("id"): element.text for element in drawn if element.get("id")}
    assert all(by_id[name] for name in labelled)
    assert drawn.get("role") == "img"
    texts = [text.text for text in drawn.iter(f"{SVG}text")]
    assert "mean context tokens (cl100k_base)" in texts
    assert "7 of 8 questions scored" in texts
    assert "@media (prefers-color-scheme: dark)" in pages["cost-evidence.svg"]


def test_no_two_of_many_arms_look_alike() -> None:
    looks = {
        (place % len(COLOURS), place % len(MARKS)) for place in range(len(COLOURS) * len(MARKS))
    }
    assert len(looks) == len(COLOURS) * len(MARKS)


def test_one_panel_is_as_wide_as_two(run: Run) -> None:
    panels = panels_of(gather(run), "cl100k_base")
    single, double = draw(panels[:1]), draw(panels[:2])
    assert single.width == double.width
    assert float(single.panels[0].right) == float(double.panels[1].right)
    assert single.height == double.height


@given(st.floats(0, 1e5), st.floats(0, 1e5), st.integers(2, 9))
def test_an_axis_holds_its_values_between_round_ticks(one: float, other: float, about: int) -> None:
    low, high = sorted((round(one, 3), round(other, 3)))
    axis = fitted_axis(low, high, (100.0, 20.0), about)
    ticks = axis.ticks
    assert axis.low <= low + 1e-6 * axis.step
    assert high <= axis.high + 1e-6 * axis.step
    assert 2 <= len(ticks) <= about + 3
    assert all(isclose(b - a, axis.step, rel_tol=1e-6) for a, b in pairwise(ticks))
    assert axis.position(axis.low) == 100.0
    assert isclose(axis.position(axis.high), 20.0)
