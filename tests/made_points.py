"""Hypothesis strategies for points of the installed arms."""

from __future__ import annotations

from hypothesis import strategies as st

from harness.model import Arm, Parameter, Value
from harness.points import Point, load_arm, make_point

LARGEST_DRAWN = 4000
"""Made records are short: larger budgets and caps would show everything."""


def points(*arms: str) -> st.SearchStrategy[Point]:
    """Points of the named arms with any settings they admit."""
    return st.sampled_from(arms).map(load_arm).flatmap(points_of)


@st.composite
def points_of(draw: st.DrawFn, arm: Arm) -> Point:
    given = {}
    for parameter in arm.parameters:
        if parameter.default is None or draw(st.booleans()):
            given[parameter.name] = draw(values(parameter))
    return make_point(arm, given)


def values(parameter: Parameter) -> st.SearchStrategy[Value]:
    """What a parameter admits; numbers up to `LARGEST_DRAWN`."""
    if parameter.choices:
        return st.sampled_from(parameter.choices)
    words: st.SearchStrategy[Value] = st.sampled_from(parameter.words or ("",))
    numbers: st.SearchStrategy[Value] = st.integers(
        int(parameter.minimum or 0), min(int(parameter.maximum or LARGEST_DRAWN), LARGEST_DRAWN)
    )
    return numbers | words if parameter.words else numbers
