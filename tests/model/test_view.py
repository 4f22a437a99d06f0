"""What a policy may see of a case."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given

from harness.model import (
    Case,
    CaseView,
    Document,
    FetchError,
    Item,
    ItemView,
    Lookup,
    LookupRow,
    Passage,
    PassageSequence,
    Query,
    Ranks,
    Record,
    RecordView,
    Section,
    view_of,
)

from ..make.strategies import cases


def test_records_are_counted_in_order_of_first_appearance() -> None:
    records = tuple(Record(name, f"text {name}") for name in "abcd")
    items = (Item("c", ("a",)), Item("a"), Item("d", ("c",), reserved=True))
    view, positions = view_of(Case("one", Query("q"), records, items))
    assert [record.text for record in view.records] == ["text c", "text a", "text d"]
    assert [(item.head, item.claims, item.reserved) for item in view.items] == [
        (0, (1,), False),
        (1, (), False),
        (2, (0,), True),
    ]
    assert view.items[0].records == (0, 1)
    assert [positions[position].record_id for position in range(3)] == ["c", "a", "d"]


def test_the_view_has_no_id_category_or_label() -> None:
    kinds = (CaseView, RecordView, ItemView, Lookup, LookupRow, Document, Section)
    seen = {field.name for kind in kinds for field in fields(kind)}
    assert seen == {
        *("query", "records", "items", "lookup"),
        *("text", "timestamp", "metadata", "blocks"),
        *("head", "claims", "reserved"),
        *("scope", "table", "spent_bytes", "rows", "documents"),  # what a lookup printed
        *("path", "anchor"),
        *("version", "body", "sections", "first_paragraph"),
        *("level", "start", "end", "lines", "title"),
    }


def test_the_further_documents_of_a_lookup_come_after_its_window() -> None:
    documents = tuple(Document(f"/{name}.md", 1, name) for name in "bca")
    records = tuple(Record(document.path, document.body) for document in documents)
    lookup = Lookup("/", "table", 5, (LookupRow("/b.md"), LookupRow("/c.md")), documents)
    items = (Item("/b.md"), Item("/c.md"))
    view, positions = view_of(Case("one", Query("q"), records, items, lookup=lookup))
    assert [record.text for record in view.records] == ["b", "c"]
    assert [positions[number].text for number in range(3)] == ["b", "c", "a"]
    assert view.lookup is lookup
    assert lookup.fetch("/a.md") == (2, documents[2])


def test_a_lookup_fetches_nothing_outside_its_scope() -> None:
    documents = (Document("/one/a.md", 1, "a"), Document("/one-more/b.md", 1, "b"))
    lookup = Lookup("/one", "", 0, (), documents)
    assert lookup.fetch("/one/a.md")[1].body == "a"
    for path in ("/one-more/b.md", "/one/../one-more/b.md", "/b.md"):
        with pytest.raises(FetchError, match="outside the scope /one"):
            lookup.fetch(path)
    with pytest.raises(FetchError, match="not found"):
        lookup.fetch("/one/c.md")


@given(cases())
def test_positions_lead_back(case: Case) -> None:
    view, positions = view_of(case)
    for item, item_view in zip(case.items, view.items, strict=True):
        named = [positions[position].record_id for position in item_view.records]
        assert named == [item.head, *item.claims]
        assert positions[item_view.head].text == view.records[item_view.head].text


def test_a_sequence_gives_back_its_passages() -> None:
    passages = [
        Passage(1, 4, 10, 20, Ranks(1, 0, None), (0,)),
        Passage(0, 2, 0, 5, Ranks(0, 3, 2), ()),
    ]
    sequence = PassageSequence.of(passages, parts=("tea",))
    assert list(sequence) == passages
    assert len(sequence) == 2
    assert list(PassageSequence.of([])) == []
