"""What calls of a reader may come to in a store, and what each is charged with."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from harness.errors import UsageError
from harness.words import counted

from .claims import Claimed
from .entry import AnswerKey
from .pricing import amount_text, cost_of, in_trillionths, most_cost
from .reader import ReaderDefinition
from .reply import Prompt, ReaderError, ReportedUsage
from .store import AnswerStore


class CallBudget:
    """The limits of one asking, over all calls of its reader in its store; costs in trillionths.

    Not `by_usage`: a call is charged with the most that it may cost, so that a cost tells nothing
    of an answer.

    Raises `UsageError` for a limit of cost that cannot be kept: without a price, or without a
    longest answer.
    """

    def __init__(
        self,
        store: AnswerStore,
        reader: ReaderDefinition,
        *,
        max_calls: int | None,
        max_cost: Decimal | None,
        by_usage: bool = True,
    ) -> None:
        self._by_usage = by_usage
        self._store = store
        self._reader = reader
        self._price = reader.file.price
        self._limits = {
            "max_calls": max_calls,
            "max_cost": None if max_cost is None else in_trillionths(max_cost),
        }
        if max_cost is not None and self._price is None:
            raise UsageError(
                f"a limit of cost needs a price, and {reader.path} has none",
                "Add a table [price], or leave --max-cost away.",
            )
        if max_cost is not None and reader.file.parameters.max_tokens is None:
            raise UsageError(
                f"a limit of cost needs a longest answer, and {reader.path} has none",
                "Add max_tokens to the table [parameters].",
            )

    def most(self, prompt: Prompt) -> int:
        """Return the most that a call can cost."""
        if self._price is None:
            return 0
        return most_cost(self._price, self._reader.file.parameters, prompt)

    def take(self, wanted: Sequence[tuple[AnswerKey, int]]) -> list[Claimed]:
        """Claim prompts and reserve their first calls; see `AnswerStore.take`."""
        return self._store.take(wanted, **self._limits)

    def renew(self, most: int, error: ReaderError) -> int | None:
        """Charge a call that failed and reserve another like it; return its number, or None, and
        change nothing, where the limits do not allow it."""
        cost = self.cost_of_error(most, error)
        return self._store.renew(self._reader.identity, most, cost, **self._limits)

    def cost(self, most: int, usage: ReportedUsage, *, may_cost: bool) -> int:
        """Return what a call is charged with: its cost by its usage, else the most that it may
        be."""
        cost = None
        if self._price is not None and self._by_usage:
            cost = cost_of(self._price, usage)
        if cost is not None:
            return cost
        return most if may_cost else 0

    def cost_of_error(self, most: int, error: ReaderError) -> int:
        """Return what a call that failed cost, as `cost` does."""
        return self.cost(most, error.usage, may_cost=error.may_cost)

    def reached(self) -> str:
        """Say which limit keeps the next call from being sent."""
        spent = self._store.charged(self._reader.identity)
        calls, cost = self._limits["max_calls"], self._limits["max_cost"]
        if calls is not None and spent.calls >= calls:
            return (
                f"the limit of {counted(calls, 'call')} is reached: "
                f"{spent.calls:,} were sent to this "
                "reader from this store"
            )
        currency = "" if self._price is None else self._price.currency
        allowed, known = (amount_text(amount, currency) for amount in (cost or 0, spent.cost))
        return (
            f"the limit of {allowed} is reached: {known} are charged or reserved for this reader "
            "in this store, and the next call could exceed it"
        )
