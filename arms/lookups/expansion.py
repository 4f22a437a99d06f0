"""Expanding a lookup's table under a budget.

Rows in table order, each followed by its document's relation line; then documents that relations
lead to; then what did not fit; then the closing note.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from harness.model import (
    Document,
    Expansion,
    FetchError,
    LookupRow,
    OutsideScopeError,
    find_section,
    relations_of,
    same_authority,
)

from .documents import (
    Piece,
    is_large,
    matching_sections,
    outline,
    section_piece,
    whole,
)
from .printing import Printer
from .relations import relation_line, strongest_first
from .settings import ExpansionSettings
from .wording import query_terms, tokens

Fetch = Callable[[str], tuple[int, Document]]
"""The position and the document of a path; raises `FetchError`, or `LookupCancelledError`."""


class LookupCancelledError(Exception):
    """Raised by a fetch that is not to go on; the message is printed in a note."""


def expand(
    rows: Sequence[LookupRow],
    query: str,
    spent_bytes: int,
    fetch: Fetch,
    settings: ExpansionSettings,
) -> Expansion:
    """Return what is printed after a table of `rows`, whose result took `spent_bytes` so far.

    Empty without rows or without a budget. Notes may exceed the budget; so may a block or relation
    line by the first line break, if that is not charged.
    """
    budget = settings.budget_bytes
    if not rows or budget <= 0:
        return Expansion(rows=len(rows))
    spent = spent_bytes if settings.whole_result else 0
    printer = Printer(settings, budget - spent)
    if printer.is_spent():
        used, allowed = tokens(spent), tokens(budget)
        printer.note(
            f"the table alone used {used} of {allowed} result tokens; raise budget or fetch a row"
        )
        return printer.result(covered=budget - spent, rows=len(rows))
    if settings.charge_first_break:
        printer.remaining -= 1
    walk = _Walk(rows, query_terms(query), fetch, settings, printer)
    walk.run()
    return printer.result(
        covered=budget - spent,
        rows=len(rows),
        rows_expanded=walk.rows_expanded,
        related_documents=walk.related_documents,
        fetches=walk.fetches,
    )


@dataclass(slots=True)
class _Walk:
    """One expansion under way. `documents` holds what was fetched, None for what failed."""

    rows: Sequence[LookupRow]
    terms: tuple[str, ...]
    fetch: Fetch
    settings: ExpansionSettings
    printer: Printer
    rows_expanded: int = 0
    related_documents: int = 0
    fetches: int = 0
    cancelled: bool = False
    documents: dict[str, tuple[int, Document] | None] = field(default_factory=dict)
    seeds: list[Document] = field(default_factory=list)
    _outside_scope: int = 0
    _limit_noted: bool = False
    _lines_tried: set[str] = field(default_factory=set)
    _targets: set[str] = field(default_factory=set)
    _first_printed: str | None = None

    def run(self) -> None:
        self._rows()
        for seed in self.seeds:
            self._hop(seed)
        self.printer.omission_note()
        related = self.related_documents
        also = f" and {related} related documents" if related else ""
        total = len(self.rows)
        self.printer.closing_note(
            f"expanded {self.rows_expanded} of {total} rows{also} within the budget"
        )

    def _rows(self) -> None:
        for row in self.rows:
            if self._is_over():
                return
            fetched = self._document(row.path)
            if fetched is not None and self._print(*fetched, row.anchor, related=False):
                self.rows_expanded += 1
                self._relate(fetched[1])

    def _is_over(self) -> bool:
        return self.cancelled or self.printer.is_spent()

    def _document(self, path: str) -> tuple[int, Document] | None:
        """Return the document of a path, fetched once; None where that failed or may not be
        tried."""
        if path in self.documents:
            return self.documents[path]
        if self.fetches - self._outside_scope >= self.settings.max_fetches:
            if not self._limit_noted:
                self._limit_noted = True
                self.printer.note(f"stopped after {self.settings.max_fetches} fetches")
            return None
        try:
            fetched = self.fetch(path)
        except LookupCancelledError as reason:
            self.cancelled = True
            self.printer.note(f"stopped: {reason}")
            return None
        except FetchError as reason:
            self.fetches += 1
            self._outside_scope += isinstance(reason, OutsideScopeError)
            self.documents[path] = None
            self.printer.note(f"could not fetch {path}: {reason}")
            return None
        self.fetches += 1
        self.documents[path] = fetched
        return fetched

    def _print(self, record: int, document: Document, fragment: str | None, related: bool) -> bool:
        """Print what a row or a relation asks of a document; return whether it printed anything."""

        def printed(piece: Piece) -> bool:
            return self.printer.piece(record, document, piece, related=related)

        if fragment is not None:
            section = find_section(document.sections, fragment)
            if section is None:
                self.printer.note(f"{document.path} has no section #{fragment}")
                return False
            return printed(section_piece(document, section, fragment))
        if not is_large(document, self.settings.outline_threshold):
            return printed(whole(document, pin=self.settings.pin))
        matches = [printed(piece) for piece in matching_sections(document, self.terms)]
        return any(matches) or printed(outline(document))

    def _relate(self, document: Document) -> None:
        """Print the document's relation line, once; the first document that printed is followed."""
        if self._first_printed is None:
            self._first_printed = document.path
        if self.settings.hop == "none" or document.path in self._lines_tried:
            return
        line_printed = self._relation_line(document)
        first = document.path == self._first_printed
        if line_printed and (first or self.settings.hop == "every-row"):
            self.seeds.append(document)

    def _relation_line(self, document: Document) -> bool:
        # also if the line is refused: it is tried once per document
        self._lines_tried.add(document.path)
        relations = relations_of(document)
        return bool(relations) and self.printer.relation_line(relation_line(relations))

    def _hop(self, seed: Document) -> None:
        """Print documents that the seed's relations lead to; none of them is followed."""
        table = {row.path for row in self.rows}
        relations = strongest_first(relations_of(seed), self.settings.hop_predicates)
        for relation in relations:
            if self._is_over() or self.related_documents >= self.settings.max_related:
                return
            target = relation.target
            followed = target in self._targets or target in table
            if followed or not same_authority(seed.path, target):
                continue
            self._targets.add(target)
            fetched = self._document(target)
            if fetched is not None and self._print(*fetched, relation.fragment, related=True):
                self.related_documents += 1
                if fetched[1].path not in self._lines_tried:
                    self._relation_line(fetched[1])
