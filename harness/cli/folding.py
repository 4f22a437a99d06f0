"""Help that fits the terminal: what click leaves as it is, such as examples, is folded."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

import click

_WORD = re.compile(r"(?:'[^']*'|\"[^\"]*\"|\S)+")
"""A word of a command; a quoted text is a part of one."""
_COLUMNS = re.compile(r"(?P<first>\s*(?:\d+\. |\S.*?(?<!\s)\s{2,}))(?P<second>(?s:\S.*))")
"""A number or a first column, and the text beside it."""
_CHOICES = re.compile(r"(?<=\|)")
_COMMANDS = ("harness", "echo", "eval", "git")
_FURTHER = 4


class FoldingFormatter(click.HelpFormatter):
    """A formatter whose lines are no longer than its width.

    A command goes on after a backslash, words of a second column stay in it, and a list of choices
    breaks after a bar.
    """

    def getvalue(self) -> str:
        lines = super().getvalue().split("\n")
        return "\n".join(_folded(lines, self.width))


def _folded(lines: Sequence[str], width: int) -> Iterator[str]:
    left = list(reversed(lines))
    is_command = False
    while left:
        line = left.pop()
        words = line.split()
        is_command = bool(words) and (is_command or words[0] in _COMMANDS)
        if len(line) <= width:
            yield line
        elif is_command:
            yield from _command(line, width)
        else:
            yield from _text(line, left, width)
        is_command = is_command and line.endswith("\\")


def _command(line: str, width: int) -> Iterator[str]:
    """Fold a command before an option or another word; a comment goes to a line of its own."""
    indent = _indent_of(line)
    command, _, comment = line.partition(" # ")
    begun, further = "", indent
    for part in _parts(command):
        if begun and len(begun) + len(part) + len("  \\") > width:
            yield f"{begun} \\"
            begun, further = "", indent + " " * _FURTHER
        begun = f"{begun} {part}" if begun else f"{further}{part}"
    yield begun
    if comment:
        yield from textwrap.wrap(f"{indent}# {comment.strip()}", width)


def _parts(command: str) -> list[str]:
    """Split a command into words, an option together with its value."""
    parts: list[str] = []
    for word in _WORD.findall(command):
        if (
            parts
            and parts[-1].startswith("-")
            and " " not in parts[-1]
            and not word.startswith("-")
        ):
            parts[-1] += f" {word}"
        else:
            parts.append(word)
    return parts


def _text(line: str, left: list[str], width: int) -> Iterator[str]:
    """Fold a line of text; lines of `left`, the next one last, that go on with it are taken."""
    columns = _COLUMNS.fullmatch(line)
    indent = _indent_of(line)
    if columns is None and "|" in line:
        yield from _choices(line, width, indent + " " * _FURTHER)
        return
    first = indent if columns is None else columns["first"]
    text = line.strip() if columns is None else columns["second"]
    later = " " * len(first)
    while columns is not None and left and left[-1].strip() and _indent_of(left[-1]) == later:
        text += f" {left.pop().strip()}"
    if len(first) > width // 2:
        yield first.rstrip()
        first = later = indent + " " * _FURTHER
    yield from textwrap.wrap(text, width, initial_indent=first, subsequent_indent=later)


def _choices(line: str, width: int, indent: str) -> Iterator[str]:
    begun = ""
    for part in _CHOICES.split(line):
        if len(begun) + len(part) > width and begun.strip():
            yield begun.rstrip()
            begun = indent
        begun += part
    yield begun


def _indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
