"""Counts from ranges against sets of character positions, and edge cases counted by hand."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import fields

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.evidence import SCHEMA, as_row, as_table
from harness.evidence.case_evidence import CaseEvidence, ShownRecord, labels_of, measure, merge
from harness.model import Case, EvidenceSpan, Gold, Item, Query, Range, Record

LENGTH = 12
SESSIONS = ("s1", "s2", "s3", None)
RECORDS = ("a", "b", "c", "d")

ranges = st.tuples(st.integers(0, LENGTH), st.integers(0, LENGTH)).map(
    lambda pair: (min(pair), max(pair))
)
evidence = st.tuples(st.sampled_from([*RECORDS, "outside"]), ranges).map(
    lambda turn: EvidenceSpan(turn[0], *turn[1], role="user")
)
golds = st.none() | st.builds(
    Gold,
    answer=st.just("yes"),
    sessions=st.lists(st.sampled_from(["s1", "s2", "s3", "elsewhere"]), max_size=4).map(tuple),
    evidence=st.lists(evidence, max_size=4).map(tuple),
)
selections = st.lists(
    st.builds(
        ShownRecord,
        item=st.integers(0, 11),
        record_id=st.sampled_from(RECORDS),
        ranges=st.lists(ranges, max_size=4).map(tuple),
    ),
    max_size=6,
)


def case_of(gold: Gold | None, sessions: Sequence[str | None] = SESSIONS) -> Case:
    """Records a, b, c and d of the given sessions, each an item of its own."""
    records = tuple(
        Record(name, "x" * LENGTH, session_id=session)
        for name, session in zip(RECORDS, sessions, strict=True)
    )
    items = tuple(Item(record.record_id) for record in records)
    return Case("case", Query("who?"), records, items, gold=gold)


def recount(case: Case, shown: Sequence[ShownRecord], tokens: int | None) -> CaseEvidence:
    """The definitions, position by position."""
    gold = case.gold or Gold("none")
    session_of = {record.record_id: record.session_id for record in case.records}
    positions = [
        (quote.item, quote.record_id, position)
        for quote in shown
        for start, end in quote.ranges
        for position in range(start, end)
    ]
    quoted = {(record, position) for _, record, position in positions}
    turns = [
        {(turn.record_id, position) for position in range(turn.start, turn.end)}
        for turn in gold.evidence
    ]
    answer = [place for place in quoted if session_of[place[0]] in set(gold.sessions)]
    ranks = [item + 1 for item, record, _ in positions if session_of[record] in gold.sessions]
    return CaseEvidence(
        labelled=case.gold is not None,
        answer_sessions=len(set(gold.sessions)),
        answer_sessions_shown=len({session_of[record] for record, _ in answer}),
        evidence_turns=len(turns),
        evidence_turns_touched=sum(1 for turn in turns if turn & quoted),
        evidence_turn_chars=sum(map(len, turns)),
        evidence_turn_chars_quoted=sum(len(turn & quoted) for turn in turns),
        quoted_chars_raw=len(positions),
        quoted_chars_merged=len(quoted),
        quoted_chars_in_answer_sessions=len(answer),
        first_item_rank=min(ranks, default=None),
        context_tokens=tokens,
    )


@given(golds, selections, st.none() | st.integers(0, 5), st.permutations(SESSIONS))
def test_equals_a_recount_by_position(
    gold: Gold | None, shown: list[ShownRecord], tokens: int | None, sessions: list[str | None]
) -> None:
    sessions[0] = sessions[1]  # two records of one session, or of none
    case = case_of(gold, sessions)
    assert measure(labels_of(case), shown, tokens) == recount(case, shown, tokens)


@given(st.lists(ranges, max_size=6))
def test_merged_ranges_are_the_union_with_gaps_between(given_ranges: list[Range]) -> None:
    merged = merge(given_ranges)
    assert {p for s, e in merged for p in range(s, e)} == {
        p for s, e in given_ranges for p in range(s, e)
    }
    ends = [number for pair in merged for number in pair]
    assert ends == sorted(set(ends))


def counts(
    gold: Gold | None, *shown: ShownRecord, sessions: Sequence[str | None] = SESSIONS
) -> CaseEvidence:
    return measure(labels_of(case_of(gold, sessions)), shown)


def turn(record_id: str, start: int, end: int) -> EvidenceSpan:
    return EvidenceSpan(record_id, start, end, "user")


def test_no_gold() -> None:
    found = counts(None, ShownRecord(0, "a", ((0, 4),)))
    assert not found.labelled
    assert (found.answer_sessions, found.evidence_turns, found.first_item_rank) == (0, 0, None)
    assert (found.quoted_chars_raw, found.quoted_chars_in_answer_sessions) == (4, 0)


def test_gold_without_evidence() -> None:
    found = counts(Gold("yes", abstention=True, sessions=("s1",)), ShownRecord(2, "a", ((0, 4),)))
    assert (found.answer_sessions_shown, found.first_item_rank) == (1, 3)
    assert (found.evidence_turns, found.evidence_turn_chars) == (0, 0)


def test_an_empty_selection() -> None:
    found = counts(Gold("yes", sessions=("s1", "s2"), evidence=(turn("a", 0, 5),)))
    assert (found.answer_sessions, found.answer_sessions_shown) == (2, 0)
    assert (found.evidence_turns, found.evidence_turns_touched) == (1, 0)
    assert (found.evidence_turn_chars, found.evidence_turn_chars_quoted) == (5, 0)
    assert (found.quoted_chars_raw, found.first_item_rank) == (0, None)


def test_touching_ranges() -> None:
    gold = Gold("yes", sessions=("s1",), evidence=(turn("a", 2, 8),))
    found = counts(gold, ShownRecord(0, "a", ((0, 4), (4, 6))))
    assert (found.quoted_chars_raw, found.quoted_chars_merged) == (6, 6)
    assert (found.evidence_turns_touched, found.evidence_turn_chars_quoted) == (1, 4)


def test_a_range_that_ends_where_a_turn_starts_does_not_touch_it() -> None:
    gold = Gold("yes", sessions=("s1",), evidence=(turn("a", 4, 8),))
    found = counts(gold, ShownRecord(0, "a", ((0, 4), (8, 9))))
    assert (found.evidence_turns_touched, found.evidence_turn_chars_quoted) == (0, 0)


def test_overlapping_ranges_of_one_quote() -> None:
    found = counts(Gold("yes", sessions=("s1",)), ShownRecord(0, "a", ((0, 5), (3, 7))))
    assert found.quoted_chars_raw == 9
    assert found.quoted_chars_merged == found.quoted_chars_in_answer_sessions == 7


def test_one_record_in_two_items() -> None:
    gold = Gold("yes", sessions=("s1",), evidence=(turn("a", 0, 6),))
    found = counts(gold, ShownRecord(3, "a", ((0, 5),)), ShownRecord(1, "a", ((2, 7),)))
    assert (found.quoted_chars_raw, found.quoted_chars_merged) == (10, 7)
    assert (found.evidence_turns_touched, found.evidence_turn_chars_quoted) == (1, 6)
    assert found.first_item_rank == 2


def test_evidence_and_answer_sessions_outside_the_window() -> None:
    gold = Gold("yes", sessions=("s1", "gone"), evidence=(turn("a", 0, 2), turn("lost", 0, 100)))
    found = counts(gold, ShownRecord(0, "a", ((0, 12),)))
    assert (found.answer_sessions, found.answer_sessions_shown) == (2, 1)
    assert (found.evidence_turns, found.evidence_turns_touched) == (2, 1)
    assert (found.evidence_turn_chars, found.evidence_turn_chars_quoted) == (102, 2)


def test_two_records_of_one_session_and_an_id_listed_twice() -> None:
    gold = Gold("yes", sessions=("s1", "s1"))
    shown = (ShownRecord(0, "a", ((0, 3),)), ShownRecord(1, "b", ((0, 4),)))
    found = counts(gold, *shown, sessions=("s1", "s1", "s2", "s3"))
    assert (found.answer_sessions, found.answer_sessions_shown) == (1, 1)
    assert found.quoted_chars_in_answer_sessions == 7


def test_overlapping_turns_count_each_and_an_empty_turn_is_never_touched() -> None:
    gold = Gold("yes", evidence=(turn("a", 0, 6), turn("a", 4, 8), turn("a", 5, 5)))
    found = counts(gold, ShownRecord(0, "a", ((5, 7),)))
    assert (found.evidence_turns, found.evidence_turns_touched) == (3, 2)
    assert (found.evidence_turn_chars, found.evidence_turn_chars_quoted) == (10, 1 + 2)


def test_an_empty_range_shows_nothing() -> None:
    found = counts(
        Gold("yes", sessions=("s1",)), ShownRecord(0, "a", ((3, 3),)), ShownRecord(1, "b", ())
    )
    assert (found.answer_sessions_shown, found.first_item_rank) == (0, None)


def test_what_cannot_be_counted_is_refused() -> None:
    with pytest.raises(KeyError, match="lost"):
        counts(None, ShownRecord(0, "lost", ((0, 1),)))
    with pytest.raises(ValueError, match=r"\[5, 3\]"):
        counts(None, ShownRecord(0, "a", ((0, 9), (5, 3))))


def test_rows_survive_parquet() -> None:
    gold = Gold("yes", sessions=("s1",), evidence=(turn("a", 0, 6),))
    cases = [counts(gold, ShownRecord(4, "a", ((2, 9),))), counts(None)]
    assert SCHEMA.names == [field.name for field in fields(CaseEvidence)]
    buffer = io.BytesIO()
    pq.write_table(as_table(cases), buffer)
    buffer.seek(0)
    table = pq.read_table(buffer)
    assert table.schema == SCHEMA
    assert [CaseEvidence(**row) for row in table.to_pylist()] == cases
    assert pa.Table.from_pylist([as_row(case) for case in cases], SCHEMA) == table
