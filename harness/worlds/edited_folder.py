"""After an edit of a folder of Markdown files: its versions and the rubric's pins follow.

What was published stays: a document that was edited in place gets its earlier text back as an older
version, and is the next one itself. A pin of the rubric follows to the new version, or to the
document's new path, where its quote is there word for word. Everything else is named, for a person
to decide.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.decode import read_json_file
from harness.errors import Faults, UsageError
from harness.model import RequiredPassage, relations_of
from harness.storage.atomic import write_text

from .lint import quote_fault
from .loading import require_bodies
from .markdown_folder import documents_root, file_name, with_front_matter
from .model import DocumentVersion, Form, StoredDocument, World
from .opening import RUBRIC_NAME, open_world

_KEPT, _RENAMED, _PIN, _LEFT = "version kept", "document renamed", "pin moved", "left to you"
_DOCUMENT_URL = re.compile(r"((?:mark://[^/]*)?)(/.*?\.md)((?:[/#].*)?)")


@dataclass(frozen=True, slots=True)
class Following:
    """One thing that was done, or is left to be done. `task` and `field`: of the rubric."""

    kind: str
    path: str
    task: str | None
    field: str | None
    change: str

    @property
    def is_left(self) -> bool:
        return self.kind == _LEFT


@dataclass(frozen=True, slots=True)
class EditedFolder:
    """What follows an edit. `files`: the texts to write, by path, the rubric last."""

    followings: tuple[Following, ...]
    files: Mapping[Path, str]

    def write(self) -> None:
        """Write the files; interrupted, the same edit is followed again from where it stopped."""
        for path, text in self.files.items():
            write_text(path, text)


def follow_edit(before: World, folder: Path) -> EditedFolder:
    """Return what follows from editing the world `before` into the files of `folder`.

    Raises `InputError` for files that cannot be read, `UsageError` where `folder` is not a folder
    of Markdown files.
    """
    require_bodies(before)
    opened = open_world(folder)
    if opened.world.form is not Form.FOLDER:
        raise UsageError(
            f"{folder} is not a folder of Markdown files ({opened.world.form.value})",
            "Edit the folder that the world was frozen from, and name that.",
        )
    faults = Faults()
    for fault in opened.faults:
        faults.add(fault)
    faults.raise_if_any(str(folder), "Correct them and run the same command again.")
    edit = _Edit(before, opened.world)
    edit.documents()
    rubric = edit.rubric(folder / RUBRIC_NAME)
    files = {documents_root(folder) / name: text for name, text in edit.kept.items()}
    return EditedFolder(tuple(edit.followings), files | rubric)


class _Edit:
    """An edit that is being followed. `kept`: earlier texts by file name. `renamed`: new paths."""

    def __init__(self, before: World, after: World) -> None:
        self.before = before.documents or {}
        self.after = after.documents or {}
        self.source = before
        self.followings: list[Following] = []
        self.kept: dict[str, str] = {}
        self.renamed: dict[str, str] = {}
        self.newest: dict[str, DocumentVersion] = {}

    def documents(self) -> None:
        for path, old in self.before.items():
            new = self.after.get(path)
            if new is None:
                self._gone(old)
            else:
                self._published(old, new)
                self._edited(old, new)
        for path, new in self.after.items():
            self._relations(path, new)

    def rubric(self, file: Path) -> dict[Path, str]:
        """Return the rubric's file with the pins that moved; nothing where none did."""
        if not file.is_file():
            return {}
        value = read_json_file(file, Faults())
        text = file.read_text("utf-8")
        for task, marking in value.items():
            for kind in ("evidence", "supplemental"):
                for field, passages in (marking.get(kind) or {}).items():
                    for passage in passages:
                        self._pin(passage, task, field)
            for passage in marking.get("contradictions") or ():
                self._pin(passage, task, "contradictions")
            for step in marking.get("completion") or ():
                self._step(step, task)
        moved = any(each.kind == _PIN for each in self.followings)
        return {file: _laid_out_as(text, value)} if moved else {}

    def _note(
        self, kind: str, path: str, change: str, task: str | None = None, field: str | None = None
    ) -> None:
        self.followings.append(Following(kind, path, task, field, change))

    def _published(self, old: StoredDocument, new: StoredDocument) -> None:
        """Name older versions that were edited or are gone; they stay as they were published."""
        for version in old.versions:
            found = new.version(version.number)
            if version.number == old.current or (found and _is_same(found, version)):
                continue
            what = "is gone" if found is None else "was edited"
            self._note(_LEFT, old.path, f"v{version.number} is published, and {what}: put it back")

    def _edited(self, old: StoredDocument, new: StoredDocument) -> None:
        published, latest = old.current_version, new.versions[-1]
        found = new.version(published.number)
        if found is not None and _is_same(found, published):
            if latest.number > published.number:  # the older version has its file already
                self.newest[old.path] = latest
        elif found is latest:
            text = self._text_of(old)
            name = file_name(old.path, published.number)
            if text is None:
                change = f"the earlier v{published.number} cannot be written as a Markdown file"
                self._note(_LEFT, old.path, change)
                return
            self.kept[name] = text
            self.newest[old.path] = replace(latest, number=latest.number + 1)
            change = f"v{published.number} is {name} now, the edited text is v{latest.number + 1}"
            self._note(_KEPT, old.path, change)
        else:
            what = "is gone" if found is None else "was edited"
            change = f"v{published.number} is published, and {what}: put it back"
            self._note(_LEFT, old.path, change)

    def _text_of(self, old: StoredDocument) -> str | None:
        """Return the file of the published version: its bytes where the world is a folder too."""
        if self.source.form is Form.FOLDER:
            file = documents_root(self.source.folder) / old.path.removeprefix("/")
            return file.read_bytes().decode("utf-8")
        published = old.current_version
        return with_front_matter(dict(published.metadata), published.body)

    def _gone(self, old: StoredDocument) -> None:
        body = old.current_version.body
        same = [
            path
            for path, new in self.after.items()
            if path not in self.before and any(each.body == body for each in new.versions)
        ]
        if len(same) == 1:
            self.renamed[old.path] = same[0]
            self._note(_RENAMED, old.path, f"is {same[0]} now, with the same text")
        elif not old.archived:
            many = f"has the text of {' and '.join(same)}" if same else "is gone"
            self._note(_LEFT, old.path, f"{many}: its pins stay as they are")

    def _relations(self, path: str, new: StoredDocument) -> None:
        document = new.document()
        for relation in () if document is None else relations_of(document):
            if relation.target in self.renamed:
                now = self.renamed[relation.target]
                change = f"rel-{relation.predicate} names {relation.target}, which is {now} now"
                self._note(_LEFT, path, change)

    def _pin(self, passage: dict[str, Any], task: str, field: str) -> None:
        path, number = passage["path"], passage["version"]
        old = self.before.get(path)
        if old is None:
            return
        wanted = RequiredPassage(path, number, passage["anchor"], passage["quote"])
        if path in self.renamed:
            moved = self._in_renamed(wanted, old)
        elif path in self.newest and number == old.current:
            moved = _in_version(wanted, path, self.newest[path])
        else:
            self._stays(wanted, task, field)
            return
        if moved is None:
            target = self.renamed.get(path) or f"v{self.newest[path].number}"
            change = f"v{number}#{wanted.anchor}: the quote is not word for word in {target}"
            self._note(_LEFT, path, change, task, field)
            return
        passage |= {"path": moved.path, "version": moved.version, "anchor": moved.anchor}
        change = f"v{number}#{wanted.anchor} → {moved.path}/v{moved.version}#{moved.anchor}"
        self._note(_PIN, path, change, task, field)

    def _stays(self, wanted: RequiredPassage, task: str, field: str) -> None:
        """Name a pin that does not move and whose quote is not where it says."""
        path, number = wanted.path, wanted.version
        version = self.newest.get(path)
        if (version is None or version.number != number) and path in self.after:
            version = self.after[path].version(number)
        if path in self.after and (version is None or quote_fault(wanted, version) is not None):
            change = f"v{number}#{wanted.anchor}: the quote is not word for word there"
            self._note(_LEFT, path, change, task, field)

    def _in_renamed(self, wanted: RequiredPassage, old: StoredDocument) -> RequiredPassage | None:
        path = self.renamed[wanted.path]
        pinned = old.version(wanted.version)
        versions = self.after[path].versions
        same = [each for each in versions if pinned is not None and each.body == pinned.body]
        return _in_version(wanted, path, same[-1]) if same else None

    def _step(self, step: dict[str, Any], task: str) -> None:
        """Let the URL of a call that shows an absence follow to a document's new path."""
        match = _DOCUMENT_URL.fullmatch(step.get("url", ""))
        if match is not None and match[2] in self.renamed:
            url = f"{match[1]}{self.renamed[match[2]]}{match[3]}"
            self._note(_PIN, match[2], f"url {step['url']} → {url}", task, "completion")
            step["url"] = url


def _is_same(one: DocumentVersion, other: DocumentVersion) -> bool:
    return one.body == other.body and dict(one.metadata) == dict(other.metadata)


def _in_version(
    wanted: RequiredPassage, path: str, version: DocumentVersion
) -> RequiredPassage | None:
    """Return the passage in that version: under its anchor, or the only innermost section that has
    the quote."""
    moved = replace(wanted, path=path, version=version.number)
    if quote_fault(moved, version) is None:
        return moved
    holding = [
        section
        for section in version.outline.sections
        if wanted.quote in version.body[section.start : section.end]
    ]
    innermost = [
        section
        for section in holding
        if not any(other.start > section.start and other.end <= section.end for other in holding)
    ]
    if len(innermost) != 1 or not innermost[0].anchor:
        return None
    return replace(moved, anchor=innermost[0].anchor)


def _laid_out_as(text: str, value: Any) -> str:
    """Return the value as JSON, indented as `text` is."""
    indents: Sequence[int | None] = (None, 1, 2, 4)
    for indent in indents:
        if json.dumps(json.loads(text), ensure_ascii=False, indent=indent) == text.rstrip("\n"):
            return json.dumps(value, ensure_ascii=False, indent=indent) + "\n"
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
