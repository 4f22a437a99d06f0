"""What holds for every response of every arm, over made cases and any settings."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from arms.allocation.by_item import ItemsPolicy
from arms.allocation.candidates import candidates_of
from arms.allocation.evidence import EvidencePolicy
from arms.quoting.budget import head_cap
from arms.quoting.excerpt import claim_excerpt
from arms.quoting.head import head_quote
from arms.quoting.record import quotable_records
from harness.model import Arm, Case, Passage, Query, Quote, Range, Selection, view_of
from harness.points import Point, load_arm, make_point
from harness.replay.context import render_context
from harness.replay.selection_writer import selection_object

from ..make.strategies import cases, points
from .passage_rows import rows_of
from .test_quoting_definitions import joined_length

BY_ITEM = ("items", "count-curve", "quote-curve")
SEQUENCE = ("2.6.5a1", "2.6.5a2", "evidence", "whole")
GROWING = ("items", "2.6.5a1", "2.6.5a2")

examples = settings(max_examples=80, deadline=None)


def quotes_of(selection: Selection) -> list[tuple[int, Quote]]:
    """Every quote with the place of its item."""
    return [(item.item, quote) for item in selection.items for quote in (item.head, *item.excerpts)]


@examples
@given(cases(), points(*BY_ITEM, *SEQUENCE))
def test_quotes_lie_in_their_records(case: Case, point: Point) -> None:
    view, records = view_of(case)
    selection = point.policy.select(view)
    places = [item.item for item in selection.items]
    assert places == sorted(set(places))
    for place, quote in quotes_of(selection):
        assert quote.record in view.items[place].records
        cuts = [cut for span in quote.ranges for cut in span]
        assert cuts == sorted(cuts)
        assert not cuts or (cuts[0] >= 0 and cuts[-1] <= len(view.records[quote.record].text))
    shown = sum(
        len(quote.text(view.records[quote.record].text)) for _, quote in quotes_of(selection)
    )
    assert selection.used == shown
    context = render_context(selection, records)
    line = selection_object(case, records, str(point), selection, context)
    assert json.loads(json.dumps(line, ensure_ascii=False, allow_nan=False)) == line


@examples
@given(cases(), points(*BY_ITEM, *SEQUENCE))
def test_the_same_case_gives_the_same_selection(case: Case, point: Point) -> None:
    first, again = (point.policy.select(view_of(case)[0]) for _ in range(2))
    assert first.items == again.items
    assert (first.used, first.taken, first.omitted) == (again.used, again.taken, again.omitted)
    assert list(first.sequence) == list(again.sequence)


@examples
@given(cases(), points(*SEQUENCE))
def test_the_longest_prefix_of_the_order_is_taken(case: Case, point: Point) -> None:
    view = view_of(case)[0]
    selection = point.policy.select(view)
    passages = list(selection.sequence)
    fitting = _fitting([_quoted_length(passages[: n + 1]) for n in range(len(passages))], point)
    assert selection.taken == fitting
    expected = _ranges_of(passages[:fitting])
    shown = {(place, quote.record): quote.ranges for place, quote in quotes_of(selection)}
    assert {place: _characters(ranges) for place, ranges in expected.items()} == {
        place: _characters(shown[place]) for place in expected
    }
    assert selection.omitted.passages == len(passages) - fitting
    if point.settings["excerpts"] == "after-all" and fitting < len(passages):
        assert {place for place, ranges in shown.items() if ranges} <= set(expected)


def _fitting(lengths: Sequence[int], point: Point) -> int:
    """How many steps fit the budget: the first always, then each while it fits."""
    taken = 0
    for length in lengths:
        if taken and length > int(point.settings["budget"]):
            break
        taken += 1
    return taken


def _ranges_of(passages: Sequence[Passage]) -> dict[tuple[int, int], list[Range]]:
    ranges: dict[tuple[int, int], list[Range]] = {}
    for passage in passages:
        ranges.setdefault((passage.item, passage.record), []).append((passage.start, passage.end))
    return ranges


def _quoted_length(passages: Sequence[Passage]) -> int:
    """Characters quoted by the passages, separators included, without the arms' own arithmetic."""
    return sum(joined_length(ranges) for ranges in _ranges_of(passages).values())


def _characters(ranges: Sequence[Range]) -> set[int]:
    return {place for start, end in ranges for place in range(start, end)}


