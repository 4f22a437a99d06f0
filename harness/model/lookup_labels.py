"""The labels of a recorded first lookup; no policy sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .json_value import Json


@dataclass(frozen=True, slots=True)
class RequiredPassage:
    """A quote that a correct answer must cite: raw text of that section of that version."""

    path: str
    version: int
    anchor: str
    quote: str


@dataclass(frozen=True, slots=True)
class LookupGold:
    """The answer by field, None where it is not known, the outcome (`answered`, `not-found` or
    `incomplete`), and the passages that each field of the answer must cite."""

    answer: Mapping[str, Json] | None
    outcome: str
    evidence: Mapping[str, tuple[RequiredPassage, ...]] = field(default_factory=dict)
