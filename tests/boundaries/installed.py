"""Packages of `tests/fixtures/cases` as if they were installed."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from harness.points.arms import ARMS


def metadata_of(package: Path, folder: Path) -> Path:
    """Write into `folder` what installing the package would: beside its module, on the path."""
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n",
        encoding="utf-8",
    )
    lines: list[str] = []
    for group, offers in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in offers.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def install(patch: pytest.MonkeyPatch, package: Path, folder: Path) -> None:
    """Install the package until the test ends."""
    patch.syspath_prepend(str(package))
    patch.syspath_prepend(str(metadata_of(package, folder)))
    ARMS.forget()
