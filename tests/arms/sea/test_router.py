"""The router's state, without the reference data."""

from __future__ import annotations

import numpy as np
import pytest

from arms.sea import RouterState, update_router

DEFAULTS = "0.400000,0.300000,0.300000,0,0.300000"


@pytest.mark.parametrize(
    "stored",
    [
        None,
        "",
        "0.3,0.3,0.4,1",
        "0.3,0.3,0.4,1,0.3,9",
        "x,0.3,0.4,1,0.3",
        " 0.3,0.3,0.4,1,0.3",
        "nan,0.3,0.4,1,0.3",
        "inf,0.3,0.4,1,0.3",
        "1e39,0.3,0.4,1,0.3",
        "-0.1,0.3,0.8,1,0.3",
        "0,0,0,1,0.3",
        "3e38,3e38,3e38,1,0.3",
        "0.3,0.3,0.4,-1,0.3",
        "0.3,0.3,0.4,1.5,0.3",
        "0.3,0.3,0.4,4294967296,0.3",
        f"0.3,0.3,0.4,{'9' * 5000},0.3",
        "0.3,0.3,0.4,1,1.1",
        "0.3,0.3,0.4,1,-0.1",
        "0.3,0.3,0.4,1,nan",
        "0.3,0.3,0.4,1,",
    ],
)
def test_a_malformed_state_is_the_default(stored: str | None) -> None:
    assert RouterState.from_csv(stored).to_csv() == DEFAULTS


@pytest.mark.parametrize("alpha", ["0", "1"])
def test_weights_are_normalised_on_load(alpha: str) -> None:
    found = RouterState.from_csv(f"2,3,5,42,{alpha}").to_csv()
    assert found == f"0.200000,0.300000,0.500000,42,{float(alpha):.6f}"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("@Aviva, build it", [0, 1, 0]),
        ("abi", [0, 0, 1]),
        ("Abbey: explain", [1, 0, 0]),
    ],
)
def test_a_name_at_the_start_overrides(text: str, named: list[int]) -> None:
    assert RouterState().observe(text).tolist() == named


def test_words_add_to_the_prior_and_not_to_the_weights() -> None:
    state = RouterState.from_csv("0,1,0,3,0.5")
    prior = np.array([0.4, 0.3, 0.3])
    assert np.allclose(state.observe("abiding by abbeys"), prior)
    risk = prior + 0.1 * np.array([0.8, 0.6, 0.6])
    assert np.allclose(state.observe("what RISKY!"), risk / risk.sum())


def test_an_update() -> None:
    state = RouterState(np.array([0, 1, 0], np.float32), 2**32 - 1, np.float32(0.25))
    after = update_router(state, np.array([1, 0, 0], np.float32))
    assert after.weights.tolist() == [0.25, 0.75, 0]
    assert after.count == 2**32 - 1
    assert state.weights.tolist() == [0, 1, 0]
