"""Output folders: what is new, continued, finished, refused and replaced."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import InputError
from harness.storage.folder import FolderState, open_output, started_work
from harness.storage.lock import HOLDER
from harness.storage.manifest import Manifest, file_entries

SCHEMA = "harness.recording/1"
WORK = {"dataset": "a", "items": 10}
OTHER = {"dataset": "a", "items": 12}
ENTRIES = ("table", "parts")


def begin(path: Path, work: dict[str, object] = WORK, *, force: bool = False) -> FolderState:
    folder = open_output(path, SCHEMA, work, ENTRIES, force=force)
    if folder.state is not FolderState.FINISHED:
        folder.start()
    return folder.state


def finish(path: Path, work: dict[str, object] = WORK) -> None:
    folder = open_output(path, SCHEMA, work, ENTRIES)
    folder.start()
    (path / "table").write_text("rows")
    (path / "parts").mkdir()
    (path / "parts" / "000").write_text("rows")
    Manifest(SCHEMA, work, {}, file_entries(path, ["table", "parts/000"])).write(path)
    folder.finish()


def everything(path: Path) -> dict[str, str]:
    return {
        entry.relative_to(path).as_posix(): entry.read_text()
        for entry in sorted(path.rglob("*"))
        if entry.is_file()
    }


def refused(path: Path, work: dict[str, object] = WORK, *, force: bool = False) -> str:
    """The message; and nothing may have changed."""
    before = everything(path) if path.is_dir() else None
    with pytest.raises(InputError) as caught:
        open_output(path, SCHEMA, work, ENTRIES, force=force)
    assert before == (everything(path) if path.is_dir() else None)
    return str(caught.value)


@pytest.mark.parametrize("make", [lambda path: None, Path.mkdir])
def test_new_or_empty(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "out"
    make(path)
    assert begin(path) is FolderState.NEW
    assert json.loads((path / "started.json").read_text()) == {"schema": SCHEMA, "work": WORK}
    assert started_work(path) == WORK


def test_opening_writes_nothing(tmp_path: Path) -> None:
    open_output(tmp_path / "out", SCHEMA, WORK, ENTRIES, force=True)
    assert not (tmp_path / "out").exists()


def test_a_folder_of_what_a_killed_process_left_is_empty(tmp_path: Path) -> None:
    (tmp_path / ".started.json.0123456789abcdef.part").write_text("{")
    assert begin(tmp_path) is FolderState.NEW
    assert set(everything(tmp_path)) == {"started.json"}


def test_the_same_work_continues_and_keeps_its_finished_parts(tmp_path: Path) -> None:
    begin(tmp_path)
    (tmp_path / "table").write_text("rows")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / ".000.0123456789abcdef.part").write_text("half")
    assert begin(tmp_path) is FolderState.UNFINISHED
    assert set(everything(tmp_path)) == {"started.json", "table"}


def test_other_unfinished_work_is_refused(tmp_path: Path) -> None:
    begin(tmp_path)
    message = refused(tmp_path, OTHER)
    assert "holds other work, unfinished (items: stored 10, asked for 12)" in message
    assert "--force" in message


def test_the_same_finished_work_is_nothing_to_do(tmp_path: Path) -> None:
    finish(tmp_path)
    before = everything(tmp_path)
    assert begin(tmp_path) is FolderState.FINISHED
    assert everything(tmp_path) == before


def test_what_was_killed_after_its_manifest_leaves_nothing(tmp_path: Path) -> None:
    finish(tmp_path)
    before = everything(tmp_path)
    (tmp_path / HOLDER).write_text("{}")
    assert begin(tmp_path) is FolderState.FINISHED
    assert everything(tmp_path) == before


def test_killed_between_manifest_and_end_is_finished(tmp_path: Path) -> None:
    begin(tmp_path)
    start = (tmp_path / "started.json").read_text()
    finish(tmp_path)
    (tmp_path / "started.json").write_text(start)
    assert begin(tmp_path) is FolderState.FINISHED
    assert not (tmp_path / "started.json").exists()


def test_finished_work_that_is_damaged_is_not_taken_for_finished(tmp_path: Path) -> None:
    finish(tmp_path)
    (tmp_path / "table").unlink()
    assert f"{tmp_path / 'table'} is missing" in refused(tmp_path)


def test_other_finished_work_is_refused_and_force_replaces_it(tmp_path: Path) -> None:
    finish(tmp_path)
    (tmp_path / "notes.md").write_text("mine")
    assert "holds other finished work (items: stored 10, asked for 12)" in refused(tmp_path, OTHER)
    assert begin(tmp_path, OTHER, force=True) is FolderState.NEW
    assert set(everything(tmp_path)) == {"started.json", "notes.md"}
    assert started_work(tmp_path) == OTHER


def test_force_starts_the_same_work_anew(tmp_path: Path) -> None:
    begin(tmp_path)
    (tmp_path / "table").write_text("rows")
    assert begin(tmp_path, force=True) is FolderState.NEW
    assert set(everything(tmp_path)) == {"started.json"}


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("thesis.tex", "years of work"),
        ("manifest.json", '{"name": "a browser extension", "manifest_version": 3}'),
        ("manifest.json", '["not", "ours"]'),
        ("manifest.json", '{"schema": "harness.rec'),
    ],
)
def test_files_of_others_are_refused_even_by_force(
    tmp_path: Path, force: bool, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    assert "holds files that the harness did not write" in refused(tmp_path, force=force)


@pytest.mark.parametrize("force", [False, True])
def test_another_kind_of_work_is_refused_even_by_force(tmp_path: Path, force: bool) -> None:
    finish(tmp_path)
    with pytest.raises(InputError, match="holds a recording, not a run"):
        open_output(tmp_path, "harness.run/1", WORK, ENTRIES, force=force, growing=True)
    assert "table" in everything(tmp_path)


@pytest.mark.parametrize("force", [False, True])
def test_a_file_is_no_folder(tmp_path: Path, force: bool) -> None:
    (tmp_path / "file").write_text("")
    assert "exists and is not a folder" in refused(tmp_path / "file", force=force)
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    assert f"is a link to {tmp_path / 'gone'}" in refused(tmp_path / "link", force=force)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"schema": "harness.recording/1", "work": 1}'])
def test_a_damaged_start_record_is_refused_and_force_starts_anew(tmp_path: Path, text: str) -> None:
    (tmp_path / "started.json").write_text(text)
    assert "started.json is damaged" in refused(tmp_path)
    assert begin(tmp_path, force=True) is FolderState.NEW


def test_a_growing_folder_takes_more_work_after_its_manifest(tmp_path: Path) -> None:
    finish(tmp_path)
    folder = open_output(tmp_path, SCHEMA, OTHER, ENTRIES, growing=True)
    folder.start()
    assert folder.state is FolderState.NEW
    there = {"manifest.json", "table", "parts/000", "started.json"}
    assert set(everything(tmp_path)) == {*there, HOLDER}
    again = open_output(tmp_path, SCHEMA, OTHER, ENTRIES, growing=True)
    assert again.state is FolderState.UNFINISHED


def test_a_linked_folder_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert begin(tmp_path / "link") is FolderState.NEW
    assert begin(tmp_path / "link", force=True) is FolderState.NEW
    assert (tmp_path / "real" / "started.json").exists()
