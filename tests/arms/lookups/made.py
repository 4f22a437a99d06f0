"""Documents and lookups made by hand for the tests."""

from __future__ import annotations

import re
from collections.abc import Callable

from arms.lookups import ExpansionSettings, LookupCancelledError, expand
from harness.model import Document, Expansion, FetchError, Lookup, LookupRow, Section

_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)


def document(path: str, body: str, version: int | None = None, **relations: str) -> Document:
    """A document whose headings are ATX lines with plain text, each different; `rel_x=…` are its
    relations."""
    headings = list(_HEADING.finditer(body))
    sections = []
    for place, heading in enumerate(headings):
        level = len(heading[1])
        later = (other.start() for other in headings[place + 1 :] if len(other[1]) <= level)
        start, end = heading.start(), next(later, len(body))
        lines = body[start:end].rstrip("\n").count("\n") + 1
        anchor = heading[2].lower().replace(" ", "-")
        sections.append(Section(anchor, level, start, end, lines, heading[2]))
    metadata = {name.replace("_", "-"): value for name, value in relations.items()}
    paragraph = next((part for part in body.split("\n\n") if part[:1] not in ("#", "")), "")
    return Document(path, version, body, metadata, tuple(sections), paragraph)


def rows(*locations: str) -> tuple[LookupRow, ...]:
    parts = [location.partition("#") for location in locations]
    return tuple(LookupRow(path, anchor or None) for path, _, anchor in parts)


class Fetcher:
    """Fetches from the given documents, and remembers what was asked for."""

    def __init__(self, *documents: Document, cancel_after: int | None = None) -> None:
        self.documents = documents
        self.asked: list[str] = []
        self._cancel_after = cancel_after

    def __call__(self, path: str) -> tuple[int, Document]:
        if self._cancel_after is not None and len(self.asked) >= self._cancel_after:
            raise LookupCancelledError("context canceled")
        self.asked.append(path)
        for position, each in enumerate(self.documents):
            if each.path == path:
                return position, each
        raise FetchError("not found")


def expanded(
    table: tuple[LookupRow, ...],
    fetch: Callable[[str], tuple[int, Document]],
    *,
    query: str = "",
    spent: int = 0,
    tokens: int = 10_000,
    **settings: object,
) -> Expansion:
    made = ExpansionSettings(budget_tokens=tokens, **settings)  # type: ignore[arg-type]
    return expand(table, query, spent, fetch, made)


def lookup(table: tuple[LookupRow, ...], *documents: Document, scope: str = "/") -> Lookup:
    printed = "".join(f"| {row.path} | 0.50 | T | |\n" for row in table)
    return Lookup(scope, printed, len(printed.encode()), table, documents)
