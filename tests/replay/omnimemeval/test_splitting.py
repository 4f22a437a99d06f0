"""Contexts split at their headers join again, byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.replay.sources.omnimemeval.tracing import (
    Block,
    SplitError,
    first_blocks,
    join_blocks,
    split_context,
)

from ...make.results import CONTEXT, KETTLE

TIMES = ("2023-05-20T02:21:00+00:00", "2022-11-01T23:59:00Z", "2023-01-01T00:00:00")
TEXTS = st.text(st.sampled_from("a[]\n… T:-3"), min_size=1, max_size=30)
BLOCKS = st.lists(st.builds(Block, st.sampled_from(TIMES), TEXTS), max_size=6).map(tuple)


def test_items_at_headers() -> None:
    assert split_context(CONTEXT) == (
        Block("2023-05-03T10:00:00+00:00", "A cat sat. … The kettle is loud."),
        Block("2023-05-02T10:00:00+00:00", f"{KETTLE}\n…\nRain in Lyon"),
    )


def test_a_context_without_items() -> None:
    assert split_context("") == ()
    assert split_context("Conversation memories:\n\n") == ()


def test_brackets_in_text_are_no_headers() -> None:
    body = "[note]\n[2023-05-20T02:21:00+00:00] said\nx [2023-05-20T02:21:00Z]\n[2023-05-20T02:21Z]"
    context = f"Conversation memories:\n\n[2023-05-01T10:00:00Z]\n{body}\n"
    assert split_context(context) == (Block("2023-05-01T10:00:00Z", body),)


@given(BLOCKS)
def test_blocks_join_and_split_to_the_same(blocks: tuple[Block, ...]) -> None:
    assert split_context(join_blocks(blocks)) == blocks


@given(TEXTS)
def test_any_text_splits_to_what_joins_to_it_or_is_refused(text: str) -> None:
    context = f"Conversation memories:\n\n[2023-01-01T00:00:00]\n{text}"
    try:
        blocks = split_context(context)
    except SplitError:
        assert not text.endswith("\n")
    else:
        assert join_blocks(blocks) == context


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ("Memories:\n\nx", "expected 'Conversation memories"),
        ("Conversation memories:\n\nundated\n", "expected a header"),
        ("Conversation memories:\n\n[2023-05-01T10:00:00Z]\nno last line break", "do not join"),
        ("Conversation memories:\n\n[2023-05-01T10:00:00Z]\n", "do not join"),
    ],
)
def test_what_is_no_context_is_refused(context: str, message: str) -> None:
    with pytest.raises(SplitError, match=message):
        split_context(context)


def test_the_first_items() -> None:
    first, _ = split_context(CONTEXT)
    assert first_blocks(CONTEXT, 1) == f"Conversation memories:\n\n{first.text}"
    assert first_blocks(CONTEXT, 2) == first_blocks(CONTEXT, 9) == CONTEXT
    assert first_blocks("", 3) == ""
