"""The settings of an expansion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BYTES_PER_TOKEN = 4
"""The unit of every budget: UTF-8 bytes per token, without a tokenizer."""

Hop = Literal["none", "strongest", "every-row"]

STRONG_PREDICATES = ("supersedes", "superseded-by", "depends-on", "implements", "derived-from")


@dataclass(frozen=True, slots=True)
class ExpansionSettings:
    """How a table is expanded; the defaults are all five parts of the later revision.

    `whole_result`: the budget covers what was printed before, and notes are charged.
    `coalesce`: text that is already printed is not printed again.
    `pin`: a whole document is cited under its first heading.
    `hop`: which documents' relations are printed and followed one step.
    `omissions`: blocks that were refused for their size are named.
    `outline_threshold`: bytes from which a whole document is not printed.
    `charge_first_break`: the line break before the first piece is charged.
    """

    budget_tokens: int = 1500
    whole_result: bool = True
    coalesce: bool = True
    pin: bool = True
    hop: Hop = "strongest"
    omissions: bool = True
    max_fetches: int = 10
    max_related: int = 3
    outline_threshold: int = 8192
    charge_first_break: bool = False
    hop_predicates: tuple[str, ...] = STRONG_PREDICATES

    @property
    def budget_bytes(self) -> int:
        return self.budget_tokens * BYTES_PER_TOKEN
