"""A record of a case as the selector's record: one string.

It is the JSON of the record's metadata with its text as `text`, or the string `metadata.raw`
verbatim.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal

from harness.model import Json, RecordView

from .metadata import Metadata, parse_metadata
from .snippet import estimate_tokens, shown_characters, snippet

RAW = "raw"
TEXT = "text"

_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class SelectorRecord:
    """What is read of a record, and what is shown of it at `cost` tokens.

    `quoted` is how many of the first code points of the record's text the snippet shows; 0 for a
    `raw` string, and for metadata that is not valid JSON, which is shown unchanged.
    """

    metadata: Metadata
    snippet: str
    cost: int
    quoted: int


def selector_record(record: RecordView) -> SelectorRecord:
    """Return `record` as the selector reads it."""
    raw = record.metadata.get(RAW)
    of_text = not isinstance(raw, str)
    metadata = parse_metadata(
        json_text({**record.metadata, TEXT: record.text}) if of_text else str(raw)
    )
    shown = snippet(metadata)
    quoted = shown_characters(metadata, TEXT) if of_text else 0
    return SelectorRecord(metadata, shown, estimate_tokens(shown), quoted)


def json_text(value: Json) -> str:
    """Return JSON with sorted keys, without spaces, with non-ASCII characters as they are.

    Of any depth, and with integers of any length, where the interpreter's own writer has limits.
    """
    try:
        return _ENCODER.encode(value)
    except (RecursionError, ValueError):
        return "".join(_tokens(value))


def _tokens(value: Json) -> list[str]:
    """Return the tokens of `value`, by a stack of its own, on which a tuple holds a token."""
    tokens: list[str] = []
    pending: list[Json] = [value]
    while pending:
        part = pending.pop()
        match part:
            case tuple():
                tokens.append(part[0])
            case dict():
                inner: list[Json] = []
                for key in sorted(part):
                    inner += [(f"{',' if inner else ''}{_ENCODER.encode(key)}:",), part[key]]
                pending += reversed([("{",), *inner, ("}",)])
            case list():
                entries = [token for entry in part for token in ((",",), entry)]
                pending += reversed([("[",), *entries[1:], ("]",)])
            case int() if not isinstance(part, bool):
                tokens.append(format(Decimal(part), "f"))
            case _:
                tokens.append(_ENCODER.encode(part))
    return tokens
