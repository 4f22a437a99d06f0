"""How a dataset lays out its questions in a file, and the layouts that packages offer.

A layout is one module: it says what an object of the file is, and turns it into questions that look
alike whatever their dataset. Splits, lists of questions, hashing and fetching are not its business.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from harness.errors import Faults, InputError
from harness.registry import Registry

from .stream import Decoded, Refused, json_objects

DEFAULT_LAYOUT = "longmemeval"
_HINT = "Correct these fields, or fetch the file again; nothing of it was used."


class Turn(msgspec.Struct, frozen=True, gc=False):
    """One message. `content` may be empty. `has_answer` is None where the file has no label."""

    role: Literal["user", "assistant", "system"]
    content: str
    has_answer: bool | None = None


class Session(msgspec.Struct, frozen=True, gc=False):
    """One session of a haystack.

    `session_id` may come twice in one haystack, so a session is known by its position. `date` is as
    in the file, `timestamp` the same as ISO 8601.
    """

    session_id: str
    date: str
    turns: tuple[Turn, ...]
    timestamp: str


class Question(msgspec.Struct, frozen=True, gc=False):
    """One question with its haystack, in the order of the file, and its labels.

    `question_date` is as in the file, `timestamp` the same as ISO 8601. Its evidence are the turns
    with `has_answer` in the sessions that `answer_session_ids` name. `answer` is None where the
    dataset does not have it. `abstention`: whether the right answer is that the haystack does not
    say.
    """

    question_id: str
    question_type: str
    question: str
    answer: str | int | None
    question_date: str
    sessions: tuple[Session, ...]
    answer_session_ids: tuple[str, ...]
    timestamp: str
    abstention: bool = False


class Layout(ABC):
    """The questions of one kind of file, offered by an entry point of `harness.datasets`.

    A file is a JSON list of objects or JSON Lines, and may be packed. `title` is how help calls the
    dataset, `row` the type that an object decodes to, `example` such an object as JSON: files are
    told apart by its keys.
    """

    name: str
    title: str
    example: str
    row: Any

    @abstractmethod
    def questions(self, row: Any) -> Iterable[Question]:
        """Return the questions of a row without faults, with haystacks and labels."""

    @abstractmethod
    def is_abstention(self, question_id: str) -> bool:
        """Tell whether a question's id says that its haystack does not hold the answer.

        Splits, grades and registrations know questions by their ids alone.
        """

    def faults(self, row: Any, place: str) -> list[str]:
        """Name what is wrong with a row whose values have the right types, by field."""
        return []

    def object_faults(self, data: bytes, place: str, error: Exception) -> list[str]:
        """Name all that is wrong with an object that is not a row; `error` is the decoder's."""
        return [f"{place}: {error}"]

    def keys_of(self, row: Any) -> int:
        """Return how many keys the text of a row has at least.

        A text with more is searched for a key that it has twice; with 0 every text is.
        """
        return 0


def _layout_fault(loaded: object) -> str:
    return "" if isinstance(loaded, Layout) else f"is {type(loaded).__name__}"


LAYOUTS: Registry[Layout] = Registry(
    "harness.datasets",
    _layout_fault,
    "dataset layout",
    wanted="a harness.datasets.layout.Layout",
)


def layout_of(path: Path) -> Layout:
    """Recognise the layout of a file: the one whose example has most keys of its first object.

    Nothing is read where one layout is installed. A file that cannot be read is left to the reader
    of the default layout, which says what is wrong with it.
    """
    names = LAYOUTS.names()
    if len(names) == 1:
        return LAYOUTS.load(names[0])
    keys = _first_keys(path)
    shared = {name: _shared_keys(LAYOUTS.load(name), keys) for name in names}
    most = max(shared.values())
    likely = [name for name in names if shared[name] == most]
    return LAYOUTS.load(DEFAULT_LAYOUT if DEFAULT_LAYOUT in likely else likely[0])


def _first_keys(path: Path) -> frozenset[str]:
    try:
        first = next(iter(json_objects(path, dict)), None)
    except InputError:
        return frozenset()
    return frozenset(first.value) if isinstance(first, Decoded) else frozenset()


def _shared_keys(layout: Layout, keys: frozenset[str]) -> float:
    """Return which share of the example's keys there is."""
    wanted = json.loads(layout.example).keys()
    return len(wanted & keys) / len(wanted)


def is_abstention(question_id: str) -> bool:
    """Tell abstention questions by their id, as the default layout marks them."""
    return LAYOUTS.load(DEFAULT_LAYOUT).is_abstention(question_id)


def read_questions(path: Path, layout: Layout | None = None) -> Iterator[Question]:
    """Yield the questions of the file, one at a time, in its order.

    Raises `InputError`. At the first fault no further question is given, the rest of the file is
    checked, and one error names every fault by question id and field.
    """
    layout = layout or layout_of(path)
    faults = Faults()
    first_places: dict[str, str] = {}
    for item in _objects(path, layout, faults):
        questions, messages = _read(layout, item)
        for question in questions:
            first = first_places.get(question.question_id)
            if first is not None:
                name = question_name(question.question_id, item.place)
                messages.append(f"{name}, question_id: is also the id of {first}")
            first_places.setdefault(question.question_id, item.place)
        for message in messages:
            faults.add(message)
        if not faults:
            yield from questions
    if not first_places and not faults:
        faults.add("holds no question")
    faults.raise_if_any(str(path), _HINT)


def _objects(path: Path, layout: Layout, faults: Faults) -> Iterator[Decoded[Any] | Refused]:
    """Yield the objects of the file; where reading stops after a fault, that is one more fault."""
    try:
        yield from json_objects(path, layout.row, layout.keys_of)
    except InputError as error:
        if not faults:
            raise
        faults.add(error.message)


def _read(layout: Layout, item: Decoded[Any] | Refused) -> tuple[list[Question], list[str]]:
    """Return the questions of an object, or none and its faults."""
    if isinstance(item, Refused):
        return [], layout.object_faults(item.data, item.place, item.error)
    messages = layout.faults(item.value, item.place)
    return ([], messages) if messages else (list(layout.questions(item.value)), [])


def question_name(question_id: object, place: str) -> str:
    """Name a question in a message: by its id, and by its place alone where it has none."""
    if isinstance(question_id, str) and question_id:
        return f"question {question_id!r} ({place})"
    return place
