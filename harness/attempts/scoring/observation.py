"""What a reader was shown, section by section: only that can be cited.

A fetch shows a document or a section of it; a lookup shows the blocks under its table. A block's
text belongs to the section that its header names, and to every section inside that is printed
whole. A block without an anchor shows the sections that it prints whole. Tables with their
snippets, outlines, notes and relation lines show nothing. A stub shows its own few words, unless
stubs count: then the text that it names, printed before it in the same result.

Blocks print where they are from, and readers cite and fetch by the same spelling: a location.
What a tool printed is read back as its envelope and the blocks of an expansion.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from harness.model import Document, Section, find_section
from harness.worlds import World, anchored_section
from harness.worlds.citable import fold

from .attempts import FETCH_TOOL, LOOKUP_TOOL, Call

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


_SCHEME = "mark"
_DEFAULT_PORT = 6309
_VERSIONED = re.compile(r"(?P<path>/.+?\.md)(?:/v(?P<version>[1-9][0-9]*))?")
_PRINTED = re.compile(r"(?P<path>/.+\.md)(?:/v(?P<version>[1-9][0-9]*))?(?:#(?P<anchor>[^#\s]+))?")


@dataclass(frozen=True, slots=True)
class Location:
    """A document, and its version and section where they are named."""

    path: str
    version: int | None = None
    anchor: str | None = None

    def __str__(self) -> str:
        version = "" if self.version is None else f"/v{self.version}"
        return f"{self.path}{version}" + ("" if self.anchor is None else f"#{self.anchor}")


def printed_location(header: str) -> Location | None:
    """Return the location that a block's header is, after `>>> `; None for any other header."""
    match = _PRINTED.fullmatch(header)
    return None if match is None else _location(match, match["anchor"])


def located(url: str, source: str | None) -> Location | str:
    """Return the place that a URL names, or why it names none.

    The scheme is empty or `mark`; the host is empty or that of `source`, whose default port is
    ignored; there is neither a query nor a user.
    """
    if not url or any(letter.isspace() or not letter.isprintable() for letter in url):
        return f"{url!r} is not a URL"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        return f"{url!r} is not a URL ({error})"
    if parts.scheme not in ("", _SCHEME):
        return f"{url!r} has the scheme {parts.scheme!r}, expected {_SCHEME!r} or none"
    if "?" in url.partition("#")[0] or "@" in parts.netloc:
        return f"{url!r} has a query or a user"
    if parts.netloc and _server(parts.hostname, port) != _server_of(source):
        return f"{url!r} is on another server than {source or 'the world, which names none'}"
    match = _VERSIONED.fullmatch(unquote(parts.path))
    if match is None:
        return f"{url!r} is not a path of a document, such as /folder/name.md/v1#section"
    return _location(match, unquote(parts.fragment) or None)


def _location(match: re.Match[str], anchor: str | None) -> Location:
    version = match["version"]
    return Location(match["path"], None if version is None else int(version), anchor)


def _server_of(source: str | None) -> tuple[str, int] | None:
    if source is None:
        return None
    try:
        parts = urlsplit(source)
        return _server(parts.hostname, parts.port)
    except ValueError:
        return None


def _server(host: str | None, port: int | None) -> tuple[str, int]:
    return (host or "").lower(), _DEFAULT_PORT if port is None else port


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
