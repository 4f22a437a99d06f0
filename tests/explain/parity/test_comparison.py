"""Field by field: what is compared, and where two selections part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from harness.explain.parity import (
    FIELDS,
    RankedPassage,
    RecordedSelection,
    RecordedSequence,
    SelectionPart,
    TextByHash,
    compare,
)
from harness.explain.parity.recorded import Budget, ShownItem
from harness.model import Omitted

from ...make.selections import TEA, made_selection

SELECTION = made_selection()
SEQUENCE = SELECTION.sequence or RecordedSequence(())
FIRST, SECOND = SELECTION.items


def with_first(**changes: Any) -> RecordedSelection:
    return replace(SELECTION, items=(replace(FIRST, **changes), SECOND))


def with_sequence(**changes: Any) -> RecordedSelection:
    return replace(SELECTION, sequence=replace(SEQUENCE, **changes))


def passage(record: str, start: int, end: int, ranks: tuple[int, int, int | None]) -> Any:
    names = ("record", "inside", "cosine")
    return {
        "record_id": record,
        "span": [start, end],
        "ranks": dict(zip(names, ranks, strict=True)),
        "parts": ["tea"],
        "taken": True,
    }


def test_equal_selections() -> None:
    found = compare(SELECTION, made_selection())
    assert found.same
    assert (found.compared, found.partings, found.first) == (FIELDS, (), None)


SWAPPED = (SEQUENCE.passages[0], SEQUENCE.passages[2], SEQUENCE.passages[1])
OTHER_RANK = (*SEQUENCE.passages[:2], RankedPassage("long", 5, 805, 1, 2))


@pytest.mark.parametrize(
    ("changed", "parting"),
    [
        (with_first(head="milk"), SelectionPart("items", "tea", "milk", place=0)),
        (
            with_first(ranges=((0, 4), (8, 12))),
            SelectionPart("ranges", (0, 12), (0, 4), item=0, place=0),
        ),
        (
            with_first(ranges=((0, 12), (13, 14))),
            SelectionPart("ranges", None, (13, 14), item=0, place=1),
        ),
        (
            with_first(content=TextByHash.of("Tea is not. ")),
            SelectionPart("content", "hot. ", "not. ", item=0, place=0, character=7),
        ),
        (
            with_first(content=TextByHash.of("Tea is")),
            SelectionPart("content", " hot. ", "", item=0, place=0, character=6),
        ),
        (replace(SELECTION, used=25), SelectionPart("used", 24, 25)),
        (
            with_sequence(cosine_ranks=(None, 3, 1)),
            SelectionPart(
                "cosine_ranks",
                passage("long", 0, 5, (1, 0, 0)),
                passage("long", 0, 5, (1, 0, 3)),
                place=1,
                in_sequence=True,
            ),
        ),
        (
            with_sequence(parts=(("tea",), (), ())),
            SelectionPart(
                "parts",
                passage("long", 0, 5, (1, 0, 0)),
                {**passage("long", 0, 5, (1, 0, 0)), "parts": []},
                place=1,
                in_sequence=True,
            ),
        ),
        (
            with_sequence(taken=1),
            SelectionPart(
                "taken",
                passage("long", 0, 5, (1, 0, 0)),
                {**passage("long", 0, 5, (1, 0, 0)), "taken": False},
                place=1,
                in_sequence=True,
            ),
        ),
        (
            replace(SELECTION, budget=Budget(None, None)),
            SelectionPart(
                "budget", {"amount": 800, "unit": "characters"}, {"amount": None, "unit": None}
            ),
        ),
        (
            replace(SELECTION, omitted=Omitted(1, 1, 0)),
            SelectionPart(
                "omitted",
                {"items": 0, "passages": 1, "excerpts": 0},
                {"items": 1, "passages": 1, "excerpts": 0},
            ),
        ),
        (
            replace(SELECTION, candidates=({"item": 0, "score": 0.5}, {"item": 2, "score": 0.25})),
            SelectionPart(
                "candidates",
                {"item": 1, "score": 0.25},
                {"item": 2, "score": 0.25},
                place=1,
                in_sequence=True,
            ),
        ),
        (
            replace(SELECTION, expansion={"rows": 2, "blocks": [{"bytes": 7}, {"bytes": 8}]}),
            SelectionPart("expansion", {"blocks": {"bytes": 9}}, {"blocks": {"bytes": 8}}, place=1),
        ),
        (
            replace(SELECTION, expansion={"rows": 3, "blocks": []}),
            SelectionPart("expansion", {"rows": 2}, {"rows": 3}),
        ),
        (
            replace(SELECTION, context=TextByHash.of("Conversation memories:\n\n[2024]")),
            SelectionPart("context", "undated]\nTea is hot. \n", "2024]", character=25),
        ),
    ],
)
def test_one_field_differs(changed: RecordedSelection, parting: SelectionPart) -> None:
    found = compare(SELECTION, changed)
    assert found.partings == (parting,)
    assert found.differing == (parting.field,)
    assert found.first == parting


def test_an_excerpt_more() -> None:
    without = replace(SELECTION, items=(replace(FIRST, excerpts=()), SECOND))
    found = compare(without, SELECTION)
    coffee = {"record_id": "coffee", "ranges": ((0, 7),)}
    assert found.partings == (
        SelectionPart("excerpts", None, coffee, item=0, place=0),
        SelectionPart("content", None, "Coffee.", item=0, place=1),
    )


def test_an_item_more() -> None:
    found = compare(replace(SELECTION, items=(FIRST,)), SELECTION)
    assert found.differing == ("items", "ranges", "content")
    assert found.first == SelectionPart("items", None, "long", place=1)


@pytest.mark.parametrize("passages", [SWAPPED, OTHER_RANK, SEQUENCE.passages[:2]])
def test_the_place_where_sequences_part_comes_first(passages: tuple[RankedPassage, ...]) -> None:
    """All else follows from the sequence, so its parting is told even if an item differs too."""
    count = len(passages)
    changed = with_sequence(passages=passages, cosine_ranks=(None, 0, 1)[:count])
    changed = replace(changed, used=7, items=())
    first = compare(SELECTION, changed).first
    assert first is not None
    expected = next(
        place for place in range(3) if place >= count or passages[place] != SEQUENCE.passages[place]
    )
    assert (first.field, first.place, first.in_sequence) == ("sequence", expected, True)
    assert first.left["ranks"] == {"record": 1, "inside": expected - 1, "cosine": expected - 1}
    assert (first.right is None) == (count == 2)


def test_the_earliest_parting_of_passages_and_cosine_ranks() -> None:
    found = compare(SELECTION, with_sequence(passages=OTHER_RANK, cosine_ranks=(None, 5, 1)))
    assert found.differing == ("sequence", "cosine_ranks")
    assert found.first is not None
    assert (found.first.field, found.first.place) == ("cosine_ranks", 1)


def said_by_none(**changes: Any) -> Callable[[], RecordedSelection]:
    return lambda: replace(SELECTION, **changes)


@pytest.mark.parametrize(
    ("silent", "fields"),
    [
        (replace(SELECTION, sequence=None), {"sequence", "cosine_ranks", "parts", "taken"}),
        (with_sequence(cosine_ranks=None, parts=None), {"cosine_ranks", "parts"}),
        (with_sequence(taken=None), {"taken"}),
        (with_first(content=None), {"content"}),
        (
            replace(SELECTION, budget=None, omitted=None, context=None),
            {"budget", "omitted", "context"},
        ),
        (replace(SELECTION, candidates=None, expansion=None), {"candidates", "expansion"}),
    ],
)
def test_what_one_side_does_not_say_is_not_compared(
    silent: RecordedSelection, fields: set[str]
) -> None:
    for found in (compare(SELECTION, silent), compare(silent, SELECTION)):
        assert set(FIELDS) - set(found.compared) == fields
        assert found.same


def test_a_head_that_is_not_named_may_be_any() -> None:
    assert compare(SELECTION, with_first(head=None)).same
    unnamed = replace(SELECTION, items=(ShownItem(None, ()),))
    assert compare(SELECTION, unnamed).partings[0] == SelectionPart("items", "long", None, place=1)


def test_a_text_known_by_its_hash() -> None:
    hashed = TextByHash(TextByHash.of(TEA).sha256)
    assert compare(SELECTION, with_first(content=hashed)).same
    other = TextByHash("0" * 64)
    assert compare(SELECTION, with_first(content=other)).first == SelectionPart(
        "content", TEA, "sha256 " + "0" * 64, item=0, place=0
    )


def test_fields_that_are_left_out() -> None:
    found = compare(SELECTION, replace(SELECTION, budget=Budget(1, None)), leave_out=("budget",))
    assert found.same
    assert "budget" not in found.compared
