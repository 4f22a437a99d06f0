"""`manifest.json`: what a folder of the harness holds, from what it was made, and by which code.

It is written last and atomically, and has no time in it: the same work gives the same bytes.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import harness
from harness.decode import (
    Format,
    JsonObject,
    Sha256,
    at_least,
    json_of_file,
    keys,
    read_json,
    typed,
)
from harness.errors import Faults, InputError
from harness.words import counted

from .atomic import write_text
from .git import ask_git
from .hashing import sha256_of_file, sha256_of_json

MANIFEST_NAME = "manifest.json"
_LIBRARIES = ("bm25s", "markdown-it-py", "numpy", "pandas", "pyarrow", "quicktok-v1", "scipy")


@dataclass(frozen=True, slots=True)
class FileEntry:
    """Size and hash of one file of the folder."""

    bytes: Annotated[int, at_least(0)]
    sha256: Sha256


@dataclass(frozen=True, slots=True)
class Manifest:
    """The record of one finished folder.

    `schema`: name and version, such as `harness.recording/1`. `work`: what was asked for, inputs by
    hash: two folders with equal work hold the same. `arguments`: as given on the command line.
    `content`: counts, names and fingerprints of the kind of folder. `files`: by relative path.
    """

    schema: str
    work: JsonObject
    content: JsonObject
    files: Mapping[str, FileEntry]
    arguments: JsonObject = field(default_factory=dict)
    code: JsonObject = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def content_sha256(self) -> str:
        """One hash for everything the folder holds: of its files' names and hashes."""
        return sha256_of_json({name: entry.sha256 for name, entry in self.files.items()})

    def write(self, folder: Path) -> None:
        value = asdict(self)
        value["content_sha256"] = self.content_sha256
        # last, since it is the hash of everything else
        value["manifest_sha256"] = sha256_of_json(value)
        write_text(folder / MANIFEST_NAME, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class _ManifestFile(Manifest):
    """A manifest with the hashes that its file states."""

    __pydantic_config__ = keys(stated_content="content_sha256", stated_manifest="manifest_sha256")

    stated_content: str
    stated_manifest: str


def file_entries(folder: Path, names: Iterable[str]) -> dict[str, FileEntry]:
    """Return size and hash of each named file, in sorted order."""
    return {
        name: FileEntry((folder / name).stat().st_size, sha256_of_file(folder / name))
        for name in sorted(names)
    }


def read_manifest(folder: Path, schema: str) -> Manifest:
    """Read the manifest of `folder`, which must be of the given schema; raises `InputError`."""
    path = folder / MANIFEST_NAME
    noun = schema.split("/")[0].removeprefix("harness.")
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder", f"Name the folder of a {noun}.")
    if not path.is_file():
        raise InputError(
            f"{folder} has no {MANIFEST_NAME}: it is not a {noun}, or writing it was interrupted",
            "If it was interrupted, run the command that writes it again: it resumes.",
        )
    faults = Faults()
    value = read_json(path.read_bytes(), faults)
    if isinstance(value, dict) and "schema" in value:
        check_schema(str(value["schema"]), schema, path)
    where, hint = f"{path} is not a manifest of the harness", f"Rebuild the {noun}."
    faults.raise_if_any(where, hint)
    if isinstance(value, dict) and "manifest_sha256" in value:
        _check_unedited(value, path, noun)
    file = typed(Format("manifest", _ManifestFile, hint=hint), value, at=where)
    manifest = Manifest(**{each.name: getattr(file, each.name) for each in fields(Manifest)})
    if file.stated_content != manifest.content_sha256:
        raise InputError(
            f"{path}: content_sha256 is {file.stated_content}, but the hashes of its files give "
            f"{manifest.content_sha256}",
            f"The manifest was edited; rebuild the {noun}.",
        )
    return manifest


def _check_unedited(value: dict[str, Any], path: Path, noun: str) -> None:
    """Refuse a manifest whose hash of itself is not of what it says."""
    stated = value["manifest_sha256"]
    actual = sha256_of_json({key: value[key] for key in value if key != "manifest_sha256"})
    if stated != actual:
        raise InputError(
            f"{path} was changed: its manifest_sha256 is {stated}, its contents have {actual}",
            f"Restore it from a copy, or rebuild the {noun} with --force.",
        )


def kind_of_folder(record: Path) -> str | None:
    """Return `recording`, `run` or another kind, from a manifest or start record; None if it is
    damaged or not the harness's."""
    value = json_of_file(record)
    if not isinstance(value, dict):
        return None
    product, _, kind = str(value.get("schema")).split("/")[0].partition(".")
    return kind if product == "harness" and kind else None


def check_schema(actual: str, wanted: str, path: Path) -> None:
    """Refuse another kind of folder, and a newer version of the same kind, by name."""
    name, _, version = wanted.partition("/")
    actual_name, _, actual_version = actual.partition("/")
    if actual_name != name or not actual_version.isdigit():
        raise InputError(
            f"{path}: schema is {actual!r}, expected {wanted!r}", _other(actual, wanted)
        )
    if int(actual_version) > int(version):
        raise InputError(
            f"{path}: schema {actual!r} is newer than {wanted!r}, the newest this harness reads",
            f"Upgrade the harness (this is {harness.__version__}) to open it.",
        )
    if int(actual_version) < int(version):
        raise InputError(f"{path}: schema {actual!r} is older than {wanted!r}", "Rebuild it.")


_MADE_BY = {
    "recording": "harness record … --out REC, or harness import cases",
    "run": "harness replay REC --out RUN",
    "grades": "harness grades import … --out GRADES",
    "world": "harness world freeze DIR --out WORLD",
}
"""The command that writes a folder of each kind."""


def _other(actual: str, wanted: str) -> str:
    """Say what to pass instead of a folder of another kind."""
    kind, other = (schema.partition("/")[0].partition(".")[2] for schema in (wanted, actual))
    made = f", written by: {_MADE_BY[kind]}" if kind in _MADE_BY else ""
    is_other = f"This is a {other}. " if other in _MADE_BY else ""
    return f"{is_other}Pass a {kind or 'folder of that schema'}{made}."


def verify_files(folder: Path, manifest: Manifest) -> None:
    """Re-hash every file of the folder; raises `InputError` naming each that differs."""
    faults = []
    for name, entry in manifest.files.items():
        path = folder / name
        if not path.is_file():
            faults.append(f"{path} is missing")
        elif path.stat().st_size != entry.bytes:
            faults.append(
                f"{path} has {counted(path.stat().st_size, 'byte')}, recorded {entry.bytes:,}"
            )
        elif (actual := sha256_of_file(path)) != entry.sha256:
            faults.append(f"{path} has sha256 {actual}, recorded {entry.sha256}")
    if faults:
        raise InputError(
            "\n  ".join([f"{folder} is not what was recorded:", *faults]),
            "Restore it from a copy, or rebuild it with --force.",
        )


def code_version() -> dict[str, Any]:
    """Return version, commit and dirtiness of the harness's own code; nulls outside a git
    checkout."""
    home = Path(harness.__file__).parent
    commit = (
        ask_git(home, "rev-parse", "HEAD") if ask_git(home, "ls-files", "__init__.py") else None
    )
    dirty = bool(ask_git(home.parent, "status", "--porcelain", "--", "harness", "arms"))
    return {"version": harness.__version__, "commit": commit, "dirty": dirty if commit else None}


def environment() -> dict[str, str]:
    """Return interpreter, platform and library versions."""
    versions = {library: metadata.version(library) for library in _LIBRARIES}
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": f"{platform.system()} {platform.machine()}",
        **versions,
    }
