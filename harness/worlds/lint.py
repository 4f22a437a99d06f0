"""What is wrong with a world: in its files, and between corpus, tasks and rubric.

Every quote must be raw text of the section of the version that the rubric names, in the task's
scope; every answer must have the fields and types of its task.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from harness.decode import named, quoted
from harness.errors import listed, nearest
from harness.model import Json, RequiredPassage, Section

from .model import DocumentVersion, Marking, StoredDocument, Task, TaskEnding, World, within
from .opening import RUBRIC_NAME, TASKS_NAME, OpenedWorld
from .sections import anchored_section

_SHOWN = 3


def passage_faults(
    passage: RequiredPassage, scope: str, documents: Mapping[str, StoredDocument] | None
) -> Iterator[str]:
    """Yield what is wrong with a passage of a task confined to `scope`; None for `documents` looks
    at the scope alone."""
    if not within(scope, passage.path):
        yield f"names {passage.path}, outside the scope {scope}"
    if documents is None:
        return
    document = documents.get(passage.path)
    if document is None:
        yield f"names {passage.path}, which is not a document{nearest(passage.path, documents)}"
        return
    if document.archived:
        yield f"names {passage.path}, which is archived: no reader can fetch it"
    version = document.version(passage.version)
    if version is None:
        numbers = [str(version.number) for version in document.versions]
        yield f"names {passage.path} v{passage.version}; its versions are {listed(numbers)}"
        return
    if fault := quote_fault(passage, version):
        yield fault


def quote_fault(passage: RequiredPassage, version: DocumentVersion) -> str | None:
    """Return what keeps the quote from being raw text of that section of this version, or None."""
    where = f"{passage.path} v{version.number}"
    sections = version.outline.sections
    section = anchored_section(sections, passage.anchor)
    if section is None:
        anchors = [section.anchor for section in sections]
        return (
            f"names the section #{passage.anchor} of {where}, which has none such"
            f"{nearest(passage.anchor, anchors)}{_elsewhere(passage.quote, version)}"
        )
    if passage.quote in version.body[section.start : section.end]:
        return None
    return (
        f"quotes {quoted(passage.quote)}, which is not in {where}#{passage.anchor}"
        f"{_elsewhere(passage.quote, version)}"
    )


def _elsewhere(quote: str, version: DocumentVersion) -> str:
    """Return where in the version the quote is, or how it differs from what is there."""
    sections = [section for section in version.outline.sections if _holds(version, section, quote)]
    innermost = [
        section
        for section in sections
        if not any(other.start > section.start and other.end <= section.end for other in sections)
    ]
    if innermost:
        anchors = [
            f"#{section.anchor}" if section.anchor else "a section without an anchor"
            for section in innermost[:_SHOWN]
        ]
        return f"; the quote is in {listed(anchors)}"
    if quote in version.body:
        return "; the quote is there outside every section"
    if " ".join(quote.split()) in " ".join(version.body.split()):
        return "; the quote is there with other white space, but it must be raw text"
    return ""


def _holds(version: DocumentVersion, section: Section, quote: str) -> bool:
    return quote in version.body[section.start : section.end]


def findings(opened: OpenedWorld) -> list[str]:
    """Return everything that is wrong, in the order of the files. Empty for a world that can be
    used.

    Without document bodies, what only they can show is not looked at.
    """
    world = opened.world
    faults = list(opened.faults)
    for document in (world.documents or {}).values():
        faults += _document_faults(document)
    for task in world.tasks:
        faults += _scope_faults(task, world)
    faults += _unpaired(opened)
    for task in world.tasks:
        if task.task_id in world.rubric:
            faults += _marking_faults(task, world.rubric[task.task_id], world)
    return faults


def _document_faults(document: StoredDocument) -> Iterator[str]:
    for version in document.versions:
        where = f"{document.path} v{version.number}"
        importance = version.metadata.get("importance")
        if importance is not None and not _is_finite(importance):
            yield f"{where} has importance {importance!r}, expected a number like 0.8"


def _scope_faults(task: Task, world: World) -> Iterator[str]:
    if world.documents is None or task.scope is None:
        return
    if not any(within(task.scope, path) for path in world.documents):
        yield f"{TASKS_NAME} task {task.task_id!r}.scope is {task.scope!r}, which has no document"


def _unpaired(opened: OpenedWorld) -> Iterator[str]:
    world = opened.world
    ids = [task.task_id for task in world.tasks]
    for task_id in ids:
        if task_id not in world.rubric and task_id not in opened.unread:
            yield f"{RUBRIC_NAME} has no entry for the task {task_id!r}"
    for task_id in world.rubric:
        if task_id not in ids and task_id not in opened.unread:
            yield f"{RUBRIC_NAME} {task_id!r} is not a task of {TASKS_NAME}{nearest(task_id, ids)}"


def _marking_faults(task: Task, marking: Marking, world: World) -> Iterator[str]:
    where = f"{RUBRIC_NAME} {task.task_id!r}"
    yield from _answer_faults(task, marking, where)
    for kind, by_field in (("evidence", marking.evidence), ("supplemental", marking.supplemental)):
        for field, passages in by_field.items():
            if field not in task.fields:
                known = nearest(field, task.fields)
                yield f"{where}.{kind}.{field} is not a field of the task{known}"
            for place, passage in enumerate(passages):
                for fault in passage_faults(passage, task.folder, world.documents):
                    yield f"{where}.{kind}.{field}[{place}] {fault}"
    for place, passage in enumerate(marking.contradictions):
        for fault in passage_faults(passage, task.folder, world.documents):
            yield f"{where}.contradictions[{place}] {fault}"


def _answer_faults(task: Task, marking: Marking, where: str) -> Iterator[str]:
    for field, value in marking.answer.items():
        if field not in task.fields:
            yield f"{where}.answer.{field} is not a field of the task{nearest(field, task.fields)}"
        elif fault := _type_fault(value, task.fields[field]):
            yield f"{where}.answer.{field} {fault}"
    if marking.outcome is TaskEnding.ANSWERED:
        if marking.abstain:
            yield f"{where}.abstain is true, but its outcome is answered"
        for field in task.fields:
            if field not in marking.answer:
                yield f"{where}.answer.{field} is missing"
    elif marking.answer or any(marking.evidence.values()):
        yield f"{where} has an answer or evidence, but its outcome is {marking.outcome.value}"


def _type_fault(value: Json, field_type: str) -> str | None:
    """Return what is wrong with a value of an answer, or None."""
    right = {
        "string": isinstance(value, str),
        "number": _is_number(value),
        "boolean": isinstance(value, bool),
        "array of strings": isinstance(value, list) and all(isinstance(v, str) for v in value),
    }
    return None if right[field_type] else f"is {named(value)}, expected {field_type}"


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_finite(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
