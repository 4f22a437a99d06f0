"""What a lookup finds: documents by title and tags (catalog), or sections by their text (body).

BM25 by the library that the recalls use, over what the lookup's scope holds; a text that shares no
word with the query is not found. A query with words of one letter or of a script without blanks is
divided into words of any script, and so are the texts; any other by the library. Ties go to the
greater importance, then to the smaller path, then to the earlier section. What is ranked has no
labels: they are not in these types.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from harness.model import Document, Json, Section
from harness.retrieval.lexical import (
    any_script_fingerprint,
    any_script_scores,
    bm25_scores,
    lexical_fingerprint,
)
from harness.retrieval.words import has_words_of_any_script
from harness.worlds.table import TableRow

Match = Literal["catalog", "body"]
MATCHES: tuple[Match, ...] = ("catalog", "body")
ROWS = 10
SNIPPET_CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class Found:
    """A row of a table, and the document that it is of."""

    row: TableRow
    document: Document


def ranking_fingerprint(queries: Iterable[str]) -> dict[str, Json]:
    """Return what decides the rows of the tables of these queries."""
    of_any_script = any(map(has_words_of_any_script, queries))
    return {
        "recall": "lookup: BM25 of title and tags, or of the text of sections",
        **(any_script_fingerprint() if of_any_script else lexical_fingerprint()),
        "rows": ROWS,
        "ties": "importance, path, place in the document",
    }


def search(documents: Sequence[Document], query: str, match: Match) -> tuple[list[Found], int]:
    """Return the first `ROWS` rows for `query`, and how many there are altogether."""
    entries = [entry for document in documents for entry in _entries(document, match)]
    scores_of = any_script_scores if has_words_of_any_script(query) else bm25_scores
    scores = scores_of(query, [text for text, _ in entries]).tolist()
    ranked = sorted(
        (
            (-score, -entry.row.importance, entry.row.path, place)
            for place, (score, (_, entry)) in enumerate(zip(scores, entries, strict=True))
            if score > 0
        ),
    )
    return [entries[place][1] for *_, place in ranked[:ROWS]], len(ranked)


def _entries(document: Document, match: Match) -> list[tuple[str, Found]]:
    """Return the texts that are ranked, each with its row."""
    if match == "catalog":
        row = _row(document)
        return [(f"{row.title} {' '.join(row.tags)}", Found(row, document))]
    if not document.sections:
        return [(document.body, Found(_row(document, None, document.body), document))]
    texts = [document.body[section.start : section.end] for section in document.sections]
    return [
        (text, Found(_row(document, section, text), document))
        for section, text in zip(document.sections, texts, strict=True)
    ]


def _row(document: Document, section: Section | None = None, text: str | None = None) -> TableRow:
    snippet = None if text is None else " ".join(text.split())[:SNIPPET_CHARACTERS]
    return TableRow(
        path=document.path,
        importance=_importance(document.metadata.get("importance")),
        title=_title(document),
        tags=_tags(document.metadata.get("tags")),
        anchor=None if section is None else section.anchor,
        snippet=snippet,
    )


def _title(document: Document) -> str:
    """Return the title in the metadata, else the first heading, else the path."""
    title = document.metadata.get("title")
    if isinstance(title, str) and title.strip():
        return title
    return document.sections[0].title if document.sections else document.path


def _tags(value: Json) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(item.strip() for item in items if isinstance(item, str) and item.strip())


def _importance(value: Json) -> float:
    """Return a number from 0 to 1; 0 where it is absent or not a number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return 0.0
    return min(1.0, max(0.0, number)) if number == number else 0.0
