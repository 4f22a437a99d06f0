"""The answer in a reader's last words.

Its values are compared with those of the rubric, each in its own type.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from harness.decode import Format, JsonObject, NullIs, read_json, typed
from harness.errors import Faults
from harness.model import Json
from harness.worlds import TaskEnding


def equal(left: Json, right: Json) -> bool:
    """Return whether two JSON values are the same. A number is not a boolean; 1 and 1.0 are one
    number."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    return bool(left == right)


def differs_by_formatting(given: Json, wanted: Json) -> bool:
    """Return whether two different values have the same words, or one has all words of the other in
    a row: `ADR 0007` and `0007`, `seven` and `Seven.`, `7` and `"7"`, lists in another order."""
    if isinstance(given, list) and isinstance(wanted, list):
        return _lists_match(given, wanted)
    one, other = _words(given), _words(wanted)
    return bool(one and other) and (_within(one, other) or _within(other, one))


def _lists_match(given: list[Json], wanted: list[Json]) -> bool:
    """Return whether every entry has a partner of its own on the other side."""
    left = list(wanted)
    for entry in given:
        near = (
            place
            for place, each in enumerate(left)
            if equal(entry, each) or differs_by_formatting(entry, each)
        )
        place = next(near, None)
        if place is None:
            return False
        del left[place]
    return not left


def _words(value: Json) -> tuple[str, ...]:
    if isinstance(value, (dict, list)) or value is None:
        return ()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = unicodedata.normalize("NFKC", str(value)).casefold()
    return tuple("".join(letter if letter.isalnum() else " " for letter in text).split())


def _within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    width = len(part)
    return any(whole[start : start + width] == part for start in range(len(whole) - width + 1))


_FENCE = re.compile(r"```(?:json)?[ \t]*\r?\n(.*?)\r?\n?```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Citation:
    """What a reader says a field of its answer rests on."""

    field: str
    url: str
    quote: str


@dataclass(frozen=True, slots=True)
class _AnswerObject:
    """An answer as a reader spells it; what is null is as if it were not there."""

    answer: Annotated[JsonObject, NullIs(dict)] = field(default_factory=dict)
    citations: Annotated[tuple[Citation, ...], NullIs(tuple)] = ()
    abstain: Annotated[bool, NullIs(bool)] = False
    outcome: Annotated[str, NullIs(str)] = ""


@dataclass(frozen=True, slots=True)
class ReaderAnswer:
    """`outcome` as the reader says it; without one, not-found if it abstains, else answered."""

    values: Mapping[str, Json]
    citations: tuple[Citation, ...]
    abstain: bool
    outcome: str


def read_answer(final: str) -> ReaderAnswer | str:
    """Return the answer, or what keeps the text from being one.

    One JSON object `{answer, citations: [{field, url, quote}], abstain, outcome}`, with or without
    a fence; keys that are missing or null are empty, keys that are not known are refused.
    """
    text = final.strip()
    fenced = _FENCE.fullmatch(text)
    if not text:
        return "the last message is empty"
    faults = Faults()
    tree = read_json(fenced[1] if fenced else text, faults)
    if len(faults):
        return "the last message " + "; ".join(faults)
    answer = typed(_ANSWER, tree, faults)
    if answer is None:
        return "the last message is not an answer: " + "; ".join(faults)
    outcome = (
        answer.outcome or (TaskEnding.NOT_FOUND if answer.abstain else TaskEnding.ANSWERED).value
    )
    return ReaderAnswer(answer.answer, answer.citations, answer.abstain, outcome)


_ANSWER = Format("answer", _AnswerObject)
