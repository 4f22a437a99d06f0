"""A recorded first lookup, printed readably."""

from __future__ import annotations

import json

from harness.model import Case, Document, Lookup, LookupGold, RequiredPassage, relations_of
from harness.words import counted
from harness.worlds.assembly import record_id_of
from harness.worlds.citable import fold

from .output import shown_or

_QUOTE_SHOWN = 80


def lookup_lines(case: Case, lookup: Lookup) -> list[str]:
    """Return what was asked, the labels, the table as it was printed, and the documents'
    headings."""
    rows = len(lookup.rows)
    lines = [
        f"lookup    {case.case_id}  ({shown_or(case.category, 'no category')})",
        f"query     {case.query.text}",
        f"scope     {lookup.scope}",
    ]
    if case.lookup_gold is not None:
        lines += _label_lines(case.lookup_gold, lookup)
    count = counted(rows, "row")
    lines += [f"table     {counted(lookup.spent_bytes, 'byte')}, {count}, as printed:", ""]
    lines += [f"    {line}".rstrip() for line in lookup.table.rstrip("\n").split("\n")]
    for place, document in enumerate(lookup.documents, start=1):
        lines += ["", *_document_lines(place, document, lookup)]
    return lines


def _label_lines(gold: LookupGold, lookup: Lookup) -> list[str]:
    answer = json.dumps(dict(gold.answer), ensure_ascii=False) if gold.answer else "–"
    lines = [f"outcome   {gold.outcome}", f"answer    {answer}"]
    for name, passages in gold.evidence.items():
        for passage in passages:
            place = f"{record_id_of(passage.path, passage.version)}#{passage.anchor}"
            lines.append(f"cites     {name}: {place}  ({_found(passage, lookup)})")
            lines.append(f"          “{_short(fold(passage.quote))}”")
    return lines


def _found(passage: RequiredPassage, lookup: Lookup) -> str:
    """Say where the passage's document comes from; only what is at hand can be printed."""
    versions = [document.version for document in lookup.documents if document.path == passage.path]
    if not versions:
        return "not at hand"
    if passage.version not in versions:
        return f"version {versions[0]} is at hand"
    return _source(passage.path, lookup)


def _source(path: str, lookup: Lookup) -> str:
    rows = [str(place) for place, row in enumerate(lookup.rows, start=1) if row.path == path]
    if not rows:
        return "target of a relation"
    return f"row {rows[0]}" if len(rows) == 1 else f"rows {', '.join(rows)}"


def _document_lines(place: int, document: Document, lookup: Lookup) -> list[str]:
    location = record_id_of(document.path, document.version)
    source = _source(document.path, lookup)
    lines = [f"{place:>3}. {location}  {source}  {counted(len(document.body), 'character')}"]
    for section in document.sections:
        indent = "  " * section.level
        count = counted(section.lines, "line")
        lines.append(f"   {indent}{section.title}  #{section.anchor}, {count}")
    lines += [
        f"     rel-{relation.predicate} {relation.reference}" for relation in relations_of(document)
    ]
    return lines


def _short(text: str) -> str:
    return text if len(text) <= _QUOTE_SHOWN else f"{text[:_QUOTE_SHOWN]}…"
