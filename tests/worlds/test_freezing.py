"""Freezing: the same files give the same bytes, what is wrong writes nothing, and what was frozen
is checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.errors import HarnessError, InputError
from harness.storage.folder import FolderState
from harness.worlds.corpus import corpus_text
from harness.worlds.freezing import freeze
from harness.worlds.identity import CheckResult, identity_checks
from harness.worlds.loading import load_world
from harness.worlds.model import Form
from harness.worlds.opening import open_world

from .folder import DOCUMENTS, rubric_with, write_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "mill")


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_the_same_files_give_the_same_bytes(folder: Path, tmp_path: Path, suffix: str) -> None:
    for out in ("one", "two"):
        state, _ = freeze(folder, tmp_path / out, suffix=suffix)
        assert state is FolderState.NEW
    written = files_of(tmp_path / "one")
    assert sorted(written) == sorted(
        [f"corpus.jsonl{suffix}", "manifest.json", "rubric.json", "tasks.json"]
    )
    assert written == files_of(tmp_path / "two")
    assert written["tasks.json"] == (folder / "tasks.json").read_bytes()
    assert freeze(folder, tmp_path / "one", suffix=suffix)[0] is FolderState.FINISHED


def test_what_was_frozen_is_what_was_there(folder: Path, tmp_path: Path) -> None:
    freeze(folder, tmp_path / "out", world_id="mill-1", source="mark://mill.example")
    world, before = load_world(tmp_path / "out"), load_world(folder)
    assert (world.form, world.world_id, world.source) == (
        *(Form.FROZEN, "mill-1"),
        "mark://mill.example",
    )
    texts = [corpus_text((each.documents or {}).values()) for each in (world, before)]
    assert texts[0] == texts[1]
    assert (world.tasks, dict(world.rubric)) == (before.tasks, dict(before.rubric))
    (wheel,) = [json.loads(line) for line in texts[0].splitlines() if "/mill/wheel.md" in line[:30]]
    assert [each["version"] for each in wheel["versions"]] == [1, 2]
    assert wheel["versions"][0]["metadata"] == {}
    assert wheel["versions"][0]["body"] == DOCUMENTS["mill/wheel.v1.md"]
    assert (
        '{"path":"/yard/cart.md","archived":true,"versions":[{"version":1,"metadata":{},'
        in (texts[0])
    )


def test_documents_may_stand_in_the_folder_itself_without_tasks(tmp_path: Path) -> None:
    (tmp_path / "notes/.git").mkdir(parents=True)
    (tmp_path / "notes/.git/x.md").write_text("# hidden")
    (tmp_path / "notes/a.md").write_text("# A\n")
    freeze(tmp_path / "notes", tmp_path / "out")
    world = load_world(tmp_path / "out")
    assert (list(world.documents or ()), world.tasks, dict(world.rubric)) == (["/a.md"], (), {})
    assert (world.world_id, world.source) == ("notes", "mark://notes")


def test_a_gap_in_the_versions_stays(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    for name in ("a.v2.md", "a.v5.md", "a.md"):
        (tmp_path / "w" / name).write_text(name)
    documents = open_world(tmp_path / "w").world.documents or {}
    assert [(each.number, each.body) for each in documents["/a.md"].versions] == [
        (2, "a.v2.md"),
        (5, "a.v5.md"),
        (6, "a.md"),
    ]


def test_what_lint_finds_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "mill", rubric=rubric_with(version=1))
    with pytest.raises(InputError, match=r"which is not in /mill/wheel\.md v1#speed"):
        freeze(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("world_id", "source", "message"),
    [
        ("a b", None, "'a b' cannot name a world"),
        (None, "http://x", "'http://x' is not a source of documents"),
        (None, "mark://x/y", "'mark://x/y' is not a source of documents"),
    ],
)
def test_bad_names(
    folder: Path, tmp_path: Path, world_id: str | None, source: str | None, message: str
) -> None:
    with pytest.raises(HarnessError, match=message):
        freeze(folder, tmp_path / "out", world_id=world_id, source=source)


def test_another_world_is_replaced_only_by_force(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    freeze(folder, out, suffix=".gz")
    (folder / "documents/mill/race.md").write_text("# The race\n\nDry.\n")
    with pytest.raises(InputError, match="holds other finished work"):
        freeze(folder, out)
    freeze(folder, out, force=True)
    assert sorted(files_of(out)) == ["corpus.jsonl", "manifest.json", "rubric.json", "tasks.json"]
    with pytest.raises(HarnessError, match="is frozen already"):
        freeze(out, tmp_path / "again")


def test_an_interrupted_freeze_says_so(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    freeze(folder, out)
    (out / "manifest.json").rename(out / "started.json")
    with pytest.raises(InputError, match="its freezing was interrupted"):
        open_world(out)


@pytest.mark.parametrize("name", ["corpus.jsonl", "tasks.json", "rubric.json"])
def test_a_changed_file_is_found(folder: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    freeze(folder, out)
    assert {each.verdict for each in identity_checks(open_world(out))} == {CheckResult.RECORDED}
    content = (out / name).read_text()
    (out / name).write_text(content.replace('":', '": ', 1))
    different = [
        each.what
        for each in identity_checks(open_world(out))
        if each.verdict is CheckResult.DIFFERENT
    ]
    assert f"{name} sha256" in different
    with pytest.raises(InputError, match=f"{name} sha256: recorded"):
        load_world(out)


def test_a_changed_manifest_is_refused(folder: Path, tmp_path: Path) -> None:
    freeze(folder, tmp_path / "out")
    path = tmp_path / "out/manifest.json"
    path.write_text(path.read_text().replace('"documents": 3', '"documents": 4'))
    with pytest.raises(InputError, match="was changed"):
        open_world(tmp_path / "out")


def test_a_corpus_without_a_manifest_records_no_hashes(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    freeze(folder, out, suffix=".zst")
    (out / "manifest.json").unlink()
    checks = identity_checks(open_world(out))
    assert [each.verdict for each in checks] == [CheckResult.COMPUTED] * 3
    (out / "corpus.jsonl").write_text("")
    with pytest.raises(InputError, match=r"corpus.jsonl, corpus.jsonl.zst are there together"):
        open_world(out)
