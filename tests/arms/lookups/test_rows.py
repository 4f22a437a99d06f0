"""Rows: order, budget, outlines, what cannot be fetched."""

from __future__ import annotations

from arms.lookups.policy import ExpansionPolicy
from harness.model import Document, Section
from harness.points import parse_point

from .made import Fetcher, document, expanded, rows

A = document("/a.md", "# A\n\nalpha", 1)
B = document("/b.md", "# B\n\nIntro.\n\n## Two\n\ntwo text\n\n## Three\n\nthree text\n", 3)


def test_rows_print_in_order_and_each_document_is_fetched_once() -> None:
    fetch = Fetcher(A, B)
    found = expanded(rows("/b.md#two", "/a.md", "/missing.md", "/b.md#three"), fetch)
    assert found.text == (
        "\n"
        ">>> /b.md/v3#two\n\n## Two\n\ntwo text\n\n"
        ">>> /a.md/v1#a\n\n# A\n\nalpha\n\n"
        ">>> note: could not fetch /missing.md: not found\n\n"
        ">>> /b.md/v3#three\n\n## Three\n\nthree text\n\n"
        ">>> note: expanded 3 of 4 rows within the budget\n"
    )
    assert fetch.asked == ["/b.md", "/a.md", "/missing.md"]
    assert (found.rows, found.rows_expanded, found.fetches) == (4, 3, 3)


def test_a_failed_document_is_silent_in_later_rows() -> None:
    found = expanded(rows("/missing.md", "/missing.md#x"), Fetcher())
    assert found.text == (
        "\n>>> note: could not fetch /missing.md: not found\n\n"
        ">>> note: expanded 0 of 2 rows within the budget\n"
    )


def test_what_does_not_fit_is_named_and_a_later_row_still_prints() -> None:
    # The three blocks take 8 + 11 + 8 = 27, 8 + 11 + 300 = 319 and 8 + 11 + 8 = 27 bytes.
    big = document("/2.md", "# 2\n\n" + "x" * 295, 1)
    small, other = document("/1.md", "# 1\n\none", 1), document("/3.md", "# 3\n\nthr", 1)
    found = expanded(rows("/1.md", "/2.md", "/3.md"), Fetcher(small, big, other), tokens=20)
    assert found.text == (
        "\n>>> /1.md/v1#1\n\n# 1\n\none\n\n"
        ">>> /3.md/v1#3\n\n# 3\n\nthr\n\n"
        ">>> note: did not fit: /2.md/v1#2 (~75 tokens)\n\n"
        ">>> note: expanded 2 of 3 rows within the budget\n"
    )
    assert found.omitted == (("/2.md/v1#2", 75),)


def test_a_block_may_take_exactly_what_is_left() -> None:
    one = document("/1.md", "# 1\n\nonetwo", 1)  # 8 + 10 + 11 = 29 bytes; 28 are left, or 32
    assert "/1.md/v1#1 (~2 tokens)" in expanded(rows("/1.md"), Fetcher(one), tokens=7).text
    longer = document("/1.md", "# 1\n\nonetwo123", 1)  # 32 bytes
    assert expanded(rows("/1.md"), Fetcher(longer), tokens=8).rows_expanded == 1


def test_the_table_counts() -> None:
    fetch = Fetcher(A)  # its block takes 8 + 10 + 10 = 28 bytes
    assert expanded(rows("/a.md"), fetch, spent=100, tokens=32).rows_expanded == 1
    assert expanded(rows("/a.md"), fetch, spent=101, tokens=32).rows_expanded == 0
    fetch = Fetcher(A)
    found = expanded(rows("/a.md"), fetch, spent=128, tokens=32)
    assert found.text == (
        "\n>>> note: the table alone used 32 of 32 result tokens; raise budget or fetch a row\n\n"
    )
    assert fetch.asked == []
    assert found.over_budget_bytes == len(found.text)


def test_an_overspent_table_is_told_in_whole_tokens() -> None:
    text = expanded(rows("/a.md"), Fetcher(A), spent=1003, tokens=200).text
    assert "the table alone used 250 of 200 result tokens" in text


def test_without_rows_or_budget_there_is_nothing() -> None:
    fetch = Fetcher(A)
    assert expanded((), fetch).text == ""
    assert expanded(rows("/a.md"), fetch, tokens=0).text == ""
    assert fetch.asked == []


def test_a_later_tiny_section_prints_where_an_early_one_did_not() -> None:
    body = "# T\n\n## Big\n\n" + "b" * 300 + "\n\n## Tiny\n\nsmall\n"
    found = expanded(rows("/t.md#big", "/t.md#tiny"), Fetcher(document("/t.md", body)), tokens=25)
    assert [block.location for block in found.blocks] == ["/t.md#tiny"]


