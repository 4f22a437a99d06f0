"""Quotes are found in records by their text."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model import PASSAGE_SEPARATOR
from harness.replay.sources.omnimemeval.tracing import (
    Block,
    QuoteOrigin,
    TracedBlock,
    locate,
    trace_block,
)

TIME = "2023-05-20T02:21:00+00:00"
LATER = "2023-05-21T02:21:00+00:00"


def traced(body: str, *records: tuple[str, str | None]) -> TracedBlock:
    return trace_block(Block(TIME, body), [QuoteOrigin(*record) for record in records])


@pytest.mark.parametrize(
    ("part", "record", "ranges"),
    [
        ("one two", "one two three", ((0, 7),)),
        ("one … three", "one two three", ((0, 3), (8, 13))),
        ("three … one", "one two three", None),
        ("one … one", "one two one", ((0, 3), (8, 11))),
        ("one … one", "one two", None),
        # the separator stands in the record: one passage, whose end is not lost
        ("one … two", "say one … two", ((4, 13),)),
        ("one … two … four", "one … two three four", ((0, 9), (16, 20))),
        # a passage that ends with an ellipsis: the first separator is not where it seems to be
        ("one … … two", "one … and two", ((0, 5), (10, 13))),
        ("", "one", None),
        ("one … ", "one two", None),
    ],
)
def test_passages_in_order(
    part: str, record: str, ranges: tuple[tuple[int, int], ...] | None
) -> None:
    assert locate(part, record) == ranges


@given(st.text(st.sampled_from("ab …"), min_size=1, max_size=40), st.integers(0, 2**32 - 1))
def test_what_was_quoted_is_found_as_the_same_text(record: str, seed: int) -> None:
    draw = random.Random(seed)
    cuts = sorted(draw.sample(range(len(record) + 1), k=min(len(record) + 1, 4)))
    passages = [record[a:b] for a, b in zip(cuts[::2], cuts[1::2], strict=False) if a < b]
    part = PASSAGE_SEPARATOR.join(passages)
    found = locate(part, record)
    if not passages:
        assert found is None
        return
    assert found is not None
    assert PASSAGE_SEPARATOR.join(record[start:end] for start, end in found) == part
    assert all(before[1] <= after[0] for before, after in pairwise(found))


def test_a_head_is_looked_for_at_its_time_first_and_an_excerpt_by_position() -> None:
    block = traced("same\n…\nsame", ("same", LATER), ("same", "2023-05-20T02:21:00Z"))
    head, excerpt = block.parts
    assert head.matches == (1, 0)
    assert excerpt.matches == (0, 1)


def test_a_line_of_an_ellipsis_in_a_record_is_text() -> None:
    block = traced("wait\n…\ndone\n…\nother", ("wait\n…\ndone here", TIME), ("other", TIME))
    assert [(part.text, part.matches) for part in block.parts] == [
        ("wait\n…\ndone", (0,)),
        ("other", (1,)),
    ]


def test_a_quote_in_no_record() -> None:
    head, excerpt = traced("no … where\n…\nhere", ("here", TIME)).parts
    assert (head.located, head.text, head.ranges) == (False, "no … where", ((0, 2), (5, 10)))
    assert head.characters == 7
    assert excerpt.matches == (0,)


def test_a_quote_that_lies_elsewhere_too() -> None:
    record = ("yes. no. yes.", TIME)
    assert traced("yes.", record).parts[0].several_places
    assert traced("yes. no.", record).parts[0].several_places is False
    assert traced("yes. … yes.", record).parts[0].several_places is False


def test_an_empty_item_has_no_parts() -> None:
    assert traced("", ("here", TIME)).parts == ()
