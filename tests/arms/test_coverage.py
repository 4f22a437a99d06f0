"""Rearranging by coverage, against its definition and by hand; the parts of a question."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arms.allocation.coverage import coverage_order
from arms.allocation.parts import held_parts, ledger_parts, normalised, rare_words


@st.composite
def passages(draw: st.DrawFn) -> tuple[list[list[int]], list[bool]]:
    """What each passage holds, and whether it is never moved down."""
    held = draw(st.lists(st.lists(st.integers(0, 4), unique=True, max_size=3), max_size=16))
    floored = draw(st.lists(st.booleans(), min_size=len(held), max_size=len(held)))
    return held, floored


@given(passages(), st.integers(0, 12))
def test_the_order_is_as_defined(made: tuple[list[list[int]], list[bool]], step: int) -> None:
    held, floored = made
    assert coverage_order(held, floored, step) == _by_definition(held, floored, step)


def _by_definition(held: list[list[int]], floored: list[bool], step: int) -> list[int]:
    remaining = list(range(len(held)))
    covered: set[int] = set()
    order: list[int] = []
    while remaining:
        keys = {place: _key(place, held, floored, covered, step) for place in remaining}
        place = min(remaining, key=lambda place: (keys[place], place)) if order else 0
        remaining.remove(place)
        covered.update(held[place])
        order.append(place)
    return order


def _key(
    place: int, held: list[list[int]], floored: list[bool], covered: set[int], step: int
) -> int:
    if set(held[place]) - covered:
        return place - step
    if held[place] and not floored[place]:
        return place + step
    return place


def test_a_new_part_moves_up_by_five_places_and_no_further() -> None:
    held: list[list[int]] = [[] for _ in range(9)]
    held[8] = [0]
    # its key is 3, as that of place 3, which is smaller and goes first
    assert coverage_order(held, [False] * 9, 5) == [0, 1, 2, 3, 8, 4, 5, 6, 7]


def test_a_part_that_is_held_already_moves_down_by_five_places() -> None:
    held = [[0], [0], [], [], [], [], [], []]
    # its key is 6, as that of place 6; it is the smaller place and goes first
    assert coverage_order(held, [False] * 8, 5) == [0, 2, 3, 4, 5, 1, 6, 7]


def test_a_passage_of_the_first_records_is_never_moved_down() -> None:
    held = [[0], [0], [], [], [], [], [], []]
    floored = [True, True, False, False, False, False, False, False]
    assert coverage_order(held, floored, 5) == [0, 1, 2, 3, 4, 5, 6, 7]


def test_a_passage_falls_back_once_another_covers_its_part() -> None:
    # places 6 and 7 hold the same part; once 6 is placed, 7 has the key 12 instead of 2
    held: list[list[int]] = [[] for _ in range(10)]
    held[6] = held[7] = [1]
    assert coverage_order(held, [False] * 10, 5) == [0, 1, 6, 2, 3, 4, 5, 8, 9, 7]


def test_no_passages_and_no_parts() -> None:
    assert coverage_order([], [], 5) == []
    assert coverage_order([[], [], []], [False] * 3, 5) == [0, 1, 2]


def test_ledger_parts_of_three_scripts() -> None:
    parts = ledger_parts("Did ﾀﾅｶ pay #42 for 東京々 v2.6.5a1? 猫 カ x did")
    # NFKC widens the halfwidth katakana; one kanji, one kana and one letter are too short
    assert [(part.text, part.kind) for part in parts] == [
        ("did", "identifier"),
        ("タナカ", "katakana"),
        ("pay", "identifier"),
        ("#42", "identifier"),
        ("for", "identifier"),
        ("東京々", "kanji"),
        ("v2.6.5a1", "identifier"),
    ]


def test_a_ledger_has_at_most_32_parts() -> None:
    parts = ledger_parts(" ".join(f"word{number}" for number in range(40)))
    assert [part.text for part in parts] == [f"word{number}" for number in range(32)]


def test_rare_words_are_in_at_most_a_quarter_of_the_records_rounded_down() -> None:
    question = "Did the cat see Lyon in winter?"
    texts = ["a cat in lyon", "a cat in winter", "a dog", "lyon"]
    # of 4 records at most 1: `winter` is in one, `see` in none; `cat` and `lyon` are in two;
    # `the` and `in` are stop words, `did` is none
    assert [part.text for part in rare_words(question, texts)] == ["did", "see", "winter"]
    # of 8 records at most 2
    eight = [*texts, "a", "b", "c", "d"]
    rare = ["did", "cat", "see", "lyon", "winter"]
    assert [part.text for part in rare_words(question, eight)] == rare
    # of 7 records floor(1.75) is 1
    assert [part.text for part in rare_words(question, eight[:7])] == ["did", "see", "winter"]
    # of 3 records still 1
    assert [part.text for part in rare_words("cat dog", texts[:3])] == ["dog"]


def test_parts_are_looked_for_as_plain_substrings() -> None:
    parts = ledger_parts("cat CAFÉ")
    assert held_parts(normalised("Concatenate!"), parts) == (0,)
    assert held_parts(normalised("a ｃａｆ for the ＣＡＴ"), parts) == (0, 1)
