"""Text that stands already is named, not printed again; a whole document is pinned."""

from __future__ import annotations

import pytest

from .made import Fetcher, document, expanded, rows

NESTED = document("/n.md", "# N\n\n## Up\n\nup text\n\n### Down\n\ndown text\n\n## Side\n\nside", 4)


def test_a_section_after_its_parent_is_within_it() -> None:
    found = expanded(rows("/n.md#up", "/n.md#down"), Fetcher(NESTED))
    assert found.text == (
        "\n>>> /n.md/v4#up\n\n## Up\n\nup text\n\n### Down\n\ndown text\n\n"
        ">>> note: /n.md/v4#down is within /n.md/v4#up above\n\n"
        ">>> note: expanded 1 of 2 rows within the budget\n"
    )
    assert found.coalesced == 1


def test_a_parent_after_its_section_encloses_it() -> None:
    found = expanded(rows("/n.md#down", "/n.md#up"), Fetcher(NESTED))
    assert found.text == (
        "\n>>> /n.md/v4#down\n\n### Down\n\ndown text\n\n"
        ">>> note: /n.md/v4#up encloses /n.md/v4#down above; skipped\n\n"
        ">>> note: expanded 1 of 2 rows within the budget\n"
    )


def test_the_same_section_again_is_within_itself_and_the_whole_encloses_it() -> None:
    found = expanded(rows("/n.md#side", "/n.md#side", "/n.md"), Fetcher(NESTED))
    assert ">>> note: /n.md/v4#side is within /n.md/v4#side above\n\n" in found.text
    assert ">>> note: /n.md/v4#n encloses /n.md/v4#side above; skipped\n\n" in found.text
    assert found.rows_expanded == 1


def test_identical_text_is_printed_once() -> None:
    one = document("/1.md", "# T\n\n## Same\n\ntwice told\n\n### In\n\nin", 1)
    two = document("/2.md", "# T2\n\n## Same\n\ntwice told\n\n### In\n\nin\n\n", 2)
    found = expanded(rows("/1.md#same", "/2.md#same", "/2.md#in"), Fetcher(one, two))
    assert found.text == (
        "\n>>> /1.md/v1#same\n\n## Same\n\ntwice told\n\n### In\n\nin\n\n"
        ">>> /2.md/v2#same\n\nsame text as /1.md/v1#same\n\n"
        ">>> note: /2.md/v2#in is within /2.md/v2#same above\n\n"
        ">>> note: expanded 2 of 3 rows within the budget\n"
    )
    assert [(block.form, block.same_as) for block in found.blocks] == [
        ("section", None),
        ("stub", "/1.md/v1#same"),
    ]
    assert found.stub_bytes == len(">>> /2.md/v2#same\n\nsame text as /1.md/v1#same\n\n")


def test_a_stub_needs_to_fit() -> None:
    one, two = document("/1.md", "# T\n\nsame", 1), document("/2.md", "# T\n\nsame", 2)
    # 27 bytes for the block, 8 + 10 + 23 = 41 for the stub: 68 together
    table, fetch = rows("/1.md", "/2.md"), Fetcher(one, two)
    assert expanded(table, fetch, tokens=17).rows_expanded == 2
    text = expanded(table, fetch, tokens=16).text
    assert ">>> note: did not fit: /2.md/v2#t (~5 tokens)\n\n" in text


def test_text_that_was_refused_is_not_named_as_standing() -> None:
    one, two = document("/long-name.md", "# T\n\nsame"), document("/2.md", "# T\n\nsame")
    found = expanded(rows("/long-name.md", "/2.md"), Fetcher(one, two), tokens=7)
    assert [(block.location, block.form) for block in found.blocks] == [("/2.md#t", "document")]


def test_without_coalescing_everything_is_printed_again() -> None:
    found = expanded(rows("/n.md#up", "/n.md#down", "/n.md"), Fetcher(NESTED), coalesce=False)
    assert [block.form for block in found.blocks] == ["section", "section", "document"]
    assert (found.coalesced, found.stub_bytes) == (0, 0)


@pytest.mark.parametrize(
    ("body", "anchor"),
    [
        ("# Title\n\ntext\n\n## Part\n\nmore\n", "title"),
        ("\n \n# Title\n\ntext\n\n\n", "title"),
        ("Preamble.\n\n# Title\n\ntext\n", None),
        ("# Title\n\ntext\n\n# Second\n\nmore\n", None),
        ("## Title\n\ntext\n", None),
        ("no heading", None),
    ],
)
def test_a_whole_document_is_pinned_by_its_title(body: str, anchor: str | None) -> None:
    found = expanded(rows("/d.md"), Fetcher(document("/d.md", body, 1)))
    assert [block.anchor for block in found.blocks] == [anchor]
    assert found.blocks[0].location == "/d.md/v1" + (f"#{anchor}" if anchor else "")
    assert expanded(rows("/d.md"), Fetcher(document("/d.md", body, 1)), pin=False).blocks[
        0
    ].location == ("/d.md/v1")


def test_an_empty_document_prints_nothing() -> None:
    found = expanded(rows("/e.md"), Fetcher(document("/e.md", " \n\x85\n")))
    assert found.text == "\n>>> note: expanded 0 of 1 rows within the budget\n"
