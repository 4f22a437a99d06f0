"""The greedy walk, and the reason for each candidate."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arms.sea import Candidate, SeaSelection, select
from arms.sea.identifier import id_order

UUIDS = ("00000000-0000-0000-0000-0000000000bb", "F0000000-0000-0000-0000-0000000000bb")


def reasons(candidates: list[Candidate], choice: SeaSelection) -> list[tuple[str, bool, list[str]]]:
    return [(candidates[step.place].id, step.selected, list(step.reasons)) for step in choice.walk]


def test_a_cheaper_record_enters_after_a_rejection() -> None:
    """The design note's example: a budget of ten, costs of eight and five, here with a third."""
    candidates = [
        Candidate("1", 0, 8, 0.9),
        Candidate("2", 1, 5, 0.8),
        Candidate("3", 2, 2, 0.7),
    ]
    choice = select(candidates, max_tokens=10, max_records=16, per_cluster_limit=4)
    assert (choice.selected, choice.rejected, choice.total_tokens) == (["1", "3"], ["2"], 10)
    assert choice.reason == "budget-limited"
    assert reasons(candidates, choice) == [
        ("1", True, []),
        ("2", False, ["token budget"]),
        ("3", True, []),
    ]


def test_an_oversized_record_first() -> None:
    candidates = [Candidate("1", 0, 2**64 - 1, 0.9), Candidate("2", 0, 1, 0.1)]
    choice = select(candidates, max_tokens=1024, max_records=16, per_cluster_limit=4)
    assert (choice.selected, choice.rejected) == (["2"], ["1"])


def test_every_reason_that_holds_is_named() -> None:
    candidates = [Candidate("1", 3, 4, 0.5), Candidate("2", 3, 4, 0.4), Candidate("3", 3, 4, 0.95)]
    choice = select(candidates, max_tokens=7, max_records=1, per_cluster_limit=1)
    assert reasons(candidates, choice) == [
        ("3", True, []),
        ("1", False, ["cluster cap", "record cap", "token budget"]),
        ("2", False, ["cluster cap", "record cap", "token budget"]),
    ]


@pytest.mark.parametrize(
    ("score", "enters"),
    [(0.92, True), (float(np.nextafter(np.float32(0.92), 0)), False), (math.nan, True)],
)
def test_the_exception_to_the_cluster_cap(score: float, enters: bool) -> None:
    """The exception counts in its cluster, and does not hold for records and tokens."""
    candidates = [
        Candidate("1", 8, 1, math.nan),
        Candidate("2", 99, 1, score),
        Candidate("3", 8, 1, 0.5),
    ]
    choice = select(candidates, max_tokens=9, max_records=9, per_cluster_limit=1)
    found = {name: (chosen, why) for name, chosen, why in reasons(candidates, choice)}
    assert found["1"] == (True, [])
    assert found["2"] == ((True, ["exception used"]) if enters else (False, ["cluster cap"]))
    assert found["3"] == (False, ["cluster cap"])
    capped = select(candidates, max_tokens=9, max_records=1, per_cluster_limit=1)
    assert capped.selected == ["1"]


def test_a_duplicate_is_in_neither_list() -> None:
    """Upstream's own test: equal scores by id, the duplicate counted once."""
    candidates = [
        Candidate("2", 0, 3, 0.5),
        Candidate("1", 0, 3, 0.5),
        Candidate("2", 0, 3, 0.5),
    ]
    choice = select(candidates, max_tokens=4096, max_records=16, per_cluster_limit=4)
    assert (choice.selected, choice.rejected, choice.total_tokens) == (["1", "2"], [], 6)
    assert choice.reason == "all candidates selected"
    assert reasons(candidates, choice)[-1] == ("2", False, ["duplicate"])
    assert [step.place for step in choice.walk] == [1, 0, 2]


def test_a_duplicate_of_a_rejected_record_stays_out() -> None:
    candidates = [Candidate("1", 0, 9, 0.5), Candidate("1", 0, 1, 0.4)]
    choice = select(candidates, max_tokens=4, max_records=16, per_cluster_limit=4)
    assert (choice.selected, choice.rejected) == ([], ["1"])


def test_nothing_to_select() -> None:
    choice = select([], max_tokens=4, max_records=4, per_cluster_limit=4)
    assert choice.reason == "no candidates to select from"
    assert (choice.selected, choice.rejected, choice.walk) == ([], [], ())


def test_ids_in_order() -> None:
    numbers = ["0", "9", "10", "18446744073709551615"]
    others = ["", "007", "18446744073709551616", "9a", "é", "日"]
    ids = [*numbers, *UUIDS, *others]
    assert sorted([*others, *UUIDS, *numbers], key=id_order) == ids
    assert id_order(UUIDS[1].lower()) == id_order(UUIDS[1])


@given(
    st.lists(
        st.builds(
            Candidate,
            id=st.sampled_from([*"123456789", *UUIDS, "other"]),
            cluster=st.integers(0, 12),
            tokens=st.integers(1, 9),
            score=st.sampled_from([0.0, -0.0, 0.5, 0.92, 0.95, 1.0, math.nan]),
        ),
        max_size=12,
    ),
    st.integers(0, 30),
    st.integers(0, 8),
    st.integers(0, 4),
)
def test_the_walk_is_as_defined(
    candidates: list[Candidate], max_tokens: int, max_records: int, per_cluster_limit: int
) -> None:
    choice = select(
        candidates,
        max_tokens=max_tokens,
        max_records=max_records,
        per_cluster_limit=per_cluster_limit,
    )
    by_rank = sorted(candidates, key=lambda one: (-_rank(one.score), id_order(one.id)))
    selected: list[Candidate] = []
    rejected: list[Candidate] = []
    for one in by_rank:
        if one.id in [other.id for other in selected + rejected]:
            continue
        of_cluster = [other for other in selected if min(other.cluster, 8) == min(one.cluster, 8)]
        fits = (
            (len(of_cluster) < per_cluster_limit or not np.float32(one.score) < np.float32(0.92))
            and len(selected) < max_records
            and sum(other.tokens for other in selected) + one.tokens <= max_tokens
        )
        (selected if fits else rejected).append(one)
    assert choice.selected == [one.id for one in selected]
    assert choice.rejected == [one.id for one in rejected]
    assert choice.total_tokens == sum(one.tokens for one in selected)


def _rank(score: float | np.float32) -> float:
    """A number in the total order; -0.0 just below 0.0, NaN above all."""
    if math.isnan(score):
        return 9.0
    return -1e-9 if score == 0 and math.copysign(1, score) < 0 else float(score)
