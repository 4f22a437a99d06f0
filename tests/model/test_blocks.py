"""Block division by hand, and what holds for every text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.model import MAX_BLOCK_CHARACTERS, divide

from ..make.strategies import texts

any_text = (
    texts | st.text(alphabet="ab.!?。！ \n\t`「」()（【】,、;", max_size=60) | st.text(max_size=40)
)


@given(any_text)
@example("\n" * 800)
@example(" " * 2000)
@example("```\n" + "code.\n" * 300)
def test_blocks_cover_the_text_in_order(text: str) -> None:
    blocks = divide(text)
    assert "".join(text[block.start : block.end] for block in blocks) == text
    assert all(0 < block.end - block.start <= MAX_BLOCK_CHARACTERS for block in blocks)
    reached = 0
    for block in blocks:
        assert block.start == reached
        reached = block.end


@given(any_text)
def test_no_block_is_blank_unless_it_has_no_room_elsewhere(text: str) -> None:
    blocks = divide(text)
    for index, block in enumerate(blocks):
        if text[block.start : block.end].strip():
            continue
        following = blocks[index + 1] if index + 1 < len(blocks) else None
        previous = blocks[index - 1] if index else None
        if following is not None:
            assert following.end - block.start > MAX_BLOCK_CHARACTERS
        elif previous is not None:
            assert block.end - previous.start > MAX_BLOCK_CHARACTERS


def _pieces(text: str) -> list[str]:
    return [text[block.start : block.end] for block in divide(text)]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("One.", ["One."]),
        ("One. Two", ["One.", " Two"]),
        ("v2.6.5 is out!Really", ["v2.6.5 is out!Really"]),  # a stop cuts only before white space
        ("はい。いいえ", ["はい。", "いいえ"]),  # a CJK stop cuts anywhere
        ("One\nTwo", ["One\n", "Two"]),
        ("One\n\nTwo", ["One\n", "\nTwo"]),  # the empty line folds into the block after it
        ("One.\n\n", ["One.\n\n"]),  # trailing ones into the block before
        ("   ", ["   "]),
        ("「終わり。」と言った。次", ["「終わり。」と言った。", "次"]),
        ("(One. Two.) Three. F", ["(One. Two.) Three.", " F"]),
        ("(One. Two. F", ["(One.", " Two.", " F"]),  # never closed
        ("a) One. F", ["a) One.", " F"]),  # never opened
        ("(a「b) One. F」 G. H", ["(a「b) One.", " F」 G.", " H"]),  # left inside, ignored
        ("A\n```\nx. y.\n```\nB. C", ["A\n", "```\nx. y.\n```\n", "B.", " C"]),
        ("A.\n ```\nx. y.\nB. C", ["A.", "\n ```\nx. y.\nB. C"]),  # an unterminated fence
    ],
)
def test_division_by_hand(text: str, pieces: list[str]) -> None:
    assert _pieces(text) == pieces


def test_a_long_piece_is_cut_at_its_last_weak_boundary() -> None:
    # commas at 400 and 500; the window is the first 739 characters
    text = "a" * 400 + "," + "b" * 99 + "," + "c" * 600
    assert [tuple(block) for block in divide(text)] == [
        (0, 501, True),
        (501, 1101, False),
    ]


def test_a_comma_too_early_gives_way_to_white_space() -> None:
    # the comma ends at 301, before 369; the space ends at 401
    text = "a" * 300 + "," + "b" * 99 + " " + "c" * 600
    assert [tuple(block) for block in divide(text)] == [(0, 401, True), (401, 1001, False)]


def test_the_earliest_weak_boundary_ends_at_369() -> None:
    assert divide("a" * 368 + "," + "b" * 600)[0] == (0, 369, True)
    assert divide("a" * 367 + "," + "b" * 600)[0] == (0, 739, True)


def test_without_a_boundary_the_cut_is_hard() -> None:
    assert [tuple(block) for block in divide("x" * 1500)] == [
        (0, 739, True),
        (739, 1478, True),
        (1478, 1500, False),
    ]
