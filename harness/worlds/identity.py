"""Whether a world is what its records say: hashes, sizes, counts and names.

Each check says what was compared; what cannot be checked is said too, never skipped silently.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from harness.storage.hashing import sha256_of_file
from harness.storage.manifest import MANIFEST_NAME, Manifest

from .corpus import Corpus
from .model import Form
from .opening import (
    DATASET_NAME,
    HASH_PREFIX,
    RUBRIC_NAME,
    TASKS_NAME,
    AnswerDataset,
    ArchiveManifest,
    OpenedWorld,
)


class CheckResult(Enum):
    """How a check ended."""

    RECORDED = "as recorded"
    DIFFERENT = "different"
    NOT_CHECKED = "not checked"
    COMPUTED = "none recorded"


@dataclass(frozen=True, slots=True)
class IdentityCheck:
    """One comparison. `detail`: both values where they differ, the reason where none was made."""

    what: str
    verdict: CheckResult
    detail: str


def identity_checks(opened: OpenedWorld) -> list[IdentityCheck]:
    """Return the checks of a world, in the order in which its records name the values."""
    if opened.archive is not None and opened.dataset is not None:
        return list(_of_archive(opened, opened.archive, opened.dataset))
    if opened.world.form is Form.ARCHIVE:
        return []  # what its records say has faults
    if opened.manifest is not None:
        return list(_of_frozen(opened, opened.manifest))
    return list(_computed(opened))


def frozen_content(
    world_id: str, source: str, corpus: Corpus, tasks: int
) -> dict[str, str | int | None]:
    """Return `content` of the manifest of a frozen world."""
    return {
        "world_id": world_id,
        "source": source,
        "corpus_sha256": corpus.sha256,
        "corpus_bytes": corpus.bytes,
        "documents": len(corpus.documents or {}),
        "active_documents": corpus.active_documents,
        "versions": corpus.versions,
        "tasks": tasks,
    }


def _of_frozen(opened: OpenedWorld, manifest: Manifest) -> Iterator[IdentityCheck]:
    needed = {TASKS_NAME, RUBRIC_NAME} | (
        {opened.corpus.file.name} if opened.corpus.file else set()
    )
    for name in sorted(needed - set(manifest.files)):
        yield IdentityCheck(
            f"{MANIFEST_NAME} files", CheckResult.DIFFERENT, f"{name} is not among them"
        )
    for name, entry in manifest.files.items():
        path = opened.world.folder / name
        actual = sha256_of_file(path) if path.is_file() else "missing"
        yield _compared(f"{name} sha256", entry.sha256, actual)
    world = opened.world
    found_content = frozen_content(
        world.world_id, world.source or "", opened.corpus, len(world.tasks)
    )
    for key, value in found_content.items():
        if key not in ("world_id", "source"):
            yield _compared(f"{MANIFEST_NAME} {key}", manifest.content.get(key), value)


def _of_archive(
    opened: OpenedWorld, archive: ArchiveManifest, dataset: AnswerDataset
) -> Iterator[IdentityCheck]:
    manifest_hash = _spelled(sha256_of_file(opened.world.folder / MANIFEST_NAME))
    yield _compared(f"{MANIFEST_NAME} id", dataset.id, archive.id)
    yield _compared(f"{MANIFEST_NAME} source", dataset.source, archive.source)
    yield _compared(f"{MANIFEST_NAME} sha256", dataset.archive_manifest_sha256, manifest_hash)
    yield _compared(f"{MANIFEST_NAME} corpus_sha256", dataset.corpus_sha256, archive.corpus_sha256)
    tasks, rubric = _spelled(opened.tasks_sha256), _spelled(opened.rubric_sha256)
    yield _compared(f"{TASKS_NAME} sha256", dataset.tasks_sha256, tasks)
    yield _compared(f"{RUBRIC_NAME} sha256", dataset.rubric_sha256, rubric)
    yield from _of_artifact(opened.corpus, archive)
    reason = "the text of the reader's policy is not part of a world"
    yield IdentityCheck(f"{DATASET_NAME} reader_contract_sha256", CheckResult.NOT_CHECKED, reason)


def _of_artifact(corpus: Corpus, archive: ArchiveManifest) -> Iterator[IdentityCheck]:
    if corpus.file is None:
        reason = f"{archive.artifact} is not beside the manifest"
        for what in ("sha256 and size", "corpus_sha256 and size", "counts", "quotes of the rubric"):
            yield IdentityCheck(f"archive {what}", CheckResult.NOT_CHECKED, reason)
        return
    actual: dict[str, Any] = {
        "sha256": _spelled(sha256_of_file(corpus.file)),
        "corpus_sha256": _spelled(corpus.sha256),
        "compressed_bytes": corpus.file.stat().st_size,
        "uncompressed_bytes": corpus.bytes,
        "documents": len(corpus.documents or {}),
        "active_documents": corpus.active_documents,
        "versions": corpus.versions,
    }
    for key, value in actual.items():
        yield _compared(f"archive {key}", getattr(archive, key), value)


def _computed(opened: OpenedWorld) -> Iterator[IdentityCheck]:
    """Yield a world that records no hash: what it would record."""
    file: Path | None = opened.corpus.file
    name = file.name if file else "corpus, as it would be frozen,"
    values = {
        f"{name} sha256": opened.corpus.sha256,
        f"{TASKS_NAME} sha256": opened.tasks_sha256,
        f"{RUBRIC_NAME} sha256": opened.rubric_sha256,
    }
    for what, value in values.items():
        if value is None:
            yield IdentityCheck(what, CheckResult.NOT_CHECKED, "there is no such file")
        else:
            yield IdentityCheck(what, CheckResult.COMPUTED, _spelled(value))


def _compared(what: str, recorded: object, actual: object) -> IdentityCheck:
    if recorded == actual:
        return IdentityCheck(what, CheckResult.RECORDED, str(actual))
    return IdentityCheck(what, CheckResult.DIFFERENT, f"recorded {recorded}, found {actual}")


def _spelled(sha256: str | None) -> str:
    return f"{HASH_PREFIX}{sha256}"
