"""Difference: everything that an update of a corpus breaks, and nothing that it adds."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.worlds.difference import Break, compare_corpora
from harness.worlds.opening import open_world

from .folder import DOCUMENTS, write_folder

WHEEL = "/mill/wheel.md"


def breaks(tmp_path: Path, documents: dict[str, str]) -> list[tuple[str | int | None, ...]]:
    """Kind, path, version, anchor, task and change of each break."""
    before = open_world(write_folder(tmp_path / "before")).world
    after = open_world(write_folder(tmp_path / "after", documents=documents)).world
    return [
        (each.kind, each.path, each.version, each.anchor, each.task, each.change)
        for each in compare_corpora(before, after).breaks
    ]


def without(name: str) -> dict[str, str]:
    return {key: text for key, text in DOCUMENTS.items() if key != name}


def test_additions_break_nothing(tmp_path: Path) -> None:
    before = open_world(write_folder(tmp_path / "before")).world
    moved = DOCUMENTS | {
        "mill/stone.md": "# Stone\n",
        "mill/race.v1.md": DOCUMENTS["mill/race.md"],
        "mill/race.md": DOCUMENTS["mill/race.md"] + "\n## Ice\n",
    }
    after = open_world(write_folder(tmp_path / "after", documents=moved)).world
    found = compare_corpora(before, after)
    assert (found.breaks, found.new_documents, found.new_versions) == ((), 1, 2)


def test_a_document_that_is_gone(tmp_path: Path) -> None:
    documents = {name: text for name, text in DOCUMENTS.items() if "wheel" not in name}
    change = f"names {WHEEL}, which is not a document; did you mean '/mill/race.md'?"
    assert breaks(tmp_path, documents) == [
        ("document", WHEEL, None, None, None, "removed"),
        ("quote", WHEEL, 2, "speed", "speed", change),
    ]


def test_a_document_that_is_archived(tmp_path: Path) -> None:
    text = DOCUMENTS["mill/wheel.md"].replace("---\n", "---\narchived: true\n", 1)
    change = f"names {WHEEL}, which is archived: no reader can fetch it"
    assert breaks(tmp_path, DOCUMENTS | {"mill/wheel.md": text}) == [
        *[("document", WHEEL, None, None, None, "archived: no reader can fetch it any more")],
        ("quote", WHEEL, 2, "speed", "speed", change),
    ]


def test_a_version_that_is_gone(tmp_path: Path) -> None:
    documents = without("mill/wheel.v1.md")
    gone = ("version", WHEEL, 2, None, None, "removed")
    assert breaks(tmp_path, documents) == [
        ("version", WHEEL, 1, None, None, "its text was written over"),
        ("version", WHEEL, 1, None, None, "its metadata was written over"),
        gone,
        ("version", WHEEL, 1, None, None, "it is the current version again; v2 was"),
        ("quote", WHEEL, 2, "speed", "speed", f"names {WHEEL} v2; its versions are 1"),
    ]


def test_a_version_that_was_written_over(tmp_path: Path) -> None:
    text = DOCUMENTS["mill/wheel.md"].replace("## Speed", "## Pace")
    assert breaks(tmp_path, DOCUMENTS | {"mill/wheel.md": text}) == [
        ("version", WHEEL, 2, None, None, "its text was written over"),
        ("anchor", WHEEL, 2, "speed", None, "gone from this version"),
        (
            *("quote", WHEEL, 2, "speed", "speed"),
            f"names the section #speed of {WHEEL} v2, which has none such; the quote is in #pace",
        ),
    ]


def test_metadata_that_was_written_over(tmp_path: Path) -> None:
    text = DOCUMENTS["mill/wheel.md"].replace("importance: 0.8", "importance: 0.7")
    assert breaks(tmp_path, DOCUMENTS | {"mill/wheel.md": text}) == [
        ("version", WHEEL, 2, None, None, "its metadata was written over")
    ]


def test_a_newer_version_that_lacks_an_anchor_and_a_quote(tmp_path: Path) -> None:
    documents = DOCUMENTS | {
        "mill/wheel.v2.md": DOCUMENTS["mill/wheel.md"],
        "mill/wheel.md": "# The wheel\n\n## Speed\n\nThe wheel turns 7 times a minute.\n",
    }
    change = "the current version has none such; v2 had"
    assert breaks(tmp_path, documents) == [
        ("anchor", WHEEL, 3, "in-winter", None, change),
        (
            *("quote", WHEEL, 2, "speed", "speed"),
            "still in v2, but v3 is current now and has it no more: the task may have another "
            "answer",
        ),
    ]


def test_a_quote_that_was_broken_before_is_not_broken_again(tmp_path: Path) -> None:
    broken = write_folder(tmp_path / "broken", documents=without("mill/wheel.v1.md"))
    world = open_world(broken).world
    assert compare_corpora(world, world).breaks == ()


def test_a_break_names_the_field(tmp_path: Path) -> None:
    before = open_world(write_folder(tmp_path / "before")).world
    text = DOCUMENTS["mill/wheel.md"].replace("9 times", "10 times")
    documents = DOCUMENTS | {"mill/wheel.md": text}
    after = open_world(write_folder(tmp_path / "after", documents=documents)).world
    found = compare_corpora(before, after).breaks
    assert found[-1] == Break(
        *("quote", WHEEL, 2, "speed", "speed", "turns"),
        change="quotes 'The wheel turns 9 times a minute.', which is not in "
        "/mill/wheel.md v2#speed",
    )


@pytest.mark.shared
def test_worlds_without_bodies_cannot_be_compared(shared: Path) -> None:
    folder = shared / "data/lookups/tools/benchmarks/corpora/music-2026-09-14-v4"
    world = open_world(folder).world
    with pytest.raises(Exception, match="holds no document bodies"):
        compare_corpora(world, world)
