"""Evidence allocation by hand: the four arms on cases that one can add up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from arms.allocation.parts import normalised
from harness.model import Case, CaseView, Item, Range, Record, Selection, view_of
from harness.points import Point, parse_point

from ..make.cases import made_record, made_view
from ..make.strategies import cases, points


def said(words: str, length: int) -> str:
    """A sentence of `length` characters."""
    return f"{words:z<{length - 2}}. "


def selection_of(view: CaseView, point: str) -> Selection:
    return parse_point(point).policy.select(view)


def order_of(selection: Selection) -> list[tuple[int, int]]:
    """Item and start of every passage, in order."""
    return [(passage.item, passage.start) for passage in selection.sequence]


def shown_by(selection: Selection) -> list[tuple[int, tuple[Range, ...], list[tuple[Range, ...]]]]:
    """Item, ranges of its head, ranges of its excerpts."""
    return [
        (item.item, item.head.ranges, [excerpt.ranges for excerpt in item.excerpts])
        for item in selection.items
    ]


@pytest.fixture
def tea() -> CaseView:
    """Ranks (record, inside, cosine), cosine ranks over 1, 0, -1 and a missing one:

    item 0: (0, 0, 0) at 0 to 400, (0, 1, 1) at 400 to 700, (0, 2, 2) at 700 to 1,000
    item 1: (1, 1, 0) at 0 to 500, (1, 0, 0) at 500 to 1,000 (its own trigram puts it first)
    item 2: (2, 0, 3), whole, 7 characters
    """
    records = [
        made_record(
            "a",
            *(said("tea", 400), said("b", 300), said("c", 300)),
            vectors=[[1, 0], [0, 1], [-1, 0]],
        ),
        made_record("b", said("d", 500), said("tea", 500), vectors=[[1, 0], [2, 0]]),
        Record("c", "Coffee."),
    ]
    return made_view("tea", records, vector=[1.0, 0.0])


IN_ORDER = [(0, 0), (1, 500), (0, 400), (1, 0), (0, 700), (2, 0)]


def test_three_ranks_are_fused_and_ties_go_to_the_better_item(tea: CaseView) -> None:
    selection = selection_of(tea, "2.6.5a1(budget=2800)")
    # 3/61; 1/62 + 2/61; then 1/61 + 2/62 twice, item 0 first; 1/61 + 2/63; 1/63 + 1/61 + 1/64
    assert order_of(selection) == IN_ORDER
    ranks = [passage.ranks for passage in selection.sequence]
    assert [(rank.record, rank.inside, rank.cosine) for rank in ranks] == [
        *((0, 0, 0), (1, 0, 0), (0, 1, 1)),
        *((1, 1, 0), (0, 2, 2), (2, 0, 3)),
    ]


@pytest.mark.parametrize(
    ("budget", "taken", "used"),
    [
        (800, 1, 400),
        (899, 1, 400),
        (900, 2, 900),
        (1200, 3, 1200),  # touches the first passage: no separator
        (1699, 3, 1200),
        (1700, 4, 1700),
        (1999, 4, 1700),
        (2000, 5, 2000),
        (2006, 5, 2000),
        (2007, 6, 2007),
    ],
)
def test_the_longest_prefix_that_fits(tea: CaseView, budget: int, taken: int, used: int) -> None:
    selection = selection_of(tea, f"2.6.5a1(budget={budget})")
    assert (selection.taken, selection.used) == (taken, used)
    assert selection.omitted.passages == 6 - taken


def test_touching_passages_are_shown_as_one(tea: CaseView) -> None:
    selection = selection_of(tea, "2.6.5a1(budget=1200)")
    assert shown_by(selection) == [(0, ((0, 700),), []), (1, ((500, 1000),), [])]
    assert selection.omitted.items == 1


def test_a_separator_counts_three_characters() -> None:
    # the middle sentence has no trigram of the question, so it is the last of its record
    blocks = said("tea", 300), said("b", 300), said("tea", 300)
    view = made_view("tea", [made_record("a", *blocks)])
    assert selection_of(view, "2.6.5a1(budget=800)").used == 603
    together = selection_of(view, "2.6.5a1(budget=900)")
    assert (together.used, shown_by(together)) == (900, [(0, ((0, 900),), [])])


def test_the_first_passage_is_taken_whatever_it_costs() -> None:
    view = made_view("?", [made_record("a", "x" * 900)])
    assert selection_of(view, "2.6.5a1(budget=800)").used == 800


def test_the_release_adds_the_terms_left_to_right(tea: CaseView) -> None:
    # ranks 0, 1, 1 at item 0 and 1, 1, 0 at item 1: the same three terms, in two orders
    better_item = (1 / 61 + 1 / 62) + 1 / 62
    better_cosine = (1 / 62 + 1 / 62) + 1 / 61
    middle = [(0, 400), (1, 0)] if better_item >= better_cosine else [(1, 0), (0, 400)]
    selection = selection_of(tea, "evidence(budget=2800)")
    assert order_of(selection) == [*IN_ORDER[:2], *middle, *IN_ORDER[4:]]
    exact = selection_of(tea, "evidence(budget=2800, summation=exact)")
    assert order_of(exact) == IN_ORDER


def test_whole_opens_with_short_records(tea: CaseView) -> None:
    selection = selection_of(tea, "whole(budget=907, summation=exact)")
    assert order_of(selection) == [(2, 0), *IN_ORDER[:5]]
    assert (selection.taken, selection.used) == (3, 907)


@pytest.fixture
def claims() -> CaseView:
    """A short head with a claim of three passages: ranks inside 1, 0, 2; nothing has a vector."""
    claim = made_record("claim", said("a", 400), said("tea", 300), said("b", 300))
    return made_view("tea", [Record("head", "Head text."), claim], [Item("head", ("claim",))])


def test_a_claim_with_a_taken_passage_is_an_excerpt_with_its_ranges(claims: CaseView) -> None:
    selection = selection_of(claims, "2.6.5a1(budget=800)")
    # head and best passage tie at 2/61: the earlier start is first
    assert order_of(selection) == [(0, 0), (0, 400), (0, 0), (0, 700)]
    assert shown_by(selection) == [(0, ((0, 10),), [((0, 700),)])]
    assert (selection.used, selection.omitted.passages) == (710, 1)


def test_a_claim_alone_leaves_its_head_unquoted() -> None:
    claim = made_record("claim", said("tea tea", 400), said("b", 500), vectors=[[1], [-1]])
    head = made_record("head", said("c", 500), said("d", 500), vectors=[[-1], [-1]])
    view = made_view("tea", [head, claim], [Item("head", ("claim",))], vector=[1.0])
    # the claim's first passage has ranks 0, 0, 0; the head's has 0, 0, 1 and does not fit
    selection = selection_of(view, "2.6.5a1(budget=800)")
    assert shown_by(selection) == [(0, (), [((0, 400),)])]


def test_the_release_quotes_heads_and_excerpts_claims(claims: CaseView) -> None:
    selection = selection_of(claims, "evidence(budget=800)")
    # the head, then the best block's governing range of the claim
    assert shown_by(selection) == [(0, ((0, 10),), [((400, 700),)])]
    assert selection.used == 310


def test_leftover_excerpts_break_growth_and_late_ones_do_not() -> None:
    head = made_record("head", said("tea", 400), said("b", 300), said("c", 300))
    view = made_view("tea", [head, Record("claim", "y" * 100)], [Item("head", ("claim",))])
    used = {
        (budget, excerpts): selection_of(view, f"evidence(budget={budget}, excerpts={excerpts})")
        for budget in (800, 1050, 1100)
        for excerpts in ("leftover", "after-all")
    }
    shown = {key: len(selection.items[0].excerpts) for key, selection in used.items()}
    assert shown == {
        (800, "leftover"): 1,  # 700 of passages leave 100
        (1050, "leftover"): 0,  # all passages, 1,000, leave 50
        (1100, "leftover"): 1,
        (800, "after-all"): 0,
        (1050, "after-all"): 0,
        (1100, "after-all"): 1,
    }


def test_not_even_an_empty_excerpt_comes_before_a_passage() -> None:
    blocks = said("tea", 500), said("b", 500), said("c", 500)
    head = made_record("head", *blocks, vectors=[[2, 0], [1, 1], [0, 1]])
    view = made_view("tea", [head, Record("claim", "")], [Item("head", ("claim",))], [1.0, 0.0])
    # ranks 0, 0, 0 and 0, 1, 1 of the head, then 0, 0, 3 of the claim, which would cost nothing
    selection = selection_of(view, "2.6.5a1(budget=800)")
    assert [passage.record for passage in selection.sequence] == [0, 0, 1, 0]
    assert shown_by(selection) == [(0, ((0, 500),), [])]


def test_a_record_in_two_items_competes_in_both() -> None:
    view = made_view("?", [Record("a", "One."), Record("b", "Two")], [Item("a"), Item("b", ("a",))])
    selection = selection_of(view, "2.6.5a1(budget=800)")
    # item 0; then head and claim of item 1, which tie, in that order
    assert [(passage.item, passage.record) for passage in selection.sequence] == [
        *((0, 0), (1, 1), (1, 0)),
    ]
    assert selection.used == 4 + 3 + 4


def _nine(*texts: tuple[int, str]) -> CaseView:
    """Nine short records, each an item; without vectors they are in item order."""
    written = dict(texts)
    return made_view(
        "Miso in Lyon", [Record(str(place), written.get(place, "…")) for place in range(9)]
    )


def items_in_order(selection: Selection) -> list[int]:
    return [passage.item for passage in selection.sequence]


def test_coverage_moves_by_five_places() -> None:
    view = _nine((0, "Miso."), (1, "Miso!"), (7, "Lyon."))
    selection = selection_of(view, "2.6.5a2(budget=2800)")
    # key 2 for place 7, which ties with place 2; place 1 is of the first two records and stays
    assert items_in_order(selection) == [0, 1, 2, 7, 3, 4, 5, 6, 8]
    assert selection.sequence.parts == ("miso", "lyon")  # `in` is a stop word
    assert [passage.parts for passage in selection.sequence][:4] == [(0,), (0,), (), (1,)]
    free = selection_of(view, "2.6.5a2(budget=2800, keep_first=0)")
    # place 1 has the key 6 and ties with place 6
    assert items_in_order(free) == [0, 2, 7, 3, 4, 5, 1, 6, 8]
    still = selection_of(view, "2.6.5a2(budget=2800, step=0)")
    assert items_in_order(still) == list(range(9))


def test_the_first_records_are_counted_in_item_order_with_claims() -> None:
    records = [Record(str(place), "Miso." if place in (0, 3) else "…") for place in range(8)]
    items = [Item("0", ("1", "2")), *[Item(str(place)) for place in range(3, 8)]]
    view = made_view("Miso", records, items)
    # places: 0, 1 and 2 are item 0; place 3 is item 1 with the key 3 + 5
    every = selection_of(view, "2.6.5a2(budget=2800)")
    assert [passage.record for passage in every.sequence] == [0, 1, 2, 4, 5, 6, 7, 3]
    # of the heads alone, item 1 is among the first two and stays
    heads = selection_of(view, "2.6.5a2(budget=2800, candidates=heads)")
    assert [passage.record for passage in heads.sequence] == [0, 3, 4, 5, 6, 7]


def test_words_that_many_records_hold_are_no_parts() -> None:
    view = _nine((0, "Miso."), (5, "Lyon"), (7, "Lyon."), (8, "Lyon?"))
    # of nine records at most floor(2.25) may hold a rare word: `lyon` is in three
    rare = selection_of(view, "2.6.5a2(budget=2800)")
    assert rare.sequence.parts == ("miso",)
    assert items_in_order(rare) == list(range(9))
    ledger = selection_of(view, "2.6.5a2(budget=2800, parts=ledger)")
    assert ledger.sequence.parts == ("miso", "in", "lyon")
    # place 5 has the key 0 and is next; then 7 and 8, with nothing new, have the keys 12 and 13
    assert items_in_order(ledger) == [0, 5, 1, 2, 3, 4, 6, 7, 8]


def test_a_part_belongs_to_the_passage_that_holds_all_of_it() -> None:
    blocks = said("y", 500), f"{'z' * 498}a.", f"b {said('Lyon', 498)}", "Here is Lyon."
    view = made_view("a.b Lyon", [made_record("r", *blocks)])
    sequence = selection_of(view, "2.6.5a2(budget=2800, parts=ledger)").sequence
    assert sequence.parts == ("a.b", "lyon")
    # `a.b` stands across the end of a block and is in neither passage
    held = {passage.start: passage.parts for passage in sequence}
    assert held == {0: (), 500: (), 1000: (1,), 1500: (1,)}


def test_coverage_may_start_from_whole(tea: CaseView) -> None:
    plain = selection_of(tea, "2.6.5a2(budget=2800, start=whole, parts=ledger, step=0)")
    assert order_of(plain) == [(2, 0), *IN_ORDER[:5]]


@settings(max_examples=80, deadline=None)
@given(cases(), points("2.6.5a2"))
def test_the_trace_names_the_parts_of_each_passage(case: Case, point: Point) -> None:
    view = view_of(case)[0]
    sequence = point.policy.select(view).sequence
    for passage in sequence:
        text = normalised(view.records[passage.record].text[passage.start : passage.end])
        held = tuple(index for index, part in enumerate(sequence.parts) if part in text)
        assert passage.parts == held
