"""An entry of a store of answers, and where it lies."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from harness.decode import Format, IsoDate, NotNegative, Positive
from harness.storage.hashing import canonical_json

from .reply import NOT_REPORTED, ReportedUsage


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """Where an answer lies: `reader` is an identity, `prompt` the hex SHA-256 of its bytes, and
    `repeat` counts from 1."""

    reader: str
    prompt: str
    repeat: int = 1

    @property
    def digest(self) -> bytes:
        return bytes.fromhex(self.prompt)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEntry:
    """What a call came to: an `answer`, or an `error` and then never an answer.

    `attempts` were made, the last of which took `latency_seconds`. `call` numbers the calls of a
    reader in a store in the order in which they were sent; `time` is in UTC.
    """

    answer: str | None = None
    error: str | None = None
    finish_reason: str | None = None
    model: str | None = None
    usage: ReportedUsage = NOT_REPORTED
    latency_seconds: NotNegative = 0.0
    attempts: Positive = 1
    call: int | None = None
    time: IsoDate

    def as_json(self) -> dict[str, Any]:
        """Return the entry as JSON has it."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        usage = {each.name: getattr(self.usage, each.name) for each in fields(self.usage)}
        return {**values, "usage": usage}


VARYING = ("latency_seconds", "attempts", "call", "time")
"""Keys of an entry that differ from one asking to the next though the answers are the same."""

ENTRY = Format("an entry of a store of answers", AnswerEntry)


def encoded(entry: AnswerEntry, padded_to: int | None) -> bytes:
    """Return an entry as canonical JSON, filled with blanks to a multiple of `padded_to` bytes."""
    data = canonical_json(entry.as_json()).encode("utf-8")
    return data if padded_to is None else data.ljust(-(-len(data) // padded_to) * padded_to)
