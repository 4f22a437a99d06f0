"""What is wrong with an object that should be a LongMemEval question, by field.

`content_faults` holds the rules about values of the right type and runs on every question.
`object_faults` names everything that is wrong with one object; it is slow and runs only on an
object that is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from harness.datasets.layout import question_name
from harness.decode import json_tree, named, spelled
from harness.errors import InputError, listed

ROLES = ("user", "assistant", "system")
_DATE = re.compile(
    r"(\d{4})/(\d{1,2})/(\d{1,2})(?: ?\([^()]*\))? (\d{1,2}):(\d{2})(?::(\d{2}))?", re.ASCII
)
_DATE_EXAMPLE = "2023/05/20 (Sat) 02:21"
_HAYSTACK_FIELDS = ("haystack_dates", "haystack_session_ids", "haystack_sessions")

Fault = tuple[str, str]
"""A field, such as `haystack_sessions[3][1].role`, and what is wrong with it."""


def session_timestamp(date: str) -> str:
    """Spell a date of the dataset as ISO 8601; it has no zone, and is taken as UTC.

    `2023/05/20 (Sat) 02:21` gives `2023-05-20T02:21:00+00:00`. The weekday may be missing or wrong.
    Raises `InputError` for anything else.
    """
    match = _DATE.fullmatch(date)
    try:
        if match:
            year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
            return datetime(year, month, day, hour, minute, second, tzinfo=UTC).isoformat()
    except ValueError as error:
        raise InputError(f"{date!r} is not a date: {error}") from error
    raise InputError(f"{date!r} is not a date like {_DATE_EXAMPLE!r}")


def content_faults(row: Mapping[str, Any]) -> list[Fault]:
    """Return the faults of fields of the right types; skip missing fields."""
    faults = [
        (name, "is empty")
        for name in ("question_id", "question_type", "question")
        if name in row and not row[name].strip()
    ]
    if "question_date" in row:
        faults += _date_faults("question_date", row["question_date"])
    for index, date in enumerate(row.get("haystack_dates", ())):
        faults += _date_faults(f"haystack_dates[{index}]", date)
    return [*faults, *_haystack_faults(row), *_answer_faults(row)]


def object_faults(data: bytes, place: str, error: Exception) -> list[str]:
    """Return every fault of one object, each naming the question (or `place`) and the field.

    `error` is what the decoder said; it is reported when no field can be blamed.
    """
    try:
        value, odd = json_tree(data)
    except ValueError as problem:
        is_text = not isinstance(problem.__cause__, UnicodeDecodeError)
        return [f"{place if is_text else f'{_name_in(data)} ({place})'}: {problem}"]
    if not isinstance(value, dict):
        return [f"{place}: is {named(value)}, expected an object"]
    faults = [(spelled(path) or "the object", problem) for path, problem in odd]
    places = {field for field, _ in faults}  # what stands there now says nothing
    faults += [fault for fault in _type_faults(value) if fault[0] not in places]
    sound = {name: value[name] for name in _FIELDS if name in value}
    for field, _ in faults:
        sound.pop(re.split(r"[.\[]", field)[0], None)
    faults += content_faults(sound)
    if not faults:
        faults = [("the object", f"is refused: {error}")]
    name = question_name(value.get("question_id"), place)
    return [f"{name}, {field}: {problem}" for field, problem in faults]


def _date_faults(field: str, date: str) -> list[Fault]:
    try:
        session_timestamp(date)
    except InputError as error:
        return [(field, error.message)]
    return []


def _haystack_faults(row: Mapping[str, Any]) -> list[Fault]:
    lengths = {name: len(row[name]) for name in _HAYSTACK_FIELDS if name in row}
    if len(set(lengths.values())) > 1:
        counts = listed([f"{name} has {count}" for name, count in lengths.items()])
        return [("haystack_sessions", f"lengths differ: {counts}")]
    if lengths.get("haystack_sessions") == 0:
        return [("haystack_sessions", "is empty; a question needs a haystack")]
    return []


def _answer_faults(row: Mapping[str, Any]) -> list[Fault]:
    if "answer_session_ids" not in row or "haystack_session_ids" not in row:
        return []
    session_ids = set(row["haystack_session_ids"])
    return [
        (f"answer_session_ids[{index}]", f"{session_id!r} is not in haystack_session_ids")
        for index, session_id in enumerate(row["answer_session_ids"])
        if session_id not in session_ids
    ]


def _type_faults(value: Mapping[str, Any]) -> Iterator[Fault]:
    for field, check in _FIELDS.items():
        if field not in value:
            yield field, "is missing"
        else:
            yield from check(field, value[field])


def _string(field: str, value: Any) -> Iterator[Fault]:
    if not isinstance(value, str):
        yield field, f"is {named(value)}, expected a string"


def _answer(field: str, value: Any) -> Iterator[Fault]:
    if isinstance(value, str):
        yield from _string(field, value)
    elif isinstance(value, bool) or not isinstance(value, int):
        yield field, f"is {named(value)}, expected a string or an integer"


def _list_of(check: Callable[[str, Any], Iterator[Fault]]) -> Callable[[str, Any], Iterator[Fault]]:
    def checked(field: str, value: Any) -> Iterator[Fault]:
        if not isinstance(value, list):
            yield field, f"is {named(value)}, expected a list"
            return
        for index, element in enumerate(value):
            yield from check(f"{field}[{index}]", element)

    return checked


def _turn(field: str, value: Any) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield field, f"is {named(value)}, expected an object with role and content"
        return
    for name in ("role", "content"):
        if name not in value:
            yield f"{field}.{name}", "is missing"
        else:
            yield from _string(f"{field}.{name}", value[name])
    role = value.get("role")
    if isinstance(role, str) and role not in ROLES:
        yield f"{field}.role", f"is {role!r}, expected one of {listed(ROLES)}"
    if not isinstance(value.get("has_answer"), bool | None):
        yield f"{field}.has_answer", f"is {named(value['has_answer'])}, expected true or false"


_FIELDS: dict[str, Callable[[str, Any], Iterator[Fault]]] = {
    "question_id": _string,
    "question_type": _string,
    "question": _string,
    "answer": _answer,
    "question_date": _string,
    "haystack_dates": _list_of(_string),
    "haystack_session_ids": _list_of(_string),
    "haystack_sessions": _list_of(_list_of(_turn)),
    "answer_session_ids": _list_of(_string),
}


def _name_in(data: bytes) -> str:
    """Name a question as `question 'id'`, read from bytes that are not all UTF-8."""
    match = re.search(rb'"question_id"\s*:\s*"([^"\\]*)"', data)
    return f"question {match.group(1).decode('utf-8', 'replace')!r}" if match else "a question"
