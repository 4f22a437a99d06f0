"""What an update of a corpus breaks: documents, versions, anchors, and quotes of the rubric.

A version that was published stays as it is, so anything that is gone from one, or written over, is
a break. A newer version breaks nothing that is pinned, but it may take an anchor from readers who
name no version, or make the answer of a task another one: both are found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from harness.model import RequiredPassage

from .lint import passage_faults, quote_fault
from .loading import require_bodies
from .model import StoredDocument, Task, World


@dataclass(frozen=True, slots=True)
class Break:
    """One thing that the update breaks. `kind`: `document`, `version`, `anchor` or `quote`.

    `version`: the one in which it is broken, None for a whole document. `task` and `field`: of the
    rubric, for a quote.
    """

    kind: str
    path: str
    version: int | None
    anchor: str | None
    task: str | None
    field: str | None
    change: str


@dataclass(frozen=True, slots=True)
class CorpusDifference:
    """Everything that is broken, and how many documents and versions the update adds."""

    breaks: tuple[Break, ...]
    new_documents: int
    new_versions: int


def compare_corpora(before: World, after: World) -> CorpusDifference:
    """Return what the rubric and the citations of `before` lose in the corpus of `after`.

    Raises `InputError` where one of them has no document bodies.
    """
    require_bodies(before)
    require_bodies(after)
    old, new = before.documents or {}, after.documents or {}
    breaks: list[Break] = []
    new_versions = 0
    for path, document in old.items():
        breaks += _document_breaks(document, new.get(path))
    for path, document in new.items():
        known = old[path].versions if path in old else ()
        numbers = {version.number for version in known}
        new_versions += sum(version.number not in numbers for version in document.versions)
    for task in before.tasks:
        breaks += _task_breaks(task, before, after)
    return CorpusDifference(tuple(breaks), len(set(new) - set(old)), new_versions)


def _document_breaks(old: StoredDocument, new: StoredDocument | None) -> Iterator[Break]:
    if new is None:
        yield _broken("document", old.path, None, "removed")
        return
    if new.archived and not old.archived:
        yield _broken("document", old.path, None, "archived: no reader can fetch it any more")
    for version in old.versions:
        newer = new.version(version.number)
        if newer is None:
            yield _broken("version", old.path, version.number, "removed")
            continue
        if newer.body != version.body:
            yield _broken("version", old.path, version.number, "its text was written over")
        if dict(newer.metadata) != dict(version.metadata):
            yield _broken("version", old.path, version.number, "its metadata was written over")
        for anchor in _lost_anchors(old, version.number, new, version.number):
            yield _broken("anchor", old.path, version.number, "gone from this version", anchor)
    yield from _current_breaks(old, new)


def _current_breaks(old: StoredDocument, new: StoredDocument) -> Iterator[Break]:
    if new.current == old.current:
        return
    if new.current < old.current:
        change = f"it is the current version again; v{old.current} was"
        yield _broken("version", old.path, new.current, change)
    for anchor in _lost_anchors(old, old.current, new, new.current):
        change = f"the current version has none such; v{old.current} had"
        yield _broken("anchor", old.path, new.current, change, anchor)


def _lost_anchors(
    old: StoredDocument, old_number: int, new: StoredDocument, new_number: int
) -> list[str]:
    before, after = old.version(old_number), new.version(new_number)
    if before is None or after is None:
        return []
    kept = {section.anchor for section in after.outline.sections}
    had = (section.anchor for section in before.outline.sections)
    return [
        anchor for anchor in had if anchor and anchor not in kept
    ]  # nobody can name an empty one


def _task_breaks(task: Task, before: World, after: World) -> Iterator[Break]:
    marking = before.rubric.get(task.task_id)
    if marking is None:
        return
    for by_field in (marking.evidence, marking.supplemental):
        for field, passages in by_field.items():
            for passage in passages:
                for change in _passage_changes(passage, task.folder, before, after):
                    yield Break(
                        "quote",
                        passage.path,
                        passage.version,
                        passage.anchor,
                        task.task_id,
                        field,
                        change,
                    )


def _passage_changes(
    passage: RequiredPassage, scope: str, before: World, after: World
) -> Iterator[str]:
    already = set(passage_faults(passage, scope, before.documents))
    if already:  # the update cannot break what was broken
        return
    faults = list(passage_faults(passage, scope, after.documents))
    yield from faults
    old = (before.documents or {})[passage.path]
    new = (after.documents or {}).get(passage.path)
    if faults or new is None or passage.version != old.current or new.current == old.current:
        return
    if quote_fault(passage, new.current_version):
        yield (
            f"still in v{passage.version}, but v{new.current} is current now and has it no more: "
            "the task may have another answer"
        )


def _broken(
    kind: str, path: str, version: int | None, change: str, anchor: str | None = None
) -> Break:
    return Break(kind, path, version, anchor, None, None, change)
