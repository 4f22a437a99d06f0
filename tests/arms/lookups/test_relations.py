"""Relation lines, and the one hop."""

from __future__ import annotations

import pytest

from harness.model import relations_of, same_authority

from .made import Fetcher, document, expanded, lookup, rows

OLD = document(
    "/old.md",
    "# Old\n\nold",
    1,
    rel_superseded_by="/new.md",
    rel_influenced="/art.md#why, mark://else.where/x.md",
    rel_about="/gone.md",
)
NEW = document("/new.md", "# New\n\nnew", 2, rel_supersedes="/old.md")
ART = document("/art.md", "# Art\n\nart\n\n## Why\n\nbecause", 1)


def test_one_hop_from_the_first_document() -> None:
    fetch = Fetcher(OLD, NEW, ART)
    found = expanded(rows("/old.md"), fetch)
    assert found.text == (
        "\n>>> /old.md/v1#old\n\n# Old\n\nold\n\n"
        ">>> related: rel-about /gone.md; rel-influenced /art.md#why, mark://else.where/x.md; "
        "rel-superseded-by /new.md\n\n"
        ">>> /new.md/v2#new\n\n# New\n\nnew\n\n"
        ">>> related: rel-supersedes /old.md\n\n"
        ">>> note: could not fetch /gone.md: not found\n\n"
        ">>> /art.md/v1#why\n\n## Why\n\nbecause\n\n"
        ">>> note: expanded 1 of 1 rows and 2 related documents within the budget\n"
    )
    assert fetch.asked == ["/old.md", "/new.md", "/gone.md", "/art.md"]
    assert [block.related for block in found.blocks] == [False, True, True]


def test_only_the_first_document_is_followed() -> None:
    first = document("/1.md", "# One\n\none")
    fetch = Fetcher(first, OLD, NEW, ART)
    found = expanded(rows("/1.md", "/old.md"), fetch)
    assert ">>> related: rel-about /gone.md" in found.text
    assert found.related_documents == 0
    assert fetch.asked == ["/1.md", "/old.md"]


def test_the_first_that_printed_counts_even_as_an_outline_or_a_stub() -> None:
    unfit = document("/1.md", "# One\n\n" + "o" * 2000, rel_about="/art.md")
    fetch = Fetcher(unfit, OLD, NEW, ART)
    found = expanded(rows("/1.md", "/old.md"), fetch, tokens=200)
    assert [block.location for block in found.blocks] == [
        "/old.md/v1#old",
        "/new.md/v2#new",
        "/art.md/v1#why",
    ]
    large = document("/1.md", "# One\n\n" + "o" * 2000, rel_about="/art.md")
    found = expanded(rows("/1.md", "/old.md"), Fetcher(large, OLD, NEW, ART), outline_threshold=900)
    assert [(block.location, block.form) for block in found.blocks] == [
        ("/1.md", "outline"),
        ("/old.md/v1#old", "document"),
        ("/art.md/v1#art", "document"),
    ]


def test_every_row_seeds_a_hop_after_all_rows() -> None:
    one = document("/1.md", "# One\n\none", rel_about="/art.md")
    found = expanded(rows("/1.md", "/old.md"), Fetcher(one, OLD, NEW, ART), hop="every-row")
    assert [block.location for block in found.blocks] == [
        "/1.md#one",
        "/old.md/v1#old",
        "/art.md/v1#art",
        "/new.md/v2#new",
    ]
    found = expanded(
        rows("/1.md", "/old.md"), Fetcher(one, OLD, NEW, ART), hop="every-row", max_related=1
    )
    assert found.related_documents == 1


def test_without_a_hop_there_is_no_relation_line() -> None:
    found = expanded(rows("/old.md"), Fetcher(OLD, NEW, ART), hop="none")
    assert "related" not in found.text
    assert found.relation_bytes == 0


def test_three_related_documents_rows_and_foreign_ones_are_passed_over() -> None:
    seed = document(
        "/s.md", "# S\n\ns", rel_a="/r.md, mark://x/y.md, /1.md, /2.md, /3.md, /4.md, /1.md#again"
    )
    row = document("/r.md", "# R\n\nr")
    others = [document(f"/{n}.md", f"# {n}\n\ntext {n}") for n in range(1, 5)]
    fetch = Fetcher(seed, row, *others)
    found = expanded(rows("/s.md", "/r.md"), fetch)
    assert fetch.asked == ["/s.md", "/r.md", "/1.md", "/2.md", "/3.md"]
    assert found.related_documents == 3
    assert found.fetches == 5


