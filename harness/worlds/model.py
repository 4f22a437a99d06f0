"""What a world is: documents with versions, tasks, and the rubric that marks their answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path

from harness.model import Document, Json, Lookup, LookupGold, RequiredPassage

from .sections import Outline, outline_of


class Form(Enum):
    """In which files a world is kept; `docs/worlds.md` describes each."""

    FROZEN = "frozen by the harness"
    ARCHIVE = "archive with manifest and dataset"
    PLAIN = "plain corpus.json"
    FOLDER = "folder of Markdown files"


class Outcome(Enum):
    """How a task ends for a reader that does everything right."""

    ANSWERED = "answered"
    NOT_FOUND = "not-found"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, eq=False)
class DocumentVersion:
    """One version of a document. `number` counts from 1; `modified` is ISO 8601 as it was given.

    `metadata` is text by key, the front matter; `body` is what comes after it.
    """

    number: int
    body: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    modified: str | None = None

    @cached_property
    def outline(self) -> Outline:
        """Sections and first paragraph; Markdown is parsed once."""
        return outline_of(self.body)


@dataclass(frozen=True, eq=False, slots=True)
class StoredDocument:
    """A document with its versions, the oldest first. `current`: the version that a reader gets
    who names none. A reader can neither find nor fetch an archived one."""

    path: str
    versions: tuple[DocumentVersion, ...]
    current: int
    archived: bool = False

    def version(self, number: int) -> DocumentVersion | None:
        return next((each for each in self.versions if each.number == number), None)

    @property
    def current_version(self) -> DocumentVersion:
        """Raises `LookupError` where a reader has noted the fault that there is none."""
        found = self.version(self.current)
        if found is None:
            raise LookupError(f"{self.path} has no version {self.current}")
        return found

    def document(self, number: int | None = None) -> Document | None:
        """A version as lookups see it, with its sections; the current one unless `number` says
        another. None where there is no such version."""
        found = self.version(self.current if number is None else number)
        if found is None:
            return None
        return Document(
            path=self.path,
            version=found.number,
            body=found.body,
            metadata=dict(found.metadata),
            sections=found.outline.sections,
            first_paragraph=found.outline.first_paragraph,
        )


@dataclass(frozen=True, slots=True)
class Task:
    """A question. `fields`: the type of each field of its answer. `scope`: the folder that a reader
    may look in; None where the world confines no task."""

    task_id: str
    category: str
    question: str
    fields: Mapping[str, str]
    scope: str | None = None

    @property
    def folder(self) -> str:
        """The scope, or everything."""
        return self.scope or "/"


@dataclass(frozen=True, slots=True)
class CompletionStep:
    """A call that a reader must have made before it may say that there is no answer.

    `matches`, `complete` and `failure` are None where the rubric asks nothing of them.
    """

    step: str
    tool: str
    url: str
    query: str = ""
    match: str = ""
    status: str = ""
    matches: int | None = None
    complete: bool | None = None
    failure: Json = None


@dataclass(frozen=True, slots=True)
class Marking:
    """What the rubric says of one task.

    `evidence`: the passages that each field must cite; `supplemental`: passages that it may cite
    too. `contradictions`: texts that a reader may meet and must not follow.
    """

    answer: Mapping[str, Json]
    evidence: Mapping[str, tuple[RequiredPassage, ...]]
    outcome: Outcome
    abstain: bool = False
    supplemental: Mapping[str, tuple[RequiredPassage, ...]] = field(default_factory=dict)
    completion: tuple[CompletionStep, ...] = ()
    contradictions: tuple[RequiredPassage, ...] = ()

    @property
    def gold(self) -> LookupGold:
        """The labels of a recorded first lookup."""
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
        """A version of a document with its sections; None where there is none, or no bodies."""
        stored = (self.documents or {}).get(path)
        return None if stored is None else stored.document(version)


def within(scope: str, path: str) -> bool:
    """Whether a lookup in `scope` may read `path`: the rule is that of a recorded lookup."""
    return Lookup(scope=scope, table="", spent_bytes=0).within_scope(path)
