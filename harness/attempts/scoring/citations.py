"""Whether a citation is valid, which required passages it covers, and how it fell short."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from harness.model import Document, PrintedBlock, RequiredPassage, Section
from harness.worlds import Marking, World, anchored_section
from harness.worlds.citable import fold, holds_passage

from .answer import Citation, differs_by_formatting
from .observation import Location, Observation, located


class Reason(Enum):
    """Why something that was almost right is not."""

    VALUE_FORMAT = "value differs by formatting"
    VERSION = "wrong version"
    SIBLING = "anchor of a sibling"
    NO_ANCHOR = "no anchor"
    NOT_OBSERVED = "quote not observed"
    QUOTE_FORMAT = "quote differs by formatting"
    PART_OF_QUOTE = "quote leaves out part of the required one"
    AMBIGUOUS = "section around it holds the quote more than once"
    OTHER_FIELD = "cited for another field"
    NOT_CITED = "observed but not cited"
    CALL = "call differs"


@dataclass(frozen=True, slots=True)
class NearMiss:
    """`subject`: the field of the answer, or the step of a completion. `given`: the value, URL or
    call; `detail`: what was expected, or where it differs."""

    subject: str
    reason: Reason
    given: str
    detail: str


@dataclass(frozen=True, slots=True)
class CheckedCitation:
    """`fault` is None for a valid citation; `covers` are the passages that a valid one covers."""

    citation: Citation
    covers: tuple[RequiredPassage, ...] = ()
    fault: str | None = None
    near_misses: tuple[NearMiss, ...] = ()


@dataclass(frozen=True, slots=True)
class _Cited:
    """A citation whose section exists."""

    citation: Citation
    document: Document
    section: Section

    @property
    def text(self) -> str:
        return self.document.body[self.section.start : self.section.end]

    def supports(self, passage: RequiredPassage) -> bool:
        """Return whether the quote contains the passage's, from its section or from one around it
        in which the passage's quote stands exactly once."""
        return fold(passage.quote) in fold(self.citation.quote) and self.could_hold(passage)

    def is_around(self, passage: RequiredPassage) -> bool:
        """Return whether the passage's section is the one that is cited, or lies in it."""
        document, section = self.document, self.section
        own = anchored_section(document.sections, passage.anchor)
        same = (document.path, document.version) == (passage.path, passage.version)
        return same and own is not None and section.start <= own.start and own.end <= section.end

    def could_hold(self, passage: RequiredPassage) -> bool:
        section = self.section
        block = PrintedBlock(
            0, "", False, "section", section.start, section.end, section.anchor, len(self.text)
        )
        return holds_passage(block, self.document, passage)


def check_citation(
    citation: Citation, marking: Marking, world: World, shown: Observation
) -> CheckedCitation:
    """Check one citation of an answer against the rubric and what the reader was shown.

    It is valid if its URL names an existing section of a version, the quote is text of that section
    and was shown as such, and it supports a passage, mandatory or supplemental, of its own field.
    White space is folded.
    """
    place = located(citation.url, world.source)
    cited = _cited(citation, place, world)
    if isinstance(cited, str):
        misses = () if isinstance(place, str) else _misplaced(citation, place, marking)
        return CheckedCitation(citation, (), cited, tuple(misses))
    own = _passages(marking, citation.field)
    supported = tuple(passage for passage in own if cited.supports(passage))
    fault = _fault(cited, supported, shown)
    if fault is None:
        return CheckedCitation(citation, supported)
    return CheckedCitation(
        citation, (), fault, tuple(_near_misses(cited, marking, supported, shown))
    )


def _cited(citation: Citation, place: Location | str, world: World) -> _Cited | str:
    """Return the section that is cited, or why there is none."""
    if isinstance(place, str):
        return place
    if place.version is None or place.anchor is None:
        return f"{citation.url!r} names no {'version' if place.version is None else 'section'}"
    if not fold(citation.quote):
        return f"the quote for {citation.url!r} is empty"
    document = world.document(place.path, place.version)
    if document is None:
        return f"{citation.url!r} names no version of a document of the world"
    section = anchored_section(document.sections, place.anchor)
    if section is None:
        return f"{citation.url!r} names no section of that version"
    return _Cited(citation, document, section)


def _fault(cited: _Cited, supported: tuple[RequiredPassage, ...], shown: Observation) -> str | None:
    citation = cited.citation
    if fold(citation.quote) not in fold(cited.text):
        return f"the quote is not in {citation.url!r}"
    document = cited.document
    if not shown.shows(document.path, document.version, cited.section.anchor, citation.quote):
        return f"the quote was not shown as text of {citation.url!r}"
    if not supported:
        return f"{citation.url!r} supports nothing that {citation.field!r} may cite"
    return None


def _near_misses(
    cited: _Cited, marking: Marking, supported: tuple[RequiredPassage, ...], shown: Observation
) -> Iterator[NearMiss]:
    citation, document, anchor = cited.citation, cited.document, cited.section.anchor
    if fold(citation.quote) not in fold(cited.text):
        if differs_by_formatting(citation.quote, cited.text):
            yield _miss(citation, Reason.QUOTE_FORMAT, citation.quote)
            return
    elif supported:
        if not shown.shows(document.path, document.version, anchor, citation.quote):
            yield _miss(citation, Reason.NOT_OBSERVED, citation.url)
        return
    own = _passages(marking, citation.field)
    around = [
        passage
        for passage in own
        if cited.is_around(passage) and _alike(citation.quote, passage.quote)
    ]
    if around:
        for passage in around:
            whole = fold(passage.quote) in fold(citation.quote)
            reason = Reason.AMBIGUOUS if whole else Reason.PART_OF_QUOTE
            yield _miss(citation, reason, f"expected {place_of(passage)}: {passage.quote}")
        return
    place = Location(document.path, document.version, anchor)
    misplaced = list(_misplaced(citation, place, marking))
    yield from misplaced
    if not misplaced:
        for field in marking.evidence:
            if field != citation.field and any(map(cited.supports, _passages(marking, field))):
                yield _miss(citation, Reason.OTHER_FIELD, f"it supports {field}")


def _misplaced(citation: Citation, place: Location, marking: Marking) -> Iterator[NearMiss]:
    """Yield required quotes of the field that were quoted from another version, section or no
    section."""
    for passage in _passages(marking, citation.field):
        alike = _alike(citation.quote, passage.quote)
        if passage.path != place.path or not (alike or place.anchor == passage.anchor):
            continue
        expected = f"expected {place_of(passage)}"
        if place.version != passage.version:
            yield _miss(citation, Reason.VERSION, expected)
        elif place.anchor is None:
            yield _miss(citation, Reason.NO_ANCHOR, expected)
        elif place.anchor != passage.anchor:
            yield _miss(citation, Reason.SIBLING, expected)


def _alike(first: str, second: str) -> bool:
    """Return whether one quote is part of the other."""
    left, right = fold(first), fold(second)
    return bool(left and right) and (left in right or right in left)


def place_of(passage: RequiredPassage) -> str:
    return str(Location(passage.path, passage.version, passage.anchor))


def _passages(marking: Marking, field: str) -> tuple[RequiredPassage, ...]:
    """Return what a field may cite: its mandatory passages, then the supplemental ones."""
    return (*marking.evidence.get(field, ()), *marking.supplemental.get(field, ()))


def _miss(citation: Citation, reason: Reason, detail: str) -> NearMiss:
    return NearMiss(citation.field, reason, citation.url, detail)
