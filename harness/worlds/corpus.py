"""The corpus of a world: which file it is, what is in it, and the hash of its content.

A frozen world's is JSON Lines, one document per line. The reference formats, an archive of raw
documents and a plain list, are those of demarkus, in our own words (docs/worlds.md).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from harness.decode import (
    FieldError,
    Format,
    IsoDate,
    NotNull,
    Positive,
    keys,
    named,
    read_json,
    read_json_file,
    typed,
)
from harness.errors import Faults

from .markdown_folder import read_folder, split_front_matter
from .model import (
    DocumentPath,
    DocumentVersion,
    Form,
    Metadata,
    StoredDocument,
    check_versions,
)
from .packing import SUFFIXES, unpacked

CORPUS_NAME = "corpus.jsonl"
PLAIN_NAME = "corpus.json"


@dataclass(frozen=True, slots=True)
class Corpus:
    """`documents` by path, and the size and hex SHA-256 of the content, unpacked; all None where
    the bodies are not at hand. `file`: None for a folder of Markdown files, whose content is that
    of the corpus that freezing it would write."""

    documents: Mapping[str, StoredDocument] | None = None
    bytes: int | None = None
    sha256: str | None = None
    file: Path | None = None

    @property
    def active_documents(self) -> int:
        return sum(not document.archived for document in (self.documents or {}).values())

    @property
    def versions(self) -> int:
        return sum(len(document.versions) for document in (self.documents or {}).values())


def frozen_corpus_files(folder: Path) -> list[Path]:
    """Return the corpus files of a frozen world, however packed; there should be one."""
    names = (folder / f"{CORPUS_NAME}{suffix}" for suffix in SUFFIXES)
    return [path for path in names if path.is_file()]


def read_corpus(
    folder: Path, form: Form, artifact: str | None, unreadable: Faults, faults: Faults
) -> Corpus:
    """Read the corpus of a world of that form; `artifact`: the archive that its manifest names."""
    if form is Form.FOLDER:
        documents = read_folder(folder, unreadable, faults)
        return _corpus(documents, corpus_text(documents.values()).encode("utf-8"), None)
    if form is Form.PLAIN:
        path = folder / PLAIN_NAME
        value = read_json_file(path, unreadable)
        if value is None:
            return Corpus()
        return _corpus(read_plain(value, PLAIN_NAME, faults), path.read_bytes(), path)
    file = _archive(folder, artifact) if form is Form.ARCHIVE else _frozen(folder, unreadable)
    if file is None:
        return Corpus()
    content = unpacked(file)
    read = read_archived if form is Form.ARCHIVE else read_document
    return _corpus(read_lines(content, file.name, read, unreadable, faults), content, file)


def _corpus(documents: Mapping[str, StoredDocument], content: bytes, file: Path | None) -> Corpus:
    return Corpus(documents, len(content), hashlib.sha256(content).hexdigest(), file)


def _archive(folder: Path, artifact: str | None) -> Path | None:
    """Return the archive beside its manifest; a name that leads elsewhere is not followed."""
    path = folder / Path(artifact or "").name
    return path if artifact and path.is_file() else None


def _frozen(folder: Path, unreadable: Faults) -> Path | None:
    files = frozen_corpus_files(folder)
    if len(files) == 1:
        return files[0]
    names = ", ".join(path.name for path in files)
    unreadable.add(
        f"{names} are there together, expected one corpus" if files else f"{CORPUS_NAME} is missing"
    )
    return None


def corpus_text(documents: Iterable[StoredDocument]) -> str:
    """Return the lines of a corpus, by path; the same documents give the same text."""
    return "".join(
        json.dumps(_object(document), ensure_ascii=False, separators=(",", ":")) + "\n"
        for document in sorted(documents, key=lambda document: document.path)
    )


def _object(document: StoredDocument) -> dict[str, Any]:
    value: dict[str, Any] = {"path": document.path}
    if document.archived:
        value["archived"] = True
    if document.current != document.versions[-1].number:
        value["current_version"] = document.current
    value["versions"] = [dict(_version_items(version)) for version in document.versions]
    return value


def _version_items(version: DocumentVersion) -> Iterator[tuple[str, Any]]:
    yield "version", version.number
    if version.modified is not None:
        yield "modified", version.modified
    yield "metadata", dict(version.metadata)
    yield "body", version.body


def read_lines(
    content: bytes,
    name: str,
    read: Callable[[Any, str, Faults], StoredDocument | None],
    unreadable: Faults,
    faults: Faults,
) -> dict[str, StoredDocument]:
    """Return the documents of JSON Lines by path, sorted, each line's value read by `read`.

    Lines that are not JSON are noted in `unreadable`, everything else that is wrong in `faults`.
    """
    documents = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            noted = len(unreadable)
            value = read_json(line, unreadable, f"{name} line {number}")
            if len(unreadable) == noted:
                documents.append(read(value, f"{name} line {number}", faults))
    return _by_path(documents, name, faults)


def _by_path(
    documents: Iterable[StoredDocument | None], name: str, faults: Faults
) -> dict[str, StoredDocument]:
    by_path: dict[str, StoredDocument] = {}
    for document in documents:
        if document is None:  # its faults are noted
            continue
        if document.path in by_path:
            faults.add(f"{name} holds {document.path!r} twice")
        by_path[document.path] = document
    return dict(sorted(by_path.items()))


def read_document(value: Any, where: str, faults: Faults) -> StoredDocument | None:
    """Return the document of one line of a frozen corpus; None after noting its faults."""
    return typed(_DOCUMENT, value, faults, where)


@dataclass(frozen=True, slots=True)
class _PlainDocument:
    """A document of a plain list: version N is the Nth body."""

    path: DocumentPath
    metadata: Metadata
    versions: tuple[str, ...]
    current_version: Annotated[Positive | None, NotNull()] = None

    def __post_init__(self) -> None:
        check_versions(self.path, range(1, len(self.versions) + 1), self.current_version or 0)


def read_plain(value: Any, name: str, faults: Faults) -> dict[str, StoredDocument]:
    """Return the documents of a list of `{path, metadata, versions: [body…], current_version?}`."""
    if not isinstance(value, list):
        faults.add(f"{name} is {named(value)}, expected a list of documents")
        return {}
    documents = []
    for place, entry in enumerate(value):
        plain = typed(_PLAIN, entry, faults, f"{name}[{place}]")
        if plain is not None:
            versions = tuple(
                DocumentVersion(number, body, plain.metadata)
                for number, body in enumerate(plain.versions, start=1)
            )
            documents.append(StoredDocument(plain.path, versions, plain.current_version or 0))
    return _by_path(documents, name, faults)


# The archive is private, and so are the names of a version's keys: each of these is taken.
_NUMBER = ("Version", "Number")
_CONTENT = ("Content", "Raw", "Data", "Body")
_MODIFIED = ("Modified", "ModifiedAt", "ModTime")


@dataclass(frozen=True, slots=True)
class _ArchivedVersion:
    """A version in an archive, under whichever names it has; `stored` is what it says."""

    __pydantic_config__ = keys(
        version="Version",
        number="Number",
        content="Content",
        raw="Raw",
        data="Data",
        body="Body",
        modified="Modified",
        modified_at="ModifiedAt",
        mod_time="ModTime",
    )

    version: Annotated[Positive | None, NotNull()] = None
    number: Annotated[Positive | None, NotNull()] = None
    content: Annotated[str | None, NotNull()] = None
    raw: Annotated[str | None, NotNull()] = None
    data: Annotated[str | None, NotNull()] = None
    body: Annotated[str | None, NotNull()] = None
    modified: IsoDate | None = None
    modified_at: IsoDate | None = None
    mod_time: IsoDate | None = None

    def __post_init__(self) -> None:
        faults = [
            *_spelling_faults(_NUMBER, (self.version, self.number), required=True),
            *_spelling_faults(_CONTENT, self._contents, required=True),
            *_spelling_faults(_MODIFIED, (self.modified, self.modified_at, self.mod_time)),
        ]
        faults += [
            (name, f"has front matter whose {fault}")
            for name, text in zip(_CONTENT, self._contents, strict=True)
            if text is not None
            for fault in split_front_matter(_raw_text(text)).faults
        ]
        if faults:
            raise FieldError(faults=[((name,), message) for name, message in faults])

    @property
    def _contents(self) -> tuple[str | None, ...]:
        return (self.content, self.raw, self.data, self.body)

    @property
    def stored(self) -> DocumentVersion:
        content = next(text for text in self._contents if text is not None)
        parted = split_front_matter(_raw_text(content))
        number = self.version or self.number or 0
        modified = self.modified or self.modified_at or self.mod_time
        return DocumentVersion(number, parted.body, parted.metadata, modified)


@dataclass(frozen=True, slots=True)
class _ArchivedVersions:
    __pydantic_config__ = keys(versions="Versions", archived="Archived")

    versions: tuple[_ArchivedVersion, ...]
    archived: bool = False


@dataclass(frozen=True, slots=True)
class _ArchivedDocument:
    __pydantic_config__ = keys(path="Path", document="Document")

    path: DocumentPath
    document: _ArchivedVersions

    def __post_init__(self) -> None:
        check_versions(self.path, [version.stored.number for version in self.document.versions])


def read_archived(value: Any, where: str, faults: Faults) -> StoredDocument | None:
    """Return the document of one line of an archive; None after noting its faults.

    A line is `{Path, Document: {Versions: […], Archived}}`.
    """
    line = typed(_ARCHIVED, value, faults, where)
    if line is None:
        return None
    versions = tuple(version.stored for version in line.document.versions)
    return StoredDocument(line.path, versions, archived=line.document.archived)


def _spelling_faults(
    names: tuple[str, ...], values: tuple[object, ...], *, required: bool = False
) -> list[tuple[str, str]]:
    """Name what is wrong where not exactly one of several spellings of a key is
    there."""
    spelled = [name for name, value in zip(names, values, strict=True) if value is not None]
    if not spelled and required:
        return [(names[0], f"is missing (so are {', '.join(names[1:])})")]
    return [(name, f"says the same as {spelled[0]}; expected one of them") for name in spelled[1:2]]


def _raw_text(text: str) -> str:
    """Return raw bytes, which are base64 in JSON, as text; Markdown, with its blanks and line
    breaks, never is base64."""
    try:
        raw = base64.b64decode(text, validate=True)
        return raw.decode("utf-8")
    except (binascii.Error, ValueError):
        return text


_DOCUMENT = Format("document", StoredDocument)
_PLAIN = Format("document of a list", _PlainDocument)
_ARCHIVED = Format("document of an archive", _ArchivedDocument)
