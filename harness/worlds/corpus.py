"""The corpus of a world: which file it is, what is in it, and the hash of its content."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.decode.strict_json import read_json
from harness.errors import Faults

from .corpus_lines import corpus_text, read_document, read_lines
from .markdown_folder import read_folder
from .model import Form, StoredDocument
from .packing import SUFFIXES, unpacked
from .reference_corpus import read_archived, read_plain

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
        return sum(not each.archived for each in (self.documents or {}).values())

    @property
    def versions(self) -> int:
        return sum(len(each.versions) for each in (self.documents or {}).values())


def frozen_corpus_files(folder: Path) -> list[Path]:
    """The corpus files of a frozen world, however packed; there should be one."""
    names = (folder / f"{CORPUS_NAME}{suffix}" for suffix in SUFFIXES)
    return [path for path in names if path.is_file()]


def read_corpus(
    folder: Path, form: Form, artifact: str | None, unreadable: Faults, faults: Faults
) -> Corpus:
    """The corpus of a world of that form; `artifact`: the archive that its manifest names."""
    if form is Form.FOLDER:
        documents = read_folder(folder, unreadable, faults)
        return _corpus(documents, corpus_text(documents.values()).encode("utf-8"), None)
    if form is Form.PLAIN:
        path = folder / PLAIN_NAME
        value = read_json(path, unreadable)
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
    """The archive beside its manifest; a name that leads elsewhere is not followed."""
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
