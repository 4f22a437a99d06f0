"""Manifests: what they say, and what is refused when it is not so."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from harness.errors import InputError
from harness.storage.hashing import sha256_of_json
from harness.storage.manifest import (
    Manifest,
    code_version,
    environment,
    file_entries,
    read_manifest,
    verify_files,
)

SCHEMA = "harness.recording/2"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "b.parquet").write_bytes(b"second")
    (tmp_path / "parts" / "a.parquet").write_bytes(b"first")
    Manifest(
        SCHEMA,
        work={"dataset": "x"},
        content={"counts": {"cases": 3}},
        files=file_entries(tmp_path, ["parts/a.parquet", "b.parquet"]),
        arguments={"given": {}},
        code=code_version(),
        environment=environment(),
    ).write(tmp_path)
    return tmp_path


def change(folder: Path, **changes: Any) -> None:
    path = folder / "manifest.json"
    value = json.loads(path.read_text()) | changes
    path.write_text(json.dumps(value))


def test_it_reads_back_and_names_every_file_by_size_and_hash(folder: Path) -> None:
    manifest = read_manifest(folder, SCHEMA)
    assert manifest.content == {"counts": {"cases": 3}}
    assert list(manifest.files) == ["b.parquet", "parts/a.parquet"]
    entry = manifest.files["b.parquet"]
    assert entry.bytes == 6
    assert entry.sha256 == hashlib.sha256(b"second").hexdigest()
    verify_files(folder, manifest)


def test_the_hash_of_the_content_is_that_of_names_and_hashes(folder: Path) -> None:
    hashes = {
        "b.parquet": hashlib.sha256(b"second").hexdigest(),
        "parts/a.parquet": hashlib.sha256(b"first").hexdigest(),
    }
    canonical = json.dumps(hashes, sort_keys=True, separators=(",", ":"))
    expected = hashlib.sha256(canonical.encode()).hexdigest()
    assert read_manifest(folder, SCHEMA).content_sha256 == expected
    assert json.loads((folder / "manifest.json").read_text())["content_sha256"] == expected


def test_it_says_which_code_and_libraries_made_it(folder: Path) -> None:
    manifest = read_manifest(folder, SCHEMA)
    assert set(manifest.code) == {"version", "commit", "dirty"}
    assert {"python", "platform", "numpy", "pyarrow", "bm25s"} <= set(manifest.environment)
    assert "time" not in (folder / "manifest.json").read_text()


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("harness.recording/3", r"'harness.recording/3' is newer than 'harness.recording/2'"),
        ("harness.recording/1", r"'harness.recording/1' is older than 'harness.recording/2'"),
        ("harness.run/2", r"schema is 'harness.run/2', expected 'harness.recording/2'"),
        ("harness.recording", r"schema is 'harness.recording', expected"),
        (7, r"schema is '7', expected"),
    ],
)
def test_another_schema_is_refused_by_name(folder: Path, schema: Any, message: str) -> None:
    change(folder, schema=schema)
    with pytest.raises(InputError, match=message):
        read_manifest(folder, SCHEMA)


def test_a_newer_one_says_to_upgrade(folder: Path) -> None:
    change(folder, schema="harness.recording/3")
    with pytest.raises(InputError, match="Upgrade the harness"):
        read_manifest(folder, SCHEMA)


def test_an_edited_hash_is_noticed(folder: Path) -> None:
    value = json.loads((folder / "manifest.json").read_text())
    value["files"]["b.parquet"]["sha256"] = "0" * 64
    change(folder, files=value["files"])
    with pytest.raises(InputError, match="manifest_sha256 is"):
        read_manifest(folder, SCHEMA)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "{}", '{"files": 3}', '{"files": {"a": {"size": 1}}}', "\x00"],
)
def test_what_is_no_manifest_is_named(folder: Path, text: str) -> None:
    (folder / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=r"manifest\.json is not a manifest of the harness"):
        read_manifest(folder, SCHEMA)


def test_a_folder_without_one_is_unfinished(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    with pytest.raises(InputError, match="it is not a recording, or writing it was interrupted"):
        read_manifest(folder, SCHEMA)
    with pytest.raises(InputError, match="is not a folder"):
        read_manifest(folder / "none", SCHEMA)


def test_every_file_that_differs_is_named(folder: Path) -> None:
    manifest = read_manifest(folder, SCHEMA)
    (folder / "b.parquet").write_bytes(b"Second")
    (folder / "parts" / "a.parquet").write_bytes(b"longer than it was")
    with pytest.raises(InputError) as caught:
        verify_files(folder, manifest)
    assert f"{folder / 'b.parquet'} has sha256" in caught.value.message
    assert f"{folder / 'parts/a.parquet'} has 18 bytes, recorded 5" in caught.value.message
    (folder / "b.parquet").unlink()
    with pytest.raises(InputError, match=r"b\.parquet is missing"):
        verify_files(folder, manifest)


def test_a_value_of_another_type_is_named_by_its_path(folder: Path) -> None:
    change(folder, content=[], files={"a": {"bytes": "1", "sha256": "0" * 64}})
    value = json.loads((folder / "manifest.json").read_text())
    del value["manifest_sha256"]
    change(folder, manifest_sha256=sha256_of_json(value))
    with pytest.raises(InputError) as caught:
        read_manifest(folder, SCHEMA)
    assert caught.value.message.splitlines() == [
        f"{folder / 'manifest.json'} is not a manifest of the harness: 2 faults",
        "  content is a list, expected an object",
        "  files.a.bytes is the string '1', expected a whole number",
    ]
