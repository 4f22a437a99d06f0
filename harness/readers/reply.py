"""What is asked of a reader, and what comes back."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

from harness.decode import Count
from harness.errors import HarnessError


@dataclass(frozen=True)
class Prompt:
    """The whole text that a reader is given, without its system text.

    `repeat`, from 1, tells the answers to one text apart; a reader that samples may ignore it.
    """

    text: str
    repeat: int = 1

    @cached_property
    def sha256(self) -> str:
        """Hex SHA-256 of the text in UTF-8."""
        return hashlib.sha256(self.text.encode("utf-8")).hexdigest()


@dataclass(frozen=True, slots=True)
class ReportedUsage:
    """Tokens of one call as the service reported them; None where it did not.

    `cached` are those of the `input` that it says came from its cache.
    """

    input: Count | None = None
    cached: Count | None = None
    output: Count | None = None


NOT_REPORTED = ReportedUsage()


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its text, which is not empty, and what the service said of it."""

    text: str
    finish_reason: str | None = None
    model: str | None = None
    usage: ReportedUsage = NOT_REPORTED


class ReaderError(HarnessError):
    """A call that gave no answer.

    `momentary`: another try may succeed, after `retry_after` seconds where the service says so.
    `may_cost`: the service may have worked on it, so that the call counts as paid for: `usage`
    where the service reported that, else the most that was reserved.
    """

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        momentary: bool = False,
        retry_after: float | None = None,
        may_cost: bool = True,
        usage: ReportedUsage = NOT_REPORTED,
    ) -> None:
        super().__init__(message, hint)
        self.momentary = momentary
        self.retry_after = retry_after
        self.may_cost = may_cost
        self.usage = usage
