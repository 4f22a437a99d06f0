"""int8 vectors."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.retrieval import quantise

from ..golden import GOLDEN

floats = st.floats(width=32, allow_nan=False, allow_infinity=False)


def vector(*components: float) -> np.ndarray:
    return np.array(components, dtype=np.float32)


def test_reference_values() -> None:
    cases = json.loads((GOLDEN / "text" / "cases.json").read_text("utf-8"))["cases"]
    quantised = [case for case in cases if case["fn"] == "quantise"]
    assert quantised
    for case in quantised:
        assert quantise(vector(*case["vector"])).tolist() == case["int8"]


def test_halves_go_to_even() -> None:
    found = quantise(vector(254, 1, 3, 5, -1, -3, -254))
    assert found.tolist() == [127, 0, 2, 2, 0, -2, -127]
    assert found.dtype == np.int8


@given(st.lists(floats, min_size=1, max_size=20).filter(any))
def test_largest_component_is_127_and_each_is_within_half_a_step(components: list[float]) -> None:
    original = vector(*components)
    found = quantise(original)
    peak = np.abs(original).max()
    assert np.abs(found.astype(int)).max() == 127
    exact = original.astype(np.float64) * 127 / float(peak)
    assert np.abs(found - exact).max() <= 0.5 + 1e-4


@pytest.mark.parametrize(
    ("components", "message"),
    [
        ((0.0, 0.0), "all zeros"),
        ((), "all zeros"),
        ((1.0, float("nan")), "NaN or infinity"),
        ((1.0, float("-inf")), "NaN or infinity"),
    ],
)
def test_vectors_without_a_direction_are_refused(
    components: tuple[float, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        quantise(vector(*components))
