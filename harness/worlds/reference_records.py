"""`manifest.json` and `dataset.json` of an archive in the reference format.

Source: the files of demarkus, in our own words (docs/worlds.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from datetime import date
from typing import Any

from harness.decode.fields import ObjectReader
from harness.errors import Faults

MANIFEST_FORMAT = "demarkus-corpus-jsonl-gzip-v1"
DATASET_FORMAT = "demarkus-answer-dataset-v1"
HASH_PREFIX = "sha256-"
_HASH = re.compile(f"{HASH_PREFIX}[0-9a-f]{{64}}")
_COUNTS = ("compressed_bytes", "uncompressed_bytes", "documents", "active_documents", "versions")


@dataclass(frozen=True, slots=True)
class ArchiveManifest:
    """What the manifest says of the archive. Hashes are spelled `sha256-<hex>`."""

    format: str
    id: str
    source: str
    artifact: str
    sha256: str
    corpus_sha256: str
    compressed_bytes: int
    uncompressed_bytes: int
    documents: int
    active_documents: int
    versions: int


@dataclass(frozen=True, slots=True)
class AnswerDataset:
    """What a dataset pins: the archive, tasks and rubric by hash, scorer, policy and contract."""

    format: str
    id: str
    source: str
    archive_manifest_sha256: str
    corpus_sha256: str
    tasks_sha256: str
    rubric_sha256: str
    scoring_version: str
    tool_profile: str
    reader_policy: str
    reader_contract_sha256: str
    authored: str


def read_archive_manifest(value: Any, name: str, faults: Faults) -> ArchiveManifest:
    """The manifest, all of whose 11 keys are needed; faults are noted under their keys."""
    keys = tuple(each.name for each in fields(ArchiveManifest))
    reader, found = _read(value, name, faults, keys, MANIFEST_FORMAT)
    for key in _COUNTS:
        found[key] = reader.whole_number(key)
        if found[key] < 0:
            reader.fault(key, f"is {found[key]}, expected a count")
    if found["active_documents"] > found["documents"]:
        reader.fault("active_documents", f"is more than the {found['documents']} documents")
    if found["versions"] < found["documents"]:
        reader.fault("versions", f"is less than the {found['documents']} documents")
    return ArchiveManifest(**found)


def read_answer_dataset(value: Any, name: str, faults: Faults) -> AnswerDataset:
    """The dataset, all of whose 12 keys are needed; faults are noted under their keys."""
    keys = tuple(each.name for each in fields(AnswerDataset))
    reader, found = _read(value, name, faults, keys, DATASET_FORMAT)
    if found["authored"]:
        try:
            date.fromisoformat(found["authored"])
        except ValueError:
            reader.fault("authored", f"is {found['authored']!r}, expected a date like 2026-09-15")
    return AnswerDataset(**found)


def _read(
    value: Any, name: str, faults: Faults, keys: tuple[str, ...], wanted: str
) -> tuple[ObjectReader, dict[str, Any]]:
    reader = ObjectReader(value, name, faults, keys, ())
    found: dict[str, Any] = {
        key: reader.text(key, empty=False) for key in keys if key not in _COUNTS
    }
    for key, text in found.items():
        if key.endswith("sha256") and text and not _HASH.fullmatch(text):
            reader.fault(key, f"is {text!r}, expected {HASH_PREFIX} and 64 hexadecimal digits")
    if found["format"] and found["format"] != wanted:
        reader.fault("format", f"is {found['format']!r}, expected {wanted!r}")
    if found["source"] and not found["source"].startswith("mark://"):
        reader.fault("source", f"is {found['source']!r}, expected one like 'mark://name'")
    return reader, found
