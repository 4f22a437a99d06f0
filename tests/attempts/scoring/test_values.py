"""Equality of JSON values, and differences of formatting."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.attempts.scoring.answer import differs_by_formatting, equal

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)


@given(JSON, JSON)
def test_equal_is_equal_as_json(one: Any, other: Any) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert equal(one, other) is same
    assert equal(one, json.loads(json.dumps(one)))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ([1, 2], [2, 1], False),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ("a", "A", False),
        (None, 0, False),
    ],
)
def test_by_hand(one: Any, other: Any, same: bool) -> None:
    assert equal(one, other) is same


@pytest.mark.parametrize(
    ("given", "wanted", "near"),
    [
        ("ADR 0007", "0007", True),
        ("0007", "ADR 0007", True),
        ("Seven.", "seven", True),
        ("7", 7, True),
        (7.0, "7", True),
        ("Hash-check", "hash check", True),
        (["b", "A"], ["a", "b"], True),
        (["a", "a"], ["a", "b"], False),
        (["a"], ["a", "b"], False),
        ("17", 7, False),
        ("", "a", False),
        (None, "none", False),
        ("oak elm", "elm oak", False),
    ],
)
def test_formatting(given: Any, wanted: Any, near: bool) -> None:
    assert differs_by_formatting(given, wanted) is near
