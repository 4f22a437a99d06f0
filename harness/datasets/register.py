"""The register of datasets: a TOML file that says where each comes from and what it must be.

Paths in it are relative to the register's folder.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import harness
from harness.decode import (
    Check,
    Format,
    NotNull,
    Sha256,
    Text,
    Via,
    at_least,
    decode_file,
)
from harness.errors import Faults, InputError, UsageError, nearest
from harness.words import counted

REGISTER = Path("datasets") / "register.toml"


_Path = Annotated[Path, Via(Text, Path)]


@dataclass(frozen=True, slots=True)
class Dataset:
    """One entry. `size` in bytes and `sha256` are of the file as published.

    `url`: where the file is fetched from, or None for a bundled one, which is at `path`.
    `questions`: the list of all its question ids and types (see `harness.datasets.question_list`).
    """

    name: Text
    size: Annotated[int, at_least(1)]
    sha256: Sha256
    licence: Text
    citation: Text
    questions: _Path
    url: Annotated[Text | None, NotNull()] = None
    path: Annotated[_Path | None, NotNull()] = None

    @property
    def source(self) -> str:
        """Address or the path."""
        return self.url if self.url is not None else str(self.path)

    @property
    def file_name(self) -> str:
        """Name of the file as published."""
        return self.source.split("?")[0].rsplit("/", 1)[-1]


@dataclass(frozen=True, slots=True)
class Register:
    """The entries of one register file, in its order."""

    file: Path
    datasets: tuple[Dataset, ...]

    def find(self, name: str) -> Dataset:
        """Find the entry of that name; raises `UsageError` with the nearest name."""
        for dataset in self.datasets:
            if dataset.name == name:
                return dataset
        known = [dataset.name for dataset in self.datasets]
        raise UsageError(
            f"no dataset {name!r} in {self.file}{nearest(name, known)}",
            "List them with: harness dataset list",
        )

    def matching(self, size: int, sha256: str) -> Dataset | None:
        """Return the entry whose file has that size and hash."""
        for dataset in self.datasets:
            if (dataset.size, dataset.sha256) == (size, sha256):
                return dataset
        return None


def find_register(path: Path | None) -> Path:
    """Find the register to use: the given one, else that of the current folder, else of the
    checkout."""
    if path is not None:
        return path
    checkout = Path(harness.__file__).resolve().parent.parent
    for candidate in (REGISTER, checkout / REGISTER):
        if candidate.is_file():
            return candidate
    raise UsageError(
        f"no {REGISTER} in the current folder, and none next to the installed harness",
        "Name one with --register FILE, or run this in a checkout of the project.",
    )


def known_datasets(path: Path | None) -> Register:
    """Read the register to use; an empty one where none was named and there is none."""
    try:
        return read_register(find_register(path))
    except UsageError:
        return Register(REGISTER, ())


def read_register(path: Path) -> Register:
    """Read and check a register; raises `InputError` naming every fault by entry and key."""
    if not path.exists():
        raise InputError(f"{path} does not exist", "Check --register.")
    entries = decode_file(_REGISTER, path).dataset
    faults = Faults()
    names = [entry.name for entry in entries]
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            faults.add(f"{counted(names.count(name), 'dataset')} have the name {name!r}")
    faults.raise_if_any(str(path), _REGISTER.hint)
    return Register(path, tuple(_placed(entry, path.parent) for entry in entries))


def _placed(entry: Dataset, folder: Path) -> Dataset:
    """Return the entry with paths from where the register is."""
    path = None if entry.path is None else folder / entry.path
    return replace(entry, questions=folder / entry.questions, path=path)


def _two_sources(entry: Dataset) -> str | None:
    if (entry.url is None) != (entry.path is None):
        return None
    both = "neither url nor path" if entry.url is None else "both url and path"
    return f"has {both}; give one of them"


@dataclass(frozen=True, slots=True)
class _Register:
    dataset: tuple[Annotated[Dataset, Check(_two_sources)], ...] = ()


_REGISTER = Format("register", _Register, hint="Correct the register by hand.")
