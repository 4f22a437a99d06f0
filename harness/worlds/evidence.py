"""Whether a passage of the rubric stands where the rubric says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.decode import quoted
from harness.errors import listed, nearest
from harness.model import RequiredPassage, Section

from .model import DocumentVersion, StoredDocument, within
from .sections import anchored_section

_SHOWN = 3


def passage_faults(
    passage: RequiredPassage, scope: str, documents: Mapping[str, StoredDocument] | None
) -> Iterator[str]:
    """Yield what is wrong with a passage of a task confined to `scope`; None for `documents` looks
    at the scope alone."""
    if not within(scope, passage.path):
        yield f"names {passage.path}, outside the scope {scope}"
    if documents is None:
        return
    document = documents.get(passage.path)
    if document is None:
        yield f"names {passage.path}, which is not a document{nearest(passage.path, documents)}"
        return
    if document.archived:
        yield f"names {passage.path}, which is archived: no reader can fetch it"
    version = document.version(passage.version)
    if version is None:
        numbers = [str(version.number) for version in document.versions]
        yield f"names {passage.path} v{passage.version}; its versions are {listed(numbers)}"
        return
    if fault := quote_fault(passage, version):
        yield fault


def quote_fault(passage: RequiredPassage, version: DocumentVersion) -> str | None:
    """Return what keeps the quote from being raw text of that section of this version, or None."""
    where = f"{passage.path} v{version.number}"
    sections = version.outline.sections
    section = anchored_section(sections, passage.anchor)
    if section is None:
        anchors = [section.anchor for section in sections]
        return (
            f"names the section #{passage.anchor} of {where}, which has none such"
            f"{nearest(passage.anchor, anchors)}{_elsewhere(passage.quote, version)}"
        )
    if passage.quote in version.body[section.start : section.end]:
        return None
    return (
        f"quotes {quoted(passage.quote)}, which is not in {where}#{passage.anchor}"
        f"{_elsewhere(passage.quote, version)}"
    )


def _elsewhere(quote: str, version: DocumentVersion) -> str:
    """Return where in the version the quote is, or how it differs from what is there."""
    sections = [section for section in version.outline.sections if _holds(version, section, quote)]
    innermost = [
        section
        for section in sections
        if not any(other.start > section.start and other.end <= section.end for other in sections)
    ]
    if innermost:
        anchors = [f"#{section.anchor}" for section in innermost[:_SHOWN]]
        return f"; the quote is in {listed(anchors)}"
    if quote in version.body:
        return "; the quote is there outside every section"
    if " ".join(quote.split()) in " ".join(version.body.split()):
        return "; the quote is there with other white space, but it must be raw text"
    return ""


def _holds(version: DocumentVersion, section: Section, quote: str) -> bool:
    return quote in version.body[section.start : section.end]
