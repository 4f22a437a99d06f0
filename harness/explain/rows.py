"""The rows of a lookup's table, and what relations led to: printed or not, and why."""

from __future__ import annotations

from collections.abc import Iterable

from harness.model import (
    Expansion,
    FetchError,
    Lookup,
    LookupRow,
    PrintedBlock,
    find_section,
)
from harness.words import counted

from .explanation import RowReason
from .subject import ExplainedSelection

_NOTE = ">>> note: "
"""How a line begins that says what happened; no line of a document is printed so."""


def explain_rows(subject: ExplainedSelection) -> tuple[tuple[str, ...], tuple[RowReason, ...]]:
    """Return the blocks of each row in table order, or why it has none; then what no row asked
    for."""
    lookup = subject.case.lookup
    if lookup is None:
        return (), ()
    reading = _Reading(subject, lookup)
    reasons = [
        reason
        for number, row in enumerate(lookup.rows, start=1)
        for reason in reading.of_row(number, row)
    ]
    return _facts(subject), (*reasons, *reading.others())


def _facts(subject: ExplainedSelection) -> tuple[str, ...]:
    expansion = subject.expansion
    facts = [
        f"{expansion.rows_expanded:,} of {counted(expansion.rows, 'row')} "
        f"printed a block, relations led to "
        f"{counted(expansion.related_documents, 'more document')}; {expansion.fetches:,} fetches."
    ]
    if expansion.coalesced:
        facts.append(f"Left out because their text stands already: {expansion.coalesced:,}.")
    if expansion.omitted:
        facts.append(f"Did not fit: {len(expansion.omitted):,}.")
    if expansion.over_budget_bytes:
        facts.append(f"Beyond the budget: {counted(expansion.over_budget_bytes, 'printed byte')}.")
    if expansion.short_by is not None:
        facts.append(
            f"From {counted(expansion.short_by, 'byte')} more of budget on, "
            f"something else is printed."
        )
    return (*facts, *(f"Note: {note}" for note in _notes(expansion)))


def _notes(expansion: Expansion) -> list[str]:
    lines = expansion.text.split("\n")
    return [line.removeprefix(_NOTE) for line in lines if line.startswith(_NOTE)]


class _Reading:
    """What of the expansion no row has claimed yet."""

    def __init__(self, subject: ExplainedSelection, lookup: Lookup) -> None:
        self._subject = subject
        self._lookup = lookup
        self._blocks = list(subject.expansion.blocks)
        self._omitted = list(subject.expansion.omitted)
        self._anchored = {(row.path, row.anchor) for row in lookup.rows if row.anchor is not None}

    def of_row(self, number: int, row: LookupRow) -> list[RowReason]:
        """Return what the row printed, and what of it did not fit; else why nothing is there."""
        blocks = [block for block in self._blocks if self._asked_by(row, block)]
        self._blocks = [block for block in self._blocks if block not in blocks]
        refused = [entry for entry in self._omitted if self._names(row, entry[0])]
        self._omitted = [entry for entry in self._omitted if entry not in refused]
        reasons = [*_printed(number, blocks), *_refused(number, refused)]
        if reasons:
            return reasons
        where = row.path if row.anchor is None else f"{row.path}#{row.anchor}"
        return [RowReason(number, where, None, None, False, self._why_not(row))]

    def others(self) -> list[RowReason]:
        """Return what relations led to, and whatever else no row asked for."""
        return [*_printed(None, self._blocks), *_refused(None, self._omitted)]

    def _path(self, block: PrintedBlock) -> str:
        return self._lookup.documents[block.record].path

    def _asked_by(self, row: LookupRow, block: PrintedBlock) -> bool:
        path = self._path(block)
        if block.related or path != row.path:
            return False
        if row.anchor is None:
            return (path, block.anchor) not in self._anchored or block.form != "section"
        return block.anchor == row.anchor and block.form in ("section", "stub")

    def _names(self, row: LookupRow, location: str) -> bool:
        """Return whether a refused location is the row's: its path, a version or none, its
        anchor."""
        path, _, anchor = location.partition("#")
        same = path == row.path or path.startswith(f"{row.path}/v")
        return same and (row.anchor is None or anchor == row.anchor)

    def _why_not(self, row: LookupRow) -> str:
        expansion = self._subject.expansion
        if not expansion.blocks and not expansion.omitted:
            return "nothing is expanded"
        try:
            record, document = self._lookup.fetch(row.path)
        except FetchError as error:
            return f"could not be fetched: {error}"
        start, end = 0, len(document.body)
        if row.anchor is not None:
            section = find_section(document.sections, row.anchor)
            if section is None:
                return f"the document has no section #{row.anchor}"
            start, end = section.start, section.end
        for block in expansion.blocks:
            if block.record == record and block.start < end and start < block.end:
                return f"its text, or part of it, stands already: {block.location}"
        return "not printed; the notes say what ended the walk"


def _printed(row: int | None, blocks: Iterable[PrintedBlock]) -> list[RowReason]:
    return [
        RowReason(row, block.location, block.form, block.size, True, _why(block))
        for block in blocks
    ]


def _why(block: PrintedBlock) -> str:
    if block.same_as is not None:
        return f"named only: same text as {block.same_as}"
    return "a relation led to it" if block.related else "fits"


def _refused(row: int | None, omitted: Iterable[tuple[str, int]]) -> list[RowReason]:
    return [
        RowReason(
            row, location, None, None, False, f"did not fit: about {counted(tokens, 'token')}"
        )
        for location, tokens in omitted
    ]
