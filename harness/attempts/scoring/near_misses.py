"""Near misses: what was almost right, and why it does not count.

They change no score. Where many of them have the same reason, the rubric may be too strict, or the
reader's instructions may say too little.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Reason(Enum):
    """Why something that was almost right is not."""

    VALUE_FORMAT = "value differs by formatting"
    VERSION = "wrong version"
    SIBLING = "anchor of a sibling"
    NO_ANCHOR = "no anchor"
    NOT_OBSERVED = "quote not observed"
    QUOTE_FORMAT = "quote differs by formatting"
    PART_OF_QUOTE = "quote leaves out part of the required one"
    AMBIGUOUS = "section around it holds the quote more than once"
    OTHER_FIELD = "cited for another field"
    NOT_CITED = "observed but not cited"
    CALL = "call differs"


@dataclass(frozen=True, slots=True)
class NearMiss:
    """`subject`: the field of the answer, or the step of a completion. `given`: the value, URL or
    call; `detail`: what was expected, or where it differs."""

    subject: str
    reason: Reason
    given: str
    detail: str
