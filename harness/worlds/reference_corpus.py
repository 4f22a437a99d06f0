"""The corpora of the reference formats: an archive of raw documents, and a plain list.

Source: the files of demarkus, in our own words (docs/worlds.md).
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

from harness.decode.fields import ObjectReader, kind_of
from harness.errors import Faults

from .corpus_lines import by_path, document_path, metadata_of, stored
from .front_matter import split_front_matter
from .model import DocumentVersion, StoredDocument

# The archive is private, and so are the names of a version's keys: each of these is taken.
_NUMBER = ("Version", "Number")
_CONTENT = ("Content", "Raw", "Data", "Body")
_MODIFIED = ("Modified", "ModifiedAt", "ModTime")


def read_archived(value: Any, where: str, faults: Faults) -> StoredDocument:
    """One line of an archive: `{Path, Document: {Versions: […], Archived}}`."""
    outer = ObjectReader(value, where, faults, ("Path", "Document"), ())
    path = document_path(outer, "Path")
    fields = ObjectReader(
        outer.raw("Document") if outer.has("Document") else {"Versions": [], "Archived": False},
        outer.where("Document"),
        faults,
        ("Versions",),
        ("Archived",),
    )
    versions = [
        _archived_version(entry, place, faults) for place, entry in fields.items("Versions")
    ]
    return stored(fields, path, versions, archived=fields.boolean("Archived"))


def read_plain(value: Any, name: str, faults: Faults) -> dict[str, StoredDocument]:
    """A list of `{path, metadata, versions: [body…], current_version?}`; version N is entry N."""
    if not isinstance(value, list):
        faults.add(f"{name} is {kind_of(value)}, expected a list of documents")
        return {}
    documents = []
    for place, entry in enumerate(value):
        fields = ObjectReader(
            entry,
            f"{name}[{place}]",
            faults,
            ("path", "metadata", "versions"),
            ("current_version",),
        )
        metadata = metadata_of(fields, "metadata", faults)
        versions = [
            DocumentVersion(number, body, metadata)
            for number, body in enumerate(fields.texts("versions"), start=1)
        ]
        documents.append(stored(fields, document_path(fields, "path"), versions, archived=False))
    return by_path(documents, name, faults)


def _archived_version(value: Any, where: str, faults: Faults) -> DocumentVersion:
    names = (*_NUMBER, *_CONTENT, *_MODIFIED)
    fields = ObjectReader(value, where, faults, (), names)
    number, content, modified = (_one_of(fields, keys) for keys in (_NUMBER, _CONTENT, _MODIFIED))
    if fields.has(number) and fields.whole_number(number) < 1:
        fields.fault(number, "is not a number from 1")
    text = split_front_matter(_raw_text(fields, content))
    for fault in text.faults:
        fields.fault(content, f"has front matter whose {fault}")
    return DocumentVersion(
        fields.whole_number(number), text.body, text.metadata, fields.date_or_null(modified)
    )


def _one_of(fields: ObjectReader, names: tuple[str, ...]) -> str:
    """The one of several spellings that an object has."""
    found = [name for name in names if fields.has(name)]
    if not found and names is not _MODIFIED:
        fields.fault(names[0], f"is missing (so are {', '.join(names[1:])})")
    elif len(found) > 1:
        fields.fault(found[1], f"says the same as {found[0]}; expected one of them")
    return found[0] if found else names[0]


def _raw_text(fields: ObjectReader, key: str) -> str:
    """Raw bytes are base64 in JSON; Markdown, with its blanks and line breaks, never is."""
    text = fields.text(key)
    try:
        raw = base64.b64decode(text, validate=True)
        return raw.decode("utf-8")
    except (binascii.Error, ValueError):
        return text
