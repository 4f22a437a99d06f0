"""Explanations of made cases, reckoned by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.errors import UsageError
from harness.explain import (
    CandidateReason,
    Explanation,
    PassageReason,
    RecordReason,
    RowKind,
    RowReason,
    explain_case,
)
from harness.model import (
    MEMORY,
    Case,
    Document,
    Item,
    Lookup,
    LookupRow,
    Query,
    Record,
    Section,
    SequencePolicy,
    view_of,
)
from harness.points import default_points, parse_point
from harness.recording.case_lines import CaseLines

from ..make.cases import made_record

FIXTURES = Path(__file__).resolve().parents[2] / "datasets" / "fixtures" / "selection"
CASES = {case.case_id: case for case in CaseLines(str(FIXTURES / "cases.jsonl"))}


def explained(case: Case, spec: str) -> Explanation:
    return explain_case(case, parse_point(spec))


def passages(explanation: Explanation) -> list[PassageReason]:
    return [row for row in explanation.reasons if isinstance(row, PassageReason)]


def candidates(explanation: Explanation) -> list[CandidateReason]:
    return [row for row in explanation.reasons if isinstance(row, CandidateReason)]


def records(explanation: Explanation) -> list[RecordReason]:
    return [row for row in explanation.reasons if isinstance(row, RecordReason)]


def rows(explanation: Explanation) -> list[RowReason]:
    return [row for row in explanation.reasons if isinstance(row, RowReason)]


def test_the_cut_of_a_sequence() -> None:
    """640 fit 800; 400 more are 1,040 and end the prefix; with 160 more it is 1,200."""
    explanation = explained(CASES["greedy"], "2.6.5a1(budget=800)")
    assert explanation.kind is RowKind.PASSAGES
    found = [(row.record_id, row.together, row.needed, row.taken) for row in passages(explanation)]
    assert found == [
        ("eight", 640, 0, True),
        ("five", 1040, 1040, False),
        ("two", 1200, 1200, False),
    ]
    assert [row.reason for row in passages(explanation)] == [
        "fits",
        "the first that does not fit: 1,040 of 800 characters",
        "after the cut; taken from a budget of 1,200",
    ]
    assert explanation.facts == (
        "1 of 3 passages are taken, the first of the sequence.",
        "The cut is before passage 2, five 0 to 400: it would have cost 400 characters more, 1,040 "
        "in all, and the budget is 800.",
    )


@pytest.mark.parametrize("arm", ["2.6.5a1", "evidence", "whole"])
def test_the_needed_budget_takes_the_passage_and_one_less_does_not(arm: str) -> None:
    case = CASES["greedy-walk"]
    view, _ = view_of(case)
    for row in passages(explained(case, f"{arm}(budget=800)")):
        assert row.needed is not None
        if row.needed > 800:
            enough = parse_point(f"{arm}(budget={row.needed})").policy.select(view)
            too_small = parse_point(f"{arm}(budget={row.needed - 1})").policy.select(view)
            assert too_small.taken < row.place <= enough.taken


def test_text_that_no_passage_holds_and_records_without_one() -> None:
    """Of a head without boundaries 800 of 901 characters are offered; a claim never is."""
    case = Case(
        "one",
        Query("?"),
        (made_record("head", "x" * 901), Record("claim", "A claim.")),
        (Item("head", ("claim",)),),
    )
    explanation = explained(case, "evidence(budget=2000)")
    assert "101 characters" in explanation.facts[-1]
    (excerpt,) = explanation.excerpts
    assert (excerpt.record_id, excerpt.part, excerpt.taken) == ("claim", "claim", True)
    (refused,) = explained(case, "evidence(budget=800)").excerpts
    assert (refused.taken, refused.reason) == (False, "no room was left for it")


def test_records_one_by_one() -> None:
    explanation = explained(CASES["greedy"], "items(budget=800)")
    assert explanation.kind is RowKind.RECORDS
    assert [(row.record_id, row.taken, row.reason) for row in records(explanation)] == [
        ("eight", True, "whole"),
        ("five", False, "its item is not shown; shown from budget=1040"),
        ("two", False, "its item is not shown; shown from budget=1200"),
    ]
    counted = records(explained(CASES["greedy"], "count-curve(k=1)"))
    assert [row.reason for row in counted] == [
        "whole",
        "its item is not shown; shown from k=2",
        "its item is not shown; shown from k=3",
    ]
    cut = records(explained(CASES["oversized-first"], "items"))[0]
    assert (cut.quoted, cut.characters, cut.ranges, cut.reason) == (
        800,
        3000,
        ((0, 800),),
        "in part",
    )


def test_signals_and_weights_of_candidates() -> None:
    """The superseded, its successor and the contradiction of the fixtures' README."""
    explanation = explained(CASES["conflicting-records"], "sea(limit=2)")
    found = {row.record_id: row for row in candidates(explanation)}
    assert list(found) == ["contradiction", "successor", "superseded"]
    successor = found["successor"].contributions
    assert successor == {
        "semantic": None,
        "keyword": pytest.approx(0.75 * 0.15),
        "metadata": pytest.approx(0.25 * 0.15),
        "recency": None,
        "authority": pytest.approx(0.30 * 0.10),
        "graph": pytest.approx(0.50 * 0.10),
        "contradiction": 0.0,
        "task_fit": pytest.approx(0.5 * 0.05),
    }
    for row in found.values():
        total = sum(value for value in row.contributions.values() if value is not None)
        assert row.score == pytest.approx(total, abs=1e-6)
    refused = found["superseded"]
    assert (refused.reason, refused.reasons) == ("rejected: record cap", ("record cap",))
    assert refused.score_above == pytest.approx(0.255)
    assert any("semantic and recency" in fact for fact in explanation.facts)
    assert any("not calibrated" in fact for fact in explanation.facts)


