"""A traced context as a case, with every check counted by hand."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from harness.datasets.layout import Question, read_questions
from harness.errors import Faults
from harness.evidence import labels_of
from harness.model import EvidenceSpan, Item, ItemQuote, Quote
from harness.recording.sources.haystack import haystack_of
from harness.replay.sources.omnimemeval.checks import Checks, total
from harness.replay.sources.omnimemeval.haystack_records import DatasetRecords, labels_in
from harness.replay.sources.omnimemeval.traced_case import TracedCase, trace_case

from ...make.questions import SESSIONS, made_questions, question, turn
from ...make.results import CONTEXT, KETTLE, write_data


def questions(folder: Path, *made: dict[str, object]) -> list[Question]:
    return list(read_questions(write_data(folder, made)))


def traced(asked: Question, context: str) -> TracedCase:
    records = DatasetRecords("data", "0" * 64).records_of(asked, "", Faults())
    return trace_case(asked, records, context)


def test_the_window_is_what_the_context_shows(tmp_path: Path) -> None:
    (asked,) = questions(tmp_path, question("q0", SESSIONS))
    found = traced(asked, CONTEXT)
    assert found.case.items == (Item("q0:2"), Item("q0:1", ("q0:0",)))
    assert [record.record_id for record in found.case.records] == ["q0:2", "q0:1", "q0:0"]
    assert found.case.records[1].text == KETTLE
    said = len("Session date: 2023-05-01T10:00:00+00:00\n\nuser: ")
    loud = said + len("A cat sat.\n\nassistant: ")
    assert found.selection.items == (
        ItemQuote(0, Quote(0, ((said, said + 10), (loud, loud + 19)))),
        ItemQuote(1, Quote(1, ((0, len(KETTLE)),)), (Quote(2, ((said, said + 12),)),)),
    )
    assert found.selection.used == 10 + 3 + 19 + len(KETTLE) + 12
    assert found.checks == Checks(
        records=3,
        sessions=3,
        evidence_turns=1,
        items=2,
        parts=3,
        parts_located=3,
        quoted_chars_located=10 + 19 + len(KETTLE) + 12,
    )


def test_a_quote_in_no_record_stays_counted(tmp_path: Path) -> None:
    (asked,) = questions(tmp_path, question("q0", SESSIONS))
    context = "Conversation memories:\n\n[2023-05-02T10:00:00+00:00]\nKettle? … Shed!\n"
    found = traced(asked, context)
    assert found.case.items == (Item("q0:unlocated:0"),)
    assert found.case.records[0].session_id is None
    assert found.checks.parts_unlocated == 1
    assert found.checks.quoted_chars_unlocated == len("Kettle?") + len("Shed!")
    assert found.checks.rendered_differently == 0


def test_ambiguity_where_it_matters(tmp_path: Path) -> None:
    said = [turn("user", "Tea. Tea. More.")]
    labelled = [turn("user", "Tea. Tea. More.", has_answer=True)]
    (asked,) = questions(tmp_path, question("q0", [said, labelled]))
    context = "Conversation memories:\n\n[2023-05-02T10:00:00+00:00]\nTea.\n…\nMore.\n"
    checks = traced(asked, context).checks
    assert (checks.parts_ambiguous, checks.parts_ambiguous_evidence) == (2, 2)
    # the head is taken from the record of its time, which has the labelled turn
    assert (checks.places_ambiguous, checks.places_ambiguous_evidence) == (1, 1)
    assert checks.ambiguous


def test_an_evidence_turn_that_is_not_stored_stays_in_the_denominator(tmp_path: Path) -> None:
    silent = [turn("user", "  ", has_answer=True), turn("assistant", "Hm.")]
    (asked,) = questions(tmp_path, question("q0", [*SESSIONS, silent]))
    found = traced(asked, CONTEXT)
    assert (found.checks.evidence_turns, found.checks.evidence_turns_unlocated) == (2, 1)
    assert labels_of(found.case).evidence_turns == 2


def test_a_header_that_is_not_the_records_time_is_noticed(tmp_path: Path) -> None:
    (asked,) = questions(tmp_path, question("q0", SESSIONS))
    context = "Conversation memories:\n\n[2020-01-01T00:00:00Z]\nA cat sat.\n"
    assert traced(asked, context).checks.rendered_differently == 1


def test_labels_found_by_search_are_those_of_the_recorder(tmp_path: Path) -> None:
    asked = questions(tmp_path, *made_questions(24))
    by_search: list[EvidenceSpan] = []
    by_recorder: list[EvidenceSpan] = []
    for one in asked:
        records = DatasetRecords("data", "0" * 64).records_of(one, "", Faults())
        by_search += labels_in(one, records).gold.evidence
        by_recorder += haystack_of(one, Faults()).evidence
    assert by_search == by_recorder != []


def test_checks_add_up() -> None:
    assert total([Checks(parts=2), Checks(parts=3, items=1)]) == Checks(parts=5, items=1)
    assert asdict(total([])) == asdict(Checks())