def test_fetches_are_bounded_and_what_is_there_still_expands() -> None:
    documents = [document(f"/{n}.md", f"# {n}\n\ntext {n}\n\n## S{n}\n\ns {n}") for n in range(12)]
    table = rows(*[f"/{n}.md#s{n}" for n in range(12)], "/0.md#0", "/3.md#s3")
    fetch = Fetcher(*documents)
    found = expanded(table, fetch, coalesce=False)
    assert len(fetch.asked) == found.fetches == 10
    assert found.text.count(">>> note: stopped after 10 fetches\n\n") == 1
    assert [block.location for block in found.blocks[10:]] == ["/0.md#0", "/3.md#s3"]
    assert found.text.endswith(">>> note: expanded 12 of 14 rows within the budget\n")


def test_a_cancelled_lookup_stops() -> None:
    found = expanded(rows("/a.md", "/b.md"), Fetcher(A, B, cancel_after=0))
    assert found.text == (
        "\n>>> note: stopped: context canceled\n\n"
        ">>> note: expanded 0 of 2 rows within the budget\n"
    )
    assert found.fetches == 0
    found = expanded(rows("/a.md", "/b.md", "/a.md#a"), Fetcher(A, B, cancel_after=1))
    assert found.text == (
        "\n>>> /a.md/v1#a\n\n# A\n\nalpha\n\n"
        ">>> note: stopped: context canceled\n\n"
        ">>> note: expanded 1 of 3 rows within the budget\n"
    )


def test_a_missing_section_is_noted() -> None:
    text = expanded(rows("/a.md#nowhere"), Fetcher(A)).text
    assert text.startswith("\n>>> note: /a.md has no section #nowhere\n\n")


def test_a_section_is_found_by_its_anchor_or_by_its_text_and_printed_as_it_was_asked_for() -> None:
    three = document("/d.md", "# D\n\n## Call Me Back\n\nnow")
    seed = document("/s.md", "# S\n\ns", rel_a="/d.md#Call-Me-Back")
    for fragment in ("call-me-back", "Call-Me-BACK", "Call Me Back", "#call-me-back"):
        found = expanded(rows(f"/d.md#{fragment}"), Fetcher(three))
        assert [(block.location, block.anchor) for block in found.blocks] == [
            (f"/d.md#{fragment}", fragment)
        ]
    found = expanded(rows("/s.md"), Fetcher(three, seed))
    assert [block.location for block in found.blocks] == ["/s.md#s", "/d.md#Call-Me-Back"]


def test_a_section_whose_anchor_is_empty_is_printed_without_one() -> None:
    body = "# D\n\n## !!!\n\n" + "b" * 40
    sections = (Section("", 2, 5, len(body), 3, "!!!"),)
    odd = Document("/d.md", 1, body, {}, (Section("d", 1, 0, len(body), 5, "D"), *sections))
    found = expanded(rows("/d.md"), Fetcher(odd), query="bbb", outline_threshold=10)
    assert [(block.location, block.form, block.anchor) for block in found.blocks] == [
        ("/d.md/v1", "section", None)
    ]
    titled = Document("/d.md", 1, "# !\n", {}, (Section("", 1, 0, 4, 1, "!"),))
    found = expanded(rows("/d.md"), Fetcher(titled))
    assert [block.location for block in found.blocks] == ["/d.md/v1"]


def test_the_first_line_break_is_charged_where_that_is_asked_for() -> None:
    one = document("/1.md", "# 1\n\nonetwo123", 1)  # 32 bytes
    table, fetch = rows("/1.md"), Fetcher(one)
    assert expanded(table, fetch, tokens=8).rows_expanded == 1
    charged = expanded(table, fetch, tokens=8, charge_first_break=True)
    assert (charged.rows_expanded, charged.short_by) == (0, 1)
    assert expanded(table, fetch, tokens=9, charge_first_break=True).rows_expanded == 1
    for arm in ("lookup-before", "lookup-budgeted"):
        for spelled in ("", ", charge_first_break=yes"):
            policy = parse_point(f"{arm}(budget_tokens=8{spelled})").policy
            assert isinstance(policy, ExpansionPolicy)
            assert policy.settings.charge_first_break is bool(spelled)


def test_the_version_is_pinned_where_it_is_known() -> None:
    found = expanded(rows("/b.md#two"), Fetcher(B))
    assert found.blocks[0].location == "/b.md/v3#two"
    unversioned = document("/b.md", B.body)
    assert expanded(rows("/b.md#two"), Fetcher(unversioned)).blocks[0].location == "/b.md#two"


