"""Opening a world in any of its forms, with everything that is wrong in its files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from harness.decode import (
    KEEP,
    Check,
    Count,
    FieldError,
    Format,
    Text,
    json_of_file,
    matching,
    named,
    quoted,
    read_json_file,
    typed,
)
from harness.errors import Faults, InputError, listed
from harness.storage.folder import START_NAME
from harness.storage.hashing import sha256_of_file
from harness.storage.manifest import MANIFEST_NAME, Manifest, read_manifest
from harness.words import counted

from .corpus import CORPUS_NAME, PLAIN_NAME, Corpus, frozen_corpus_files, read_corpus
from .markdown_folder import markdown_files
from .model import Form, Marking, Task, World

HASH_PREFIX = "sha256-"
"""How the reference format spells a hash: this and the hex digits."""

Record = TypeVar("Record")
WORLD_SCHEMA = "harness.world/1"
TASKS_NAME, RUBRIC_NAME, DATASET_NAME = "tasks.json", "rubric.json", "dataset.json"


def _date_fault(text: str) -> str | None:
    try:
        date.fromisoformat(text)
    except ValueError:
        return f"is {quoted(text)}, expected a date like 2026-09-15" if text else "is empty"
    return None


_Hash = Annotated[
    str, matching(rf"{HASH_PREFIX}[0-9a-f]{{64}}", f"{HASH_PREFIX} and 64 hexadecimal digits")
]
_Source = Annotated[str, matching("mark://.*", "one like 'mark://name'")]


@dataclass(frozen=True, slots=True)
class ArchiveManifest:
    """What `manifest.json` of an archive in the reference format says, as demarkus writes it."""

    format: Literal["demarkus-corpus-jsonl-gzip-v1"]
    id: Text
    source: _Source
    artifact: Text
    sha256: _Hash
    corpus_sha256: _Hash
    compressed_bytes: Count
    uncompressed_bytes: Count
    documents: Count
    active_documents: Count
    versions: Count

    def __post_init__(self) -> None:
        faults = []
        if self.active_documents > self.documents:
            message = f"is more than the {counted(self.documents, 'document')}"
            faults.append((("active_documents",), message))
        if self.versions < self.documents:
            faults.append(
                (("versions",), f"is less than the {counted(self.documents, 'document')}")
            )
        if faults:
            raise FieldError(faults=faults)


@dataclass(frozen=True, slots=True)
class AnswerDataset:
    """What `dataset.json` of the reference format pins: the archive, tasks and rubric by hash,
    scorer, policy and contract."""

    format: Literal["demarkus-answer-dataset-v1"]
    id: Text
    source: _Source
    archive_manifest_sha256: _Hash
    corpus_sha256: _Hash
    tasks_sha256: _Hash
    rubric_sha256: _Hash
    scoring_version: Text
    tool_profile: Text
    reader_policy: Text
    reader_contract_sha256: _Hash
    authored: Annotated[str, Check(_date_fault)]


ARCHIVE_MANIFEST = Format("manifest of an archive", ArchiveManifest)
ANSWER_DATASET = Format("dataset of answers", AnswerDataset)
_TASK = Format("task", Task)
_MARKING = Format("marking", Marking)


@dataclass(frozen=True, slots=True)
class OpenedWorld:
    """A world that was read, with what is wrong in its files.

    `manifest`: of a world that the harness froze. `archive`, `dataset`: of the reference format.
    `tasks_sha256`, `rubric_sha256`: of the files' bytes; None where a folder has none.
    `faults` are those of single files; `harness.worlds.lint` finds those between them. `unread`:
    ids of tasks and of markings that have faults, and are not in the world.
    """

    world: World
    corpus: Corpus
    faults: tuple[str, ...]
    tasks_sha256: str | None
    rubric_sha256: str | None
    manifest: Manifest | None = None
    archive: ArchiveManifest | None = None
    dataset: AnswerDataset | None = None
    unread: frozenset[str] = frozenset()


def open_world(folder: Path) -> OpenedWorld:
    """Read what is in `folder`; raises `InputError` where a file of it cannot be read."""
    form = form_of(folder)
    unreadable, faults = Faults(), Faults()
    manifest = archive = dataset = None
    if form is Form.FROZEN and (folder / MANIFEST_NAME).exists():
        manifest = read_manifest(folder, WORLD_SCHEMA)
    if form is Form.ARCHIVE:
        archive = _record(ARCHIVE_MANIFEST, folder / MANIFEST_NAME, unreadable, faults)
        dataset = _record(ANSWER_DATASET, folder / DATASET_NAME, unreadable, faults)
    artifact = archive.artifact if archive else None
    corpus = read_corpus(folder, form, artifact, unreadable, faults)
    tasks = _optional(folder / TASKS_NAME, form, [], unreadable)
    rubric = _optional(folder / RUBRIC_NAME, form, {}, unreadable)
    unreadable.raise_if_any(f"{folder} cannot be read as a world ({form.value})")
    record = dataset or archive
    unread: set[str] = set()
    world_id, source = _identity(folder, manifest)
    world = World(
        folder=folder,
        form=form,
        world_id=record.id if record else world_id,
        source=record.source if record else source,
        documents=corpus.documents,
        tasks=read_tasks(tasks, TASKS_NAME, faults, unread),
        rubric=read_rubric(rubric, RUBRIC_NAME, faults, unread),
    )
    return OpenedWorld(
        world,
        corpus,
        tuple(faults),
        _hash_of(folder / TASKS_NAME),
        _hash_of(folder / RUBRIC_NAME),
        manifest,
        archive,
        dataset,
        frozenset(unread),
    )


def read_tasks(value: Any, name: str, faults: Faults, unread: set[str]) -> tuple[Task, ...]:
    """Return the tasks in file order; the ids of those with faults are added to `unread`."""
    if not isinstance(value, list):
        faults.add(f"{name} is {named(value)}, expected a list of tasks")
        return ()
    tasks: list[Task] = []
    ids: list[str] = []
    for place, entry in enumerate(value):
        task_id = entry.get("id") if isinstance(entry, dict) else None
        has_id = isinstance(task_id, str) and task_id
        task = typed(
            _TASK, entry, faults, f"{name} task {task_id!r}" if has_id else f"{name}[{place}]"
        )
        ids += [str(task_id)] if has_id else []
        if task is not None:
            tasks.append(task)
        elif has_id:
            unread.add(str(task_id))
    for message in _task_faults(tasks, ids):
        faults.add(f"{name}{message}")
    return tuple(tasks)


def _but_for_keys(form: Format[Record], entry: Any) -> Record | None:
    """Return the value of an entry whose only fault is an unknown key, so that lint looks at it."""
    return typed(replace(form, unknown=KEEP), entry, Faults())


def _task_faults(tasks: Sequence[Task], ids: Sequence[str]) -> Iterator[str]:
    for task_id in sorted({task_id for task_id in ids if ids.count(task_id) > 1}):
        yield f" has {counted(ids.count(task_id), 'task')} with the id {task_id!r}"
    unscoped = [repr(task.task_id) for task in tasks if task.scope is None]
    if 0 < len(unscoped) < len(tasks):
        yield (
            f": {listed(unscoped)} of {counted(len(tasks), 'task')} have no "
            f"scope; expected all or none to "
            "have one"
        )


def read_rubric(value: Any, name: str, faults: Faults, unread: set[str]) -> dict[str, Marking]:
    """Return the markings by task id, in file order; ids of those with faults go to `unread`."""
    if not isinstance(value, dict):
        faults.add(f"{name} is {named(value)}, expected an object by task id")
        return {}
    rubric = {}
    for task_id, entry in value.items():
        where = f"{name} {task_id!r}"
        marking = typed(_MARKING, entry, faults, where) or _but_for_keys(_MARKING, entry)
        if marking is not None:
            rubric[task_id] = marking
        else:
            unread.add(task_id)
    return rubric


def form_of(folder: Path) -> Form:
    """Return in which form a folder keeps a world; raises `InputError` if it keeps none."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder", "Give the folder of a world.")
    if (folder / MANIFEST_NAME).is_file():
        return _form_of_manifest(folder / MANIFEST_NAME)
    if (folder / START_NAME).is_file():
        raise InputError(
            f"{folder} has no {MANIFEST_NAME}: its freezing was interrupted",
            "Run the command that makes it again.",
        )
    if (folder / PLAIN_NAME).is_file():
        return Form.PLAIN
    if frozen_corpus_files(folder):
        return Form.FROZEN
    if markdown_files(folder):
        return Form.FOLDER
    raise InputError(
        f"{folder} is not a world: it has no {MANIFEST_NAME}, no {CORPUS_NAME} (.gz, .zst), "
        f"no {PLAIN_NAME} and no Markdown file",
        "docs/worlds.md describes every form; harness world freeze makes one from Markdown files.",
    )


