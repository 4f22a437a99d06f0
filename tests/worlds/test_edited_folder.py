"""After an edit: earlier texts stay, pins move where the text is equal, the rest is named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import InputError, UsageError
from harness.worlds.edited_folder import EditedFolder, follow_edit
from harness.worlds.freezing import freeze
from harness.worlds.lint import findings
from harness.worlds.markdown_folder import split_front_matter, with_front_matter
from harness.worlds.opening import open_world

from .folder import DOCUMENTS, QUOTE, RUBRIC, rubric_with, write_folder, write_json

WHEEL = "documents/mill/wheel.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "mill")


@pytest.fixture(params=["frozen", "folder"])
def old(folder: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The world before the edit, in either form."""
    out = tmp_path / "old"
    if request.param == "frozen":
        freeze(folder, out)
        return out
    return shutil.copytree(folder, out)


def followed(folder: Path, old: Path) -> EditedFolder:
    found = follow_edit(open_world(old).world, folder)
    found.write()
    return found


def said(found: EditedFolder) -> list[tuple[str, str, str]]:
    return [(each.kind, each.path, each.change) for each in found.followings]


def rewrite(path: Path, before: str, after: str) -> None:
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")


def rubric_of(folder: Path) -> Any:
    return json.loads((folder / "rubric.json").read_text("utf-8"))


