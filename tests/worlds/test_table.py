"""The printed table: written out by hand, and read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model import LookupRow
from harness.worlds.table import TableRow, escape, render_result, rows_of, unescape

ENVELOPE = (("status", "ok"), ("matches", "2"))


def test_a_catalog_table() -> None:
    rows = [
        TableRow("/a_b.md", 0.8, "Say [hi] | bye", ("x", "y*z")),
        TableRow("/c#d.md", 1.0, "Two\r\nlines", (), anchor="part_one"),
    ]
    assert render_result(ENVELOPE, 'why "this"\n`x`?', "/docs_1", rows, snippets=False) == (
        "status: ok\n"
        "matches: 2\n"
        "\n"
        "\n"
        '# Lookup matches for "why "this" \\`x\\`?" in /docs\\_1\n'
        "\n"
        "| Path | Importance | Title | Tags |\n"
        "|------|------------|-------|------|\n"
        "| /a\\_b.md | 0.80 | Say \\[hi\\] \\| bye | x, y\\*z |\n"
        "| /c\\#d.md#part_one | 1.00 | Two lines |  |\n"
    )


def test_a_body_table_has_snippets() -> None:
    row = TableRow("/a.md", 0.456, "A", ("t",), anchor="one", snippet="some ~text~")
    text = render_result(ENVELOPE, "q", "/", [row], snippets=True)
    assert text.endswith(
        "| Path | Importance | Title | Tags | Snippet |\n"
        "|------|------------|-------|------|---------|\n"
        "| /a.md#one | 0.46 | A | t | some \\~text\\~ |\n"
    )


def test_a_table_without_rows_is_its_header_and_separator() -> None:
    text = render_result((("status", "ok"),), "q", "/", [], snippets=False)
    assert text.endswith(
        "| Path | Importance | Title | Tags |\n|------|------------|-------|------|\n"
    )
    assert rows_of(text) == ()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("| /a.md | 0.10 | T | x |", LookupRow("/a.md")),
        ("  | /a.md#two | 0.10 | T | x | snip |\r", LookupRow("/a.md", "two")),
        (r"| /a\#b.md#c#d | 0.10 | T \| U | x |", LookupRow("/a#b.md", "c#d")),
        (r"| /a\\#b | 0.10 | T | x |", LookupRow("/a\\", "b")),
        (r"|/a\d.md|1|T||", LookupRow("/a\\d.md")),
        ("| /a.md# | 1 | T | x |", LookupRow("/a.md")),
        ("| PATH | importance | Title | TAGS |", None),
        ("| path | importance | title | tags | snippet |", None),
        ("| :---: | ---- | --- | ----: |", None),
        ("| -- | ---- | --- | ---- |", LookupRow("--")),
        ("| /a.md | 0.10 | T |", None),
        ("| /a.md | 0.10 | T | x | y | z |", None),
        ("/a.md | 0.10 | T | x |", None),
        (r"| /a.md | 0.10 | T | x \|", None),
        ("", None),
        ("|", None),
    ],
)
def test_which_lines_are_rows(line: str, expected: LookupRow | None) -> None:
    assert rows_of(f"status: ok\n\n{line}\n") == (() if expected is None else (expected,))


TEXTS = st.text("ab\\[]()*_`~#|: -日\t", max_size=12).map(str.strip)


@given(
    st.lists(st.tuples(TEXTS, TEXTS, st.none() | st.from_regex("[a-z0-9_-]{1,5}", fullmatch=True)))
)
def test_rows_are_read_back(values: list[tuple[str, str, str | None]]) -> None:
    rows = [TableRow("/" + path, 0.5, title, (title,), anchor) for path, title, anchor in values]
    text = render_result(ENVELOPE, "q", "/", rows, snippets=False)
    assert rows_of(text) == tuple(LookupRow(row.path, row.anchor) for row in rows)


@given(st.text())
def test_escaping_is_undone(text: str) -> None:
    one_line = text.replace("\r\n", " ").replace("\r", " ").replace("\n", " ")
    assert unescape(escape(text)) == one_line
