"""Files of searches: JSON Lines of what was asked of a server, and what it answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, TypeVar

import numpy as np
from numpy.typing import NDArray

from harness.decode import FieldError, Format, Json, SourceLines, Text, Via, decode
from harness.errors import Faults, InputError
from harness.words import counted

from .response import Window, window_of
from .store import parse_ref

_HINT = "docs/stores.md describes files of searches."


def _float32(numbers: tuple[float, ...]) -> NDArray[np.float32]:
    if not numbers:
        raise FieldError("", "is empty, expected a list of numbers or null")
    with np.errstate(over="ignore"):
        vector = np.array(numbers, dtype=np.float32)
    if not np.isfinite(vector).all():
        raise FieldError("", "holds a number beyond float32")
    return vector


@dataclass(frozen=True, slots=True)
class _AskedLine:
    """A question for a server, as a line of a file spells it."""

    question_id: Text
    agent_id: Text
    query: Text


@dataclass(frozen=True, slots=True)
class _SearchLine(_AskedLine):
    """A question with the server's answer, as a line of a file spells it."""

    response: Json
    query_vector: Annotated[NDArray[np.float32], Via(tuple[float, ...], _float32)] | None = None


_ASKED = Format("question", _AskedLine)
_SEARCH = Format("search", _SearchLine)
Line = TypeVar("Line", bound=_AskedLine)


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is asked of which agent's memory. `line` is its line in the file, from 1."""

    line: int
    question_id: str
    agent_id: str
    query: str


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """A question with the window that it got. `vector`: float32 of shape (d,), the question's own
    at search time, None if it was not recorded or there was none (`window.lexical_only`)."""

    question: SearchQuery
    window: Window
    vector: NDArray[np.float32] | None


@dataclass(frozen=True)
class Searches:
    """A whole file of searches; `sha256` is that of its bytes, unpacked."""

    name: str
    sha256: str
    rows: tuple[Search, ...]

    @cached_property
    def refs(self) -> frozenset[str]:
        """Every record that a window names."""
        items = [item for row in self.rows for item in row.window.items]
        return frozenset(ref for item in items for ref in (item.head, *item.claims))

    @cached_property
    def empty_windows(self) -> int:
        """How many searches found nothing."""
        return sum(not row.window.items for row in self.rows)

    @cached_property
    def width(self) -> int | None:
        """Components of the recorded vectors; None if there is none."""
        return next((len(row.vector) for row in self.rows if row.vector is not None), None)


def read_searches(source: str) -> Searches:
    """Read a file of searches; raises one `InputError` that names every fault by its line."""
    lines = SourceLines(source)
    faults = Faults()
    rows: list[Search] = []
    width: int | None = None
    for question, line, noted in _questions(lines, _SEARCH, faults):
        window = window_of(line.response, noted)
        vector = line.query_vector
        if vector is not None and width is not None and len(vector) != width:
            noted.add(
                f"query_vector has {counted(len(vector), 'component')}, those "
                f"before it {width}: one "
                "embedder's are wanted"
            )
        elif vector is not None:
            width = len(vector)
        if window is not None:
            _check_refs(window, noted)
            rows.append(Search(question, window, vector))
        _note(question.line, noted, faults)
    _finish(lines, faults, len(rows), "search")
    return Searches(lines.name, lines.sha256, tuple(rows))


def read_asked(source: str) -> list[SearchQuery]:
    """Read a file of questions for a server: lines of searches without response and vector."""
    lines = SourceLines(source)
    faults = Faults()
    questions = []
    for question, _, noted in _questions(lines, _ASKED, faults):
        questions.append(question)
        _note(question.line, noted, faults)
    _finish(lines, faults, len(questions), "question")
    return questions


def _questions(
    lines: SourceLines, form: Format[Line], faults: Faults
) -> Iterator[tuple[SearchQuery, Line, Faults]]:
    """Yield each sound line as a question, as it is read, and a place for its further faults."""
    first_lines: dict[str, int] = {}
    for number, data in lines:
        line = decode(form, data, place=f"line {number}", faults=faults)
        if line is None:
            continue
        noted = Faults()
        first = first_lines.setdefault(line.question_id, number)
        if first != number:
            noted.add(f"question_id {line.question_id!r} is already in line {first}")
        yield SearchQuery(number, line.question_id, line.agent_id, line.query), line, noted


def _check_refs(window: Window, faults: Faults) -> None:
    heads: set[str] = set()
    for item in window.items:
        quoted = (excerpt.ref for excerpt in item.excerpts)
        for ref in dict.fromkeys((item.head, *item.claims, *quoted)):
            try:
                parse_ref(ref)
            except ValueError as error:
                faults.add(f"response: {error}")
        if item.head in heads:
            faults.add(f"response has two items with the head {item.head}")
        heads.add(item.head)


def _note(number: int, messages: Faults, faults: Faults) -> None:
    for message in messages:
        faults.add(f"line {number}: {message}")


def _finish(lines: SourceLines, faults: Faults, count: int, unit: str) -> None:
    faults.raise_if_any(lines.name, _HINT)
    if not count:
        raise InputError(f"{lines.name} holds no {unit}", _HINT)
