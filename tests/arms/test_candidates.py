"""Which passages compete: merged or skipped ranges, and records that do not divide."""

from __future__ import annotations

from hypothesis import given, settings

from arms.allocation.candidates import candidates_of
from arms.quoting.record import QuotableRecord, quotable_records
from harness.model import Case, Item, Record, view_of

from ..make.cases import made_record, made_view
from ..make.strategies import cases
from .passage_rows import rows_of

# start, end, rank inside, cosine
Passage = tuple[int, int, int, float | None]


@settings(max_examples=60, deadline=None)
@given(cases())
def test_overlapping_ranges_are_merged(case: Case) -> None:
    view = view_of(case)[0]
    found = candidates_of(view, "all-records", "merge")
    expected = [
        (place, position, *passage)
        for place, item in enumerate(view.items)
        for position in (item.head, *item.claims)
        for passage in _merged(quotable_records(view)[position])
    ]
    assert sorted(row[:6] for row in rows_of(found)) == sorted(expected)


@settings(max_examples=60, deadline=None)
@given(cases())
def test_overlapping_ranges_are_skipped(case: Case) -> None:
    view = view_of(case)[0]
    found = candidates_of(view, "heads", "skip")
    expected = [
        (place, item.head, *passage)
        for place, item in enumerate(view.items)
        for passage in _skipped(quotable_records(view)[item.head])
    ]
    assert [row[:6] for row in rows_of(found)] == expected


def _ranges(record: QuotableRecord) -> list[tuple[int, int]]:
    starts, ends = record.governing_starts.tolist(), record.governing_ends.tolist()
    return list(zip(starts, ends, strict=True))


def _undivided(record: QuotableRecord) -> list[Passage] | None:
    if len(record.text) <= 800 or len(record.ranked) < 2:
        return [(0, min(len(record.text), 800), 0, None)]
    return None


def _merged(record: QuotableRecord) -> list[Passage]:
    """The definition: blocks are joined while any two groups have ranges that share a character."""
    undivided = _undivided(record)
    if undivided is not None:
        return undivided
    ranges = _ranges(record)
    groups = [{block} for block in range(len(ranges))]
    joining = True
    while joining:
        joining = False
        for group in groups:
            for other in groups:
                if group is not other and _share(ranges, group, other):
                    group |= other
                    groups.remove(other)
                    joining = True
                    break
            if joining:
                break
    passages = []
    ranked = record.ranked.tolist()
    for group in groups:
        start = min(ranges[block][0] for block in group)
        end = max(ranges[block][1] for block in group)
        inside = min(ranked.index(block) for block in group)
        cosine = record.cosine
        best = None if cosine is None else max(float(cosine[block]) for block in group)
        passages.append((start, min(end, start + 800), inside, best))
    return passages


def _share(ranges: list[tuple[int, int]], group: set[int], other: set[int]) -> bool:
    return any(
        ranges[left][0] < ranges[right][1] and ranges[right][0] < ranges[left][1]
        for left in group
        for right in other
    )


def _skipped(record: QuotableRecord) -> list[Passage]:
    undivided = _undivided(record)
    if undivided is not None:
        return undivided
    ranges = _ranges(record)
    kept: list[int] = []
    for block in record.ranked.tolist():
        if not any(_share(ranges, {block}, {other}) for other in kept):
            kept.append(block)
    cosine = record.cosine
    return [
        (
            ranges[block][0],
            min(ranges[block][1], ranges[block][0] + 800),
            inside,
            None if cosine is None else float(cosine[block]),
        )
        for inside, block in enumerate(kept)
    ]


# A qualifier joins block 1 to block 0; block 2 ends no sentence, so it is joined to block 3.
OPENING, JOINED = "Rent is due on Monday. ", "However, the office is closed. "
UNFINISHED, REST = "My flat number is ", "seventeen. "
FILLER = "Nothing else of interest was said. " * 25
MIDDLE, LAST = 54, 83


def _divided_record() -> Record:
    """For `flat number` and the vector (1, 0): trigrams held 0, 0, 9, 0, 0, so ranks 1, 1, 0, 1, 1;
    cosines 1, 0, 0.6, 1, 0, so ranks 0, 2, 1, 0, 2. Blocks 0, 2 and 3 tie: order 0, 2, 3, 1, 4."""
    vectors = [[1, 0], [0, 1], [3, 4], [1, 0], [0, -1]]
    return made_record("r", OPENING, JOINED, UNFINISHED, REST, FILLER, vectors=vectors)


def test_merging_by_hand() -> None:
    view = made_view("flat number", [_divided_record()], vector=[1.0, 0.0])
    found = candidates_of(view, "all-records", "merge")
    assert [row[2:6] for row in rows_of(found)] == [
        (0, MIDDLE, 0, 1.0),
        (MIDDLE, LAST, 1, 1.0),  # the better cosine of its blocks, 0.6 and 1
        (LAST, LAST + 800, 4, 0.0),  # 875 characters, cut
    ]


def test_skipping_by_hand() -> None:
    view = made_view("flat number", [_divided_record()], vector=[1.0, 0.0])
    found = candidates_of(view, "heads", "skip")
    assert [row[2:6] for row in rows_of(found)] == [
        (0, MIDDLE, 0, 1.0),
        (MIDDLE, LAST, 1, 0.6),  # the cosine of the block that produced it
        (LAST, LAST + 800, 2, 0.0),  # the third passage, not the fifth block
    ]


def test_a_merged_passage_over_800_characters_keeps_its_first_800() -> None:
    blocks = [f"Part {number} of one long sentence, " * 12 for number in range(4)]
    record = made_record("r", *blocks, vectors=[[1], [1], [1], [1]])
    view = made_view("sentence", [record], vector=[1.0])
    # each block governs itself and its neighbours up to 1,478 characters; all of them overlap
    assert [row[2:4] for row in rows_of(candidates_of(view, "heads", "merge"))] == [(0, 800)]


def test_records_that_do_not_divide() -> None:
    records = [Record("short", "y" * 800), made_record("long", "x" * 801), Record("empty", "")]
    found = candidates_of(made_view("y", records), "all-records", "merge")
    assert [(row.end, row.whole, row.cosine) for row in rows_of(found)] == [
        (800, True, None),
        (800, False, None),
        (0, True, None),
    ]


def test_whose_records_compete() -> None:
    records = [Record("head", "One."), Record("second", "Two."), Record("first", "Three.")]
    view = made_view("?", records, [Item("head", ("first", "second"))])
    every = candidates_of(view, "all-records", "merge")
    assert [view.records[row.record].text for row in rows_of(every)] == ["One.", "Three.", "Two."]
    heads = candidates_of(view, "heads", "merge")
    assert [view.records[row.record].text for row in rows_of(heads)] == ["One."]
