"""Opening a world in any of its forms, with everything that is wrong in its files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.decode.strict_json import read_json
from harness.errors import Faults, InputError
from harness.storage.folder import START_NAME
from harness.storage.hashing import sha256_of_file
from harness.storage.manifest import MANIFEST_NAME, Manifest, read_manifest

from .corpus import CORPUS_NAME, PLAIN_NAME, Corpus, frozen_corpus_files, read_corpus
from .markdown_folder import markdown_files
from .model import Form, World
from .reference_records import (
    AnswerDataset,
    ArchiveManifest,
    read_answer_dataset,
    read_archive_manifest,
)
from .rubric import read_rubric
from .tasks import read_tasks

WORLD_SCHEMA = "harness.world/1"
TASKS_NAME, RUBRIC_NAME, DATASET_NAME = "tasks.json", "rubric.json", "dataset.json"


@dataclass(frozen=True, slots=True)
class OpenedWorld:
    """A world that was read, with what is wrong in its files.

    `manifest`: of a world that the harness froze. `archive`, `dataset`: of the reference format.
    `tasks_sha256`, `rubric_sha256`: of the files' bytes; None where a folder has none.
    `faults` are those of single files; `harness.worlds.lint` finds those between them.
    """

    world: World
    corpus: Corpus
    faults: tuple[str, ...]
    tasks_sha256: str | None
    rubric_sha256: str | None
    manifest: Manifest | None = None
    archive: ArchiveManifest | None = None
    dataset: AnswerDataset | None = None


def open_world(folder: Path) -> OpenedWorld:
    """Read what is in `folder`; raises `InputError` where a file of it cannot be read."""
    form = form_of(folder)
    unreadable, faults = Faults(), Faults()
    manifest = archive = dataset = None
    if form is Form.FROZEN and (folder / MANIFEST_NAME).exists():
        manifest = read_manifest(folder, WORLD_SCHEMA)
    if form is Form.ARCHIVE:
        value = read_json(folder / MANIFEST_NAME, unreadable)
        archive = None if value is None else read_archive_manifest(value, MANIFEST_NAME, faults)
        value = read_json(folder / DATASET_NAME, unreadable)
        dataset = None if value is None else read_answer_dataset(value, DATASET_NAME, faults)
    artifact = archive.artifact if archive else None
    corpus = read_corpus(folder, form, artifact, unreadable, faults)
    tasks = _optional(folder / TASKS_NAME, form, [], unreadable)
    rubric = _optional(folder / RUBRIC_NAME, form, {}, unreadable)
    unreadable.raise_if_any(f"{folder} cannot be read as a world ({form.value})")
    named = dataset or archive
    world_id, source = _identity(folder, manifest)
    world = World(
        folder=folder,
        form=form,
        world_id=named.id if named else world_id,
        source=named.source if named else source,
        documents=corpus.documents,
        tasks=read_tasks(tasks, TASKS_NAME, faults),
        rubric=read_rubric(rubric, RUBRIC_NAME, faults),
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
    )


def form_of(folder: Path) -> Form:
    """In which form a folder keeps a world; raises `InputError` where it keeps none."""
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
        f"{folder} is no world: it has no {MANIFEST_NAME}, no {CORPUS_NAME} (.gz, .zst), "
        f"no {PLAIN_NAME} and no Markdown file",
        "docs/worlds.md describes every form; harness world freeze makes one from Markdown files.",
    )


def _form_of_manifest(path: Path) -> Form:
    unreadable = Faults()
    value = read_json(path, unreadable)
    unreadable.raise_if_any(str(path.parent))
    if isinstance(value, dict) and "schema" in value:
        return Form.FROZEN
    if isinstance(value, dict) and "format" in value:
        return Form.ARCHIVE
    raise InputError(
        f"{path} has neither a schema nor a format: it is no world's",
        "docs/worlds.md describes every form of a world.",
    )


def _optional(path: Path, form: Form, empty: Any, unreadable: Faults) -> Any:
    """A JSON file that a folder of Markdown may lack, and no other form."""
    if form is Form.FOLDER and not path.exists():
        return empty
    return read_json(path, unreadable)


def _hash_of(path: Path) -> str | None:
    return sha256_of_file(path) if path.is_file() else None


def _identity(folder: Path, manifest: Manifest | None) -> tuple[str, str | None]:
    if manifest is None:
        return folder.resolve().name, None
    content = manifest.content
    return str(content.get("world_id", folder.resolve().name)), content.get("source")