def test_lines_that_look_like_headers_are_moved() -> None:
    faked = document("/f.md", "# F\n\n>>> /x.md/v1#y\n>>>> no\n >>> as it is\nok >>> ok")
    found = expanded(rows("/f.md"), Fetcher(faked))
    assert found.text.startswith(
        "\n>>> /f.md#f\n\n# F\n\n >>> /x.md/v1#y\n >>>> no\n >>> as it is\nok >>> ok\n\n"
    )
    assert found.block_bytes == len(">>> /f.md#f\n\n\n\n") + len(faked.body) + 2


LARGE = document(
    "/l.md",
    "# Manual\n\nAll of it.\n\n## Pumps\n\nPrime the PUMP, then valves.\n\n### Old pump valve\n\n"
    "pump and valve\n\n## Valves\n\nOnly valve here.\n\n## Filler\n\n" + "f" * 200,
    2,
)


def test_of_a_large_document_the_sections_that_hold_every_term() -> None:
    found = expanded(
        rows("/l.md"), Fetcher(LARGE), query='the "Pump", valve.', outline_threshold=200
    )
    assert found.text == (
        "\n>>> /l.md/v2#pumps\n\n## Pumps\n\nPrime the PUMP, then valves.\n\n"
        "### Old pump valve\n\npump and valve\n\n"
        ">>> note: expanded 1 of 1 rows within the budget\n"
    )


def test_a_large_document_without_a_matching_section_is_an_outline() -> None:
    for query in ("submarine", "", ". a !"):  # the last two have no term of two bytes
        found = expanded(rows("/l.md"), Fetcher(LARGE), query=query, outline_threshold=200)
        assert found.text == (
            "\n>>> /l.md/v2\n\n"
            "- Manual (#manual, 19 lines)\n"
            "  - Pumps (#pumps, 7 lines)\n"
            "    - Old pump valve (#old-pump-valve, 3 lines)\n"
            "  - Valves (#valves, 3 lines)\n"
            "  - Filler (#filler, 3 lines)\n\n"
            "All of it.\n\n"
            "Fetch /l.md#anchor for one section.\n\n"
            ">>> note: expanded 1 of 1 rows within the budget\n"
        )
        assert [(block.form, block.anchor) for block in found.blocks] == [("outline", None)]


def test_an_outline_without_headings() -> None:
    plain = document("/p.md", "Just text.")
    text = expanded(rows("/p.md"), Fetcher(plain), outline_threshold=5).text
    expected = "(no headings)\n\nJust text.\n\nFetch /p.md#anchor for one section.\n\n"
    assert text.startswith(f"\n>>> /p.md\n\n{expected}")


def test_the_threshold_is_in_bytes_and_counts_itself() -> None:
    four = document("/j.md", "日本語x")  # 10 bytes
    forms = [
        expanded(rows("/j.md"), Fetcher(four), outline_threshold=limit).blocks[0].form
        for limit in (10, 11)
    ]
    assert forms == ["outline", "document"]


def test_where_no_matching_section_fits_the_outline_is_tried_and_both_are_named() -> None:
    found = expanded(rows("/l.md"), Fetcher(LARGE), query="valve", outline_threshold=200, tokens=12)
    assert found.blocks == ()
    assert found.text == (
        "\n>>> note: did not fit: /l.md/v2#pumps (~18 tokens), /l.md/v2#valves (~6 tokens), "
        "/l.md/v2 (~53 tokens)\n\n"
        ">>> note: expanded 0 of 1 rows within the budget\n"
    )


def test_where_every_matching_section_stands_already_the_outline_is_tried() -> None:
    table = rows("/l.md#valves", "/l.md")
    found = expanded(table, Fetcher(LARGE), query="only valve", outline_threshold=200)
    assert [(block.location, block.form) for block in found.blocks] == [
        ("/l.md/v2#valves", "section"),
        ("/l.md/v2", "outline"),
    ]
    assert ">>> note: /l.md/v2#valves is within /l.md/v2#valves above\n\n" in found.text


def test_three_omissions_are_named_and_the_others_counted() -> None:
    documents = [document(f"/{n}.md", f"# {n}\n\n" + str(n) * 95) for n in range(5)]
    text = expanded(rows(*[each.path for each in documents]), Fetcher(*documents), tokens=12).text
    assert text == (
        "\n>>> note: did not fit: /0.md#0 (~25 tokens), /1.md#1 (~25 tokens), "
        "/2.md#2 (~25 tokens), +2 more\n\n"
        ">>> note: expanded 0 of 5 rows within the budget\n"
    )
