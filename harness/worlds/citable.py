"""Required passages under a citable header.

A reader can cite a passage when it stands in a printed block whose header names its path, its
version and an anchor: the passage's own, or that of a section around it in which the quote occurs
exactly once. White space is folded. A block without an anchor, and an outline, are never citable.
A stub names its section without printing it; whether it counts is the caller's declared choice.
"""

from __future__ import annotations

from collections.abc import Iterable

from harness.model import Document, LookupGold, PrintedBlock, RequiredPassage


def fields_with_evidence(gold: LookupGold) -> list[str]:
    """Return the answer's fields that must cite something."""
    return [name for name, passages in gold.evidence.items() if passages]


def citable_fields(
    gold: LookupGold,
    blocks: Iterable[PrintedBlock],
    documents: tuple[Document, ...],
    *,
    stubs: bool = False,
) -> list[str]:
    """Return the fields all of whose passages can be cited from the blocks."""
    chosen = [block for block in blocks if block.anchor is not None and _has_text(block, stubs)]
    return [
        name
        for name in fields_with_evidence(gold)
        if all(
            any(holds_passage(block, documents[block.record], passage) for block in chosen)
            for passage in gold.evidence[name]
        )
    ]


def holds_passage(block: PrintedBlock, document: Document, passage: RequiredPassage) -> bool:
    """Return whether the passage stands in the block under a header that is its own or
    unambiguous."""
    if (document.path, document.version) != (passage.path, passage.version):
        return False
    text = fold(document.body[block.start : block.end])
    quote = fold(passage.quote)
    if block.anchor == passage.anchor:
        return quote in text
    sections = {section.anchor: section for section in document.sections}
    own = sections.get(passage.anchor)
    around = None if block.anchor is None else sections.get(block.anchor)
    if own is None or around is None:
        return False
    return around.start < own.start and own.end <= around.end and text.count(quote) == 1


def fold(text: str) -> str:
    """Return white space folded to single blanks, none at the ends."""
    return " ".join(text.split())


def _has_text(block: PrintedBlock, stubs: bool) -> bool:
    return block.form in ("document", "section") or (stubs and block.form == "stub")
