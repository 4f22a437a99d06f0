"""Texts of an expansion: trimming, sizes, query terms, and how a block is framed."""

from __future__ import annotations

import re

from harness.model import SPACES

from .settings import BYTES_PER_TOKEN

_FRAME = ">>>"
_FRAME_LINE = re.compile(f"^{_FRAME}", re.MULTILINE)
_AROUND_TERMS = "\"'.,;:()"
_SHORTEST_TERM = 2


def size(text: str) -> int:
    """Return UTF-8 bytes of `text`."""
    return len(text) if text.isascii() else len(text.encode("utf-8"))


def tokens(count: int) -> int:
    """Return estimated tokens of a number of bytes."""
    return count // BYTES_PER_TOKEN


def query_terms(query: str) -> tuple[str, ...]:
    """Return the lower-case words of `query` that a section must hold, each at least two bytes
    long."""
    words = (word.strip(_AROUND_TERMS) for word in SPACES.split(query.lower()))
    return tuple(word for word in words if size(word) >= _SHORTEST_TERM)


def framed(location: str, text: str) -> str:
    """Return a block: its header, a blank line, the text without lines that look like headers, a
    blank line."""
    if _FRAME in text:  # seldom, and far quicker to see than to search line by line
        text = _FRAME_LINE.sub(f" {_FRAME}", text)
    return f"{_FRAME} {location}\n\n{text}\n\n"


def note(text: str) -> str:
    """Return a note, with the blank line that ends it."""
    return f"{_FRAME} note: {text}\n\n"
