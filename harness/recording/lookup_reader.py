"""`harness.lookup/1`: one JSON object into the `Case` of a recorded first lookup."""

from __future__ import annotations

from typing import Any

from harness.decode.fields import ObjectReader, kind_of, schema_fault
from harness.errors import Faults
from harness.model import Case, Document, Lookup, LookupGold, Query, RequiredPassage, Section
from harness.worlds.assembly import in_row_order, lookup_case
from harness.worlds.sections import outline_of
from harness.worlds.table import rows_of

LOOKUP_SCHEMA = "harness.lookup/1"
OUTCOMES = ("answered", "not-found", "incomplete")


def lookup_case_of(value: Any, faults: Faults) -> Case:
    """The case of a decoded line; what it is worth when `faults` were added is undefined."""
    if isinstance(value, dict) and "schema" in value:
        wrong = schema_fault(value["schema"], LOOKUP_SCHEMA)
        if wrong is not None:
            faults.add(f"schema {wrong}")
            return Case("", Query(""))
    fields = ObjectReader(
        value,
        "",
        faults,
        required=("schema", "case_id", "query", "scope", "table", "spent_bytes", "documents"),
        optional=("category", "gold"),
    )
    table = fields.text("table")
    spent = fields.whole_number("spent_bytes")
    size = len(table.encode("utf-8", "surrogatepass"))
    if fields.has("spent_bytes") and spent != size:
        fields.fault("spent_bytes", f"is {spent}, but the table has {size} UTF-8 bytes")
    rows = rows_of(table)
    documents = [_document(entry, path, faults) for path, entry in fields.items("documents")]
    _refuse_repeated([document.path for document in documents], faults)
    lookup = Lookup(fields.text("scope"), table, spent, rows, in_row_order(rows, documents))
    gold = _gold(fields.raw("gold"), faults)
    case_id = fields.text("case_id", empty=False)
    category, query = fields.text_or_null("category"), Query(fields.text("query"))
    if len(faults):
        return Case(case_id, query)
    return lookup_case(case_id, category, query, lookup, gold)


def _document(value: Any, path: str, faults: Faults) -> Document:
    fields = ObjectReader(
        value,
        path,
        faults,
        required=("path", "body", "sections"),
        optional=("version", "metadata"),
    )
    body = fields.text("body")
    metadata = fields.json("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        fields.fault("metadata", f"is {kind_of(metadata)}, expected an object")
    version = None if fields.raw("version") is None else fields.whole_number("version")
    if version is not None and version < 1:
        fields.fault("version", f"is {version}, expected 1 or more, or null")
    path_of = fields.text("path", empty=False)
    _refuse_line_break(fields, "path", path_of)
    outline = outline_of(body)
    titles = {section.start: section.title for section in outline.sections}
    return Document(
        path=path_of,
        version=version,
        body=body,
        metadata=metadata if isinstance(metadata, dict) else {},
        sections=_sections(fields, body, titles, faults),
        first_paragraph=outline.first_paragraph,
    )


def _sections(
    document: ObjectReader, body: str, titles: dict[int, str], faults: Faults
) -> tuple[Section, ...]:
    """The sections, each within the body, after the one before it, under an anchor of its own."""
    found: list[Section] = []
    for path, entry in document.items("sections"):
        required = ("anchor", "level", "start", "end", "lines")
        fields = ObjectReader(entry, path, faults, required=required, optional=())
        start, end = fields.whole_number("start"), fields.whole_number("end")
        if not 0 <= start < end <= len(body):
            fields.fault("end", f"gives the range {start} to {end} of {len(body)} characters")
        elif start and body[start - 1] != "\n":
            fields.fault("start", f"is {start}, which is not the start of a line")
        if found and start <= found[-1].start:
            fields.fault("start", f"is {start}, not after the section before it")
        anchor = fields.text("anchor", empty=False)
        if any(section.anchor == anchor for section in found):
            fields.fault("anchor", f"{anchor!r} was given before")
        _refuse_line_break(fields, "anchor", anchor)
        level = fields.whole_number("level")
        if not 1 <= level <= 6:
            fields.fault("level", f"is {level}, expected 1 to 6")
        lines = fields.whole_number("lines")
        if lines < 1:
            fields.fault("lines", f"is {lines}, expected 1 or more")
        found.append(Section(anchor, level, start, end, lines, titles.get(start, anchor)))
    return tuple(found)


def _refuse_line_break(fields: ObjectReader, key: str, text: str) -> None:
    """A line break in a path or an anchor would break the header that names it."""
    if "\n" in text or "\r" in text:
        fields.fault(key, f"{text!r} has a line break")


def _refuse_repeated(paths: list[str], faults: Faults) -> None:
    for index, path in enumerate(paths):
        if path in paths[:index]:
            faults.add(f"documents[{index}].path {path!r} was given before")


def _gold(value: Any, faults: Faults) -> LookupGold | None:
    if value is None:
        return None
    fields = ObjectReader(
        value, "gold", faults, required=("answer", "outcome"), optional=("evidence",)
    )
    answer = fields.json("answer")
    if fields.has("answer") and not isinstance(answer, dict):
        fields.fault("answer", f"is {kind_of(answer)}, expected an object by field")
    outcome = fields.text("outcome")
    if fields.has("outcome") and outcome not in OUTCOMES:
        fields.fault("outcome", f"is {outcome!r}, expected one of {', '.join(OUTCOMES)}")
    evidence = fields.raw("evidence")
    if evidence is not None and not isinstance(evidence, dict):
        fields.fault("evidence", f"is {kind_of(evidence)}, expected an object by field")
    passages = {
        name: tuple(
            _passage(entry, path, faults)
            for path, entry in ObjectReader(
                evidence, "gold.evidence", faults, required=(), optional=evidence
            ).items(name)
        )
        for name in (evidence if isinstance(evidence, dict) else {})
    }
    return LookupGold(answer if isinstance(answer, dict) else {}, outcome, passages)


def _passage(value: Any, path: str, faults: Faults) -> RequiredPassage:
    required = ("path", "version", "anchor", "quote")
    fields = ObjectReader(value, path, faults, required=required, optional=())
    return RequiredPassage(
        fields.text("path", empty=False),
        fields.whole_number("version"),
        fields.text("anchor", empty=False),
        fields.text("quote", empty=False),
    )
