"""Invariant 9: which points are compared, and what counts as lost."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from harness.model import MEMORY, ItemQuote, Quote, Range, Selection, view_of
from harness.model.case import Case, Item, Query
from harness.points import default_points, load_arm, parse_point
from harness.replay.growth import GrowthPair, Loss, growth_pairs, losses, shown_by

from ..make.cases import made_record

PAIR = GrowthPair(
    "evidence", parse_point("evidence(budget=2000)"), parse_point("evidence(budget=2400)")
)


def points(*spellings: str) -> list[Any]:
    return [parse_point(spelling) for spelling in spellings]


def pairs(*spellings: str, earlier: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    found = growth_pairs(points(*spellings), points(*earlier))
    return [(str(pair.smaller), str(pair.larger)) for pair in found]


def test_each_point_is_compared_with_the_next_larger_one() -> None:
    assert pairs("whole(budget=3200)", "whole(budget=2000)", "whole(budget=2400)") == [
        ("whole(budget=2000)", "whole(budget=2400)"),
        ("whole(budget=2400)", "whole(budget=3200)"),
    ]


def test_a_word_is_larger_than_every_number() -> None:
    assert pairs("count-curve(k=full)", "count-curve(k=10)", "count-curve(k=2)") == [
        ("count-curve(k=2)", "count-curve(k=10)"),
        ("count-curve(k=10)", "count-curve(k=full)"),
    ]


def test_points_that_differ_in_something_else_are_not_compared() -> None:
    assert pairs("evidence(budget=2000)", "whole(budget=2400)") == []
    assert pairs("evidence(budget=2000)", "evidence(budget=2400, overlap=merge)") == []
    assert pairs("quote-curve(head=320, tail=160)", "quote-curve(head=800, tail=400)") == []


def test_pairs_of_earlier_points_are_not_compared_again() -> None:
    earlier = ("evidence(budget=2000)", "evidence(budget=2400)")
    assert pairs("evidence(budget=3200)", earlier=earlier) == [
        ("evidence(budget=2400)", "evidence(budget=3200)")
    ]
    assert pairs("evidence(budget=2200)", earlier=earlier) == [
        ("evidence(budget=2000)", "evidence(budget=2200)"),
        ("evidence(budget=2200)", "evidence(budget=2400)"),
    ]


def test_the_default_points_give_every_neighbour_once() -> None:
    found = growth_pairs(default_points(kind=MEMORY))
    by_arm = {arm: sum(pair.arm == arm for pair in found) for arm in {pair.arm for pair in found}}
    assert by_arm == {
        "count-curve": 8,
        "2.6.5a1": 5,
        "2.6.5a2": 5,
        "evidence": 5,
        "whole": 5,
        "sea": 4,
    }


def item(place: int, *ranges: Range, excerpts: tuple[Quote, ...] = ()) -> ItemQuote:
    return ItemQuote(place, Quote(place, ranges), excerpts)


def lost(smaller: list[ItemQuote], larger: list[ItemQuote]) -> list[tuple[str, int, int | None]]:
    found = losses(PAIR, shown_by(Selection(tuple(smaller))), shown_by(Selection(tuple(larger))))
    return [(loss.lost, loss.item, loss.record) for loss in found]


def test_what_grows_is_no_loss() -> None:
    smaller = [item(0, (0, 5), (10, 20)), item(2, (0, 3))]
    larger = [item(0, (0, 25)), item(1, (0, 1)), item(2, (0, 3), (4, 5))]
    assert lost(smaller, larger) == []
    assert lost([], larger) == []
    assert lost(larger, larger) == []


def test_a_lost_item_counts_once_with_all_that_it_showed() -> None:
    excerpts = (Quote(7, ((0, 1),)), Quote(8, ((0, 1),)))
    assert lost([item(0, (0, 5), excerpts=excerpts), item(1, (0, 2))], [item(1, (0, 2))]) == [
        ("item", 0, None)
    ]
    assert lost([item(0, (0, 5)), item(1, (0, 2))], []) == [("item", 0, None), ("item", 1, None)]


def test_a_lost_excerpt_names_its_record() -> None:
    excerpts = (Quote(7, ((0, 1),)), Quote(8, ((0, 1),)))
    assert lost([item(0, (0, 5), excerpts=excerpts)], [item(0, (0, 5), excerpts=excerpts[:1])]) == [
        ("excerpt", 0, 8)
    ]


@pytest.mark.parametrize("there", [(0, 4), (1, 9), (6, 20)])
def test_lost_characters(there: Range) -> None:
    assert lost([item(0, (0, 5))], [item(0, there)]) == [("characters", 0, 0)]


def test_a_head_that_was_not_quoted_loses_nothing() -> None:
    claim = (Quote(7, ((0, 1),)),)
    assert lost([item(0, excerpts=claim)], [item(0, (0, 9), excerpts=claim)]) == []


def shown_at(spelling: str, case: Case) -> Any:
    return shown_by(parse_point(spelling).policy.select(view_of(case)[0]))


def excerpts_in_leftover_room(excerpt: int) -> Case:
    """A head of two blocks of 600 and 590 characters, and a claim with an excerpt.

    At a budget under 1,190 `evidence` shows the better block of the head and fills the room with
    the excerpt; from 1,190 on it shows both blocks and has no room for the excerpt.
    """
    head = made_record(
        "head", "kettle " + "a" * 592 + ".", "shed " + "b" * 584 + ".", vectors=[[1, 0], [0, 1]]
    )
    claim = made_record("claim", "c" * excerpt)
    return Case("q", Query("kettle shed"), (head, claim), (Item("head", ("claim",)),))


def test_excerpts_of_the_release_get_lost_as_its_rule_says() -> None:
    case = excerpts_in_leftover_room(300)
    pair = GrowthPair(
        "evidence", parse_point("evidence(budget=1000)"), parse_point("evidence(budget=1200)")
    )
    small, large = (shown_at(str(point), case) for point in (pair.smaller, pair.larger))
    assert small.ranges == {(0, 0): ((0, 600),), (0, 1): ((0, 300),)}
    assert large.ranges == {(0, 0): ((0, 1190),)}
    assert list(losses(pair, small, large)) == [Loss(pair, "excerpt", 0, 1)]


def test_the_design_carries_no_excerpt_while_a_passage_is_left_out() -> None:
    case = excerpts_in_leftover_room(300)
    shown = [shown_at(f"2.6.5a1(budget={budget})", case) for budget in range(800, 2000, 10)]
    for small, large in pairwise(shown):
        assert list(losses(PAIR, small, large)) == []
    assert (0, 1) in shown[-1].ranges


def test_a_window_budget_that_is_the_smaller_one_is_compared_as_such() -> None:
    """`items` spells its default by a word, which is 6,000 characters here."""
    head = made_record("head", "h" * 100, vectors=[[1]])
    claims = [made_record(f"c{n}", f"{n}" * 500, vectors=[[1]]) for n in range(20)]
    window = (Item("head", tuple(claim.record_id for claim in claims)),)
    case = Case("q", Query("?"), (head, *claims), window)
    [pair] = growth_pairs(points("items", "items(budget=9000)"))
    assert (str(pair.smaller), str(pair.larger)) == ("items(budget=9000)", "items")
    large, default = shown_at("items(budget=9000)", case), shown_at("items", case)
    assert (large.budget, default.budget) == (9000, 6000)
    assert len(large.ranges) > len(default.ranges)
    assert list(losses(pair, large, default)) == []
    # and the other way round, what the window shows and the larger budget does not is a loss
    loss = next(losses(pair, shown_by(Selection((), budget=9000)), default))
    assert (str(loss.pair.smaller), str(loss.pair.larger)) == ("items", "items(budget=9000)")
    assert loss.lost == "item"


def test_arms_that_promise_growth_say_so() -> None:
    promised = {name: load_arm(name).promises_growth for name in ("2.6.5a1", "2.6.5a2", "evidence")}
    assert promised == {"2.6.5a1": True, "2.6.5a2": True, "evidence": False}
