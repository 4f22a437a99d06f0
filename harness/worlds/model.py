"""What a world is: documents with versions, tasks, and the rubric that marks their answers.

The types declare what the files hold; `docs/worlds.md` describes them.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from harness.decode import (
    LARGEST_WHOLE_NUMBER,
    Check,
    FieldError,
    IsoDate,
    Json,
    JsonObject,
    NotNull,
    NullIs,
    Positive,
    Text,
    Whole,
    keys,
    quoted,
)
from harness.model import Document, Lookup, LookupGold, RequiredPassage

from .sections import Outline, outline_of


def is_document_path(path: str) -> bool:
    """Return whether a path starts with `/`, ends with `.md`, and each of its parts is a name."""
    start, *parts = path.split("/")
    return not start and path.endswith(".md") and not {"", ".", ".."} & {*parts}


def _path_fault(path: str) -> str | None:
    wrong = path and not is_document_path(path)
    return f"is {quoted(path)}, expected one like '/folder/name.md'" if wrong else None


def _scope_fault(scope: str) -> str | None:
    if scope.startswith("/") and ".." not in scope.split("/"):
        return None
    return f"is {quoted(scope)}, expected one like '/folder'"


def _passage_fault(passage: RequiredPassage) -> None:
    empty = [name for name in ("path", "anchor", "quote") if not getattr(passage, name)]
    faults = [((name,), "is empty") for name in empty]
    if not 0 < passage.version <= LARGEST_WHOLE_NUMBER:
        faults.append((("version",), f"is {passage.version}, expected a number from 1"))
    if faults:
        raise FieldError(faults=faults)


def _no_field(fields: Mapping[str, str]) -> str | None:
    return None if fields else "is empty: an answer needs a field"


DocumentPath = Annotated[Text, Check(_path_fault)]
"""The path of a document, which a citation can name."""

Passage = Annotated[RequiredPassage, Check(_passage_fault)]
Passages = tuple[Passage, ...]
PassagesByField = Mapping[str, Passages]
FieldType = Literal["string", "number", "boolean", "array of strings"]
Metadata = Annotated[Mapping[str, str], NullIs(dict)]
Scope = Annotated[str, Check(_scope_fault)]


class Form(Enum):
    """In which files a world is kept; `docs/worlds.md` describes each."""

    FROZEN = "frozen by the harness"
    ARCHIVE = "archive with manifest and dataset"
    PLAIN = "plain corpus.json"
    FOLDER = "folder of Markdown files"


class TaskEnding(Enum):
    """How a task ends for a reader that does everything right."""

    ANSWERED = "answered"
    NOT_FOUND = "not-found"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, eq=False)
class DocumentVersion:
    """One version of a document. `number` counts from 1; `modified` is ISO 8601 as it was given.

    `metadata` is text by key, the front matter; `body` is what comes after it.
    """

    __pydantic_config__ = keys(number="version")

    number: Positive
    body: str
    metadata: Metadata = field(default_factory=dict)
    modified: IsoDate | None = None

    @cached_property
    def outline(self) -> Outline:
        """Sections and first paragraph; Markdown is parsed once."""
        return outline_of(self.body)


@dataclass(frozen=True, eq=False, slots=True)
class StoredDocument:
    """A document with its versions, the oldest first. `current`: the version that a reader gets
    who names none, the last one unless another is named. A reader can neither find nor fetch an
    archived one."""

    __pydantic_config__ = keys(current="current_version")

    path: DocumentPath
    versions: tuple[DocumentVersion, ...]
    current: Positive = 0
    archived: bool = False

    def __post_init__(self) -> None:
        check_versions(self.path, [version.number for version in self.versions], self.current)
        object.__setattr__(self, "current", self.current or self.versions[-1].number)

    def version(self, number: int) -> DocumentVersion | None:
        return next((version for version in self.versions if version.number == number), None)

    @property
    def current_version(self) -> DocumentVersion:
        return next(version for version in self.versions if version.number == self.current)

    def document(self, number: int | None = None) -> Document | None:
        """Return a version as lookups see it, with its sections; the current one unless `number`
        says another. None where there is no such version."""
        version = self.version(self.current if number is None else number)
        if version is None:
            return None
        return Document(
            path=self.path,
            version=version.number,
            body=version.body,
            metadata=dict(version.metadata),
            sections=version.outline.sections,
            first_paragraph=version.outline.first_paragraph,
        )


def check_versions(path: str, numbers: Sequence[int], current: int = 0) -> None:
    """Raise `FieldError` where a document of these versions cannot be; 0 names no current one."""
    if not numbers:
        raise FieldError("", f"({path}) has no version")
    if any(later <= before for before, later in itertools.pairwise(numbers)):
        raise FieldError("", f"({path}) has the versions {list(numbers)}, expected them to rise")
    if current and current not in numbers:
        raise FieldError("current_version", f"is {current}, but the versions are {list(numbers)}")


@dataclass(frozen=True, slots=True)
class Task:
    """A question. `fields`: the type of each field of its answer. `scope`: the folder that a reader
    may look in; None where the world confines no task."""

    __pydantic_config__ = keys(task_id="id")

    task_id: Text
    category: Text
    question: Text
    fields: Annotated[Mapping[str, FieldType], Check(_no_field)]
    scope: Annotated[Scope | None, NotNull()] = None

    @property
    def folder(self) -> str:
        """Scope, or everything."""
        return self.scope or "/"


@dataclass(frozen=True, slots=True)
class CompletionStep:
    """A call that a reader must have made before it may say that there is no answer.

    `matches`, `complete` and `failure` are None where the rubric asks nothing of them.
    """

    step: Text
    tool: Text
    url: Text
    query: str = ""
    match: str = ""
    status: str = ""
    matches: Whole | None = None
    complete: bool | None = None
    failure: Json = None


@dataclass(frozen=True, slots=True)
class Marking:
    """What the rubric says of one task.

    `evidence`: the passages that each field must cite; `supplemental`: passages that it may cite
    too. `contradictions`: texts that a reader may meet and must not follow. `stated`: the outcome
    that the file names.
    """

    __pydantic_config__ = keys(stated="outcome")

    answer: JsonObject
    evidence: PassagesByField
    stated: Annotated[TaskEnding | None, NotNull()] = None
    abstain: bool = False
    supplemental: Annotated[PassagesByField, NullIs(dict)] = field(default_factory=dict)
    completion: Annotated[tuple[CompletionStep, ...], NullIs(tuple)] = ()
    contradictions: Annotated[Passages, NullIs(tuple)] = ()

    @property
    def outcome(self) -> TaskEnding:
        """One that the file names, else not-found where a reader abstains, else answered."""
        return self.stated or (TaskEnding.NOT_FOUND if self.abstain else TaskEnding.ANSWERED)

    @property
    def gold(self) -> LookupGold:
        """Labels of a recorded first lookup."""
        return LookupGold(self.answer, self.outcome.value, self.evidence)


@dataclass(frozen=True, eq=False, slots=True)
class World:
    """A world that was read. `documents` by path, sorted; None where the bodies are not at hand.

    `world_id`: its name. `source`: the authority that its documents are served under, such as
    `mark://music`; None where its files name none. Tasks and rubric are in file order.
    """

    folder: Path
    form: Form
    world_id: str
    source: str | None
    documents: Mapping[str, StoredDocument] | None
    tasks: tuple[Task, ...]
    rubric: Mapping[str, Marking]

    def task(self, task_id: str) -> Task | None:
        return next((task for task in self.tasks if task.task_id == task_id), None)

    def document(self, path: str, version: int | None = None) -> Document | None:
        """Return a version of a document with its sections; None where there is none, or no
        bodies."""
        stored = (self.documents or {}).get(path)
        return None if stored is None else stored.document(version)


def within(scope: str, path: str) -> bool:
    """Return whether a lookup in `scope` may read `path`: the rule is that of a recorded lookup."""
    return Lookup(scope=scope, table="", spent_bytes=0).within_scope(path)
