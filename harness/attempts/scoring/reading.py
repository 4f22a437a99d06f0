"""Reading attempts: an object of a report, or a line of a file of attempts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.decode.fields import ObjectReader, kind_of
from harness.decode.json_lines import JsonLines
from harness.errors import Faults, nearest
from harness.worlds import World

from .attempts import Attempt, Call, Score, Trace, Usage, phase_of

_REQUIRED = ("task", "category", "repeat", "trace")
_OPTIONAL = (
    "latency_phase",
    "elapsed_ms",
    "protocol_requests",
    "tool_result_tokens",
    "score",
    "error",
)
_SCORE_OPTIONAL = (
    "dimensions_recorded",
    "answer_correct",
    "evidence_sufficient",
    "citations_valid",
    "scope_complete",
    "contradictions_observed",
    "reasons",
)


def read_attempts(source: str, world: World) -> tuple[Attempt, ...]:
    """The attempts of JSON Lines `{task, category, repeat, trace}` at tasks of the world.

    Raises `InputError` naming every faulty line.
    """
    lines, faults = JsonLines(source), Faults()
    found: dict[tuple[str, int], Attempt] = {}
    for line in lines:
        noted = Faults()
        if line.fault is not None:
            noted.add(line.fault)
        else:
            attempt = read_attempt(line.value, "", noted, scored=False)
            _check_task(attempt, world, noted)
            if not len(noted) and found.setdefault(attempt.key, attempt) is not attempt:
                noted.add(f"the attempt {attempt.name} was given before")
        for message in noted:
            faults.add(f"line {line.number}: {message}")
    hint = (
        "Each line is {task, category, repeat, trace: {calls: [{name, input, output, error}], "
        "final, usage, usage_complete, turns}}."
    )
    if not found and not len(faults):
        faults.add("there is no attempt")
    faults.raise_if_any(lines.name, hint)
    return tuple(found.values())


def check_tasks(attempts: tuple[Attempt, ...], world: World, where: str) -> None:
    """Refuse attempts at tasks that the world does not have."""
    faults = Faults()
    for place, attempt in enumerate(attempts):
        noted = Faults()
        _check_task(attempt, world, noted)
        for message in noted:
            faults.add(f"attempts[{place}].{message}")
    faults.raise_if_any(where, f"Its world is another one than {world.folder}.")


def _check_task(attempt: Attempt, world: World, faults: Faults) -> None:
    if not attempt.task:
        return
    task = world.task(attempt.task)
    if task is None or attempt.task not in world.rubric:
        known = [each.task_id for each in world.tasks]
        faults.add(f"task is {attempt.task!r}, no task of the world{nearest(attempt.task, known)}")
    elif attempt.category and attempt.category != task.category:
        faults.add(f"category is {attempt.category!r}, but that of the task is {task.category!r}")


def read_attempt(value: Any, where: str, faults: Faults, *, scored: bool) -> Attempt:
    """One attempt; `scored`: whether it must have its score. Faults are noted under `where`."""
    required = (*_REQUIRED, "score") if scored else _REQUIRED
    fields = ObjectReader(value, where, faults, required, _OPTIONAL)
    repeat = fields.whole_number("repeat")
    if fields.has("repeat") and repeat < 1:
        fields.fault("repeat", f"is {repeat}, expected a number from 1")
    phase = fields.text_or_null("latency_phase") or phase_of(repeat)
    if phase != phase_of(repeat):
        fields.fault("latency_phase", f"is {phase!r}, expected {phase_of(repeat)!r}")
    has_score = fields.raw("score") is not None
    return Attempt(
        task=fields.text("task", empty=False),
        category=fields.text("category", empty=False),
        repeat=repeat,
        trace=_trace(fields.raw("trace"), fields.where("trace"), faults)
        if fields.has("trace")
        else Trace(),
        latency_phase=phase,
        elapsed_ms=_not_negative(fields, "elapsed_ms"),
        protocol_requests=_count_or_none(fields, "protocol_requests"),
        tool_result_tokens=_count_or_none(fields, "tool_result_tokens"),
        score=_score(fields.raw("score"), fields.where("score"), faults) if has_score else None,
        error=fields.text_or_null("error") or "",
    )


def _trace(value: Any, where: str, faults: Faults) -> Trace:
    optional = ("session", "usage", "usage_complete", "turns", "final")
    fields = ObjectReader(value, where, faults, ("calls",), optional)
    calls = fields.items("calls") if fields.raw("calls") is not None else ()
    has_usage = fields.raw("usage") is not None
    if fields.boolean("usage_complete") and not has_usage:
        fields.fault("usage", "is missing, but usage_complete is true")
    return Trace(
        calls=tuple(_call(entry, place, faults) for place, entry in calls),
        final=fields.text_or_null("final") or "",
        usage=read_usage(fields.raw("usage"), fields.where("usage"), faults)
        if has_usage
        else Usage(),
        usage_complete=fields.boolean("usage_complete"),
        turns=count(fields, "turns"),
        session=fields.text_or_null("session") or "",
    )


def _call(value: Any, where: str, faults: Faults) -> Call:
    fields = ObjectReader(value, where, faults, ("name",), ("input", "output", "error"))
    given = fields.json("input")
    if given is not None and not isinstance(given, Mapping):
        fields.fault("input", f"is {kind_of(given)}, expected an object")
    return Call(
        fields.text("name", empty=False),
        given if isinstance(given, Mapping) else {},
        fields.text_or_null("output") or "",
        fields.text_or_null("error") or "",
    )


def read_usage(value: Any, where: str, faults: Faults) -> Usage:
    """Tokens by kind: `{input, output, reasoning, cache: {read, write}}`."""
    fields = ObjectReader(value, where, faults, ("input", "output"), ("reasoning", "cache"))
    cache = ObjectReader(fields.raw("cache") or {}, fields.where("cache"), faults, (), _CACHE)
    return Usage(
        count(fields, "input"),
        count(fields, "output"),
        count(fields, "reasoning"),
        count(cache, "read"),
        count(cache, "write"),
    )


_CACHE = ("read", "write")


def _score(value: Any, where: str, faults: Faults) -> Score:
    fields = ObjectReader(value, where, faults, ("correct",), _SCORE_OPTIONAL)
    return Score(
        correct=fields.boolean("correct"),
        answer_correct=fields.boolean("answer_correct"),
        evidence_sufficient=fields.boolean("evidence_sufficient"),
        citations_valid=fields.boolean("citations_valid"),
        scope_complete=fields.boolean("scope_complete"),
        contradictions_observed=_contradictions(fields),
        reasons=fields.texts("reasons") if fields.raw("reasons") is not None else (),
        dimensions_recorded=fields.boolean("dimensions_recorded"),
    )


def _contradictions(fields: ObjectReader) -> int:
    """A list of the texts that were seen, their number, or whether there was one."""
    value = fields.raw("contradictions_observed")
    if isinstance(value, list):
        return len(fields.texts("contradictions_observed"))
    if isinstance(value, bool):
        return int(value)
    return 0 if value is None else count(fields, "contradictions_observed")


def count(fields: ObjectReader, key: str) -> int:
    """A whole number from 0; 0 for a missing or null one."""
    value = 0 if fields.raw(key) is None else fields.whole_number(key)
    if value < 0:
        fields.fault(key, f"is {value}, expected a number from 0")
    return value


def _count_or_none(fields: ObjectReader, key: str) -> int | None:
    return None if fields.raw(key) is None else count(fields, key)


def _not_negative(fields: ObjectReader, key: str) -> float | None:
    if fields.raw(key) is None:
        return None
    value = fields.finite_number(key)
    if value < 0:
        fields.fault(key, f"is {value}, expected a number from 0")
    return value
