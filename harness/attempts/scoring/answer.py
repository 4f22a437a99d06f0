"""The answer in a reader's last words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from harness.decode import Format, JsonObject, NullIs, read_json, typed
from harness.errors import Faults
from harness.model import Json
from harness.worlds import TaskEnding

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
