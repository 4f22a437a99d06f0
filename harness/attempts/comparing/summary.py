"""The summary of attempts, recomputed from them.

Wrong answers stay in the numerator of the tokens per correct answer: what they cost was spent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from harness.attempts.scoring.attempts import Attempt, Score, Usage
from harness.errors import nearest

Summary = dict[str, Any]
DIMENSIONS: dict[str, Callable[[Score], bool]] = {
    "answer_correct": lambda score: score.answer_correct,
    "evidence_sufficient": lambda score: score.evidence_sufficient,
    "citations_valid": lambda score: score.citations_valid,
    "scope_complete": lambda score: score.scope_complete,
    "contradictions_observed": lambda score: score.contradictions_observed > 0,
}
"""What is reported of a score beside `correct`, by name: whether it holds of an attempt."""

LATENCIES = ("cold_latency", "warm_latency")

RELATIVE_TOLERANCE = 1e-9
"""How far a number of a report may be from the same number computed here. A mean that was updated
attempt by attempt differs in its last digits between processors."""


def correct_of(attempt: Attempt) -> bool:
    return attempt.score is not None and attempt.score.correct


def summarised(attempts: Sequence[Attempt]) -> Summary:
    """Return the summary in the keys of a report; `tokens_per_correct_answer` is None where no
    answer is correct or a usage is unknown."""
    usage = sum((attempt.trace.usage for attempt in attempts), Usage())
    correct = sum(map(correct_of, attempts))
    complete = all(attempt.usage_complete for attempt in attempts)
    scores = [
        attempt.score for attempt in attempts if attempt.score and attempt.score.dimensions_recorded
    ]
    return {
        "attempts": len(attempts),
        "correct": correct,
        "known_total_tokens": usage.total,
        "usage_complete": complete,
        "tokens_per_correct_answer": usage.total / correct if correct and complete else None,
        "usage": usage_object(usage),
        "model_turns": sum(attempt.trace.turns for attempt in attempts),
        "tool_calls": sum(len(attempt.trace.calls) for attempt in attempts),
        "protocol_requests": sum(attempt.protocol_requests or 0 for attempt in attempts),
        "tool_result_tokens": sum(attempt.tool_result_tokens or 0 for attempt in attempts),
        "failures": sum(attempt.failed_calls for attempt in attempts),
        "cold_latency": _latency(attempts, "cold"),
        "warm_latency": _latency(attempts, "warm"),
        "dimension_attempts": len(scores),
        **{name: sum(map(holds, scores)) for name, holds in DIMENSIONS.items()},
    }


def by_category(attempts: Sequence[Attempt]) -> dict[str, Summary]:
    """Return a summary of each category, by name."""
    names = sorted({attempt.category for attempt in attempts})
    return {
        name: summarised([attempt for attempt in attempts if attempt.category == name])
        for name in names
    }


def usage_object(usage: Usage) -> dict[str, Any]:
    """Spell the usage as a report does."""
    cache = {"read": usage.cache_read, "write": usage.cache_write}
    return {
        "input": usage.input,
        "output": usage.output,
        "reasoning": usage.reasoning,
        "cache": cache,
    }


def stated_faults(
    stated: Any,
    computed: Mapping[str, Any],
    where: str,
    optional: Sequence[str] = (),
    unchecked: Sequence[str] = (),
) -> Iterator[str]:
    """Yield how a stated summary differs from the computed one; what it leaves out is 0, false or
    null, unless it is `optional`. What is `unchecked` may be anything.

    Numbers may differ by a relative 1e-9. Unknown keys are named.
    """
    if not isinstance(stated, Mapping):
        yield f"{where} is not an object"
        return
    for key in stated:
        if key == "total" and "cache" in computed:  # of a usage, which may state its sum
            parts = sum(_leaves(computed))
            if stated[key] != parts:
                yield f"{where}.total is {stated[key]!r}, but its parts give {parts}"
        elif key not in computed:
            yield f"{where}.{key} is an unknown key{nearest(key, computed)}"
    for key, value in computed.items():
        if key in unchecked or (key in optional and key not in stated):
            continue
        given = stated.get(key)
        if isinstance(value, Mapping):
            if given is not None or any(_leaves(value)):
                yield from stated_faults(given or {}, value, f"{where}.{key}")
        elif not _same(given, value):
            yield f"{where}.{key} is {given!r}, but the attempts give {value!r}"


def _latency(attempts: Iterable[Attempt], phase: str) -> Summary:
    """Return milliseconds of the attempts of a phase that recorded them."""
    times = [
        attempt.elapsed_ms
        for attempt in attempts
        if attempt.latency_phase == phase and attempt.elapsed_ms is not None
    ]
    if not times:
        return {"samples": 0, "mean_ms": None, "min_ms": None, "max_ms": None}
    return {
        "samples": len(times),
        "mean_ms": math.fsum(times) / len(times),
        "min_ms": min(times),
        "max_ms": max(times),
    }


def _leaves(value: Mapping[str, Any]) -> Iterator[Any]:
    for entry in value.values():
        if isinstance(entry, Mapping):
            yield from _leaves(entry)
        else:
            yield entry


def _same(stated: Any, value: Any) -> bool:
    if not stated and not value:  # 0, false and null are left out
        return stated is None or isinstance(stated, (int, float))
    if isinstance(value, bool) or isinstance(stated, bool):
        return stated is value
    if not isinstance(stated, int | float) or value is None:
        return False
    return math.isclose(stated, value, rel_tol=RELATIVE_TOLERANCE)
