"""A recorded first lookup: the table that was printed, and the documents that can be fetched.

A policy sees all of this: paths and versions are in the printed table. What it does not see are
the case's id, its category and its labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .authority import normalised
from .json_value import Json


class FetchError(Exception):
    """A document that a lookup cannot fetch; the message is the reason, to be printed in a note."""


class OutsideScopeError(FetchError):
    """A path outside a lookup's scope: nothing is asked for it."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of a document and the text under it, to the next heading of its level or above.

    `start`, `end`: code points of the body, from the heading line to the section's end.
    `lines`: lines of the section, the heading line included. `title`: the heading's text as it is
    written. `anchor` is unique in its document; an empty one cannot be cited.
    """

    anchor: str
    level: int
    start: int
    end: int
    lines: int
    title: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One version of a document. `sections` are in text order; `version` is None when unknown.

    `first_paragraph` is the source of the first paragraph outside quotes and lists, or empty.
    """

    path: str
    version: int | None
    body: str
    metadata: Mapping[str, Json] = field(default_factory=dict)
    sections: tuple[Section, ...] = ()
    first_paragraph: str = ""


@dataclass(frozen=True, slots=True)
class LookupRow:
    """A data row of the table: the document's path, and the section's anchor if the row has one."""

    path: str
    anchor: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """What a lookup printed, and what it may fetch.

    `table`: the printed text, envelope included; `spent_bytes`: its UTF-8 bytes.
    `rows`: its data rows in order. `documents`: first the rows' documents in the order in which the
    rows first name them, then the targets of their relations; a document's place here is its
    record's position. A row may name a document that is not there.
    """

    scope: str
    table: str
    spent_bytes: int
    rows: tuple[LookupRow, ...] = ()
    documents: tuple[Document, ...] = ()

    def fetch(self, path: str) -> tuple[int, Document]:
        """Return the position and the document of `path`.

        Raises `OutsideScopeError` outside the scope, `FetchError` for a document that does not
        exist.
        """
        if not self.within_scope(path):
            raise OutsideScopeError(f"outside the scope {self.scope}")
        wanted = normalised(path)
        for position, document in enumerate(self.documents):
            if document.path == path or normalised(document.path) == wanted:
                return position, document
        raise FetchError("not found")

    def within_scope(self, path: str) -> bool:
        """Return whether `path` is the scope itself or lies below it; segments are compared
        whole."""
        if ".." in path.split("/"):
            return False
        folder, place = normalised(self.scope).rstrip("/"), normalised(path)
        return place == folder or place.startswith(f"{folder}/")


@dataclass(frozen=True, slots=True)
class PrintedBlock:
    """A block of an expansion.

    `record`: position of its document. `location`: what its header says, after `>>> `.
    `related`: whether a relation led to it, not a row. `form`: `document`, `section`, `outline`
    or `stub` (the text is already printed at `same_as`, a location).
    `start`, `end`: the body's code points that it covers; equal for an outline.
    `anchor`: the anchor in its header, spelled as the row or relation spells it. `size`: its UTF-8
    bytes with its frame.
    """

    record: int
    location: str
    related: bool
    form: str
    start: int
    end: int
    anchor: str | None
    size: int
    same_as: str | None = None


@dataclass(frozen=True, slots=True)
class Expansion:
    """What was printed after a table.

    `text`: all of it, as printed. `blocks` in printed order. Bytes are UTF-8 bytes: of blocks with
    their frames (stubs apart), of relation lines, of notes (the closing note among them).
    `omitted`: locations that were refused for their size, with their estimated tokens.
    `rows`: data rows; `rows_expanded`: rows that printed a block; `related_documents`: documents
    that relations led to and that printed. `fetches`: documents asked for, failed ones and those
    outside the scope included.
    `coalesced`: candidates left out because what they hold, or part of it, was printed already.
    `over_budget_bytes`: printed bytes, notes among them, beyond what the budget covers.
    `short_by`: by how many bytes the budget would have to be larger for anything but a number in a
    note to change; None where nothing was refused for its size.
    """

    text: str = ""
    blocks: tuple[PrintedBlock, ...] = ()
    block_bytes: int = 0
    stub_bytes: int = 0
    relation_bytes: int = 0
    note_bytes: int = 0
    omitted: tuple[tuple[str, int], ...] = ()
    rows: int = 0
    rows_expanded: int = 0
    related_documents: int = 0
    fetches: int = 0
    coalesced: int = 0
    over_budget_bytes: int = 0
    short_by: int | None = None