def test_a_second_fragment_of_one_target_is_dropped() -> None:
    seed = document("/s.md", "# S\n\ns", rel_a="/art.md#why, /art.md#art")
    found = expanded(rows("/s.md"), Fetcher(seed, ART))
    assert [block.location for block in found.blocks] == ["/s.md#s", "/art.md/v1#why"]


def test_the_strong_relations_come_first_as_one_group() -> None:
    seed = document(
        "/s.md",
        "# S\n\ns",
        rel_about="/1.md, /2.md",
        rel_supersedes="/4.md",
        rel_derived_from="/3.md",
    )
    others = [document(f"/{n}.md", f"# {n}\n\ntext {n}") for n in range(1, 5)]
    found = expanded(rows("/s.md"), Fetcher(seed, *others))
    assert [block.location for block in found.blocks[1:]] == ["/3.md#3", "/4.md#4", "/1.md#1"]
    found = expanded(rows("/s.md"), Fetcher(seed, *others), hop_predicates=())
    assert [block.location for block in found.blocks[1:]] == ["/1.md#1", "/2.md#2", "/3.md#3"]


def test_no_hop_follows_a_line_that_did_not_fit() -> None:
    seed = document("/s.md", "# S\n\ns", rel_about="/" + "long" * 20 + ".md, /1.md")
    fetch = Fetcher(seed, document("/1.md", "# 1\n\none"))
    found = expanded(rows("/s.md"), fetch, tokens=25)
    assert found.text == (
        "\n>>> /s.md#s\n\n# S\n\ns\n\n>>> note: expanded 1 of 1 rows within the budget\n"
    )
    assert fetch.asked == ["/s.md"]


def test_a_related_document_that_prints_nothing_uses_no_place() -> None:
    seed = document("/s.md", "# S\n\ns", rel_a="/big.md, /1.md, /art.md#nowhere")
    big = document("/big.md", "# Big\n\n" + "b" * 500)
    found = expanded(
        rows("/s.md"), Fetcher(seed, big, document("/1.md", "# 1\n\none"), ART), tokens=60
    )
    assert found.text.endswith(
        ">>> /1.md#1\n\n# 1\n\none\n\n"
        ">>> note: /art.md has no section #nowhere\n\n"
        ">>> note: did not fit: /big.md#big (~126 tokens)\n\n"
        ">>> note: expanded 1 of 1 rows and 1 related documents within the budget\n"
    )


def test_a_row_that_stands_already_prints_no_relation_line() -> None:
    again = document("/s.md", "# S\n\ns", rel_about="/1.md")
    found = expanded(rows("/s.md", "/s.md#s"), Fetcher(again))
    assert found.text.count(">>> related:") == 1


def test_references_that_are_no_relations() -> None:
    messy = document(
        "/d/x.md",
        "",
        rel_b=" , /two words.md, /ok.md ,, x.md#self, ./x.md, ../up.md, y.md#part, #top",
        rel_a="mark://Host/z.md",
        rel_="/no-predicate.md",
        other="/not.md",
    )
    assert [(each.predicate, each.reference) for each in relations_of(messy)] == [
        ("a", "mark://Host/z.md"),
        ("b", "/ok.md"),
        ("b", "/up.md"),
        ("b", "/d/y.md#part"),
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("/a.md", "/b.md", True),
        ("mark://host/a.md", "mark://HOST:6309/b.md", True),
        ("mark://host:1/a.md", "mark://host:2/b.md", False),
        ("mark://host/a.md", "mark://other/a.md", False),
        ("/a.md", "mark://host/a.md", False),
        ("b.md", "/a.md", False),
        ("b.md", "b.md", False),
        ("http://host/a.md", "http://host/b.md", False),
        ("MARK://host/a.md", "mark://host/b.md", True),
        ("/a.md", "//host/b.md", False),
    ],
)
def test_same_authority(one: str, other: str, same: bool) -> None:
    assert same_authority(one, other) is same
    assert same_authority(other, one) is same


def test_a_relative_target_is_resolved_first() -> None:
    seed = document("mark://host/d/s.md", "# S\n\ns", rel_a="t.md, /u.md")
    other = document("mark://host/d/t.md", "# T\n\nt")
    found = expanded(rows("mark://host/d/s.md"), Fetcher(seed, other))
    assert ">>> related: rel-a mark://host/d/t.md, mark://host/u.md\n\n" in found.text
    assert found.related_documents == 1


def test_one_server_has_many_spellings() -> None:
    documents = (document("mark://h/s/a.md", "# A\n\na"), document("mark://h:6309/s/c.md", "# C"))
    made = lookup(rows("mark://h/s/a.md"), *documents, scope="MARK://H/s")
    assert made.fetch("mark://H/s/c.md")[0] == 1
    assert not made.within_scope("mark://h:1/s/c.md")
