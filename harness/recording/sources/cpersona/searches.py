"""Files of searches: JSON Lines of what was asked of a server, and what it answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from harness.decode.fields import ObjectReader, is_finite_number, kind_of
from harness.decode.json_lines import JsonLines
from harness.errors import Faults, InputError

from .response import Window, window_of
from .store import parse_ref

_HINT = "docs/stores.md describes files of searches."
_QUESTION_KEYS = ("question_id", "agent_id", "query")


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
    lines = JsonLines(source)
    faults = Faults()
    rows: list[Search] = []
    width: int | None = None
    for question, fields, found in _questions(lines, ("response",), ("query_vector",), faults):
        window = window_of(fields.raw("response"), found)
        vector = _vector(fields, width)
        if vector is not None:
            width = len(vector)
        if window is not None:
            _check_refs(window, found)
            rows.append(Search(question, window, vector))
        _note(question.line, found, faults)
    _finish(lines, faults, len(rows), "search")
    return Searches(lines.name, lines.sha256, tuple(rows))


def read_asked(source: str) -> list[SearchQuery]:
    """Read a file of questions for a server: lines of searches without response and vector."""
    lines = JsonLines(source)
    faults = Faults()
    questions = []
    for question, _, found in _questions(lines, (), (), faults):
        questions.append(question)
        _note(question.line, found, faults)
    _finish(lines, faults, len(questions), "question")
    return questions


def _questions(
    lines: JsonLines, required: tuple[str, ...], optional: tuple[str, ...], faults: Faults
) -> Iterator[tuple[SearchQuery, ObjectReader, Faults]]:
    """Each line as a question, its further fields, and a place for the line's own faults."""
    first_lines: dict[str, int] = {}
    for line in lines:
        if line.fault is not None:
            faults.add(f"line {line.number}: {line.fault}")
            continue
        found = Faults()
        fields = ObjectReader(line.value, "", found, (*_QUESTION_KEYS, *required), optional)
        question = SearchQuery(
            line.number,
            fields.text("question_id", empty=False),
            fields.text("agent_id", empty=False),
            fields.text("query", empty=False),
        )
        first = first_lines.setdefault(question.question_id, line.number)
        if question.question_id and first != line.number:
            found.add(f"question_id {question.question_id!r} stands in line {first} already")
        yield question, fields, found


def _vector(fields: ObjectReader, width: int | None) -> NDArray[np.float32] | None:
    numbers = fields.raw("query_vector")
    if numbers is None:
        return None
    if not isinstance(numbers, list) or not numbers:
        fields.fault("query_vector", f"is {kind_of(numbers)}, expected a list of numbers or null")
        return None
    if not all(is_finite_number(number) for number in numbers):
        fields.fault("query_vector", "holds something else than finite numbers")
        return None
    if width is not None and len(numbers) != width:
        fields.fault(
            "query_vector",
            f"has {len(numbers)} components, those before it {width}: one embedder's are wanted",
        )
        return None
    with np.errstate(over="ignore"):
        vector = np.array(numbers, dtype=np.float32)
    if not np.isfinite(vector).all():
        fields.fault("query_vector", "holds a number beyond float32")
        return None
    return vector


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


def _note(number: int, found: Faults, faults: Faults) -> None:
    for message in found:
        faults.add(f"line {number}: {message}")


def _finish(lines: JsonLines, faults: Faults, count: int, unit: str) -> None:
    faults.raise_if_any(lines.name, _HINT)
    if not count:
        raise InputError(f"{lines.name} holds no {unit}", _HINT)
