"""What a tool printed, read back: the envelope, and the blocks of an expansion."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .location import Location, printed_location

_FRAME = ">>> "
_ENVELOPE_LINE = re.compile(r"([A-Za-z][A-Za-z0-9_-]*): ?(.*)")
_STUB = re.compile(r"same text as (.+)")
_NOTE, _RELATED = "note:", "related:"


@dataclass(frozen=True, slots=True)
class HeadedText:
    """A line that starts with `>>> `, without that, and the text under it."""

    header: str
    text: str

    @property
    def is_block(self) -> bool:
        """Whether the header should be a location: notes and relation lines are none."""
        return not self.header.startswith((_NOTE, _RELATED))

    @property
    def location(self) -> Location | None:
        return printed_location(self.header)

    @property
    def same_as(self) -> str | None:
        """Location that a stub names."""
        match = _STUB.fullmatch(self.text.strip())
        return None if match is None else match[1]


def envelope_and_body(output: str) -> tuple[Mapping[str, str], str]:
    """Return the `key: value` lines before the first blank line, and what comes after it."""
    head, blank, body = output.partition("\n\n")
    envelope: dict[str, str] = {}
    for line in head.split("\n"):
        match = _ENVELOPE_LINE.fullmatch(line.rstrip("\r"))
        if match is None:
            return {}, output
        envelope[match[1].lower()] = match[2].strip()
    return envelope, body if blank else ""


def headed_texts(output: str) -> Iterator[HeadedText]:
    """Yield every header of an expansion with its text; the table before the first is skipped."""
    header: str | None = None
    lines: list[str] = []
    for line in output.split("\n"):
        if line.startswith(_FRAME):
            if header is not None:
                yield HeadedText(header, "\n".join(lines))
            header, lines = line.removeprefix(_FRAME).rstrip("\r"), []
        else:
            lines.append(line)
    if header is not None:
        yield HeadedText(header, "\n".join(lines))
