"""What a store of answers says of prompts that are about to be asked, and is told of those that
were."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .entry import AnswerEntry, AnswerKey


class Claim(Enum):
    """What came of claiming a prompt."""

    TAKEN = "taken"
    ANSWERED = "answered"
    BUSY = "busy"
    """Another process that is still at work asks it."""
    BEYOND = "beyond"
    """Its call could exceed what all calls may come to."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A key and what came of claiming it: of one that is taken, the number of its call, and `most`,
    which is reserved for it."""

    key: AnswerKey
    claim: Claim
    call: int = 0
    most: int = 0


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a claimed prompt came to. `cost` takes the place of what was `reserved` for its last
    call, which was not sent where there is no `entry` and nothing is paid."""

    key: AnswerKey
    entry: AnswerEntry | None
    reserved: int = 0
    cost: int = 0
    unsent: int = 0


@dataclass(frozen=True, slots=True)
class Charged:
    """What a reader's calls come to in one store: how many were sent, and what they cost in
    trillionths of the price's currency.

    `reserved` is of calls under way, and of those that a kill has cut off.
    """

    calls: int = 0
    reserved: int = 0
    charged: int = 0

    @property
    def cost(self) -> int:
        return self.reserved + self.charged
