"""A corpus kept as a folder of Markdown files with front matter: what a world is frozen from.

`name.md` is a document's newest version, `name.v1.md`, `name.v2.md` beside it are its older ones.

Front matter is lines of `key: value` between two lines `---`. It is less than YAML on purpose: a
value is the text of its line, as the corpora of the field keep it. What YAML would read as
something else than text is refused, never guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.decode import read_text
from harness.errors import Faults

from .model import DocumentVersion, StoredDocument, is_document_path

DOCUMENTS = "documents"
"""The folder of the documents, if they are not next to the tasks."""

_OLDER = re.compile(r"(?P<name>.+)\.v(?P<number>[1-9][0-9]{0,5})\.md")
_MARKDOWN = ".md"
_ARCHIVED = "archived"
_YES, _NO = "true", "false"

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r"---[ \t]*\r?\n?")
_ENTRY = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.-]*):(?:[ \t]++(.*)|[ \t]*)")
_YAML_START = frozenset("[]{}|>&*!%@`")


@dataclass(frozen=True, slots=True)
class _File:
    """One version in the folder; `number` is None for the newest."""

    place: str
    metadata: dict[str, str]
    body: str
    number: int | None


def documents_root(folder: Path) -> Path:
    """Return where the documents of a folder start: below `documents`, if there is such a
    folder."""
    return folder / DOCUMENTS if (folder / DOCUMENTS).is_dir() else folder


def markdown_files(folder: Path) -> list[Path]:
    """Return the Markdown files, sorted; hidden files and folders are skipped."""
    return [path for path in _visible_files(folder) if path.suffix == _MARKDOWN]


def other_files(folder: Path) -> list[Path]:
    """Return the files of a folder `documents` that are not documents: they are not read."""
    if not (folder / DOCUMENTS).is_dir():
        return []
    return [path for path in _visible_files(folder) if path.suffix != _MARKDOWN]


def read_folder(folder: Path, unreadable: Faults, faults: Faults) -> dict[str, StoredDocument]:
    """Read the documents by path, sorted; everything that is wrong is noted by file and line."""
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


@dataclass(frozen=True, slots=True)
class MarkdownText:
    """Metadata in the order of the file, the text after it, and what could not be read, by line."""

    metadata: dict[str, str]
    body: str
    faults: tuple[str, ...] = ()


def split_front_matter(text: str) -> MarkdownText:
    """Split a Markdown file; one that does not start with `---` is all body."""
    text = text.removeprefix("\ufeff")
    lines = _LINE.findall(text)
    if not lines or not _FENCE.fullmatch(lines[0]):
        return MarkdownText({}, text)
    end = next((n for n in range(1, len(lines)) if _FENCE.fullmatch(lines[n])), None)
    if end is None:
        return MarkdownText({}, text, ("line 1 opens front matter that no line `---` closes",))
    metadata: dict[str, str] = {}
    faults = []
    for number, line in enumerate(lines[1:end], start=2):
        fault = _take(line.strip(), metadata)
        if fault:
            faults.append(f"line {number} {fault}")
    return MarkdownText(metadata, "".join(lines[end + 1 :]), tuple(faults))


def _take(line: str, metadata: dict[str, str]) -> str | None:
    """Put the entry of one line into `metadata`; return its fault, if it has one."""
    if not line or line.startswith("#"):
        return None
    entry = _ENTRY.fullmatch(line)
    if entry is None:
        return f"is {line!r}, expected `key: value`"
    key, value = entry[1], (entry[2] or "").strip()
    if key in metadata:
        return f"has the key {key!r} a second time"
    if value[:1] in ("'", '"'):
        quoted = value[1:-1]
        if len(value) < 2 or value[-1] != value[0] or value[0] in quoted or "\\" in quoted:
            return f"has a quoted value that is not plain text; write `{key}: TEXT` without quotes"
        value = quoted
    elif value[:1] in _YAML_START:
        return f"has a value that starts with {value[0]!r}; write `{key}: one, two` as plain text"
    metadata[key] = value
    return None
