"""The front matter of a Markdown file: lines of `key: value` between two lines `---`.

It is less than YAML on purpose: a value is the text of its line, as the corpora of the field keep
it. What YAML would read as something else than text is refused, never guessed at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r"---[ \t]*\r?\n?")
_ENTRY = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.-]*):(?:[ \t]+(.*)|[ \t]*)")
_YAML_START = frozenset("[]{}|>&*!%@`")


@dataclass(frozen=True, slots=True)
class MarkdownText:
    """Metadata in the order of the file, the text after it, and what could not be read, by line."""

    metadata: dict[str, str]
    body: str
    faults: tuple[str, ...] = ()


def split_front_matter(text: str) -> MarkdownText:
    """Part a Markdown file; one that does not start with `---` is all body."""
    text = text.removeprefix("\ufeff")
    lines = _LINE.findall(text)
    if not lines or not _FENCE.fullmatch(lines[0]):
        return MarkdownText({}, text)
    end = next((n for n in range(1, len(lines)) if _FENCE.fullmatch(lines[n])), None)
    if end is None:
        return MarkdownText({}, text, ("line 1 opens front matter that no line `---` closes",))
    metadata: dict[str, str] = {}
    faults = []
    for number, line in enumerate(lines[1:end], start=2):
        fault = _take(line.strip(), metadata)
        if fault:
            faults.append(f"line {number} {fault}")
    return MarkdownText(metadata, "".join(lines[end + 1 :]), tuple(faults))


def _take(line: str, metadata: dict[str, str]) -> str | None:
    """Put the entry of one line into `metadata`; what is wrong with it, if anything is."""
    if not line or line.startswith("#"):
        return None
    entry = _ENTRY.fullmatch(line)
    if entry is None:
        return f"is {line!r}, expected `key: value`"
    key, value = entry[1], (entry[2] or "").strip()
    if key in metadata:
        return f"has the key {key!r} a second time"
    if value[:1] in ("'", '"'):
        quoted = value[1:-1]
        if len(value) < 2 or value[-1] != value[0] or value[0] in quoted or "\\" in quoted:
            return f"has a quoted value that is not plain text; write `{key}: TEXT` without quotes"
        value = quoted
    elif value[:1] in _YAML_START:
        return f"has a value that starts with {value[0]!r}; write `{key}: one, two` as plain text"
    metadata[key] = value
    return None
