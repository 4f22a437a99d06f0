"""What readers' attempts spent their tokens on, and how they used their tools.

Shares are of model tokens: uncached input, cache reads and writes, output and reasoning. A prompt
is sent again on every turn, so most of them are prompts that were sent before. What the tools
printed is counted once, in `o200k_base`; it is a part of the prompts that follow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.attempts.scoring.attempts import FETCH_TOOL, LOOKUP_TOOL, Attempt

_BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class TurnCost:
    """The attempts that took so many turns, and their tokens."""

    turns: int
    attempts: int
    tokens: int


@dataclass(frozen=True, slots=True)
class ToolUse:
    """How often a tool was called, and how often it failed."""

    tool: str
    calls: int
    failed: int


@dataclass(frozen=True, slots=True)
class Profile:
    """What attempts cost and did; a share is None where a count that it needs was not recorded.

    `tokens`: what is known of them. `replayed_prompt_tokens`: prompts less what tools printed,
    which each turn sends again. `fetches_after_lookup`: fetches after the first lookup of each
    attempt that made one, `looked_up` of them. `lookups_with_budget`: None where inputs were not
    kept.
    """

    category: str | None
    attempts: int
    tokens: int
    tokens_complete: bool
    replayed_prompt_tokens: int | None
    tool_result_tokens: int | None
    output_tokens: int
    turns: int
    lookups: int
    lookups_with_budget: int | None
    looked_up: int
    fetches_after_lookup: int
    most_fetches_after_lookup: int
    by_turns: tuple[TurnCost, ...]
    by_tool: tuple[ToolUse, ...]


def profiles(attempts: Sequence[Attempt], *, by_category: bool) -> list[Profile]:
    """Return the profile of all attempts, or one for each category, by name."""
    if not by_category:
        return [_profile(None, attempts)]
    names = sorted({attempt.category for attempt in attempts})
    return [_profile(name, [each for each in attempts if each.category == name]) for name in names]


def _profile(category: str | None, attempts: Sequence[Attempt]) -> Profile:
    usages = [attempt.trace.usage for attempt in attempts]
    prompts = sum(usage.input + usage.cache_read + usage.cache_write for usage in usages)
    output = sum(usage.output + usage.reasoning for usage in usages)
    recorded = [attempt.tool_result_tokens for attempt in attempts]
    printed = [tokens for tokens in recorded if tokens is not None]
    results = sum(printed) if len(printed) == len(recorded) else None
    lookups = [
        call for attempt in attempts for call in attempt.trace.calls if call.is_of(LOOKUP_TOOL)
    ]
    kept = all(call.input for call in lookups)
    fetches = [count for attempt in attempts if (count := _fetches_after(attempt)) is not None]
    return Profile(
        category=category,
        attempts=len(attempts),
        tokens=prompts + output,
        tokens_complete=all(attempt.usage_complete for attempt in attempts),
        replayed_prompt_tokens=None if results is None else prompts - results,
        tool_result_tokens=results,
        output_tokens=output,
        turns=sum(attempt.trace.turns for attempt in attempts),
        lookups=len(lookups),
        lookups_with_budget=sum(_has_budget(call.input) for call in lookups) if kept else None,
        looked_up=len(fetches),
        fetches_after_lookup=sum(fetches),
        most_fetches_after_lookup=max(fetches, default=0),
        by_turns=_by_turns(attempts),
        by_tool=_by_tool(attempts),
    )


def _fetches_after(attempt: Attempt) -> int | None:
    """Count the fetches after the first lookup; None where there is no lookup."""
    calls = attempt.trace.calls
    first = next((place for place, call in enumerate(calls) if call.is_of(LOOKUP_TOOL)), None)
    return None if first is None else sum(call.is_of(FETCH_TOOL) for call in calls[first:])


def _has_budget(given: Mapping[str, Any]) -> bool:
    budget = given.get(_BUDGET)
    return isinstance(budget, int | float) and not isinstance(budget, bool) and budget > 0


def _by_turns(attempts: Sequence[Attempt]) -> tuple[TurnCost, ...]:
    counts = Counter(attempt.trace.turns for attempt in attempts)
    tokens: Counter[int] = Counter()
    for attempt in attempts:
        tokens[attempt.trace.turns] += attempt.trace.usage.total
    return tuple(TurnCost(turns, counts[turns], tokens[turns]) for turns in sorted(counts))


def _by_tool(attempts: Sequence[Attempt]) -> tuple[ToolUse, ...]:
    calls = [call for attempt in attempts for call in attempt.trace.calls]
    counts = Counter(call.name for call in calls)
    failed = Counter(call.name for call in calls if call.error)
    return tuple(ToolUse(name, counts[name], failed[name]) for name in sorted(counts))
