"""What a row or a relation asks of a document: the whole, a section, or the sections that match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from harness.model import Document, Section, trimmed

from .wording import size

_DOCUMENTS_KEPT = 512


@dataclass(frozen=True, slots=True)
class Piece:
    """Text that may be printed: code points `start` to `end` of the body, under `anchor`.

    An outline has an empty range, so that it never overlaps anything.
    """

    form: str
    text: str
    start: int
    end: int
    anchor: str | None


def location(document: Document, anchor: str | None) -> str:
    """Return path, version if known, and anchor if any."""
    version = "" if document.version is None else f"/v{document.version}"
    return f"{document.path}{version}" + (f"#{anchor}" if anchor else "")


def whole(document: Document, *, pin: bool) -> Piece:
    anchor = pinned_anchor(document) if pin else None
    return Piece("document", trimmed(document.body), 0, len(document.body), anchor)


def section_piece(document: Document, section: Section, spelled: str | None = None) -> Piece:
    """Return a section under its anchor, or as a row or a relation `spelled` it."""
    text = trimmed(document.body[section.start : section.end])
    anchor = section.anchor if spelled is None else spelled
    return Piece("section", text, section.start, section.end, anchor or None)


def is_large(document: Document, threshold: int) -> bool:
    return _body_size(document) >= threshold


def pinned_anchor(document: Document) -> str | None:
    """Return the anchor under which the whole document can be cited: that of a first heading of
    level 1 with only white space before it, whose section reaches the end of the body."""
    if not document.sections:
        return None
    first = document.sections[0]
    starts = not trimmed(document.body[: first.start])
    ends = first.end >= len(document.body.rstrip("\n"))
    return (first.anchor or None) if first.level == 1 and starts and ends else None


def matching_sections(document: Document, terms: Sequence[str]) -> list[Piece]:
    """Return the sections below level 1 that hold every term, outermost first, none inside
    another."""
    pieces: list[Piece] = []
    end = -1
    if not terms:
        return pieces
    for section, text in zip(document.sections, _lower_sections(document), strict=True):
        if section.level > 1 and section.start >= end and all(term in text for term in terms):
            pieces.append(section_piece(document, section))
            end = section.end
    return pieces


@lru_cache(maxsize=_DOCUMENTS_KEPT)
def outline(document: Document) -> Piece:
    """Return the headings with their anchors and lengths, the first paragraph, and how to fetch
    more."""
    entries = [
        f"{'  ' * (section.level - 1)}- {section.title} (#{section.anchor}, {section.lines} lines)"
        for section in document.sections
    ]
    parts = ["\n".join(entries) or "(no headings)"]
    if document.first_paragraph:
        parts.append(document.first_paragraph)
    parts.append(f"Fetch {document.path}#anchor for one section.")
    return Piece("outline", trimmed("\n\n".join(parts)), 0, 0, None)


@lru_cache(maxsize=_DOCUMENTS_KEPT)
def _body_size(document: Document) -> int:
    return size(document.body)


@lru_cache(maxsize=_DOCUMENTS_KEPT)
def _lower_sections(document: Document) -> tuple[str, ...]:
    body = document.body
    return tuple(body[section.start : section.end].lower() for section in document.sections)
