"""Anchors of headings, and the section that a fragment means."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from .lookup import Section

# What Python takes for white space beyond Unicode's own property.
_NO_WHITE_SPACE = frozenset("\x1c\x1d\x1e\x1f")


def find_section(sections: Sequence[Section], fragment: str) -> Section | None:
    """Find the section that a fragment means: what a reader may ask for.

    A leading `#` is dropped; then an anchor that is equal but for case; then the anchor that the
    fragment would get as a heading.
    """
    wanted = fragment.removeprefix("#")
    folded = wanted.casefold()
    for section in sections:
        if section.anchor.casefold() == folded:
            return section
    anchor = slug(wanted)
    return next((section for section in sections if section.anchor == anchor), None)


def slug(text: str) -> str:
    """Return the GitHub slug of a heading's rendered text.

    Lower case; letters, numbers, `_` and `-` stay, each white space becomes `-`, the rest goes.
    """
    return "".join(_slug_letters(text))


def _slug_letters(text: str) -> Iterator[str]:
    for letter in text:
        if letter.isspace() and letter not in _NO_WHITE_SPACE:
            yield "-"
        else:  # one letter at a time: lower case that depends on the neighbours is not meant
            yield from filter(_stays, letter.lower())


def _stays(letter: str) -> bool:
    return letter in "_-" or unicodedata.category(letter)[0] in "LN"
