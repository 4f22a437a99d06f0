"""The fast ways to rank and quote one record, against their definitions written out."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from arms.quoting.governing import governing_range
from arms.quoting.ranges import GrowingQuote, KeptRanges, merge_touching
from arms.quoting.ranking import QueryTrigrams, dense_ranks, trigrams
from arms.quoting.record import QuotableRecord, quotable_records
from harness.model import Case, CaseView, Range, Record, divide, view_of

from ..make.cases import made_record, made_view
from ..make.strategies import FRAGMENTS, QUESTIONS, cases

whole_texts = st.text(alphabet="aΣσςİıK\u0307 .\n👩\u200d🏠猫か", max_size=30)


def quotable_of(view: CaseView) -> list[tuple[QuotableRecord, list[Range]]]:
    """Every record with the bounds of its blocks, as divided or as given."""
    found = []
    for record, quotable in zip(view.records, quotable_records(view), strict=True):
        if record.blocks is None:
            bounds = [(span.start, span.end) for span in divide(record.text)]
        else:
            starts, ends = record.blocks.starts.tolist(), record.blocks.ends.tolist()
            bounds = list(zip(starts, ends, strict=True))
        found.append((quotable, bounds))
    return found


@settings(max_examples=60, deadline=None)
@given(cases())
def test_governing_ranges_are_what_each_block_reaches(case: Case) -> None:
    for quotable, bounds in quotable_of(view_of(case)[0]):
        reached = [governing_range(quotable.text, bounds, block) for block in range(len(bounds))]
        starts, ends = quotable.governing_starts.tolist(), quotable.governing_ends.tolist()
        assert list(zip(starts, ends, strict=True)) == [(start, end) for start, end, _ in reached]


_pieces = st.sampled_from(
    [
        "word " * 20,
        "x" * 300,
        "x" * 739,
        "End. ",
        "However, ",
        "ただ",
        "、",
        "that said ",
        "\n",
        "…",
    ]
)


@settings(deadline=None)
@given(st.lists(_pieces, min_size=1, max_size=12))
def test_governing_ranges_stop_growing_at_1478_characters(blocks: list[str]) -> None:
    record = made_record("r", *blocks)
    ((quotable, bounds),) = quotable_of(made_view("?", [record]))
    reached = [governing_range(record.text, bounds, block) for block in range(len(bounds))]
    starts, ends = quotable.governing_starts.tolist(), quotable.governing_ends.tolist()
    assert list(zip(starts, ends, strict=True)) == [(start, end) for start, end, _ in reached]
    assert all(end - start <= 1478 for start, end, _ in reached)


@settings(max_examples=60, deadline=None)
@given(cases())
def test_blocks_are_ranked_as_defined(case: Case) -> None:
    view = view_of(case)[0]
    grams = trigrams(view.query.text)
    for quotable, bounds in quotable_of(view):
        held = [len(grams & trigrams(quotable.text[start:end])) for start, end in bounds]
        ranks = [_dense(held, count) for count in held]
        scores = [1 / (61 + rank) for rank in ranks]
        if quotable.cosine is not None:
            cosines = quotable.cosine.tolist()
            by_cosine = [1 / (61 + _dense(cosines, cosine)) for cosine in cosines]
            scores = [score + term for score, term in zip(scores, by_cosine, strict=True)]
        in_order = sorted(range(len(bounds)), key=lambda block: (-scores[block], block))
        assert quotable.ranked.tolist() == in_order


def _dense(values: list[int] | list[float], value: float) -> int:
    return sorted(set(values), reverse=True).index(value)


@settings(max_examples=60, deadline=None)
@given(cases())
def test_cosines_are_all_or_nothing(case: Case) -> None:
    view = view_of(case)[0]
    query = view.query.vector
    for record, quotable in zip(view.records, quotable_records(view), strict=True):
        blocks = record.blocks
        if query is None or blocks is None or blocks.vectors is None or blocks.missing:
            assert quotable.cosine is None
            continue
        assert quotable.cosine is not None
        expected = [_cosine(row, query.tolist()) for row in blocks.vectors.tolist()]
        assert np.array_equal(quotable.cosine, np.round(quotable.cosine, 12))
        assert np.allclose(quotable.cosine, expected, rtol=0, atol=1e-11)


def _cosine(row: list[int], query: list[float]) -> float:
    length = math.hypot(*row) * math.hypot(*query)
    product = math.fsum(cell * other for cell, other in zip(row, query, strict=True))
    return product / length if length else 0.0


@given(
    st.sampled_from(QUESTIONS) | whole_texts,
    st.lists(st.sampled_from(FRAGMENTS) | whole_texts.filter(bool), min_size=1, max_size=6),
)
def test_trigrams_of_blocks_are_those_of_their_own_text(question: str, blocks: list[str]) -> None:
    record = made_record("r", *blocks)
    assert record.blocks is not None
    held = QueryTrigrams.of(question).held_by(record.text, record.blocks.starts, record.blocks.ends)
    expected = [len(trigrams(question) & trigrams(block)) for block in blocks]
    assert held.tolist() == expected


def test_trigrams_by_hand() -> None:
    assert trigrams("Abcd") == {"abc", "bcd"}
    assert trigrams("A b") == {"a b"}
    assert trigrams("Ab") == {"ab"}
    assert trigrams("") == set()
    assert trigrams("İ") == {"i̇"}  # two code points in lower case


def test_a_trigram_across_the_end_of_a_block_is_held_by_neither() -> None:
    record = made_record("r", "xab", "cx", "xABCx")
    assert record.blocks is not None
    held = QueryTrigrams.of("abc").held_by(record.text, record.blocks.starts, record.blocks.ends)
    assert held.tolist() == [0, 0, 1]


def test_a_qualifier_across_the_end_of_a_block_counts_for_the_range() -> None:
    # `in fact` stands in two blocks; the first, which ends no sentence, is joined to the second,
    # and both to the sentence that they qualify
    record = made_record("r", "It rains. ", "in ", "fact it pours. ", "So be it.")
    (quotable,) = quotable_records(made_view("?", [record]))
    starts, ends = quotable.governing_starts.tolist(), quotable.governing_ends.tolist()
    assert list(zip(starts, ends, strict=True)) == [(0, 10), (0, 28), (0, 28), (28, 37)]


def test_parallel_vectors_have_one_cosine() -> None:
    query = np.random.default_rng(3).normal(size=512)
    row = np.random.default_rng(4).integers(-40, 41, size=512)
    record = made_record(
        "r", "One.", "Two.", "Six.", vectors=[(row * factor).tolist() for factor in (1, 2, 3)]
    )
    (quotable,) = quotable_records(made_view("?", [record], vector=query.tolist()))
    assert quotable.cosine is not None
    assert len(set(quotable.cosine.tolist())) == 1


def test_dense_ranks_are_shared() -> None:
    assert dense_ranks(np.array([3, 5, 3, 0])).tolist() == [1, 0, 1, 2]


def test_equal_vectors_have_equal_cosines_wherever_they_stand() -> None:
    rows = np.random.default_rng(7).integers(-127, 128, size=(40, 384))
    rows[[3, 17, 39]] = rows[0]
    query = np.random.default_rng(8).normal(size=384)
    record = made_record("r", *[f"Line {number}." for number in range(40)], vectors=rows.tolist())
    (quotable,) = quotable_records(made_view("?", [record], vector=query.tolist()))
    assert quotable.cosine is not None
    assert len(set(quotable.cosine[[0, 3, 17, 39]].tolist())) == 1


def test_a_record_without_blocks_is_divided_and_has_no_cosine() -> None:
    view = made_view("two?", [Record("r", "One. Two. Three.")], vector=[1.0])
    (quotable,) = quotable_records(view)
    assert not quotable.current
    assert quotable.cosine is None
    assert len(quotable.ranked) == 3


@st.composite
def apart(draw: st.DrawFn) -> list[Range]:
    """Ranges that do not overlap, in any order; many touch."""
    cuts = sorted(draw(st.sets(st.integers(0, 40), min_size=2, max_size=20)))
    ranges = list(pairwise(cuts))
    kept = [span for span in ranges if draw(st.booleans())]
    return draw(st.permutations(kept))


@given(apart())
def test_a_growing_quote_has_the_length_of_its_merged_ranges(ranges: list[Range]) -> None:
    quote = GrowingQuote()
    for count, (start, end) in enumerate(ranges, start=1):
        before = quote.length
        grown = quote.add(start, end)
        assert quote.length - before == grown
        assert quote.length == joined_length(ranges[:count])


def joined_length(ranges: list[Range]) -> int:
    """Length of the ranges' quote: runs of characters, and three characters between two runs."""
    quoted = {place for start, end in ranges for place in range(start, end)}
    runs = sum(place - 1 not in quoted for place in quoted)
    return len(quoted) + 3 * max(runs - 1, 0)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)), max_size=8))
def test_merged_ranges_cover_the_same_characters(spans: list[tuple[int, int]]) -> None:
    ranges = [(start, start + length) for start, length in spans]
    merged = merge_touching(ranges)
    assert _characters(merged) == _characters(ranges)
    assert all(left[1] < right[0] for left, right in pairwise(merged))


def _characters(ranges: tuple[Range, ...] | list[Range]) -> set[int]:
    return {place for start, end in ranges for place in range(start, end)}


@given(apart(), st.integers(0, 40), st.integers(1, 9))
def test_kept_ranges_know_what_overlaps_and_what_touches(
    ranges: list[Range], start: int, length: int
) -> None:
    end = start + length
    kept = KeptRanges()
    for span in ranges:
        kept.keep(*span)
    assert kept.overlaps(start, end) == bool(_characters(ranges) & set(range(start, end)))
    assert kept.touches(start, end) == any(left == end or right == start for left, right in ranges)
