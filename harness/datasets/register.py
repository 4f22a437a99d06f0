"""The register of datasets: a TOML file that says where each comes from and what it must be.

Paths in it are relative to the register's folder.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import harness
from harness.errors import Faults, InputError, UsageError, nearest

REGISTER = Path("datasets") / "register.toml"
_TEXTS = ("name", "sha256", "licence", "citation", "questions")
_KEYS = (*_TEXTS, "size", "url", "path")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Dataset:
    """One entry. `size` in bytes and `sha256` are of the file as published.

    `url`: where the file is fetched from, or None for a bundled one, which is at `path`.
    `questions`: the list of all its question ids and types (see `harness.datasets.question_list`).
    """

    name: str
    size: int
    sha256: str
    licence: str
    citation: str
    questions: Path
    url: str | None = None
    path: Path | None = None

    @property
    def source(self) -> str:
        """The address or the path."""
        return self.url if self.url is not None else str(self.path)

    @property
    def file_name(self) -> str:
        """The name of the file as published."""
        return self.source.split("?")[0].rsplit("/", 1)[-1]


@dataclass(frozen=True, slots=True)
class Register:
    """The entries of one register file, in its order."""

    file: Path
    datasets: tuple[Dataset, ...]

    def find(self, name: str) -> Dataset:
        """The entry of that name; raises `UsageError` with the nearest name."""
        for dataset in self.datasets:
            if dataset.name == name:
                return dataset
        known = [dataset.name for dataset in self.datasets]
        raise UsageError(
            f"no dataset {name!r} in {self.file}{nearest(name, known)}",
            "List them with: harness dataset list",
        )

    def matching(self, size: int, sha256: str) -> Dataset | None:
        """The entry whose file has that size and hash."""
        for dataset in self.datasets:
            if (dataset.size, dataset.sha256) == (size, sha256):
                return dataset
        return None


def find_register(given: Path | None) -> Path:
    """The register to use: the given one, else that of the current folder, else of the checkout."""
    if given is not None:
        return given
    checkout = Path(harness.__file__).resolve().parent.parent
    for candidate in (REGISTER, checkout / REGISTER):
        if candidate.is_file():
            return candidate
    raise UsageError(
        f"no {REGISTER} in the current folder, and none beside the installed harness",
        "Name one with --register FILE, or run this in a checkout of the project.",
    )


def read_register(path: Path) -> Register:
    """Read and check a register; raises `InputError` naming every fault by entry and key."""
    try:
        value = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist", "Check --register.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not TOML: {error}", "Correct it by hand.") from error
    faults = Faults()
    for key in value.keys() - {"dataset"}:
        faults.add(f"unknown key {key!r}; entries stand under [[dataset]]")
    entries = value.get("dataset", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        faults.add("dataset: expected a list of tables, each under [[dataset]]")
        entries = []
    for message in _entry_faults(entries):
        faults.add(message)
    faults.raise_if_any(str(path), "Correct the register by hand.")
    return Register(path, tuple(_dataset(entry, path.parent) for entry in entries))


def _entry_faults(entries: list[dict[str, Any]]) -> Iterator[str]:
    names: set[str] = set()
    for index, entry in enumerate(entries):
        name = entry.get("name")
        label = f"dataset {name!r}" if isinstance(name, str) else f"dataset {index + 1}"
        for problem in _faults_of(entry):
            yield f"{label}: {problem}"
        if isinstance(name, str):
            if name in names:
                yield f"{label}: name is used twice"
            names.add(name)


def _faults_of(entry: Mapping[str, Any]) -> Iterator[str]:
    for key in entry.keys() - set(_KEYS):
        yield f"unknown key {key!r}{nearest(key, _KEYS)}"
    for key in _TEXTS:
        if key not in entry:
            yield f"{key} is missing"
    for key in (*_TEXTS, "url", "path"):
        if key in entry and not (isinstance(entry[key], str) and entry[key]):
            yield f"{key}: {entry[key]!r} is not a text"
    size, sha256 = entry.get("size"), entry.get("sha256")
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        yield f"size: {size!r} is not a number of bytes"
    if isinstance(sha256, str) and not _SHA256.fullmatch(sha256):
        yield f"sha256: {sha256!r} is not 64 lower-case hexadecimal digits"
    if ("url" in entry) == ("path" in entry):
        yield "give either url or path"


def _dataset(entry: Mapping[str, Any], folder: Path) -> Dataset:
    return Dataset(
        name=entry["name"],
        size=entry["size"],
        sha256=entry["sha256"],
        licence=entry["licence"],
        citation=entry["citation"],
        questions=folder / entry["questions"],
        url=entry.get("url"),
        path=folder / entry["path"] if "path" in entry else None,
    )
