"""Budgets, in characters of quoted text."""

from __future__ import annotations

from dataclasses import dataclass

from harness.model import Parameter

SMALLEST_BUDGET = 800
LARGEST_BUDGET = 20_000
SMALLEST_DEFAULT = 4_000
HEAD_CHARACTERS = 800
TAIL_CHARACTERS = 400
FULL_QUOTES = 5
FULL_WINDOW = 10

BUDGET = Parameter(
    name="budget",
    meaning="most characters of quoted text, separators included",
    minimum=SMALLEST_BUDGET,
    maximum=LARGEST_BUDGET,
    unit="characters",
    grows=True,
)


@dataclass(frozen=True, slots=True)
class ResolvedBudget:
    """A budget and how it came about."""

    characters: int
    source: str
    clamped: bool
    reason: str


def head_cap(place: int, head: int = HEAD_CHARACTERS, tail: int = TAIL_CHARACTERS) -> int:
    """Return longest head quote of the item at `place` (from 0)."""
    return head if place < FULL_QUOTES else tail


def resolve_budget(
    requested: int | None, places: int, head: int = HEAD_CHARACTERS, tail: int = TAIL_CHARACTERS
) -> ResolvedBudget:
    """Return the reference's rule: a request, or the sum of the head caps of `places` and at least
    4,000; at most 20,000 and at least 800 either way."""
    if requested is None:
        # `places` may be more than the window has items: the reference's default does not shrink
        wanted = max(SMALLEST_DEFAULT, sum(head_cap(place, head, tail) for place in range(places)))
        source, reason = "server_default", "default_fits_the_window"
    else:
        wanted, source, reason = requested, "caller", "budget_requested"
    characters = max(min(wanted, LARGEST_BUDGET), SMALLEST_BUDGET)
    return ResolvedBudget(characters, source, characters != wanted, reason)
