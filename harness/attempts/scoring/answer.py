"""The answer in a reader's last words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from harness.decode.fields import ObjectReader, kind_of
from harness.decode.strict_json import decode
from harness.errors import Faults
from harness.model import Json
from harness.worlds import TaskEnding

_FENCE = re.compile(r"```(?:json)?[ \t]*\r?\n(.*?)\r?\n?```", re.DOTALL)
_KEYS = ("answer", "citations", "abstain", "outcome")


@dataclass(frozen=True, slots=True)
class Citation:
    """What a reader says a field of its answer rests on."""

    field: str
    url: str
    quote: str


@dataclass(frozen=True, slots=True)
class ReaderAnswer:
    """`outcome` as the reader says it; without one, not-found if it abstains, else answered."""

    values: Mapping[str, Json]
    citations: tuple[Citation, ...]
    abstain: bool
    outcome: str


def read_answer(final: str) -> ReaderAnswer | str:
    """The answer, or what keeps the text from being one.

    One JSON object `{answer, citations: [{field, url, quote}], abstain, outcome}`, with or without
    a fence; keys that are missing or null are empty, keys that are not known are refused.
    """
    text = final.strip()
    fenced = _FENCE.fullmatch(text)
    try:
        value = decode(fenced[1] if fenced else text)
    except ValueError as error:
        return f"the last message {error}" if text else "the last message is empty"
    faults = Faults()
    given = _without_nulls(value)
    fields = ObjectReader(given, "", faults, (), _KEYS)
    values = fields.json("answer") if fields.has("answer") else {}
    if not isinstance(values, dict):
        fields.fault("answer", f"is {kind_of(values)}, expected an object")
    citations = [
        _citation(entry, place, faults)
        for place, entry in (fields.items("citations") if fields.has("citations") else ())
    ]
    abstain = fields.boolean("abstain")
    default = TaskEnding.NOT_FOUND if abstain else TaskEnding.ANSWERED
    outcome = fields.text("outcome") or default.value
    if len(faults):
        return "the last message is no answer: " + "; ".join(faults)
    return ReaderAnswer(values, tuple(citations), abstain, outcome)


def _without_nulls(value: Json) -> Json:
    if not isinstance(value, dict):
        return value
    return {key: entry for key, entry in value.items() if entry is not None}


def _citation(value: Json, where: str, faults: Faults) -> Citation:
    fields = ObjectReader(value, where, faults, ("field", "url", "quote"), ())
    return Citation(fields.text("field"), fields.text("url"), fields.text("quote"))
