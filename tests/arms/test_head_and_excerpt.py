"""The quotes of heads and of claims in today's sequence, against their definition and by hand."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from arms.quoting.excerpt import claim_excerpt
from arms.quoting.head import head_quote
from arms.quoting.record import QuotableRecord, quotable_records
from harness.model import Case, Quote, Range, Record, view_of

from ..make.cases import made_record, made_view
from ..make.strategies import cases
from .test_quoting_definitions import joined_length

Ranges = tuple[Range, ...]


@settings(max_examples=80, deadline=None)
@given(cases(), st.integers(1, 1500))
def test_a_head_is_filled_with_its_best_ranges(case: Case, cap: int) -> None:
    for position, record in enumerate(quotable_records(view_of(case)[0])):
        quote = head_quote(position, record, cap)
        assert quote.length <= cap
        characters = {place for start, end in quote.ranges for place in range(start, end)}
        assert characters == _filled(record, cap)


def _filled(record: QuotableRecord, cap: int) -> set[int]:
    """The definition, character by character."""
    if len(record.text) <= cap or len(record.ranked) < 2:
        return set(range(min(len(record.text), cap)))
    taken: list[Range] = []
    used = 0
    for start, end in record.ranked_ranges:
        if any(start < other_end and other_start < end for other_start, other_end in taken):
            continue
        if not taken and end - start > cap:
            return set(range(start, start + cap))
        touches = any(start == other[1] or end == other[0] for other in taken)
        used += end - start + (3 if taken and not touches else 0)
        if used > cap:
            break
        taken.append((start, end))
    return {place for start, end in taken for place in range(start, end)}


@settings(max_examples=80, deadline=None)
@given(cases())
def test_an_excerpt_is_the_opening_of_one_governing_range(case: Case) -> None:
    view = view_of(case)[0]
    for position, (record, quotable) in enumerate(
        zip(view.records, quotable_records(view), strict=True)
    ):
        ((start, end),) = claim_excerpt(view, position).ranges
        if record.blocks is None or not len(record.blocks):
            assert (start, end) == (0, min(len(record.text), 500))
            continue
        best = quotable.ranked[0]
        governed = int(quotable.governing_starts[best]), int(quotable.governing_ends[best])
        assert (start, end) == (governed[0], min(governed[1], start + 500))


def _quote(record: Record, question: str, cap: int) -> Ranges:
    view = made_view(question, [record])
    return head_quote(0, quotable_records(view)[0], cap).ranges


ONE, TWO, THREE, FOUR = "Ada sang. ", "Bob rang. ", "Cyd sang. ", "Dan ran. "


def test_a_text_within_the_cap_is_quoted_whole() -> None:
    assert _quote(made_record("r", ONE, TWO), "?", 20) == ((0, 20),)


def test_a_text_that_does_not_divide_gives_its_first_characters() -> None:
    assert _quote(made_record("r", ONE + TWO), "?", 12) == ((0, 12),)


def test_best_ranges_are_taken_until_one_does_not_fit() -> None:
    record = made_record("r", ONE, TWO, THREE, FOUR)
    # trigrams of "Cyd sang" held: 3 (" sa", "san", "ang"), 1 ("ang"), 6, 0; order 2, 0, 1, 3
    assert _quote(record, "Cyd sang", 10) == ((20, 30),)
    # the next costs 10 and a separator of 3
    assert _quote(record, "Cyd sang", 22) == ((20, 30),)
    assert _quote(record, "Cyd sang", 23) == ((0, 10), (20, 30))
    # block 1 touches both and is counted as 10, though it frees the separator
    assert _quote(record, "Cyd sang", 32) == ((0, 10), (20, 30))
    assert _quote(record, "Cyd sang", 33) == ((0, 30),)
    assert _quote(record, "Cyd sang", 39) == ((0, 39),)


def test_what_does_not_fit_ends_it_even_if_a_later_range_would() -> None:
    record = made_record("r", ONE, "Bob rang and rang and rang. ", FOUR)
    # trigrams of "rang and rang" put block 1 first; the others hold "ang" alone, and none
    assert _quote(record, "Ada sang", 12) == ((0, 10),)
    assert _quote(record, "rang and rang", 28) == ((10, 38),)


def test_a_first_range_over_the_cap_is_cut_and_stands_alone() -> None:
    record = made_record("r", ONE, "Bob rang and rang and rang. ", FOUR)
    assert _quote(record, "rang and rang", 20) == ((10, 30),)


def test_the_length_of_a_quote_counts_separators() -> None:
    assert Quote(0, ((0, 5), (8, 10))).length == 10
    assert Quote(0, ((0, 5), (8, 10))).text("Hello, ok!") == "Hello … k!"
    assert Quote(0, ()).length == 0
    assert Quote(0, ((3, 3),)).length == 0


@given(st.lists(st.integers(0, 30), min_size=2, max_size=10, unique=True))
def test_the_length_of_a_quote_is_that_of_its_text(cuts: list[int]) -> None:
    cuts = sorted(cuts[: len(cuts) // 2 * 2])
    ranges = tuple(zip(cuts[::2], cuts[1::2], strict=True))
    quote = Quote(0, ranges)
    assert quote.length == len(quote.text("👩 é " * 10)) == joined_length(list(ranges))
