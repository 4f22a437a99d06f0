"""The part of a passage that was cut off, computed by hand and character by character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.measure.loss import LONGEST_PASSAGE, rests
from harness.measure.turns import RecordBlocks
from harness.model import Range

BLOCKS = RecordBlocks(3000, (500, 1000, 1500, 2000, 2500, 3000))


@pytest.mark.parametrize(
    ("shown", "offered", "found"),
    [
        ((0, 500), (), ()),  # ends where a block does
        ((0, 3000), (), ()),  # ends where the record does
        ((0, 800), (), ((800, 1000),)),  # the block end within 1,478 characters
        ((600, 1400), (), ((1400, 2000),)),  # two of them
        ((600, 1400), ((1700, 1800),), ((1400, 1700),)),  # up to the next passage
        ((600, 1400), ((1200, 1300),), ((1400, 2000),)),  # which starts after the cut
        ((0, 1600), (), ((1600, 2000),)),  # at least the block that was cut
    ],
)
def test_the_rest_of_a_passage(
    shown: Range, offered: tuple[Range, ...], found: tuple[Range, ...]
) -> None:
    assert rests(BLOCKS, [shown], [shown, *offered]) == found


def test_a_record_without_blocks_after_the_cut_has_no_rest() -> None:
    assert rests(RecordBlocks(0, ()), [], []) == ()
    assert rests(RecordBlocks(10, (10,)), [(0, 4)], [(0, 4)]) == ((4, 10),)


@st.composite
def cut_records(draw: st.DrawFn) -> tuple[RecordBlocks, list[Range], list[Range]]:
    """Blocks of up to 739 characters, and offered passages of which some are shown."""
    sizes = draw(st.lists(st.integers(1, 739), min_size=1, max_size=12))
    ends = [sum(sizes[: place + 1]) for place in range(len(sizes))]
    ranges = st.tuples(st.integers(0, ends[-1] - 1), st.integers(1, 900)).map(
        lambda pair: (pair[0], min(pair[0] + pair[1], ends[-1]))
    )
    offered = draw(st.lists(ranges, min_size=1, max_size=6))
    shown = offered[: draw(st.integers(1, len(offered)))]
    return RecordBlocks(ends[-1], tuple(ends)), shown, offered


@given(cut_records())
def test_rests_are_those_found_by_walking(
    drawn: tuple[RecordBlocks, list[Range], list[Range]],
) -> None:
    record, shown, offered = drawn
    expected = []
    for start, end in shown:
        if end in record.block_ends:
            continue
        own_block = min(stop for stop in record.block_ends if stop > end)
        allowed = [stop for stop in record.block_ends if stop - start <= LONGEST_PASSAGE]
        last = max([own_block, *allowed])
        at = end
        while at < last and at not in {other for other, _ in offered if other >= end}:
            at += 1
        if at > end:
            expected.append((end, at))
    assert rests(record, shown, offered) == tuple(expected)
