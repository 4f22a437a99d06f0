"""Projects that tests judge in."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...make.project import Project, make_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project in a git checkout, and the current directory."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return make_project(folder)


@pytest.fixture
def ready(project: Project) -> Project:
    """The project with a committed registration and grades of both points."""
    project.register()
    project.grade_both()
    return project
