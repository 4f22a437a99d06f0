"""Today's sequence: every head in item order, then excerpts in rounds; the longest prefix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.model import CaseView, ItemQuote, Omitted, Quote, Selection

from ..quoting.budget import (
    FULL_WINDOW,
    HEAD_CHARACTERS,
    TAIL_CHARACTERS,
    head_cap,
    resolve_budget,
)
from ..quoting.excerpt import admit_in_rounds, claim_excerpt
from ..quoting.head import head_quote
from ..quoting.memory import once_per_case
from ..quoting.record import quotable_records


@dataclass(frozen=True, slots=True)
class Allocation:
    """How many heads and how many excerpts of each shown item fit, and what they use."""

    heads: int
    excerpts: tuple[int, ...]
    used: int


def allocate(heads: Sequence[int], excerpts: Sequence[Sequence[int]], budget: int) -> Allocation:
    """Return the longest prefix of heads, then excerpts in rounds, by their lengths in characters.

    The first head is always admitted; the first step that does not fit ends everything.
    """
    used = 0
    admitted = 0
    for length in heads:
        if admitted and used + length > budget:
            return Allocation(admitted, (0,) * admitted, used)
        used += length
        admitted += 1
    counts, total = admit_in_rounds(excerpts, int, budget - used)
    return Allocation(admitted, tuple(counts), used + total)


@dataclass(frozen=True, slots=True)
class ItemsPolicy:
    """Heads in item order, `head` characters each for the first five and `tail` after.

    `budget` None is the reference's own for the window; `keep` shows only the first items of what
    was allocated (None: every item).
    """

    head: int = HEAD_CHARACTERS
    tail: int = TAIL_CHARACTERS
    budget: int | None = None
    keep: int | None = None

    def select(self, case: CaseView) -> Selection:
        heads = _head_quotes(case, self.head, self.tail)
        excerpts = _excerpts(case)
        budget = self._resolved_budget(case)
        fitting = allocate(
            [quote.length for quote in heads],
            [[quote.length for quote in quotes] for quotes in excerpts],
            budget,
        )
        shown = fitting.heads if self.keep is None else min(self.keep, fitting.heads)
        counts = fitting.excerpts[:shown]
        items = tuple(
            ItemQuote(place, heads[place], excerpts[place][:count])
            for place, count in enumerate(counts)
        )
        omitted = sum(len(excerpts[place]) - count for place, count in enumerate(counts))
        return Selection(
            items=items,
            used=sum(_length(item) for item in items),
            budget=budget,
            budget_unit="characters",
            omitted=Omitted(items=len(case.items) - shown, excerpts=omitted),
        )

    def _resolved_budget(self, case: CaseView) -> int:
        reserved = sum(item.reserved for item in case.items)
        places = max(FULL_WINDOW, len(case.items) - reserved) + reserved
        return resolve_budget(self.budget, places, self.head, self.tail).characters


@once_per_case
def _head_quotes(case: CaseView, head: int, tail: int) -> tuple[Quote, ...]:
    records = quotable_records(case)
    return tuple(
        head_quote(item.head, records[item.head], head_cap(place, head, tail))
        for place, item in enumerate(case.items)
    )


@once_per_case
def _excerpts(case: CaseView) -> tuple[tuple[Quote, ...], ...]:
    return tuple(tuple(claim_excerpt(case, claim) for claim in item.claims) for item in case.items)


def _length(item: ItemQuote) -> int:
    quotes: tuple[Quote, ...] = (item.head, *item.excerpts)
    return sum(quote.length for quote in quotes)
