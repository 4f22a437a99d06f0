"""Questions of LongMemEval-S and of every file in its format.

One object per question: `question_id`, `question_type`, `question`, `answer` (string or integer),
`question_date`, `answer_session_ids`, and three lists of one length, `haystack_dates`,
`haystack_session_ids` and `haystack_sessions`. Other keys are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from harness.datasets.layout import Layout, Question, Session, Turn, question_name

from .longmemeval_faults import content_faults, object_faults, session_timestamp

ABSTENTION_SUFFIX = "_abs"
_EXAMPLE = """\
{
  "question_id": "q1",
  "question_type": "single-session-user",
  "question": "Where did the kettle go?",
  "answer": "to the shed",
  "question_date": "2023/05/30 (Tue) 23:40",
  "haystack_dates": ["2023/05/20 (Sat) 02:21"],
  "haystack_session_ids": ["answer_1"],
  "haystack_sessions": [[{"role": "user", "content": "It is in the shed.", "has_answer": true}]],
  "answer_session_ids": ["answer_1"]
}"""


class _Row(msgspec.Struct, gc=False):
    """A question as it stands in the file."""

    question_id: str
    question_type: str
    question: str
    answer: str | int
    question_date: str
    haystack_dates: list[str]
    haystack_session_ids: list[str]
    haystack_sessions: list[tuple[Turn, ...]]
    answer_session_ids: tuple[str, ...]


class LongMemEval(Layout):
    """One object per question, with the sessions of its own haystack."""

    name = "longmemeval"
    title = "LongMemEval-S"
    example = _EXAMPLE
    row = _Row

    def questions(self, row: _Row) -> Iterable[Question]:
        sessions = zip(
            row.haystack_session_ids, row.haystack_dates, row.haystack_sessions, strict=True
        )
        yield Question(
            row.question_id,
            row.question_type,
            row.question,
            row.answer,
            row.question_date,
            tuple(
                Session(session_id, date, turns, session_timestamp(date))
                for session_id, date, turns in sessions
            ),
            row.answer_session_ids,
            session_timestamp(row.question_date),
            self.is_abstention(row.question_id),
        )

    def is_abstention(self, question_id: str) -> bool:
        return question_id.endswith(ABSTENTION_SUFFIX)

    def faults(self, row: _Row, place: str) -> list[str]:
        faults = content_faults(msgspec.structs.asdict(row))
        name = question_name(row.question_id, place)
        return [f"{name}, {field}: {problem}" for field, problem in faults]

    def object_faults(self, data: bytes, place: str, error: Exception) -> list[str]:
        return object_faults(data, place, error)

    def keys_of(self, row: _Row) -> int:
        turns = [turn for session in row.haystack_sessions for turn in session]
        labelled = sum(turn.has_answer is not None for turn in turns)
        return len(_Row.__struct_fields__) + 2 * len(turns) + labelled


LAYOUT = LongMemEval()
