"""What git says of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.trial.clearance import NO_CHECKOUT, FirstCommit, committed, no_order

from ...make.study import commit, git


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "checkout" / "registration one.json"
    path.parent.mkdir()
    path.write_text("{}\n")
    return path


def test_outside_a_checkout_nothing_can_be_shown(file: Path) -> None:
    assert no_order(file) == NO_CHECKOUT
    assert committed(file) is None


def test_a_file_that_is_untracked_or_only_staged_is_not_committed(file: Path) -> None:
    git(file.parent, "init", "-q")
    assert no_order(file) is None
    assert committed(file) is None
    git(file.parent, "add", file.name)
    assert committed(file) is None


def test_the_adding_commit_is_named_and_edits_show(file: Path) -> None:
    first = commit(file.parent, file)
    (file.parent / "other").write_text("x")
    commit(file.parent, file.parent / "other")
    assert committed(file) == FirstCommit(first, modified=False)
    file.write_text("{ }\n")
    assert committed(file) == FirstCommit(first, modified=True)
    commit(file.parent, file)
    assert committed(file) == FirstCommit(first, modified=True)
    file.write_text("{}\n")
    assert committed(file) == FirstCommit(first, modified=False)


def test_taking_a_file_away_and_adding_another_does_not_hide_an_edit(file: Path) -> None:
    first = commit(file.parent, file)
    file.unlink()
    commit(file.parent, file)
    file.write_text('{"other": 1}\n')
    commit(file.parent, file)
    assert committed(file) == FirstCommit(first, modified=True)


def test_a_file_of_the_same_name_elsewhere_is_another(file: Path) -> None:
    commit(file.parent, file)
    below = file.parent / "below" / file.name
    below.parent.mkdir()
    below.write_text("{}\n")
    assert committed(below) is None
    assert committed(file.parent / "absent.json") is None


def test_a_relative_path_is_of_the_current_folder(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = commit(file.parent, file)
    monkeypatch.chdir(file.parent.parent)
    assert committed(Path("checkout") / file.name) == FirstCommit(first, modified=False)
