"""`rubric.json`: answers, evidence and outcomes. What is not known is refused by name."""

from __future__ import annotations

from typing import Any

from harness.decode.fields import ObjectReader, kind_of
from harness.errors import Faults, nearest
from harness.model import Json, RequiredPassage

from .model import CompletionStep, Marking, Outcome

_OUTCOMES = tuple(outcome.value for outcome in Outcome)
_OPTIONAL = ("abstain", "supplemental", "outcome", "completion", "contradictions")
_STEP = ("step", "tool", "url")
_STEP_OPTIONAL = ("query", "match", "status", "matches", "complete", "failure")


def read_rubric(value: Any, name: str, faults: Faults) -> dict[str, Marking]:
    """The markings by task id, in file order; everything wrong is noted in `faults`."""
    if not isinstance(value, dict):
        faults.add(f"{name} is {kind_of(value)}, expected an object by task id")
        return {}
    return {
        task_id: _marking(entry, f"{name} {task_id!r}", faults) for task_id, entry in value.items()
    }


def _marking(value: Any, where: str, faults: Faults) -> Marking:
    fields = ObjectReader(value, where, faults, ("answer", "evidence"), _OPTIONAL)
    abstain = fields.boolean("abstain")
    return Marking(
        answer=_answer(fields),
        evidence=_passages_by_field(fields, "evidence", faults),
        outcome=_outcome(fields, abstain=abstain),
        abstain=abstain,
        supplemental=_passages_by_field(fields, "supplemental", faults),
        completion=tuple(
            _step(entry, place, faults) for place, entry in _list(fields, "completion")
        ),
        contradictions=tuple(
            _passage(entry, place, faults) for place, entry in _list(fields, "contradictions")
        ),
    )


def _answer(fields: ObjectReader) -> dict[str, Json]:
    value = fields.json("answer")
    if isinstance(value, dict):
        return value
    if fields.has("answer"):
        fields.fault("answer", f"is {kind_of(value)}, expected an object")
    return {}


def _outcome(fields: ObjectReader, *, abstain: bool) -> Outcome:
    if not fields.has("outcome"):
        return Outcome.NOT_FOUND if abstain else Outcome.ANSWERED
    text = fields.text("outcome")
    if text in _OUTCOMES:
        return Outcome(text)
    known = ", ".join(_OUTCOMES)
    fields.fault("outcome", f"is {text!r}, expected one of {known}{nearest(text, _OUTCOMES)}")
    return Outcome.ANSWERED


def _passages_by_field(
    fields: ObjectReader, key: str, faults: Faults
) -> dict[str, tuple[RequiredPassage, ...]]:
    value = fields.raw(key)
    if value is None and not (key == "evidence" and fields.has(key)):
        return {}
    reader = ObjectReader(value, fields.where(key), faults, (), value or ())
    if not isinstance(value, dict):
        return {}
    return {
        field: tuple(_passage(entry, place, faults) for place, entry in reader.items(field))
        for field in value
    }


def _passage(value: Any, where: str, faults: Faults) -> RequiredPassage:
    fields = ObjectReader(value, where, faults, ("path", "version", "anchor", "quote"), ())
    version = fields.whole_number("version")
    if fields.has("version") and version < 1:
        fields.fault("version", f"is {version}, expected a number from 1")
    return RequiredPassage(
        fields.text("path", empty=False),
        version,
        fields.text("anchor", empty=False),
        fields.text("quote", empty=False),
    )


def _step(value: Any, where: str, faults: Faults) -> CompletionStep:
    fields = ObjectReader(value, where, faults, _STEP, _STEP_OPTIONAL)
    return CompletionStep(
        fields.text("step", empty=False),
        fields.text("tool", empty=False),
        fields.text("url", empty=False),
        query=fields.text("query"),
        match=fields.text("match"),
        status=fields.text("status"),
        matches=fields.whole_number("matches") if fields.raw("matches") is not None else None,
        complete=fields.boolean("complete") if fields.raw("complete") is not None else None,
        failure=fields.json("failure"),
    )


def _list(fields: ObjectReader, key: str) -> list[tuple[str, Any]]:
    """The entries of an optional list; null counts as none."""
    return [] if fields.raw(key) is None else list(fields.items(key))