def test_nothing_was_edited(folder: Path, old: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert followed(folder, old) == EditedFolder((), {})
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_an_edited_document_is_the_next_version_and_its_pin_follows(
    folder: Path, old: Path
) -> None:
    rewrite(folder / WHEEL, "Then it turns 4 times.", "Then it stands.")
    found = followed(folder, old)
    assert said(found) == [
        (
            "version kept",
            "/mill/wheel.md",
            "v2 is mill/wheel.v2.md now, the edited text is v3",
        ),
        ("pin moved", "/mill/wheel.md", "v2#speed → /mill/wheel.md/v3#speed"),
    ]
    assert (found.followings[1].task, found.followings[1].field) == ("speed", "turns")
    assert (folder / "documents/mill/wheel.v2.md").read_text("utf-8") == DOCUMENTS["mill/wheel.md"]
    assert rubric_of(folder)["speed"]["evidence"]["turns"] == [QUOTE | {"version": 3}]
    opened = open_world(folder)
    assert findings(opened) == []
    assert followed(folder, old) == EditedFolder((), {})  # a second time there is nothing to do


def test_only_the_front_matter_was_edited(folder: Path, old: Path) -> None:
    rewrite(folder / WHEEL, "importance: 0.8", "importance: 0.9")
    assert [each.kind for each in followed(folder, old).followings] == ["version kept", "pin moved"]


def test_a_section_that_was_renamed(folder: Path, old: Path) -> None:
    rewrite(folder / WHEEL, "## Speed", "## How fast")
    found = followed(folder, old)
    assert said(found)[1][2] == "v2#speed → /mill/wheel.md/v3#how-fast"
    assert findings(open_world(folder)) == []


def test_a_quote_that_is_gone_is_left_and_its_pin_stays(folder: Path, old: Path) -> None:
    rewrite(folder / WHEEL, "9 times a minute", "7 times a minute")
    found = followed(folder, old)
    assert said(found)[1:] == [
        ("left to you", "/mill/wheel.md", "v2#speed: the quote is not word for word in v3")
    ]
    assert rubric_of(folder) == RUBRIC
    assert findings(open_world(folder)) == []  # v2 is still there


def test_a_version_that_was_kept_by_hand(folder: Path, old: Path) -> None:
    text = (folder / WHEEL).read_text("utf-8")
    (folder / "documents/mill/wheel.v2.md").write_text(text, "utf-8")
    rewrite(folder / WHEEL, "Then it turns 4 times.", "Then it stands.")
    assert [each.kind for each in followed(folder, old).followings] == ["pin moved"]


def test_what_was_published_is_not_edited(folder: Path, old: Path) -> None:
    rewrite(folder / "documents/mill/wheel.v1.md", "8 times", "6 times")
    assert said(followed(folder, old)) == [
        ("left to you", "/mill/wheel.md", "v1 is published, and was edited: put it back")
    ]
    (folder / "documents/mill/wheel.v1.md").unlink()  # so that the newest is taken for version 1
    assert said(followed(folder, old))[1:] == [
        ("left to you", "/mill/wheel.md", "v2 is published, and is gone: put it back"),
        ("left to you", "/mill/wheel.md", "v2#speed: the quote is not word for word there"),
    ]


def test_a_renamed_document(folder: Path, old: Path) -> None:
    log = [{"step": "the log", "tool": "mark_fetch", "url": "mark://mill/mill/race.md#sluice"}]
    rubric = RUBRIC | {"smith": RUBRIC["smith"] | {"completion": log}}
    sluice = QUOTE | {"path": "/mill/race.md", "version": 1, "anchor": "sluice", "quote": "dawn"}
    rubric["speed"] = RUBRIC["speed"] | {
        "supplemental": {"turns": [sluice]},
        "contradictions": [sluice],
    }
    write_json(folder / "rubric.json", rubric)
    (folder / "documents/mill/race.md").rename(folder / "documents/mill/leat.md")
    found = followed(folder, old)
    assert said(found) == [
        ("document renamed", "/mill/race.md", "is /mill/leat.md now, with the same text"),
        (
            "left to you",
            "/mill/wheel.md",
            "rel-depends-on names /mill/race.md, which is /mill/leat.md now",
        ),
        ("pin moved", "/mill/race.md", "v1#sluice → /mill/leat.md/v1#sluice"),
        ("pin moved", "/mill/race.md", "v1#sluice → /mill/leat.md/v1#sluice"),
        (
            "pin moved",
            "/mill/race.md",
            "url mark://mill/mill/race.md#sluice → mark://mill/mill/leat.md#sluice",
        ),
    ]
    assert rubric_of(folder)["speed"]["contradictions"] == [sluice | {"path": "/mill/leat.md"}]
    assert findings(open_world(folder)) == []


def test_older_versions_of_a_renamed_document(folder: Path, old: Path) -> None:
    v1 = rubric_with(version=1, quote="The wheel turns 8 times a minute.")
    write_json(folder / "rubric.json", v1)
    for name in ("wheel.md", "wheel.v1.md"):
        (folder / "documents/mill" / name).rename(folder / "documents/mill" / f"big-{name}")
    assert said(followed(folder, old))[1:] == [
        ("pin moved", "/mill/wheel.md", "v1#speed → /mill/big-wheel.md/v1#speed")
    ]
    assert findings(open_world(folder)) == []


def test_a_document_that_is_gone(folder: Path, old: Path) -> None:
    for name in ("wheel.md", "wheel.v1.md"):
        (folder / "documents/mill" / name).unlink()
    assert said(followed(folder, old)) == [
        ("left to you", "/mill/wheel.md", "is gone: its pins stay as they are")
    ]
    two = folder / "documents/mill/a.md", folder / "documents/mill/b.md"
    for path in two:
        path.write_text(DOCUMENTS["mill/wheel.md"], "utf-8")
    assert said(followed(folder, old)) == [
        (
            "left to you",
            "/mill/wheel.md",
            "has the text of /mill/a.md and /mill/b.md: its pins stay as they are",
        )
    ]


def test_the_layout_of_the_rubric_stays(folder: Path, old: Path) -> None:
    (folder / "rubric.json").write_text(json.dumps(RUBRIC, indent=4) + "\n", "utf-8")
    rewrite(folder / WHEEL, "Then it turns 4 times.", "Then it stands.")
    followed(folder, old)
    text = (folder / "rubric.json").read_text("utf-8")
    changed = json.dumps(RUBRIC, indent=4).replace('"version": 2', '"version": 3') + "\n"
    assert text == changed


def test_what_cannot_be_followed(folder: Path, tmp_path: Path) -> None:
    frozen = tmp_path / "frozen"
    freeze(folder, frozen)
    world = open_world(frozen).world
    with pytest.raises(UsageError, match="is not a folder of Markdown files"):
        follow_edit(world, frozen)
    rewrite(folder / WHEEL, "title: The wheel", "title")
    with pytest.raises(InputError, match="line 2 is 'title'"):
        follow_edit(world, folder)


KEYS = st.sampled_from(["title", "tags", "rel-a", "x"])
VALUES = st.text("ab '\"\\:#-[]é", max_size=8)


@given(st.dictionaries(KEYS, VALUES, max_size=3), st.text("ab-\n\r\t#", max_size=20))
def test_front_matter_is_written_as_it_is_read(metadata: dict[str, str], body: str) -> None:
    text = with_front_matter(metadata, body)
    if text is None:  # a value that no line can hold
        assert any({*value} & {*"'\"\\ "} for value in metadata.values())
    else:
        read = split_front_matter(text)
        assert (read.metadata, read.body, read.faults) == (metadata, body, ())
