"""The published studies' resampling, bit for bit."""

from __future__ import annotations

import hashlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import InputError
from harness.statistics.counts import Interval
from harness.statistics.mc_compat import mc_compat_interval, ordered_ids, resampled_sums

from ..golden import golden_rows


def test_equals_the_reference_values() -> None:
    for row in golden_rows("statistics/mc_compat"):
        ids = [str(case_id) for case_id in row["ids"]]
        outcomes = dict(zip(ids, row["differences"], strict=True))
        differences = [outcomes[i] for i in ordered_ids(outcomes, row["id_order"])]
        assert differences == row["sorted_differences"]
        sums = resampled_sums(differences, seed=row["seed"], resamples=row["resamples"])
        assert sums[:8].tolist() == row["first_sums"]
        assert int((sums > 0).sum()) == row["resamples_above_zero"]
        digest = hashlib.sha256(",".join(map(str, sums.tolist())).encode()).hexdigest()
        assert digest == row["sums_sha256"]
        found = mc_compat_interval(outcomes, seed=row["seed"], id_order=row["id_order"])
        n = row["n"]
        assert found == Interval(row["lower_sum"] / n, row["upper_sum"] / n)
        assert 100 * found.lower == pytest.approx(float(row["lower_points"]), abs=1e-12)
        assert 100 * found.upper == pytest.approx(float(row["upper_points"]), abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=70),
    st.integers(0, 2**70),
    st.integers(2, 60),
)
def test_draws_as_the_standard_library_does(
    differences: list[int], seed: int, resamples: int
) -> None:
    generator = random.Random(seed)
    n = len(differences)
    expected = [
        sum(differences[generator.randrange(n)] for _ in range(n)) for _ in range(resamples)
    ]
    assert resampled_sums(differences, seed=seed, resamples=resamples).tolist() == expected
    outcomes = {f"{place:03}": value for place, value in enumerate(differences)}
    found = mc_compat_interval(outcomes, seed=seed, id_order="text", resamples=resamples)
    ordered = sorted(expected)
    lower, upper = ordered[int(0.025 * resamples)], ordered[int(0.975 * resamples) - 1]
    assert found == Interval(lower / n, upper / n)


def test_draws_go_on_over_blocks_of_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """One resample takes more 32-bit outputs than are asked for at once."""
    monkeypatch.setattr("harness.statistics.mc_compat._OUTPUTS_AT_ONCE", 1000)
    differences = [1] * 1500 + [0] * 1500
    generator = random.Random(7)
    expected = [sum(differences[generator.randrange(3000)] for _ in range(3000)) for _ in "12"]
    assert resampled_sums(differences, seed=7, resamples=2).tolist() == expected


def test_order_of_ids() -> None:
    outcomes = {"9": 1, "10": -1, "b": 0}
    assert ordered_ids(outcomes, "text") == ["10", "9", "b"]
    assert ordered_ids({"9": 1, "10": -1}, "integer") == ["9", "10"]


@pytest.mark.parametrize(
    ("ids", "message"),
    [(["1", "a"], "case id 'a' is not a whole number"), (["1", "01"], "'1' and '01' are the same")],
)
def test_ids_that_are_no_integers_are_refused(ids: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        mc_compat_interval(dict.fromkeys(ids, 0), seed=1, id_order="integer")


@pytest.mark.parametrize(
    ("differences", "resamples", "message"),
    [([], 80, "no case"), ([0, 2], 80, "is 1, 0 or -1"), ([0], 1, "at least 2 resamples")],
)
def test_what_cannot_be_resampled_is_refused(
    differences: list[int], resamples: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        resampled_sums(differences, seed=1, resamples=resamples)
