"""What a reader was shown, section by section: only that can be cited.

A fetch shows a document or a section of it; a lookup shows the blocks under its table. A block's
text belongs to the section that its header names, and to every section inside that is printed
whole. A block without an anchor shows the sections that it prints whole. Tables with their
snippets, outlines, notes and relation lines show nothing. A stub shows its own few words, unless
stubs count: then the text that it names, printed before it in the same result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from harness.model import Document, Section, find_section
from harness.worlds import World, anchored_section
from harness.worlds.citable import fold

from .attempts import FETCH_TOOL, LOOKUP_TOOL, Call
from .location import Location, located
from .printed import HeadedText, envelope_and_body, headed_texts


class Observation:
    """The texts that were shown for each section of each version, white space folded."""

    def __init__(self) -> None:
        self._texts: dict[tuple[str, int | None, str], list[str]] = defaultdict(list)

    def add(self, document: Document, anchor: str, text: str) -> None:
        self._texts[document.path, document.version, anchor].append(fold(text))

    def shows(self, path: str, version: int | None, anchor: str, quote: str) -> bool:
        """Return whether the quote was shown as text of that section; white space is folded."""
        return any(fold(quote) in text for text in self._texts.get((path, version, anchor), ()))


def observed(calls: Iterable[Call], world: World, *, stubs: bool) -> Observation:
    """Return what the calls showed of the world; a call with an error shows nothing."""
    observation = Observation()
    for call in calls:
        if call.error:
            continue
        if call.is_of(FETCH_TOOL):
            _fetched(observation, call, world)
        elif call.is_of(LOOKUP_TOOL):
            _looked_up(observation, call, world, stubs)
    return observation


def shown_text(texts: Sequence[HeadedText], place: int, *, stubs: bool) -> str:
    """Return the text of a block; of a stub that counts, the text that it names."""
    same_as = texts[place].same_as
    if stubs and same_as is not None:
        for earlier in texts[:place]:
            if earlier.header == same_as and earlier.same_as is None:
                return earlier.text
    return texts[place].text


def named_document(world: World, place: Location) -> Document | None:
    """Return the version that a location names, the current one where it names none."""
    return world.document(place.path, place.version)


def _fetched(observation: Observation, call: Call, world: World) -> None:
    envelope, body = envelope_and_body(call.output)
    place = located(call.given("url"), world.source)
    number = envelope.get("version", "")
    if envelope.get("status") != "ok" or envelope.get("mode") == "outline":
        return
    if isinstance(place, str) or not (number.isascii() and number.isdecimal()):
        return
    if place.version not in (None, int(number)):
        return
    document = world.document(place.path, int(number))
    if document is None:
        return
    printed = envelope.get("section", "").removeprefix("#")
    asked = place.anchor or call.given("section") or None
    if asked is None and not printed:
        _add_whole(observation, document, document.sections, body)
        return
    section = anchored_section(document.sections, printed)
    wanted = None if asked is None else find_section(document.sections, asked)
    if section is not None and wanted == section:
        _add(observation, document, section, body)


def _looked_up(observation: Observation, call: Call, world: World, stubs: bool) -> None:
    envelope, _ = envelope_and_body(call.output)
    if envelope.get("status") != "ok":
        return
    texts = list(headed_texts(call.output))
    for index, headed in enumerate(texts):
        place = headed.location
        document = None if place is None else named_document(world, place)
        if place is None or document is None:
            continue
        text = shown_text(texts, index, stubs=stubs)
        if place.anchor is None:
            _add_whole(observation, document, document.sections, text)
        elif section := anchored_section(document.sections, place.anchor):
            _add(observation, document, section, text)


def _add(observation: Observation, document: Document, section: Section, text: str) -> None:
    observation.add(document, section.anchor, text)
    inside = [
        inner
        for inner in document.sections
        if inner != section and section.start <= inner.start and inner.end <= section.end
    ]
    _add_whole(observation, document, inside, text)


def _add_whole(
    observation: Observation, document: Document, sections: Iterable[Section], text: str
) -> None:
    """Add the sections that the text prints whole."""
    folded = fold(text)
    for section in sections:
        own = document.body[section.start : section.end]
        if fold(own) in folded:
            observation.add(document, section.anchor, own)
