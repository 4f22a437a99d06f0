"""Asking a reader for many prompts: each once, in a seeded order, within limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from .prompts import PromptSpool
from .reader import ReaderDefinition
from .store import AnswerEntry, AnswerKey, AnswerStore


@dataclass(frozen=True, kw_only=True)
class Asking:
    """What is asked: every prompt, `repeats` times, of one reader, into one store.

    `max_calls` and `max_cost` are of all calls of the reader in the store, new tries included;
    the cost is in the currency of the reader's price. Entries are `padded_to` a multiple of so many
    bytes.
    """

    reader: ReaderDefinition
    store: AnswerStore
    prompts: PromptSpool
    repeats: int = 1
    seed: int = 0
    max_calls: int | None = None
    max_cost: Decimal | None = None
    padded_to: int | None = None

    def pending(self) -> int:
        """Count what the store has no answer to."""
        raise NotImplementedError

    def run(self) -> Iterator[tuple[AnswerKey, AnswerEntry]]:
        """Ask for what the store has no answer to; yield each new entry, an answer or an error.

        Errors are asked again at the next call. Raises `InputError` where so many prompts in a row
        had no answer, or a limit is reached, after what was under way has come back.
        """
        raise NotImplementedError
