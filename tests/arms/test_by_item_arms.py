"""Today's sequence and its two curves by hand."""

from __future__ import annotations

import pytest

from harness.model import CaseView, Item, Record, Selection
from harness.points import parse_point

from ..make.cases import made_record, made_view

LONG = "x" * 1000


def view_of_items(count: int, *, reserved: int = 0, claims: int = 0) -> CaseView:
    """Items whose heads are 1,000 characters in one block, the last ones reserved; the first two
    have `claims` claims of 100 characters each."""
    heads = [made_record(f"head {place}", LONG) for place in range(count)]
    others = [
        Record(f"claim {place}.{turn}", "y" * 100) for place in (0, 1) for turn in range(claims)
    ]
    items = [
        Item(
            f"head {place}",
            tuple(f"claim {place}.{turn}" for turn in range(claims)) if place < 2 else (),
            reserved=place >= count - reserved,
        )
        for place in range(count)
    ]
    return made_view("?", [*heads, *others], items)


def selection_of(view: CaseView, point: str) -> Selection:
    return parse_point(point).policy.select(view)


def lengths(selection: Selection) -> list[int]:
    return [item.head.length for item in selection.items]


def excerpts(selection: Selection) -> list[int]:
    return [len(item.excerpts) for item in selection.items]


def test_five_full_quotes_then_shorter_ones() -> None:
    selection = selection_of(view_of_items(7), "items")
    assert lengths(selection) == [800, 800, 800, 800, 800, 400, 400]
    assert (selection.used, selection.budget) == (4800, 6000)


@pytest.mark.parametrize(
    ("items", "reserved", "budget"),
    [(0, 0, 6000), (3, 1, 6400), (10, 0, 6000), (12, 2, 6800), (12, 0, 6800), (20, 0, 10000)],
)
def test_the_default_budget_of_a_window(items: int, reserved: int, budget: int) -> None:
    assert selection_of(view_of_items(items, reserved=reserved), "items").budget == budget


def test_the_first_head_that_does_not_fit_ends_it() -> None:
    view = view_of_items(7, claims=1)
    selection = selection_of(view, "items(budget=2399)")
    assert lengths(selection) == [800, 800]
    # no excerpt, although 799 characters are left
    assert excerpts(selection) == [0, 0]
    assert (selection.omitted.items, selection.omitted.excerpts) == (5, 2)


def test_excerpts_come_in_rounds() -> None:
    view = view_of_items(3, claims=2)
    # heads 2,400, then item 0, item 1, item 0, item 1
    found = {
        budget: excerpts(selection_of(view, f"items(budget={budget})"))
        for budget in (2499, 2500, 2600, 2700, 2799, 2800)
    }
    assert found == {
        2499: [0, 0, 0],
        2500: [1, 0, 0],
        2600: [1, 1, 0],
        2700: [2, 1, 0],
        2799: [2, 1, 0],
        2800: [2, 2, 0],
    }


def test_the_first_k_items_keep_their_excerpts() -> None:
    view = view_of_items(7, claims=1)
    selection = selection_of(view, "count-curve(k=1)")
    assert (lengths(selection), excerpts(selection)) == ([800], [1])
    assert (selection.used, selection.omitted.items) == (900, 6)
    assert lengths(selection_of(view, "count-curve(k=100)")) == [800] * 5 + [400] * 2


def test_shorter_quotes_leave_a_budget_of_at_least_4000() -> None:
    selection = selection_of(view_of_items(7, claims=2), "quote-curve(head=320, tail=160)")
    assert lengths(selection) == [320] * 5 + [160] * 2
    assert excerpts(selection) == [2, 2, 0, 0, 0, 0, 0]
    assert (selection.used, selection.budget) == (1920 + 400, 4000)


def test_an_excerpt_has_at_most_500_characters_and_no_separator() -> None:
    head, claim = Record("head", "Short."), made_record("claim", LONG)
    view = made_view("?", [head, claim], [Item("head", ("claim",))])
    (item,) = selection_of(view, "items").items
    assert [quote.ranges for quote in item.excerpts] == [((0, 500),)]
