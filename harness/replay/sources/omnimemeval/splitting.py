"""A context as text, split into its items at their headers, and joined again.

A context is the preamble and its blocks joined by one line break. A block is a header, `[<time>]`
on a line of its own, then the quoted text, and ends with a line break. So a header stands at the
start, or after a blank line; a line that looks like one inside quoted text otherwise is text.
Source: the reference facts of evidence allocation (contexts, split).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.decode import quoted
from harness.replay.context import PREAMBLE

_HEADER = re.compile(r"(?:\A|(?<=\n\n))\[(\d{4}-\d{2}-\d{2}T[^\]\n]*)\]\n")
_BLOCK_JOINT = "\n"


class SplitError(ValueError):
    """A context that is not preamble and blocks; the message says what is there instead."""


@dataclass(frozen=True, slots=True)
class Block:
    """One item of a context: `time` as its header has it, `body` without the last line break."""

    time: str
    body: str

    @property
    def text(self) -> str:
        """Block as the context has it."""
        return f"[{self.time}]\n{self.body}\n"


def split_context(context: str) -> tuple[Block, ...]:
    """Return the blocks of `context`, none for an empty one.

    Raises `SplitError` unless joining them gives `context` again, byte for byte.
    """
    if context in ("", PREAMBLE):
        return ()
    if not context.startswith(PREAMBLE):
        raise SplitError(f"it begins with {quoted(context)}, expected {PREAMBLE!r}")
    rest = context[len(PREAMBLE) :]
    headers = list(_HEADER.finditer(rest))
    if not headers or headers[0].start() != 0:
        raise SplitError(
            f"after {PREAMBLE!r} it goes on with {quoted(rest)}, expected a header such as "
            "'[2023-05-20T02:21:00+00:00]' on a line of its own"
        )
    starts = [header.start() for header in headers]
    ends = [start - len(_BLOCK_JOINT) for start in starts[1:]] + [len(rest)]
    blocks = tuple(
        Block(header[1], rest[header.end() : max(header.end(), end - 1)])
        for header, end in zip(headers, ends, strict=True)
    )
    if join_blocks(blocks) != context:
        raise SplitError(f"its {len(blocks)} blocks do not join to the same text again")
    return blocks


def join_blocks(blocks: tuple[Block, ...]) -> str:
    """Return the context of the blocks."""
    return PREAMBLE + _BLOCK_JOINT.join(block.text for block in blocks)


def first_blocks(context: str, count: int) -> str:
    """Return `context` cut after its first `count` items; one that has no more of them as it is."""
    blocks = split_context(context)
    return context if len(blocks) <= count else join_blocks(blocks[:count])
