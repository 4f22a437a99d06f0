"""A world to start from is sound, and nothing is written over."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.worlds.lint import findings
from harness.worlds.opening import open_world
from harness.worlds.starting import start_world


def test_the_world_is_sound(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "new/world", tmp_path / "empty"):
        files = start_world(folder)
        assert sorted(files) == sorted(path for path in folder.rglob("*") if path.is_file())
        opened = open_world(folder)
        assert findings(opened) == []
        assert opened.world.tasks
        documents = opened.world.documents or {}
        assert max(len(document.versions) for document in documents.values()) == 2


def test_what_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    for folder in (tmp_path, tmp_path / "a.txt"):
        with pytest.raises(UsageError, match="exists and is not empty"):
            start_world(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
