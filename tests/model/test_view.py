"""What a policy may see of a case."""

from __future__ import annotations

from dataclasses import fields

from hypothesis import given

from harness.model import (
    Case,
    CaseView,
    Item,
    ItemView,
    Passage,
    PassageSequence,
    Query,
    Ranks,
    Record,
    RecordView,
    view_of,
)

from ..made_cases import cases


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
    seen = {field.name for kind in (CaseView, RecordView, ItemView) for field in fields(kind)}
    assert seen == {
        *("query", "records", "items"),
        *("text", "timestamp", "metadata", "blocks"),
        *("head", "claims", "reserved"),
    }


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
