"""Headings, anchors and sections of a document.

Source: the section rule of demarkus, in our own words (docs/worlds.md). Markdown is read by
markdown-it-py, once for every version of a document; nothing else parses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from harness.model import WHITE_SPACE, Section, slug

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LONE_CARRIAGE_RETURN = re.compile(r"\r(?!\n)")
_DEEPEST = 100
"""Levels of quotes, lists and their items that are read; a heading below them does not count."""
_BLANKS = " \t\n\v\f\r"
# The parser would end a line at a carriage return alone, and trim more white space than CommonMark
# has. While it reads blocks, lone surrogates, which no text holds, stand for these characters.
_HIDDEN = {
    ord(letter): 0xD801 + place
    for place, letter in enumerate(sorted({*WHITE_SPACE, *"\x1c\x1d\x1e\x1f"} - {*_BLANKS}))
}
_SHOWN = {0xD800: "\r"} | {stand_in: chr(code) for code, stand_in in _HIDDEN.items()}


@dataclass(frozen=True, slots=True)
class Outline:
    """The sections of a document in text order, and the source of its first paragraph.

    The paragraph is the first outside quotes and lists, without the line feed after it; empty where
    there is none.
    """

    sections: tuple[Section, ...]
    first_paragraph: str


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    line: int
    title: str
    anchor: str


def outline_of(body: str) -> Outline:
    """Return the sections of a Markdown body, as CommonMark sees its headings.

    ATX and setext headings count, those in quotes and lists too. A section runs from its heading's
    line to the next heading of the same or a shallower level. A heading without text is skipped;
    the anchor of one without a letter, a number, `_` or `-` is empty.
    """
    blocks, _ = _parsers()
    environment: dict[str, Any] = {}
    tokens = blocks.parse(_hidden(body), environment)
    starts = _line_starts(body)
    headings = list(_headings(tokens, _shown_references(environment)))
    sections = tuple(
        _section(heading, _end_line(headings, place, len(starts)), body, starts)
        for place, heading in enumerate(headings)
    )
    return Outline(sections, _first_paragraph(tokens, body, starts))


def anchored_section(sections: Sequence[Section], anchor: str) -> Section | None:
    """Return the section with exactly this anchor: what a citation must name."""
    return next((section for section in sections if section.anchor == anchor), None)


@cache
def _parsers() -> tuple[MarkdownIt, MarkdownIt]:
    """Build a parser that reads only blocks, and one for the text of headings."""
    from markdown_it import MarkdownIt

    blocks, inline = (MarkdownIt("commonmark", {"maxNesting": _DEEPEST}) for _ in range(2))
    return blocks.disable("inline"), inline.disable("text_join")  # escapes, entities stay apart


def _hidden(body: str) -> str:
    # one more line feed: the parser fails on a quote in which an unclosed block ends the text
    return _LONE_CARRIAGE_RETURN.sub("\ud800", body).translate(_HIDDEN) + "\n"


def _shown_references(environment: dict[str, Any]) -> dict[str, Any]:
    """Return the environment with its link references under the labels that headings name."""
    from markdown_it.common.utils import normalizeReference

    references = environment.get("references", {})
    shown = {normalizeReference(label.translate(_SHOWN)): references[label] for label in references}
    return {**environment, "references": shown}


def _headings(tokens: Sequence[Token], environment: dict[str, Any]) -> Iterator[_Heading]:
    _, inline = _parsers()
    taken: dict[str, int] = {}
    for place, token in enumerate(tokens):
        if token.type != "heading_open" or token.map is None:
            continue
        content = tokens[place + 1].content.translate(_SHOWN).strip(_BLANKS)
        (parsed,) = inline.parseInline(content, environment)
        title = _source_text(parsed.children or [])
        if title:
            anchor = _untaken(slug(title), taken)
            yield _Heading(int(token.tag[1:]), token.map[0], title, anchor)


def _source_text(tokens: Sequence[Token]) -> str:
    """Return the text as it is written: labels of links, code, descriptions of images, entities
    and escapes as they are; nothing of raw HTML and autolinks."""
    parts = []
    in_autolink = False
    for token in tokens:
        if token.markup == "autolink":
            in_autolink = token.type == "link_open"
        elif token.type == "text_special":
            parts.append(token.markup)
        elif token.type == "code_inline" or (token.type == "text" and not in_autolink):
            parts.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "image":
            parts.append(_source_text(token.children or []))
    return "".join(parts)


def _untaken(anchor: str, taken: dict[str, int]) -> str:
    """Return `anchor`, or with the first of -1, -2 … that no anchor before it is; mark it as taken.

    `taken`: by anchor, how far its numbers were tried; what is taken once stays so.
    """
    name = anchor
    while name in taken:
        taken[anchor] += 1
        name = f"{anchor}-{taken[anchor]}"
    taken[name] = 0
    return name


def _line_starts(body: str) -> list[int]:
    """Return the offsets of the lines of `body`, without an empty last line."""
    starts = [0, *(match.end() for match in re.finditer("\n", body))]
    return starts[:-1] if starts[-1] == len(body) else starts


def _end_line(headings: Sequence[_Heading], place: int, lines: int) -> int:
    level = headings[place].level
    following = (headings[later] for later in range(place + 1, len(headings)))
    return next((heading.line for heading in following if heading.level <= level), lines)


def _section(heading: _Heading, end_line: int, body: str, starts: Sequence[int]) -> Section:
    return Section(
        anchor=heading.anchor,
        level=heading.level,
        start=starts[heading.line],
        end=_offset(end_line, body, starts),
        lines=end_line - heading.line,
        title=heading.title,
    )


def _first_paragraph(tokens: Sequence[Token], body: str, starts: Sequence[int]) -> str:
    for token in tokens:
        if token.type == "paragraph_open" and token.level == 0 and token.map is not None:
            first, end = token.map
            return body[starts[first] : _offset(end, body, starts)].removesuffix("\n")
    return ""


def _offset(line: int, body: str, starts: Sequence[int]) -> int:
    return starts[line] if line < len(starts) else len(body)
