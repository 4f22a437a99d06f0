"""The corpus of a frozen world: JSON Lines, one document a line."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from harness.decode.fields import ObjectReader, kind_of
from harness.decode.strict_json import decode
from harness.errors import Faults

from .model import DocumentVersion, StoredDocument


def corpus_text(documents: Iterable[StoredDocument]) -> str:
    """The lines of a corpus, by path; the same documents give the same text."""
    return "".join(
        json.dumps(_object(document), ensure_ascii=False, separators=(",", ":")) + "\n"
        for document in sorted(documents, key=lambda document: document.path)
    )


def read_lines(
    content: bytes,
    name: str,
    read: Callable[[Any, str, Faults], StoredDocument],
    unreadable: Faults,
    faults: Faults,
) -> dict[str, StoredDocument]:
    """The documents of JSON Lines by path, sorted, each line read by `read`.

    Lines that are not JSON are noted in `unreadable`, everything else that is wrong in `faults`.
    """
    documents = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{name} line {number}"
        try:
            value = decode(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            unreadable.add(f"{where} is not UTF-8 (byte {error.start + 1}: {error.reason})")
        except ValueError as error:
            unreadable.add(f"{where} {error}")
        else:
            documents.append(read(value, where, faults))
    return by_path(documents, name, faults)


def read_document(value: Any, where: str, faults: Faults) -> StoredDocument:
    """One line of a frozen corpus."""
    fields = ObjectReader(
        value, where, faults, ("path", "versions"), ("archived", "current_version")
    )
    path = document_path(fields, "path")
    versions = [_version(entry, place, faults) for place, entry in fields.items("versions")]
    return stored(fields, path, versions, archived=fields.boolean("archived"))


def stored(
    fields: ObjectReader, path: str, versions: list[DocumentVersion], *, archived: bool
) -> StoredDocument:
    """A document of versions that were read; an optional key `current_version` is looked up."""
    numbers = [version.number for version in versions]
    if not versions:
        fields.fault("", f"({path}) has no version")
    if any(later <= before for before, later in itertools.pairwise(numbers)):
        fields.fault("", f"({path}) has the versions {numbers}, expected them to rise")
    current = fields.whole_number("current_version") if fields.has("current_version") else None
    if current is not None and current not in numbers:
        fields.fault("current_version", f"is {current}, but the versions are {numbers}")
    last = max(numbers, default=1)
    return StoredDocument(path, tuple(versions), last if current is None else current, archived)


def document_path(fields: ObjectReader, key: str) -> str:
    """The path of a document, which a citation can name."""
    path = fields.text(key, empty=False)
    if path and not is_document_path(path):
        fields.fault(key, f"is {path!r}, expected one like '/folder/name.md'")
    return path


def is_document_path(path: str) -> bool:
    """Whether a path starts with `/`, ends with `.md`, and each of its parts is a name."""
    start, *parts = path.split("/")
    return not start and path.endswith(".md") and not {"", ".", ".."} & {*parts}


def metadata_of(fields: ObjectReader, key: str, faults: Faults) -> dict[str, str]:
    """Text by key; a value that is no text is a fault."""
    value = {} if fields.raw(key) is None else fields.json(key)
    reader = ObjectReader(value, fields.where(key), faults, (), value)
    if not isinstance(value, dict):
        return {}
    for name, entry in value.items():
        if not isinstance(entry, str):
            reader.fault(name, f"is {kind_of(entry)}, expected a string")
    return {name: entry for name, entry in value.items() if isinstance(entry, str)}


def by_path(
    documents: Iterable[StoredDocument], name: str, faults: Faults
) -> dict[str, StoredDocument]:
    """Documents by path, sorted; a path that two have is a fault."""
    found: dict[str, StoredDocument] = {}
    for document in documents:
        if document.path in found:
            faults.add(f"{name} holds {document.path!r} twice")
        found[document.path] = document
    return dict(sorted(found.items()))


def _version(value: Any, where: str, faults: Faults) -> DocumentVersion:
    fields = ObjectReader(value, where, faults, ("version", "body"), ("metadata", "modified"))
    number = fields.whole_number("version")
    if fields.has("version") and number < 1:
        fields.fault("version", f"is {number}, expected a number from 1")
    return DocumentVersion(
        number,
        fields.text("body"),
        metadata_of(fields, "metadata", faults),
        fields.date_or_null("modified"),
    )


def _object(document: StoredDocument) -> dict[str, Any]:
    value: dict[str, Any] = {"path": document.path}
    if document.archived:
        value["archived"] = True
    if document.versions and document.current != document.versions[-1].number:
        value["current_version"] = document.current
    value["versions"] = [dict(_version_items(version)) for version in document.versions]
    return value


def _version_items(version: DocumentVersion) -> Iterator[tuple[str, Any]]:
    yield "version", version.number
    if version.modified is not None:
        yield "modified", version.modified
    yield "metadata", dict(version.metadata)
    yield "body", version.body
