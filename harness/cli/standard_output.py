"""Standard output: what is printed for people shows what steers a terminal as escapes."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, TextIO

from harness.escapes import terminal


class ForPeople:
    """A text stream that escapes as `terminal` does; everything else is the stream's own.

    JSON stays what it says: a string reads back from its escapes.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        return self.stream.write(terminal(text))

    def writelines(self, lines: Iterable[str]) -> None:
        self.stream.writelines(map(terminal, lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def for_programs() -> TextIO:
    """Return standard output for data, whose bytes are kept where no terminal reads them."""
    stream = sys.stdout
    return stream.stream if isinstance(stream, ForPeople) and not stream.isatty() else stream
