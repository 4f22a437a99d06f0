"""The arrays have the bits of the definitions."""

from __future__ import annotations

import json
import string

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from arms.sea import (
    DEFAULT_WEIGHTS,
    KINDS,
    TASKS,
    QueryTask,
    adjust_weights,
    embed,
    keyword_signal,
    parse_metadata,
    score,
    score_for_plan,
    semantic_signal,
)
from arms.sea.signals import keyword_signals, metadata_signals, recency_signals
from arms.sea.single import total_order

from . import definitions
from .bits import Floats, same_bits

any_float = st.floats(width=32)
in_range = st.floats(0, 1, width=32)
signal_rows = st.integers(0, 5).flatmap(lambda n: arrays(np.float32, (n, 8), elements=in_range))
weight_rows = arrays(np.float32, 8, elements=st.floats(-2, 2, width=32))
wild_rows = st.integers(0, 5).flatmap(lambda n: arrays(np.float32, (n, 8), elements=any_float))
signed_64 = st.integers(-(2**63), 2**63 - 1)
queries = st.text(st.sampled_from("abc BUG.é日本\t\n-_,;'\"()[]<>/\\"), max_size=30)


def bits(values: list[np.float32]) -> list[int]:
    return [int(value.view(np.uint32)) for value in values]


@given(st.one_of(signal_rows, wild_rows), weight_rows)
def test_score(rows: Floats, weights: Floats) -> None:
    with np.errstate(all="ignore"):
        wanted = [definitions.score(list(row), list(weights)) for row in rows]
    assert same_bits(score(rows, weights), bits(wanted))
    assert all(
        same_bits(score(row, weights), bits([one])[0])
        for row, one in zip(rows, wanted, strict=True)
    )


@given(signal_rows, st.sampled_from(TASKS), st.booleans())
def test_score_for_a_plan(rows: Floats, task: str, exact: bool) -> None:
    wanted = [
        definitions.score_for_plan(list(row), list(DEFAULT_WEIGHTS), task, exact) for row in rows
    ]
    assert same_bits(score_for_plan(rows, DEFAULT_WEIGHTS, QueryTask(task, exact)), bits(wanted))


@given(weight_rows, st.sampled_from(TASKS))
def test_adjusted_weights(weights: Floats, task: str) -> None:
    before = weights.copy()
    assert same_bits(adjust_weights(weights, task), bits(definitions.adjusted(list(weights), task)))
    assert same_bits(weights, before.view(np.uint32).tolist())


@given(arrays(np.float32, st.integers(0, 6), elements=any_float))
def test_semantic(cosines: Floats) -> None:
    wanted = [definitions.semantic(cosine) for cosine in cosines]
    assert same_bits(semantic_signal(cosines), bits(wanted))


@given(st.lists(st.none() | signed_64, max_size=5), st.none() | signed_64)
def test_recency(times: list[int | None], latest: int | None) -> None:
    wanted = [definitions.recency(time, latest) for time in times]
    assert same_bits(recency_signals(times, latest), bits(wanted))


@given(queries, st.lists(queries, max_size=3))
def test_keyword(query: str, texts: list[str]) -> None:
    wanted = [definitions.keyword(query, text) for text in texts]
    assert same_bits(keyword_signals(query, texts), bits(wanted))


def test_a_repeated_word_counts_each_time() -> None:
    assert keyword_signal("bug bug patch of", "the BUG") == np.float32(2) / np.float32(3)


@given(
    st.lists(
        st.fixed_dictionaries(
            {"kind": st.sampled_from(KINDS), "importance": st.floats(-1, 2)},
            optional={"project": st.text(string.ascii_letters, max_size=2)},
        ),
        max_size=4,
    ),
    st.text(string.ascii_letters, max_size=6),
)
def test_metadata(values: list[dict[str, object]], query: str) -> None:
    records = [parse_metadata(json.dumps(value)) for value in values] + [parse_metadata("[1]")]
    wanted = [definitions.metadata(record, query) for record in records]
    assert same_bits(metadata_signals(records, query), bits(wanted))


@given(st.text(max_size=12))
def test_embedding(text: str) -> None:
    assert same_bits(embed(text), bits(definitions.embedding(text)))


def test_total_order() -> None:
    nan, infinity = np.float32("nan"), np.float32("inf")
    values = [-nan, -infinity, -1.0, -0.0, 0.0, 0.5, infinity, nan]
    order = total_order(np.array(values, np.float32)).tolist()
    assert order == sorted(set(order))
