"""Tables that fit a width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.show.fitting import Fitted, PrintedColumn, cells_of, fitted, fold
from harness.show.printing import OutputFormat, print_as
from harness.show.table import Column, Table
from harness.words import Kind

NAME = PrintedColumn("name", ("first", "second"), numeric=False, foldable=False, optional=False)
NUMBER = PrintedColumn("a number", ("1", "1,000"), numeric=True, foldable=False, optional=False)
LONG = PrintedColumn("text", ("word " * 12, "short"), numeric=False, foldable=True, optional=False)
SPARE = PrintedColumn("spare", ("12345",) * 2, numeric=True, foldable=False, optional=True)


def titles(found: Fitted) -> list[list[str]]:
    return [[column.title.replace("\n", " ") for column in block] for block in found.blocks]


def test_what_fits_stays_as_it_is() -> None:
    assert fitted((NAME, NUMBER, LONG, SPARE), 200) == Fitted(((NAME, NUMBER, LONG, SPARE),))


def test_optional_columns_go_first() -> None:
    found = fitted((NAME, NUMBER, SPARE, LONG), 86)
    assert titles(found) == [["name", "a number", "text"]]
    assert found.left_out == ("spare",)


def test_then_texts_fold() -> None:
    (block,) = fitted((NAME, NUMBER, LONG), 50).blocks
    assert max(len(line) for line in block[2].cells[0].split("\n")) <= 30
    assert " ".join(block[2].cells[0].split()) == " ".join(LONG.cells[0].split())


def test_then_blocks_begin_with_the_first_column() -> None:
    found = fitted((NAME, *(NUMBER,) * 5), 40)
    assert titles(found) == [["name", "a number", "a number"]] * 2 + [["name", "a number"]]


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=6),
    st.lists(st.booleans(), min_size=6, max_size=6),
    st.integers(20, 120),
)
def test_every_column_is_shown_or_named(
    widths: list[int], optional: list[bool], width: int
) -> None:
    columns = tuple(
        PrintedColumn(f"c{place}", ("x" * size,), False, False, optional[place])
        for place, size in enumerate(widths)
    )
    found = fitted(columns, width)
    shown = [title for block in titles(found) for title in block[1:]]
    assert sorted([*shown, *found.left_out]) == [f"c{place}" for place in range(1, len(widths))]
    for block in found.blocks:
        taken = sum(column.width for column in block) + 2 * (len(block) - 1)
        assert taken <= width or len(block) <= 2


def test_wide_characters_take_two_cells() -> None:
    assert cells_of("日本") == 4
    assert fold("日本語の文章です", 6).split("\n") == ["日本語", "の文章", "です"]
    assert fold("a few words", 6).split("\n") == ["a few", "words"]


TABLE = Table(
    (
        Column("point", "point", Kind.CODE),
        Column("share", "answer sessions shown", Kind.SHARE),
        Column("pairs", "pairs", Kind.COUNT, optional=True),
        Column("text", "what it says"),
    ),
    [{"point": "items", "share": 0.5, "pairs": 12, "text": "one two three four five six seven"}],
    title="A title",
    notes=("A note.",),
)


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    text = print_as(TABLE, OutputFormat.TEXT)
    assert max(map(len, text.split("\n"))) <= width
    assert ("Left out, since the terminal is narrow: pairs." in " ".join(text.split())) == (
        width < 80
    )


def test_a_pipe_gets_every_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    text = print_as(TABLE, OutputFormat.TEXT)
    assert "pairs" in text.split("\n")[2]
    assert "one two three four five six seven" in text
