"""Rank in record, against ranks read from the stored sequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UsageError
from harness.measure.rank import bucket_of, is_explained, rank_turns
from harness.measure.subject import MeasuredRun
from harness.model import Case, Range
from harness.points import parse_point

from .naive import computed_as, quoted_characters, rows_of, turns_of


def naive_buckets(
    subject: MeasuredRun, cases: Mapping[str, Case], point: str, ordering: str
) -> Counter[str]:
    """Of every turn in a quoted record, how many of the record's passages are better than the best
    that holds a character of it; passages of the stored sequence."""
    folder = subject.run.folder
    quoted = quoted_characters(folder, point)
    found: Counter[str] = Counter()
    for case, span in turns_of(cases):
        if (case.case_id, span.record_id) not in quoted:
            continue
        passages = {
            (row["inside_rank"], row["start"], row["end"])
            for row in rows_of(folder, "sequences")
            if (row["case_id"], row["record_id"], row["ordering"])
            == (case.case_id, span.record_id, ordering)
        }
        characters = set(range(span.start, span.end))
        reaching = [
            inside for inside, start, end in passages if characters & set(range(start, end))
        ]
        if not passages:
            found["not ranked"] += 1
        elif not reaching:
            found["unreached"] += 1
        else:
            better = sum(inside < min(reaching) for inside, _, _ in passages)
            found[["1", "2", "3", "4-5", "4-5"][better] if better < 5 else "later"] += 1
    return found


@pytest.mark.parametrize(
    ("point", "ordering"),
    [
        ("2.6.5a1(budget=800)", "2.6.5a1(budget=800)"),
        ("evidence(budget=1200)", "evidence(budget=800)"),
        ("items", "evidence(budget=800)"),
        ("quote-curve(head=320, tail=160)", "evidence(budget=800)"),
        ("count-curve(k=1)", "evidence(budget=800)"),
    ],
)
def test_ranks_are_those_of_the_stored_sequences(
    subject: MeasuredRun, cases: Mapping[str, Case], point: str, ordering: str
) -> None:
    spelled = parse_point(point)
    row = rank_turns(subject, [spelled]).row(spelled)
    expected = naive_buckets(subject, cases, point, ordering)
    assert {name: count for name, count in row.buckets.items() if count} == expected
    assert row.turns == expected.total() > 0


def test_what_is_recomputed_is_what_was_quoted(subject: MeasuredRun) -> None:
    ranks = rank_turns(subject, subject.run.points)
    for point in subject.run.points:
        row = ranks.row(point)
        records = quoted_characters(subject.run.folder, str(point))
        assert row.reproduced == row.quoted_records == len(records)
        if computed_as(subject.run.folder)[str(point)] == "items":
            assert row.explained == row.divided_heads
            assert row.divided_heads == 17
        if point.arm == "evidence":
            assert row.explained is row.divided_heads is None


def test_another_ranking_does_not_explain_the_quotes(subject: MeasuredRun) -> None:
    """The merged passages of `2.6.5a1(overlap=merge)` are none that `items` quotes by."""
    items = parse_point("items")
    merged = rank_turns(subject, [items], ranking=parse_point("2.6.5a1(budget=2800)")).row(items)
    assert str(merged.ranking) == "2.6.5a1(budget=2800)"
    assert merged.reproduced == merged.quoted_records
    with pytest.raises(UsageError, match=r"count-curve.* has no order of passages"):
        rank_turns(subject, [items], ranking=parse_point("count-curve(k=2)"))


def test_categories_add_up(subject: MeasuredRun) -> None:
    point = parse_point("items")
    ranks = rank_turns(subject, [point])
    parts = [ranks.row(point, by=(name,)) for name in ranks.categories]
    assert [part.category for part in parts] == ["multi-session", "single-session", None]
    assert sum(part.turns for part in parts) == ranks.row(point).turns


def test_buckets() -> None:
    names = [bucket_of(place) for place in range(1, 8)]
    assert names == ["1", "2", "3", "4-5", "4-5", "later", "later"]


@pytest.mark.parametrize(
    ("quoted", "explained"),
    [
        ([(50, 90)], True),  # the best one
        ([(50, 60)], True),  # cut
        ([(50, 90), (0, 20)], True),  # the best two, in any order
        ([(0, 90)], True),  # all three, which touch
        ([(0, 20)], False),  # the second alone
        ([(55, 90)], False),
        ([(50, 90), (20, 50)], False),  # the third before the second
        ([(50, 91)], False),
        ([], False),
    ],
)
def test_quotes_that_a_ranking_explains(quoted: list[Range], explained: bool) -> None:
    assert is_explained(quoted, [(50, 90), (0, 20), (20, 50)]) is explained


@given(st.permutations([(0, 10), (10, 25), (30, 31), (40, 60), (61, 70)]), st.integers(1, 5))
def test_every_number_of_best_passages_is_explained(passages: list[Range], count: int) -> None:
    assert is_explained(passages[:count][::-1], passages)
    if count < 4:
        assert not is_explained([*passages[:count], passages[-1]], passages)
