"""The fused order of passages, against its definition and by hand."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arms.allocation.fusion import Summation, cosine_ranks

from .passage_rows import Row, fused

made_candidates = st.lists(
    st.builds(
        Row,
        item=st.integers(0, 5),
        record=st.integers(0, 5),
        start=st.integers(0, 50),
        end=st.integers(51, 99),
        inside=st.integers(0, 5),
        cosine=st.none() | st.sampled_from([-0.5, 0.0, 0.25, 0.5]),
        whole=st.booleans(),
    ),
    max_size=20,
)


@given(made_candidates, st.sampled_from(["exact", "sequential"]), st.booleans())
def test_the_order_is_as_defined(
    candidates: list[Row], summation: Summation, whole_first: bool
) -> None:
    sequence = fused(candidates, summation, whole_first=whole_first)
    found = [
        (passage.item, passage.record, passage.start, passage.end, passage.ranks.inside)
        for passage in sequence
    ]
    in_order = sorted(
        candidates,
        key=lambda one: (-_score(one, candidates, summation), one.item, one.start),
    )
    if whole_first:
        opening = sorted((one for one in candidates if one.whole), key=lambda one: one.item)
        in_order = opening + [one for one in in_order if not one.whole]
    assert found == [(one.item, one.record, one.start, one.end, one.inside) for one in in_order]


def _score(one: Row, candidates: list[Row], summation: Summation) -> float:
    ranks = [one.item, one.inside]
    rank = _cosine_rank(one.cosine, [other.cosine for other in candidates])
    if rank is not None:
        ranks.append(rank)
    terms = [1 / (61 + rank) for rank in ranks]
    if summation == "exact":
        return math.fsum(terms)
    total = 0.0
    for term in terms:
        total += term
    return total


def _cosine_rank(cosine: float | None, cosines: list[float | None]) -> int | None:
    present = sorted({other for other in cosines if other is not None}, reverse=True)
    if not present:
        return None
    return len(present) if cosine is None else present.index(cosine)


def test_a_missing_cosine_ranks_after_every_present_one() -> None:
    assert cosine_ranks(np.array([math.nan, 0.5, -1.0, 0.5, math.nan])).tolist() == [2, 0, 1, 0, 2]


def test_without_any_cosine_there_is_no_such_list() -> None:
    one = Row(0, 0, 0, 9, 0, None, whole=True)
    (passage,) = fused([one], "exact")
    assert passage.ranks.cosine is None


def test_ties_go_to_the_better_item_then_to_the_earlier_start() -> None:
    # ranks (item, inside): (1, 0) and (0, 1) have equal sums, as have the two at (0, 1)
    candidates = [
        Row(1, 1, 0, 9, 0, None, whole=False),
        Row(0, 0, 50, 59, 1, None, whole=False),
        Row(0, 0, 20, 29, 1, None, whole=False),
    ]
    order = [(one.item, one.start) for one in fused(candidates, "exact")]
    assert order == [(0, 20), (0, 50), (1, 0)]


def test_only_exact_sums_keep_a_tie_of_three_terms() -> None:
    # ranks (record, inside, cosine) of 0, 0, 1 and 1, 0, 0: left to right, the second sum comes out
    # one bit larger
    candidates = [
        Row(0, 0, 0, 9, 0, 0.4, whole=False),
        Row(1, 1, 0, 9, 0, 0.8, whole=False),
    ]
    assert [one.item for one in fused(candidates, "exact")] == [0, 1]
    assert [one.item for one in fused(candidates, "sequential")] == [1, 0]


def test_whole_short_records_open_in_item_order() -> None:
    lesser = Row(0, 0, 0, 9, 0, 0.9, whole=False)
    whole = [Row(place, place, 0, 9, 0, None, whole=True) for place in (3, 1)]
    order = [one.item for one in fused([lesser, *whole], "exact", whole_first=True)]
    assert order == [1, 3, 0]
    without = [one._replace(whole=False) for one in whole]
    order = [one.item for one in fused([lesser, *without], "exact", whole_first=True)]
    assert order == [0, 1, 3]
