"""The text that a reader is given."""

from __future__ import annotations

from harness.model import ItemQuote, Positions, Quote, Record, Selection
from harness.replay.context import render_context

RECORDS = Positions(
    (
        Record("r0", "0123456789", "2023-05-20T02:21:00+00:00"),
        Record("r1", "abcdefghij"),
        Record("r2", "ΑΒΓΔΕΖΗΘΙΚ", "2024-01-01"),
    )
)


def quote(record: int, *ranges: tuple[int, int]) -> Quote:
    return Quote(record, ranges)


def rendered(*items: ItemQuote) -> str:
    return render_context(Selection(items), RECORDS)


def test_nothing_selected_is_nothing_said() -> None:
    assert rendered() == ""


def test_each_item_is_a_block_under_its_time() -> None:
    assert rendered(ItemQuote(0, quote(0, (0, 3), (5, 7))), ItemQuote(2, quote(2, (0, 10)))) == (
        "Conversation memories:\n\n"
        "[2023-05-20T02:21:00+00:00]\n012 … 56\n"
        "\n"
        "[2024-01-01]\nΑΒΓΔΕΖΗΘΙΚ\n"
    )


def test_excerpts_follow_the_head_behind_a_mark() -> None:
    assert rendered(
        ItemQuote(0, quote(0, (0, 2)), (quote(1, (0, 1), (3, 4)), quote(2, (9, 10))))
    ) == ("Conversation memories:\n\n[2023-05-20T02:21:00+00:00]\n01\n…\na … d\n…\nΚ\n")


def test_a_head_that_is_not_quoted_gives_its_time_and_no_text() -> None:
    assert rendered(ItemQuote(0, quote(0), (quote(1, (0, 2)),))) == (
        "Conversation memories:\n\n[2023-05-20T02:21:00+00:00]\nab\n"
    )


def test_an_undated_head_takes_the_time_of_its_first_dated_excerpt() -> None:
    item = ItemQuote(0, quote(1, (0, 1)), (quote(1, (2, 3)), quote(2, (0, 1))))
    assert rendered(item).startswith("Conversation memories:\n\n[2024-01-01]\n")
    assert rendered(ItemQuote(0, quote(1, (0, 1)))) == "Conversation memories:\n\n[undated]\na\n"


def test_a_policy_that_renders_its_own_text_has_the_last_word() -> None:
    own = Selection((ItemQuote(0, quote(0, (0, 3))),), context="all mine")
    assert render_context(own, RECORDS) == "all mine"
    assert render_context(Selection((ItemQuote(0, quote(0)),), context=""), RECORDS) == ""
