"""A session as the text of one record, and where its turns stand in it."""

from __future__ import annotations

from typing import Literal

import pytest

from harness.datasets.layout import Question, Session, Turn
from harness.datasets.layouts.longmemeval_faults import session_timestamp
from harness.datasets.session_text import session_text
from harness.errors import Faults
from harness.recording.sources.haystack import haystack_of

DATE = "2023/05/20 (Sat) 02:21"
TIMESTAMP = session_timestamp(DATE)


def session(*turns: Turn, session_id: str = "s1", date: str = DATE) -> Session:
    return Session(session_id, date, turns, session_timestamp(date))


def asked(*sessions: Session, answers: tuple[str, ...] = ()) -> Question:
    return Question("q1", "multi-session", "Where?", "there", DATE, sessions, answers, TIMESTAMP)


def test_the_text_is_a_dated_header_and_a_paragraph_a_turn() -> None:
    made = session_text(
        session(Turn("user", "  Hello there.\n"), Turn("assistant", "\tHi.\n\nWhat is it? "))
    )
    assert made.text == (
        "Session date: 2023-05-20T02:21:00+00:00\n\n"
        "user: Hello there.\n\n"
        "assistant: Hi.\n\nWhat is it?"
    )
    assert made.timestamp == "2023-05-20T02:21:00+00:00"


def test_empty_turns_are_left_out_and_the_others_keep_their_places() -> None:
    made = session_text(
        session(
            Turn("assistant", ""),
            Turn("user", " \n"),
            Turn("user", "One."),
            Turn("assistant", "<|endoftext|>"),
            Turn("system", "Two."),
        )
    )
    assert made.text == "Session date: 2023-05-20T02:21:00+00:00\n\nuser: One.\n\nsystem: Two."
    assert [(span.turn, span.role) for span in made.spans] == [(2, "user"), (4, "system")]


def test_the_end_of_text_mark_is_removed_before_stripping() -> None:
    made = session_text(session(Turn("user", "<|endoftext|> Bye<|endoftext|> now. <|endoftext|>")))
    assert made.text.endswith("\n\nuser: Bye now.")
    assert made.user_turns == ("Bye now.",)


@pytest.mark.parametrize(
    "contents", [("One.",), ("猫は魚。", " two \n\n lines ", "👩‍👩‍👧"), ("", "a", "", "b")]
)
def test_a_span_is_the_stripped_content_without_the_role(contents: tuple[str, ...]) -> None:
    roles: list[Literal["user", "assistant"]] = ["user", "assistant", "user", "assistant"]
    turns = [Turn(role, content) for role, content in zip(roles, contents, strict=False)]
    made = session_text(session(*turns))
    found = [made.text[span.start : span.end] for span in made.spans]
    assert found == [content.strip() for content in contents if content.strip()]
    for span in made.spans:
        assert made.text[: span.start].endswith(f"\n\n{span.role}: ")


def test_a_session_that_says_nothing_has_no_spans() -> None:
    assert session_text(session()).spans == ()
    assert session_text(session(Turn("user", " "))).spans == ()


def test_evidence_turns_are_those_of_answer_sessions() -> None:
    evidence = Turn("user", " The kettle is in the shed. ", has_answer=True)
    faults = Faults()
    made = haystack_of(
        asked(
            session(Turn("user", "Rain."), session_id="s0"),
            session(Turn("assistant", "Tell me."), evidence, session_id="a1"),
            session(evidence, session_id="s2"),
            answers=("a1",),
        ),
        faults,
    )
    assert not faults
    [span] = made.evidence
    assert (span.record_id, span.role) == ("q1:1", "user")
    assert made.records[1].session.text[span.start : span.end] == "The kettle is in the shed."


def test_sessions_are_known_by_position_since_ids_repeat() -> None:
    evidence = Turn("user", "In the shed.", has_answer=True)
    once, twice = session(evidence, session_id="a1"), session(evidence, session_id="a1")
    made = haystack_of(asked(once, session(Turn("user", "x")), twice, answers=("a1",)), Faults())
    assert [record.record.record_id for record in made.records] == ["q1:0", "q1:1", "q1:2"]
    assert [span.record_id for span in made.evidence] == ["q1:0", "q1:2"]


def test_sessions_without_text_are_left_out_and_positions_stay() -> None:
    made = haystack_of(asked(session(Turn("user", "")), session(Turn("user", "x"))), Faults())
    assert [record.record.record_id for record in made.records] == ["q1:1"]


def test_evidence_turns_without_text_are_faults_by_id() -> None:
    empty = Turn("user", " <|endoftext|> ", has_answer=True)
    faults = Faults()
    haystack_of(
        asked(
            session(Turn("user", "x"), empty, session_id="a1"),
            session(empty, session_id="a2"),
            answers=("a1", "a2"),
        ),
        faults,
    )
    assert list(faults) == [
        "question 'q1': the evidence turn 1 of session 'a1' (position 0) has no text",
        "question 'q1': the evidence turn 0 of session 'a2' (position 1) has no text",
    ]


def test_blocks_cover_the_text_in_order() -> None:
    long = "A sentence of some length, with a comma. " * 60 + "\n" + "x" * 2000
    [record] = haystack_of(asked(session(Turn("user", long))), Faults()).records
    assert "".join(record.texts.blocks) == record.session.text
    assert record.record.blocks is not None
    assert record.record.blocks.ends[-1] == len(record.session.text)
    assert max(len(block) for block in record.texts.blocks) <= 739
