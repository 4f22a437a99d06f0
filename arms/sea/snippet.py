"""What is shown of a record: some of its fields, cut to a number of bytes."""

from __future__ import annotations

from .metadata import SURROGATE, Metadata, parsed

SNIPPET_BYTES = 512
BYTES_PER_TOKEN = 4

_ELLIPSIS = "..."
_FIELD_SEPARATOR = "; "
_REPLACEMENT = "\ufffd"


def snippet(metadata: Metadata | str, max_bytes: int = SNIPPET_BYTES) -> str:
    """Return the fields of the record as `key=value`, or the whole raw record if it has none of
    them.

    At most `max_bytes` bytes of UTF-8: a longer text ends in `...`, never within a character. A
    lone surrogate, which has no UTF-8, is shown as U+FFFD.
    """
    kept, ending = _cut(_whole(parsed(metadata)), max_bytes)
    return kept + ending


def shown_characters(metadata: Metadata, field: str, max_bytes: int = SNIPPET_BYTES) -> int:
    """Return how many code points of the value of `field` the snippet shows: always its first
    ones."""
    kept, _ = _cut(_whole(metadata), max_bytes)
    start = 0
    for name, value in metadata.fields:
        start += len(name) + len("=")
        if name == field:
            return min(max(len(kept) - start, 0), len(value))
        start += len(value) + len(_FIELD_SEPARATOR)
    return 0


def estimate_tokens(snippet: str) -> int:
    """Return what a snippet costs: a quarter of its bytes of UTF-8, rounded up, and at least 1."""
    return max(1, -(-len(snippet.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN))


def _whole(metadata: Metadata) -> str:
    if metadata.fields:
        return _FIELD_SEPARATOR.join(f"{name}={value}" for name, value in metadata.fields)
    return metadata.raw


def _cut(text: str, max_bytes: int) -> tuple[str, str]:
    """Return what is kept of `text`, and the dots after it."""
    # a character has at least one byte, so no later one can be kept
    data = text[: max_bytes + 1].encode("utf-8", "surrogatepass")
    keep, ending = len(data), ""
    if len(data) > max_bytes:
        keep, ending = max(max_bytes - len(_ELLIPSIS), 0), _ELLIPSIS[:max_bytes]
        while keep and _continues(data[keep]):
            keep -= 1
    kept = data[:keep].decode("utf-8", "surrogatepass")
    return SURROGATE.sub(_REPLACEMENT, kept), ending


def _continues(byte: int) -> bool:
    """Return whether a byte of UTF-8 is not the first of its character."""
    return byte & 0xC0 == 0x80
