"""A corpus kept as a folder of Markdown files with front matter: what a world is frozen from.

`name.md` is a document's newest version, `name.v1.md`, `name.v2.md` beside it are its older ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.decode.strict_json import read_text
from harness.errors import Faults

from .corpus_lines import is_document_path
from .front_matter import split_front_matter
from .model import DocumentVersion, StoredDocument

DOCUMENTS = "documents"
"""The folder of the documents, where they do not stand beside the tasks."""

_OLDER = re.compile(r"(?P<name>.+)\.v(?P<number>[1-9][0-9]{0,5})\.md")
_MARKDOWN = ".md"
_ARCHIVED = "archived"
_YES, _NO = "true", "false"


@dataclass(frozen=True, slots=True)
class _File:
    """One version in the folder; `number` is None for the newest."""

    place: str
    metadata: dict[str, str]
    body: str
    number: int | None


def documents_root(folder: Path) -> Path:
    """Where the documents of a folder start: below `documents`, if there is such a folder."""
    return folder / DOCUMENTS if (folder / DOCUMENTS).is_dir() else folder


def markdown_files(folder: Path) -> list[Path]:
    """The Markdown files, sorted; hidden files and folders are passed over."""
    return [path for path in _visible_files(folder) if path.suffix == _MARKDOWN]


def other_files(folder: Path) -> list[Path]:
    """The files of a folder `documents` that are no documents: they are not read."""
    if not (folder / DOCUMENTS).is_dir():
        return []
    return [path for path in _visible_files(folder) if path.suffix != _MARKDOWN]


def read_folder(folder: Path, unreadable: Faults, faults: Faults) -> dict[str, StoredDocument]:
    """The documents by path, sorted; everything that is wrong is noted by file and line."""
    root = documents_root(folder)
    by_path: dict[str, list[_File]] = {}
    for path in markdown_files(folder):
        text = read_text(path, unreadable)
        if text is not None:
            place = path.relative_to(folder).as_posix()
            document, file = _file(path.relative_to(root), place, text, faults)
            by_path.setdefault(document, []).append(file)
    return {path: _document(path, by_path[path], faults) for path in sorted(by_path)}


def _visible_files(folder: Path) -> list[Path]:
    root = documents_root(folder)
    return sorted(
        path
        for path in root.rglob("*")
        if path.is_file() and not any(part[0] == "." for part in path.relative_to(root).parts)
    )


def _file(relative: Path, place: str, text: str, faults: Faults) -> tuple[str, _File]:
    parted = split_front_matter(text)
    for fault in parted.faults:
        faults.add(f"{place} {fault}")
    older = _OLDER.fullmatch(relative.name)
    name = f"{older['name']}.md" if older else relative.name
    path = f"/{relative.with_name(name).as_posix()}"
    if not is_document_path(path):
        faults.add(f"{place} gives the path {path!r}, expected one like '/folder/name.md'")
    number = int(older["number"]) if older else None
    return path, _File(place, parted.metadata, parted.body, number)


def _document(path: str, files: list[_File], faults: Faults) -> StoredDocument:
    numbers = {file.number: file for file in files if file.number is not None}
    older = sorted(numbers.items(), key=lambda pair: pair[0])
    newest = [file for file in files if file.number is None]
    if not newest:
        faults.add(f"{files[0].place} is an older version, but there is no newest one ({path})")
    archived = any(_is_archived(file, faults) for file in newest)
    last = older[-1][0] if older else 0
    numbered = [*older, *((last + 1, file) for file in newest)]
    versions = [
        DocumentVersion(number, file.body, dict(_metadata(file))) for number, file in numbered
    ]
    return StoredDocument(path, tuple(versions), versions[-1].number, archived)


def _is_archived(file: _File, faults: Faults) -> bool:
    value = file.metadata.get(_ARCHIVED, _NO)
    if value not in (_YES, _NO):
        faults.add(f"{file.place} has archived: {value}, expected true or false")
    return value == _YES


def _metadata(file: _File) -> Iterator[tuple[str, str]]:
    return ((key, value) for key, value in file.metadata.items() if key != _ARCHIVED)
