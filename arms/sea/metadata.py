"""Reading a record: a string that is a JSON object, or anything else.

Whatever is not exactly a JSON object is invalid, and has the values of an empty `Metadata`. So are,
by our choice, an object with a lone surrogate, one nested more than 256 deep, and one with an
integer of more than 4,300 digits: fixed limits, so that no interpreter's own decides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntFlag
from typing import Any

import numpy as np

from .vocabulary import AUTHORITIES, INFERRED, KINDS, PROFILES, UNKNOWN_PROFILE

MAX_DEPTH = 256
MAX_DIGITS = 4_300

SNIPPET_FIELDS = ("summary", "text", "input", "output")

_SIGNED_64 = range(-(2**63), 2**63)
_NANOSECONDS = 1_000_000
"""In a millisecond."""

# a string without an end is taken whole: from each of its quotes it would be tried again
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)
SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|u(?P<lone>[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


class GraphFlag(IntFlag):
    """What the graph signal counts."""

    SUPERSEDES = 1
    NOT_SUPERSEDED = 2
    SOURCE = 4
    TAGS = 8


@dataclass(frozen=True, slots=True)
class Metadata:
    """What is read of a record; the defaults are those of an invalid one.

    `importance` is float32, 0 to 1. `timestamp_ms` is the record's own time, signed 64-bit
    milliseconds since 1970. `graph_flags` are those of `GraphFlag`. `claimed_authority` is what the
    record says of itself, a rung of the ladder; the original reads and discards it. `fields` are
    those that a snippet shows, in its order, empty ones left out.
    """

    raw: str
    valid: bool = False
    profile: str = UNKNOWN_PROFILE
    kind: str = KINDS[0]
    project: str | None = None
    importance: np.float32 = np.float32(0)  # noqa: RUF009 (immutable)
    timestamp_ms: int | None = None
    graph_flags: int = 0
    claimed_authority: str = INFERRED
    fields: tuple[tuple[str, str], ...] = ()

    @property
    def cluster(self) -> int:
        """What the cap for one kind counts by."""
        return KINDS.index(self.kind)


def parse_metadata(raw: str) -> Metadata:
    """Return what the record `raw` says; only exact keys of its top level count, the last of equal
    ones.

    Never raises: a string that is not a JSON object gives an invalid `Metadata`.
    """
    value = _json_object(raw)
    if value is None:
        return Metadata(raw)
    return Metadata(
        raw=raw,
        valid=True,
        profile=_word(value.get("profile"), PROFILES, UNKNOWN_PROFILE),
        kind=_word(value.get("kind"), KINDS, KINDS[0]),
        project=_text(value.get("project")),
        importance=_importance(value.get("importance")),
        timestamp_ms=_timestamp(value),
        graph_flags=_graph_flags(value),
        claimed_authority=_word(value.get("authority"), tuple(AUTHORITIES), INFERRED),
        fields=tuple(
            (name, text) for name in SNIPPET_FIELDS if (text := _text(value.get(name))) is not None
        ),
    )


def parsed(metadata: Metadata | str) -> Metadata:
    """Return `metadata` as it is, or read from a raw record."""
    return parse_metadata(metadata) if isinstance(metadata, str) else metadata


def _json_object(raw: str) -> Mapping[str, Any] | None:
    """Return the object, or None for whatever a strict parser would refuse; Python's own is
    laxer."""
    if _nested_too_deep(raw) or SURROGATE.search(raw) or _has_lone_escape(raw):
        return None
    try:
        value = json.loads(
            raw, parse_int=_integer, parse_float=_finite_float, parse_constant=_no_constant
        )
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _nested_too_deep(raw: str) -> bool:
    # before parsing, so that the interpreter's recursion limit decides nothing
    if raw.count("[") + raw.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(raw):
        first = match.group()[0]
        depth += (first in "[{") - (first in "]}")
        if depth > MAX_DEPTH:
            return True
    return False


def _has_lone_escape(raw: str) -> bool:
    return "\\u" in raw and any(match["lone"] for match in _ESCAPE.finditer(raw))


def _integer(digits: str) -> int:
    if len(digits.removeprefix("-")) > MAX_DIGITS:
        raise ValueError("more digits than are read")
    return int(digits)


def _finite_float(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError("beyond the largest number")
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _word(value: object, words: tuple[str, ...], otherwise: str) -> str:
    return value if isinstance(value, str) and value in words else otherwise


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _importance(value: Any) -> np.float32:
    """Clamp in double precision, then narrow."""
    return np.float32(min(max(value, 0), 1)) if _is_number(value) else np.float32(0)


def _timestamp(value: Mapping[str, Any]) -> int | None:
    """Return the first integer among the milliseconds, else among the nanoseconds, cut towards
    zero."""
    for name in ("updated_ms", "timestamp_ms", "created_ms"):
        if _is_signed_64(value.get(name)):
            return int(value[name])
    for name in ("updated_ns", "created_ns"):
        if _is_signed_64(value.get(name)):
            nanoseconds = int(value[name])
            milliseconds = abs(nanoseconds) // _NANOSECONDS
            return milliseconds if nanoseconds >= 0 else -milliseconds
    return None


def _is_signed_64(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value in _SIGNED_64


def _graph_flags(value: Mapping[str, Any]) -> int:
    present = {
        name: _is_present(value.get(name))
        for name in ("supersedes", "superseded_by", "source_uri", "tags")
    }
    return int(
        GraphFlag.SUPERSEDES * present["supersedes"]
        | GraphFlag.NOT_SUPERSEDED * (not present["superseded_by"])
        | GraphFlag.SOURCE * present["source_uri"]
        | GraphFlag.TAGS * present["tags"]
    )


def _is_present(value: object) -> bool:
    """Return any number, 0 included, `true`, and a string, list or object that is not empty."""
    return _is_number(value) or bool(value)
