"""Parameters: what they accept, and how a value is spelled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model import Parameter, ParameterError, spell

BUDGET = Parameter("budget", "characters", minimum=800, maximum=20000, words=("window",))
SHARE = Parameter("share", "of all", kind=float, minimum=0.0, maximum=1.0)
FLAG = Parameter("flag", "or not", kind=bool)
NAME = Parameter("name", "a name", kind=str)
KIND = Parameter("kind", "which", kind=str, choices=("skip", "merge"))


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        (BUDGET, "800", 800),
        (BUDGET, "20000", 20000),
        (BUDGET, "window", "window"),
        (SHARE, "0.25", 0.25),
        (SHARE, "1", 1.0),
        (SHARE, "1e-3", 0.001),
        (FLAG, "yes", True),
        (FLAG, "no", False),
        (NAME, "BAAI/bge-m3", "BAAI/bge-m3"),
        (KIND, "merge", "merge"),
    ],
)
def test_what_is_accepted(parameter: Parameter, text: str, value: object) -> None:
    found = parameter.parse(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        (BUDGET, "799"),
        (BUDGET, "20001"),
        (BUDGET, "2800.0"),
        (BUDGET, "2_800"),
        (BUDGET, "２８００"),
        (BUDGET, "Window"),
        (BUDGET, ""),
        (SHARE, "1.01"),
        (SHARE, "nan"),
        (SHARE, "inf"),
        (FLAG, "true"),
        (NAME, "two words"),
        (KIND, "Merge"),
    ],
)
def test_what_is_refused(parameter: Parameter, text: str) -> None:
    with pytest.raises(ParameterError, match=f"^{parameter.name} takes "):
        parameter.parse(text)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [(BUDGET, True), (BUDGET, 2800.0), (BUDGET, "full"), (FLAG, 1), (KIND, "keep"), (NAME, 3)],
)
def test_values_of_a_wrong_type_or_choice_are_refused(
    parameter: Parameter, value: int | float | str | bool
) -> None:
    with pytest.raises(ParameterError):
        parameter.check(value)


def test_what_a_parameter_says_it_accepts() -> None:
    assert BUDGET.accepted == "a whole number from 800 to 20,000 or window"
    assert SHARE.accepted == "a number from 0 to 1"
    assert FLAG.accepted == "yes or no"
    assert KIND.accepted == "one of skip, merge"
    assert Parameter("k", "items", minimum=1, unit="items").accepted == (
        "a whole number of at least 1 (items)"
    )


@given(st.floats(0.0, 1.0))
def test_a_number_is_spelled_as_it_parses(value: float) -> None:
    assert SHARE.parse(spell(value)) == value


def test_spelling() -> None:
    assert [spell(value) for value in (True, False, 3, 3.0, 0.5, "merge")] == [
        *("yes", "no", "3", "3.0", "0.5", "merge"),
    ]
