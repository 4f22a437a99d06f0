"""`harness.lookup/1`: one JSON object into the `Case` of a recorded first lookup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from harness.decode import (
    Check,
    FieldError,
    Format,
    JsonObject,
    NullIs,
    PathFault,
    Positive,
    Text,
    Via,
    Whole,
    quoted,
    typed,
)
from harness.errors import Faults
from harness.model import Case, Document, Lookup, LookupGold, Query, Section
from harness.words import counted
from harness.worlds.assembly import in_row_order, lookup_case
from harness.worlds.model import PassagesByField
from harness.worlds.sections import outline_of
from harness.worlds.table import rows_of

LOOKUP_SCHEMA = "harness.lookup/1"


def _line_break(text: str) -> str | None:
    """Name a line break, which would break the header that names a path or an anchor."""
    return f"{quoted(text)} has a line break" if "\n" in text or "\r" in text else None


def _no_level(level: int) -> str | None:
    return None if 1 <= level <= 6 else f"is {level}, expected 1 to 6"


_OneLine = Annotated[Text, Check(_line_break)]


@dataclass(frozen=True, slots=True)
class _Section:
    anchor: Annotated[str, Check(_line_break)]
    level: Annotated[int, Check(_no_level)]
    start: Whole
    end: Whole
    lines: Positive


@dataclass(frozen=True, slots=True)
class _Document:
    path: _OneLine
    body: str
    sections: tuple[_Section, ...]
    version: Positive | None = None
    metadata: Annotated[JsonObject, NullIs(dict)] = field(default_factory=dict)

    def __post_init__(self) -> None:
        faults = [*_section_faults(self.sections, self.body)]
        if faults:
            raise FieldError(faults=faults)

    def document(self) -> Document:
        outline = outline_of(self.body)
        titles = {section.start: section.title for section in outline.sections}
        return Document(
            path=self.path,
            version=self.version,
            body=self.body,
            metadata=self.metadata,
            sections=tuple(
                Section(
                    section.anchor,
                    section.level,
                    section.start,
                    section.end,
                    section.lines,
                    titles.get(section.start, section.anchor),
                )
                for section in self.sections
            ),
            first_paragraph=outline.first_paragraph,
        )


def _section_faults(sections: Sequence[_Section], body: str) -> Iterator[PathFault]:
    """Name sections that are not within the body, after the one before, under their own anchor."""
    for place, section in enumerate(sections):
        path = ("sections", place)
        start, end = section.start, section.end
        if not 0 <= start < end <= len(body):
            yield (
                (*path, "end"),
                f"gives the range {start} to {end} of {counted(len(body), 'character')}",
            )
        elif start and body[start - 1] != "\n":
            yield (*path, "start"), f"is {start}, which is not the start of a line"
        if place and start <= sections[place - 1].start:
            yield (*path, "start"), f"is {start}, not after the section before it"
        if any(before.anchor == section.anchor for before in sections[:place]):
            yield (*path, "anchor"), f"{section.anchor!r} was given before"


@dataclass(frozen=True, slots=True)
class _GoldObject:
    outcome: Literal["answered", "not-found", "incomplete"]
    answer: JsonObject | None = None
    evidence: Annotated[PassagesByField, NullIs(dict)] = field(default_factory=dict)

    def gold(self) -> LookupGold:
        return LookupGold(self.answer, self.outcome, self.evidence)


@dataclass(frozen=True, slots=True)
class _LookupObject:
    """A recorded lookup as its line spells it."""

    case_id: Text
    query: str
    scope: str
    table: str
    spent_bytes: Whole
    documents: tuple[_Document, ...]
    category: str | None = None
    gold: Annotated[LookupGold, Via(_GoldObject, _GoldObject.gold)] | None = None

    def __post_init__(self) -> None:
        faults: list[PathFault] = []
        size = len(self.table.encode("utf-8"))
        if self.spent_bytes != size:
            message = f"is {self.spent_bytes}, but the table has {size} UTF-8 bytes"
            faults.append((("spent_bytes",), message))
        paths = [document.path for document in self.documents]
        faults += [
            (("documents", place, "path"), f"{path!r} was given before")
            for place, path in enumerate(paths)
            if path in paths[:place]
        ]
        if faults:
            raise FieldError(faults=faults)

    def case(self) -> Case:
        rows = rows_of(self.table)
        documents = [document.document() for document in self.documents]
        ordered = in_row_order(rows, documents)
        lookup = Lookup(self.scope, self.table, self.spent_bytes, rows, ordered)
        return lookup_case(self.case_id, self.category, Query(self.query), lookup, self.gold)


LOOKUP = Format(LOOKUP_SCHEMA, _LookupObject)


def lookup_case_of(tree: Any, faults: Faults, odd: Sequence[PathFault] = ()) -> Case | None:
    """Return the case of a line's tree, or None after adding every fault; `odd`: what `json_tree`
    found in it."""
    read = typed(LOOKUP, tree, faults, odd=odd)
    return None if read is None else read.case()
