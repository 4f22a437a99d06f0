"""The least score that would have got a candidate in, against the walk itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arms.sea import Candidate, admitting_scores, select
from harness.model import AdmittingPolicy, Record

from .made import policy, view

EXCEPTION = np.float32(0.92)


def above(score: float | np.float32) -> float:
    return float(np.nextafter(np.float32(score), np.float32(2)))


def below(score: float | np.float32) -> float:
    return float(np.nextafter(np.float32(score), np.float32(-2)))


def made(*rows: tuple[str, float, int, int]) -> list[Candidate]:
    """Candidates of id, score, cluster and cost."""
    return [Candidate(name, cluster, cost, score) for name, score, cluster, cost in rows]


def found(candidates: Sequence[Candidate], **caps: int) -> dict[str, float | None]:
    caps = {"max_tokens": 99, "max_records": 99, "per_cluster_limit": 99, **caps}
    walk = [candidates[step.place].id for step in select(candidates, **caps).walk]
    return dict(zip(walk, admitting_scores(candidates, **caps), strict=True))


def test_the_token_budget() -> None:
    """Of ten tokens 4 and 4 are taken, and 5 more do not fit; after the first 4 they do. The walk
    shows only that 8 fit, and 4 + 5 are 9."""
    candidates = made(("1", 0.875, 0, 4), ("2", 0.75, 1, 4), ("3", 0.5, 2, 5), ("4", 0.25, 3, 9))
    scores = found(candidates, max_tokens=10)
    assert scores == {"1": None, "2": None, "3": above(0.75), "4": above(0.875)}


def test_a_record_that_never_fits() -> None:
    assert found(made(("1", 0.5, 0, 11)), max_tokens=10) == {"1": None}


@pytest.mark.parametrize(
    ("ids", "enough"), [(("1", "2"), above(0.75)), (("2", "1"), 0.75), (("9", "10"), above(0.75))]
)
def test_the_id_breaks_ties(ids: tuple[str, str], enough: float) -> None:
    candidates = made((ids[0], 0.75, 0, 1), (ids[1], 0.5, 0, 1))
    assert found(candidates, max_records=1)[ids[1]] == enough


@pytest.mark.parametrize(("ids", "enough"), [(("1", "2"), None), (("2", "1"), 1.0)])
def test_no_score_is_above_one(ids: tuple[str, str], enough: float | None) -> None:
    candidates = made((ids[0], 1.0, 0, 1), (ids[1], 0.5, 0, 1))
    assert found(candidates, max_records=1)[ids[1]] == enough


@pytest.mark.parametrize(
    ("first", "enough"),
    [
        (0.5, above(0.5)),
        (below(EXCEPTION), float(EXCEPTION)),
        (float(EXCEPTION), float(EXCEPTION)),
        (0.99, float(EXCEPTION)),
        (math.nan, float(EXCEPTION)),
    ],
)
def test_the_exception_to_the_cluster_cap(first: float, enough: float) -> None:
    """To be met first is enough, and so is 0.92, met first or not."""
    candidates = made(("1", first, 3, 1), ("2", 0.25, 3, 1))
    assert found(candidates, per_cluster_limit=1)["2"] == enough


def test_the_exception_is_not_enough_for_tokens() -> None:
    """At 0.92 only 1 token of 9 is left; before the 8 of score 0.97 there are 9."""
    candidates = made(("1", 0.97, 3, 8), ("2", 0.25, 3, 2))
    scores = found(candidates, per_cluster_limit=1, max_tokens=9)
    assert scores["2"] == above(0.97)


def test_the_exception_and_the_tokens_together() -> None:
    """Before the 8 tokens there is room for 2 more, but its kind is full there: 0.92 is enough for
    both, and it need not be met before the first of its kind."""
    candidates = made(("1", 0.95, 3, 1), ("2", 0.5, 0, 8), ("3", 0.25, 3, 2))
    scores = found(candidates, per_cluster_limit=1, max_tokens=9)
    assert scores["3"] == float(EXCEPTION)


def test_nothing_lifts_a_cap_of_none() -> None:
    candidates = made(("1", 0.5, 0, 1), ("2", 0.25, 0, 1))
    assert found(candidates, max_records=0) == {"1": None, "2": None}
    at_exception = {"1": float(EXCEPTION), "2": float(EXCEPTION)}
    assert found(candidates, per_cluster_limit=0) == at_exception


def test_a_duplicate_has_no_score_of_its_own() -> None:
    candidates = made(("1", 0.5, 0, 1), ("2", 0.25, 0, 9), ("2", 0.25, 0, 9))
    scores = admitting_scores(candidates, max_tokens=9, max_records=9, per_cluster_limit=9)
    assert scores == [None, above(0.5), None]


_scores = st.sampled_from(
    [0.0, -0.0, 0.5, 0.75, below(EXCEPTION), float(EXCEPTION), above(EXCEPTION), 1.0, math.nan]
) | st.floats(0, 1, width=32)
_lists = st.lists(
    st.builds(
        Candidate,
        id=st.sampled_from([*"123456789", "10", "other"]),
        cluster=st.sampled_from([0, 1, 8, 9]),
        tokens=st.integers(1, 9),
        score=_scores,
    ),
    max_size=9,
)


@given(
    _lists,
    st.integers(0, 30),
    st.integers(0, 6),
    st.integers(0, 3),
    st.lists(st.floats(0, 1, width=32), max_size=3),
)
def test_the_score_gets_in_and_none_below_does(
    candidates: list[Candidate], tokens: int, records: int, per_cluster: int, others: list[float]
) -> None:
    """A score changes nothing but what is met before the candidate, and whether it is below 0.92,
    so these scores are all that could be the least."""
    caps = {"max_tokens": tokens, "max_records": records, "per_cluster_limit": per_cluster}
    critical = [0.0, 1.0, float(EXCEPTION), *others]
    for one in candidates:
        critical += [float(np.float32(one.score)), below(one.score), above(one.score)]
    critical = [score for score in critical if 0 <= score <= 1]
    steps = select(candidates, **caps).walk
    scores = admitting_scores(candidates, **caps)
    for step, least in zip(steps, scores, strict=True):
        if step.selected or step.reasons == ("duplicate",):
            assert least is None
            continue
        expected = {score for score in critical if _gets_in(candidates, step.place, score, caps)}
        assert least == min(expected, default=None)
        if least is not None:
            assert expected == {score for score in critical if score >= least}
            assert _gets_in(candidates, step.place, least, caps)
            assert least == 0 or not _gets_in(candidates, step.place, below(least), caps)


def _gets_in(
    candidates: Sequence[Candidate], place: int, score: float, caps: dict[str, int]
) -> bool:
    changed = replace(candidates[place], score=score)
    choice = select([*candidates[:place], changed, *candidates[place + 1 :]], **caps)
    return next(step.selected for step in choice.walk if step.place == place)


def test_the_policy_tells_in_the_order_of_its_walk() -> None:
    """Keyword alone is there: 1, 0.5 and 0 of 0.15; the record cap is one."""
    chosen = policy(limit=1)
    case = view("red boat", [Record("z", "a red car"), Record("y", "red boat"), Record("x", "no")])
    assert isinstance(chosen, AdmittingPolicy)
    first = float(np.float32(0.15))
    assert chosen.admitting_scores(case) == [None, first, above(first)]
    assert chosen.admitting_scores(view("", [Record("z", "a")])) == []
