"""Which rows of an explanation are evidence."""

from __future__ import annotations

import pytest

from harness.explain import PassageReason, RecordReason, RowReason
from harness.explain.evidence import marked
from harness.model import Case, EvidenceSpan, Gold, Query, Record

CASE = Case(
    "q",
    Query("Who?"),
    tuple(Record(name, "x" * 100, session_id=f"s{name}") for name in "abc"),
    gold=Gold(
        "he", sessions=("sa", "/kiln/firing.md"), evidence=(EvidenceSpan("a", 20, 30, "user"),)
    ),
)


def passage(record_id: str, start: int, end: int) -> PassageReason:
    return PassageReason(1, 1, record_id, start, end, 0, 0, None, None, None, True, "fits", "")


@pytest.mark.parametrize(
    ("record_id", "start", "end", "mark"),
    [
        ("a", 0, 21, "turn"),
        ("a", 29, 40, "turn"),
        ("a", 0, 20, "session"),
        ("a", 30, 40, "session"),
        ("b", 20, 30, None),
        ("elsewhere", 20, 30, None),
    ],
)
def test_a_passage_is_evidence_where_it_overlaps_a_turn(
    record_id: str, start: int, end: int, mark: str | None
) -> None:
    (found,) = marked(CASE, [passage(record_id, start, end)])
    assert found.evidence == mark


def test_a_record_is_marked_as_a_whole() -> None:
    rows = [RecordReason(1, "head", name, 100, 0, (), False, "no room") for name in "ab"]
    assert [row.evidence for row in marked(CASE, rows)] == ["turn", None]


@pytest.mark.parametrize(
    ("location", "mark"),
    [
        ("/kiln/firing.md/v2#cones", "document"),
        ("/kiln/firing.md#cones", "document"),
        ("/kiln/firing.md", "document"),
        ("/kiln/firing.md.old/v1#a", None),
        ("/kiln/glaze.md/v1#cones", None),
    ],
)
def test_a_row_is_marked_by_its_document(location: str, mark: str | None) -> None:
    (found,) = marked(CASE, [RowReason(1, location, "section", 10, True, "fits")])
    assert found.evidence == mark


def test_without_labels_nothing_is_marked() -> None:
    bare = Case("q", Query("Who?"), CASE.records)
    (found,) = marked(bare, [passage("a", 0, 100)])
    assert found.evidence is None
