"""Cases and settings for any installed arm, from what it declares."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from harness.model import LOOKUP, MEMORY, Arm, Case, Parameter, Query, Value, view_of
from harness.points import Point, make_point
from harness.replay.context import render_context
from harness.replay.selection_writer import selection_object
from harness.worlds.assembly import lookup_case

from ..make.strategies import QUESTIONS, cases
from .lookups.test_policy import lookups

LARGEST_DRAWN = 4000
"""Made texts are short: larger numbers would show everything."""


def cases_for(arm: Arm) -> st.SearchStrategy[Case]:
    """Cases of every kind that the arm accepts."""
    by_kind = {MEMORY: cases(), LOOKUP: lookup_cases()}
    return st.one_of([by_kind[kind] for kind in arm.accepts])


def lookup_cases() -> st.SearchStrategy[Case]:
    questions = st.sampled_from(QUESTIONS).map(Query)
    return st.builds(lookup_case, st.just("case"), st.none(), questions, lookups(), st.none())


@st.composite
def points_of(draw: st.DrawFn, arm: Arm) -> Point:
    """Points of an arm with any settings; a word that is not one of a few stays at its default."""
    given: dict[str, Value] = {}
    for parameter in arm.parameters:
        if parameter.default is None or draw(st.booleans()):
            value = draw(values(parameter))
            if value is not None:
                given[parameter.name] = value
    return make_point(arm, given)


def values(parameter: Parameter) -> st.SearchStrategy[Value | None]:
    """What a parameter admits, numbers up to `LARGEST_DRAWN`."""
    if parameter.choices:
        return st.sampled_from(parameter.choices)
    if parameter.kind is bool:
        return st.booleans()
    if parameter.kind is str:
        return st.just(parameter.default)
    numbers = numbers_of(parameter)
    return numbers | st.sampled_from(parameter.words) if parameter.words else numbers


def numbers_of(parameter: Parameter) -> st.SearchStrategy[Value]:
    low, high = parameter.minimum or 0, min(parameter.maximum or LARGEST_DRAWN, LARGEST_DRAWN)
    if parameter.kind is float:
        return st.floats(low, high, allow_nan=False)
    small = st.integers(int(low), min(int(low) + 10, int(high)))  # where a count or a cap bites
    return small | st.integers(int(low), int(high))


def answer(point: Point, case: Case) -> str:
    """All that a point says of a case, as text."""
    return json.dumps(answer_object(point, case), ensure_ascii=False, allow_nan=False)


def answer_object(point: Point, case: Case) -> dict[str, Any]:
    """All that a point says of a case, as `harness select` prints it."""
    view, records = view_of(case)
    selection = point.policy.select(view)
    context = render_context(selection, records)
    return selection_object(case, records, str(point), selection, context)
