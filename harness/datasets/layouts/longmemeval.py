"""Questions of LongMemEval-S and of every file in its format.

One object a question: `question_id`, `question_type`, `question`, `answer` (string or integer),
`question_date`, `answer_session_ids`, and three lists of one length, `haystack_dates`,
`haystack_session_ids` and `haystack_sessions`. Other keys are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from harness.datasets.stream import Decoded, Refused, json_objects
from harness.errors import Faults, InputError

from .longmemeval_faults import content_faults, object_faults, question_name
from .longmemeval_faults import session_timestamp as session_timestamp

ABSTENTION_SUFFIX = "_abs"
_HINT = "Correct these fields, or fetch the file again; nothing of it was used."


class Turn(msgspec.Struct, frozen=True, gc=False):
    """One message. `content` may be empty. `has_answer` is None where the file has no label."""

    role: Literal["user", "assistant", "system"]
    content: str
    has_answer: bool | None = None


class Session(msgspec.Struct, frozen=True, gc=False):
    """One session of a haystack.

    `session_id` may come twice in one haystack, so a session is known by its position. `date` is as
    in the file; `session_timestamp` gives it as ISO 8601.
    """

    session_id: str
    date: str
    turns: tuple[Turn, ...]


class Question(msgspec.Struct, frozen=True, gc=False):
    """One question with its haystack, in the order of the file, and its labels."""

    question_id: str
    question_type: str
    question: str
    answer: str | int
    question_date: str
    sessions: tuple[Session, ...]
    answer_session_ids: tuple[str, ...]

    @property
    def abstention(self) -> bool:
        """Whether the right answer is that the haystack does not say."""
        return self.question_id.endswith(ABSTENTION_SUFFIX)


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


def _keys_of(row: _Row) -> int:
    """Return how many keys the text of a row has at least."""
    turns = [turn for session in row.haystack_sessions for turn in session]
    labelled = sum(turn.has_answer is not None for turn in turns)
    return len(_Row.__struct_fields__) + 2 * len(turns) + labelled


def read_questions(path: Path) -> Iterator[Question]:
    """The questions of the file, one at a time, in its order.

    Raises `InputError`. At the first fault no further question is given, the rest of the file is
    checked, and one error names every fault by question id and field.
    """
    faults = Faults()
    first_places: dict[str, str] = {}
    for item in _objects(path, faults):
        question, messages = _read(item)
        if question is not None:
            first = first_places.setdefault(question.question_id, item.place)
            if first != item.place:
                messages.append(
                    f"question {question.question_id!r} ({item.place}), question_id: "
                    f"is also the id of {first}"
                )
        for message in messages:
            faults.add(message)
        if question is not None and not faults:
            yield question
    if not first_places and not faults:
        faults.add("holds no question")
    faults.raise_if_any(str(path), _HINT)


def _objects(path: Path, faults: Faults) -> Iterator[Decoded[_Row] | Refused]:
    """The objects of the file; where reading stops after a fault, that is one more fault."""
    try:
        yield from json_objects(path, _Row, _keys_of)
    except InputError as error:
        if not faults:
            raise
        faults.add(error.message)


def _read(item: Decoded[_Row] | Refused) -> tuple[Question | None, list[str]]:
    """The question, or None and its faults."""
    if isinstance(item, Refused):
        return None, object_faults(item.data, item.place, item.error)
    row = item.value
    found = content_faults(msgspec.structs.asdict(row))
    if found:
        name = question_name(row.question_id, item.place)
        return None, [f"{name}, {field}: {problem}" for field, problem in found]
    return _question(row), []


def _question(row: _Row) -> Question:
    haystack = zip(row.haystack_session_ids, row.haystack_dates, row.haystack_sessions, strict=True)
    return Question(
        row.question_id,
        row.question_type,
        row.question,
        row.answer,
        row.question_date,
        tuple(Session(session_id, date, turns) for session_id, date, turns in haystack),
        row.answer_session_ids,
    )