def test_a_selected_line_that_did_not_fit() -> None:
    found = candidates(explained(CASES["greedy"], "sea(max_bytes=900)"))
    assert [(row.taken, row.printed, row.reason) for row in found] == [
        (True, True, "selected"),
        (True, False, "selected, but its line did not fit the context"),
        (True, False, "selected, but its line did not fit the context"),
    ]


def _lookup_case() -> Case:
    """Three documents; the second row is a section of what the first row prints."""
    bodies = ("# Kiln\n\nFire it.\n\n## Ash\n\nSweep it.\n", "# Shed\n\n" + "Split pine. " * 40)
    kiln = Document(
        "/a.md", 1, bodies[0], {}, (Section("kiln", 1, 0, 36, 7), Section("ash", 2, 18, 36, 3))
    )
    shed = Document("/b.md", 1, bodies[1], {}, (Section("shed", 1, 0, len(bodies[1]), 3),))
    table = "the table\n"
    named = (
        LookupRow("/a.md"),
        LookupRow("/a.md", "ash"),
        LookupRow("/b.md"),
        LookupRow("/a.md", "none"),
        LookupRow("/lost.md"),
    )
    lookup = Lookup("/", table, len(table), named, (kiln, shed))
    made = tuple(Record(f"{each.path}/v1", each.body) for each in (kiln, shed))
    items = tuple(Item(record.record_id) for record in made)
    return Case("lookup", Query("How hot?"), made, items, lookup=lookup)


def test_the_rows_of_a_lookup() -> None:
    explanation = explained(_lookup_case(), "lookup-budgeted(budget_tokens=100)")
    assert explanation.kind is RowKind.ROWS
    assert [(row.row, row.location, row.taken, row.reason) for row in rows(explanation)] == [
        (1, "/a.md/v1#kiln", True, "fits"),
        (2, "/a.md#ash", False, "its text, or part of it, stands already: /a.md/v1#kiln"),
        (3, "/b.md/v1#shed", False, "did not fit: about 121 tokens"),
        (4, "/a.md#none", False, "the document has no section #none"),
        (5, "/lost.md", False, "could not be fetched: not found"),
    ]
    assert "Did not fit: 1." in explanation.facts
    assert "Left out because their text stands already: 1." in explanation.facts


def test_a_table_alone_expands_nothing() -> None:
    found = rows(explained(_lookup_case(), "lookup-table"))
    assert {(row.taken, row.reason) for row in found} == {(False, "nothing is expanded")}


def test_an_arm_that_does_not_run_on_the_case() -> None:
    with pytest.raises(UsageError, match="lookup-table runs on lookup cases"):
        explained(CASES["greedy"], "lookup-table")


@pytest.mark.parametrize("case_id", CASES)
def test_every_arm_explains_what_it_selects(case_id: str) -> None:
    """What is marked as taken is what the selection has, for every default point."""
    case = CASES[case_id]
    view, found_records = view_of(case)
    for point in default_points(kind=MEMORY):
        selection = point.policy.select(view)
        explanation = explain_case(case, point)
        shown = {
            (item.item + 1, found_records[quote.record].record_id)
            for item in selection.items
            for quote in (item.head, *item.excerpts)
            if quote.ranges
        }
        assert _taken(explanation) == shown
        if isinstance(point.policy, SequencePolicy):
            assert sum(row.taken for row in passages(explanation)) == selection.taken


def _taken(explanation: Explanation) -> set[tuple[int, str]]:
    """Item and record of everything that is marked as taken and stands in the context."""
    taken: set[tuple[int, str]] = set()
    of_any: tuple[Any, ...] = (*explanation.reasons, *explanation.excerpts)
    for row in of_any:
        if row.taken and (not isinstance(row, CandidateReason) or row.printed):
            taken.add((row.item, row.record_id))
    return taken