def is_world(folder: Path) -> bool:
    """Return whether a folder looks like a world: whether `open_world` would read it or say why
    not."""
    if (folder / MANIFEST_NAME).is_file():
        value = json_of_file(folder / MANIFEST_NAME)
        schema = value.get("schema") if isinstance(value, dict) else None
        return schema == WORLD_SCHEMA or (isinstance(value, dict) and "format" in value)
    has_tasks = (folder / TASKS_NAME).is_file()
    return has_tasks and not (folder / START_NAME).is_file()


def _form_of_manifest(path: Path) -> Form:
    unreadable = Faults()
    value = read_json_file(path, unreadable)
    unreadable.raise_if_any(str(path.parent))
    if isinstance(value, dict) and "schema" in value:
        return Form.FROZEN
    if isinstance(value, dict) and "format" in value:
        return Form.ARCHIVE
    raise InputError(
        f"{path} has neither a schema nor a format: it does not describe a world",
        "docs/worlds.md describes every form of a world.",
    )


def _optional(path: Path, form: Form, empty: Any, unreadable: Faults) -> Any:
    """Read a JSON file that only a folder of Markdown files may lack."""
    if form is Form.FOLDER and not path.exists():
        return empty
    return read_json_file(path, unreadable)


def _record(form: Format[Record], path: Path, unreadable: Faults, faults: Faults) -> Record | None:
    noted = len(unreadable)
    value = read_json_file(path, unreadable)
    return None if len(unreadable) > noted else typed(form, value, faults, path.name)


def _hash_of(path: Path) -> str | None:
    return sha256_of_file(path) if path.is_file() else None


def _identity(folder: Path, manifest: Manifest | None) -> tuple[str, str | None]:
    if manifest is None:
        return folder.resolve().name, None
    content = manifest.content
    return str(content.get("world_id", folder.resolve().name)), content.get("source")