@examples
@given(cases(), points(*SEQUENCE))
def test_the_order_has_every_candidate_once(case: Case, point: Point) -> None:
    view = view_of(case)[0]
    policy = point.policy
    assert isinstance(policy, EvidencePolicy)
    ordering = policy.ordering
    every = rows_of(candidates_of(view, ordering.candidates, ordering.overlap))
    ordered = [(one.item, one.record, one.start, one.end) for one in ordering.order(view)]
    assert sorted(ordered) == sorted(row[:4] for row in every)


@examples
@given(cases(), points("2.6.5a1", "2.6.5a2"))
def test_no_character_is_offered_twice_for_an_item(case: Case, point: Point) -> None:
    merged = make_point(load_arm(point.arm), {**point.settings, "overlap": "merge"})
    selection = merged.policy.select(view_of(case)[0])
    seen: set[tuple[int, int, int]] = set()
    for one in selection.sequence:
        characters = {(one.item, one.record, place) for place in range(one.start, one.end)}
        assert not characters & seen
        seen |= characters
    shown = [(place, quote.record) for place, quote in quotes_of(selection)]
    assert len(shown) == len(set(shown))


@examples
@given(cases(), points(*GROWING), st.integers(800, 4000))
def test_a_larger_budget_takes_nothing_away(case: Case, point: Point, budget: int) -> None:
    view = view_of(case)[0]
    arm = load_arm(point.arm)
    smaller, larger = sorted([budget, _characters_of_budget(point)])
    growing = {**point.settings, **_keeping_the_promise(arm)}
    before, after = (
        make_point(arm, {**growing, "budget": size}).policy.select(view)
        for size in (smaller, larger)
    )
    assert before.taken <= after.taken
    shown = {(place, quote.record): quote.ranges for place, quote in quotes_of(after)}
    assert {item.item for item in before.items} <= {item.item for item in after.items}
    for place, quote in quotes_of(before):
        assert _characters(quote.ranges) <= _characters(shown[place, quote.record])


def _characters_of_budget(point: Point) -> int:
    budget = point.settings["budget"]
    return budget if isinstance(budget, int) else 2800


def _keeping_the_promise(arm: Arm) -> dict[str, str]:
    """Excerpts in leftover room are what the release does, and what breaks the promise."""
    has_excerpts = any(parameter.name == "excerpts" for parameter in arm.parameters)
    return {"excerpts": "after-all"} if has_excerpts else {}


@examples
@given(cases(), points(*BY_ITEM))
def test_heads_then_excerpts_in_rounds_while_they_fit(case: Case, point: Point) -> None:
    view = view_of(case)[0]
    policy = point.policy
    assert isinstance(policy, ItemsPolicy)
    records = quotable_records(view)
    steps = []
    for place, item in enumerate(view.items):
        cap = head_cap(place, policy.head, policy.tail)
        steps.append((place, head_quote(item.head, records[item.head], cap)))
    for turn in range(max((len(item.claims) for item in view.items), default=0)):
        for place, item in enumerate(view.items):
            steps += [(place, claim_excerpt(view, claim)) for claim in item.claims[turn : turn + 1]]
    selection = policy.select(view)
    used, taken = 0, 0
    for _, quote in steps:
        if taken and used + quote.length > (selection.budget or 0):
            break
        used += quote.length
        taken += 1
    kept = [step for step in steps[:taken] if policy.keep is None or step[0] < policy.keep]
    assert sorted(quotes_of(selection), key=repr) == sorted(kept, key=repr)


@examples
@given(cases(), points(*BY_ITEM, *SEQUENCE))
def test_equal_records_rank_alike(case: Case, point: Point) -> None:
    """`a copy` has the text, blocks and vectors of `record 0`."""
    view, records = view_of(case)
    positions = [
        position
        for position in range(len(view.records))
        if records[position].record_id in ("record 0", "a copy")
    ]
    ranks: dict[tuple[int, int], set[tuple[int, int | None]]] = {}
    for passage in point.policy.select(view).sequence:
        if passage.record in positions:
            found = (passage.ranks.inside, passage.ranks.cosine)
            ranks.setdefault((passage.start, passage.end), set()).add(found)
    assert all(len(found) == 1 for found in ranks.values())


def test_an_empty_window_gives_an_empty_context() -> None:
    view, records = view_of(Case("empty", Query("anything?")))
    for name in (*BY_ITEM, *SEQUENCE):
        settings_of = load_arm(name).default_points[0]
        selection = make_point(load_arm(name), settings_of).policy.select(view)
        assert (selection.items, selection.used) == ((), 0)
        assert render_context(selection, records) == ""
