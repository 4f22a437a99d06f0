"""What every installed arm promises, found by entry point and judged by what it declares."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arms.allocation.evidence import EvidenceOrdering
from harness.model import MEMORY, Arm, CaseView, Passage, Selection, SequencePolicy, view_of
from harness.points import Point, default_points, load_arms, make_point

from .any_arm import answer, cases_for, numbers_of, points_of

ARMS = load_arms()
GROWING = [(arm, parameter) for arm in ARMS for parameter in arm.parameters if parameter.grows]
PROMISING = [(arm, parameter) for arm, parameter in GROWING if arm.promises_growth]
SEQUENCE = [
    arm
    for arm in ARMS
    if all(isinstance(one.policy, SequencePolicy) for one in default_points([arm]))
]

examples = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
Test = TypeVar("Test", bound=Callable[..., None])


def for_each(*arms: Arm) -> Callable[[Test], Test]:
    return pytest.mark.parametrize("arm", arms, ids=lambda arm: arm.name)


def test_the_arms_of_this_project_are_found() -> None:
    assert {"items", "count-curve", "quote-curve", "2.6.5a1", "2.6.5a2", "evidence", "whole"} <= {
        arm.name for arm in ARMS
    }
    assert {"2.6.5a1", "2.6.5a2", "evidence", "whole"} <= {arm.name for arm in SEQUENCE}
    assert {"items", "count-curve", "2.6.5a1", "2.6.5a2"} <= {arm.name for arm, _ in PROMISING}


@for_each(*ARMS)
@examples
@given(data=st.data())
def test_equal_cases_get_equal_answers(arm: Arm, data: st.DataObject) -> None:
    case, point = data.draw(cases_for(arm)), data.draw(points_of(arm))
    again = copy.deepcopy(case), make_point(arm, dict(point.changed))
    assert again[0].records is not case.records or not case.records
    assert answer(point, case) == answer(again[1], again[0])
    assert answer(point, case) == answer(point, case)


@for_each(*[arm for arm in ARMS if MEMORY in arm.accepts])
@examples
@given(data=st.data())
def test_the_order_of_the_records_says_nothing(arm: Arm, data: st.DataObject) -> None:
    """The window's order does; and a lookup's records are its documents, in an order of their
    own."""
    accepting = replace(arm, accepts=(MEMORY,))
    case, point = data.draw(cases_for(accepting)), data.draw(points_of(arm))
    shuffled = data.draw(st.permutations(case.records))
    assert answer(point, replace(case, records=tuple(shuffled))) == answer(point, case)


@pytest.mark.parametrize(
    ("arm", "name"),
    [pytest.param(arm, one.name, id=f"{arm.name} {one.name}") for arm, one in PROMISING],
)
@examples
@given(data=st.data())
def test_a_larger_setting_takes_nothing_away(arm: Arm, name: str, data: st.DataObject) -> None:
    case = data.draw(cases_for(arm))
    smaller, larger = data.draw(_two_sizes(arm, name))
    view = view_of(case)[0]
    before, after = (point.policy.select(view) for point in (smaller, larger))
    if isinstance(larger.settings[name], str) and _less(after.budget, before.budget):
        before, after = after, before  # a word may stand for the smaller budget of a case
    assert {item.item for item in before.items} <= {item.item for item in after.items}
    assert _shown(before) <= _shown(after)


@st.composite
def _two_sizes(draw: st.DrawFn, arm: Arm, name: str) -> tuple[Point, Point]:
    """A default point with two values of a parameter; a word is the larger."""
    parameter = next(one for one in arm.parameters if one.name == name)
    base = draw(st.sampled_from(default_points([arm]))).settings
    smaller, larger = sorted(
        draw(st.tuples(numbers_of(parameter), numbers_of(parameter))), key=float
    )
    if parameter.words and draw(st.integers(0, 3)) == 0:
        larger = draw(st.sampled_from(parameter.words))
    return make_point(arm, {**base, name: smaller}), make_point(arm, {**base, name: larger})


def _less(budget: int | None, other: int | None) -> bool:
    return budget is not None and other is not None and budget < other


def _shown(selection: Selection) -> set[tuple[int, int, int]]:
    """Every quoted character, by item, record and place; an empty quote counts as one."""
    return {
        (item.item, quote.record, character)
        for item in selection.items
        for quote in (item.head, *item.excerpts)
        for start, end in quote.ranges
        for character in (range(start, end) if end > start else (-1,))
    }


@for_each(*SEQUENCE)
@examples
@given(data=st.data())
def test_every_passage_has_one_place(arm: Arm, data: st.DataObject) -> None:
    case, point = data.draw(cases_for(arm)), data.draw(points_of(arm))
    selection = point.policy.select(view_of(case)[0])
    passages = list(selection.sequence)
    places = [(one.item, one.record, one.start, one.end) for one in passages]
    assert len(places) == len(set(places))
    offered = [
        (item, record, character)
        for item, record, start, end in places
        for character in range(start, end)
    ]
    assert len(offered) == len(set(offered))
    assert selection.taken + selection.omitted.passages == len(passages)
    assert selection.taken >= min(1, len(passages))


@for_each(*SEQUENCE)
@examples
@given(data=st.data())
def test_the_order_does_not_depend_on_the_budget(arm: Arm, data: st.DataObject) -> None:
    case, point = data.draw(cases_for(arm)), data.draw(points_of(arm))
    growing = [parameter for parameter in arm.parameters if parameter.grows]
    others = {one.name: data.draw(numbers_of(one)) for one in growing}
    other = make_point(arm, {**point.settings, **others})
    view = view_of(case)[0]
    one, two = point.policy.select(view), other.policy.select(view)
    assert list(one.sequence) == list(two.sequence)
    assert isinstance(point.policy, SequencePolicy)
    assert isinstance(other.policy, SequencePolicy)
    assert point.policy.ordering == other.policy.ordering


@for_each(*SEQUENCE)
@examples
@given(data=st.data())
def test_the_order_is_by_a_strict_key(arm: Arm, data: st.DataObject) -> None:
    """No two passages tie: score, item, start, and then the record's place in its item. What
    coverage rearranges is such an order."""
    case, point = data.draw(cases_for(arm)), data.draw(points_of(arm))
    view = view_of(case)[0]
    policy = point.policy
    assert isinstance(policy, SequencePolicy)
    ordering = policy.ordering
    assert isinstance(ordering, EvidenceOrdering)
    plain = list(replace(ordering, coverage=None).order(view))
    keys = [_key(view, one, ordering) for one in plain]
    assert all(one < following for one, following in pairwise(keys))
    covered = [replace(one, parts=()) for one in ordering.order(view)]
    assert sorted(covered, key=repr) == sorted(plain, key=repr)


def _key(view: CaseView, one: Passage, ordering: EvidenceOrdering) -> tuple[float, ...]:
    """From the ranks of the trace alone."""
    ranks = [one.ranks.record, one.ranks.inside, one.ranks.cosine]
    terms = [1 / (61 + rank) for rank in ranks if rank is not None]
    score = math.fsum(terms)
    if ordering.summation == "sequential":
        score = 0.0
        for term in terms:
            score += term
    length = len(view.records[one.record].text)
    opens = ordering.start == "whole" and length <= 800
    slot = view.items[one.item].records.index(one.record)
    rest = (float(one.item), float(one.start), float(slot))
    return (0.0, 0.0, *rest) if opens else (1.0, -score, *rest)
