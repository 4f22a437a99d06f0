"""The folder of a report: what is written, removed, and left alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import InputError
from harness.storage.generated_folder import ReportSubject, Written, write_folder

SUBJECT = ReportSubject("aa" * 32, "all", None, ("items", "count-curve(k=1)"), "bb" * 32)
PAGES = {"README.md": "index\n", "items/README.md": "items\n", "curve.svg": "<svg/>\n"}


def files_of(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file() and path.name != "report.json"
    }


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    assert write_folder(folder, SUBJECT, PAGES) == Written(3, 0, 0)
    return folder


def test_a_second_report_of_the_same_run_writes_nothing(out: Path) -> None:
    index = (out / "report.json").read_bytes()
    assert write_folder(out, SUBJECT, PAGES) == Written(0, 3, 0)
    assert (out / "report.json").read_bytes() == index
    assert sorted(json.loads(index)["files"]) == sorted(PAGES)


def test_what_is_no_longer_written_is_removed_with_its_folder(out: Path) -> None:
    fewer = {"README.md": "index, shorter\n"}
    assert write_folder(out, SUBJECT, fewer) == Written(1, 0, 2)
    assert files_of(out) == fewer
    assert not (out / "items").exists()


def test_files_of_others_stay(out: Path) -> None:
    (out / "longmemeval-s").mkdir()
    (out / "longmemeval-s" / "README.md").write_text("another report\n")
    (out / "items" / "notes.md").write_text("by hand\n")
    write_folder(out, SUBJECT, {"README.md": "index\n"})
    assert files_of(out) == {
        "README.md": "index\n",
        "longmemeval-s/README.md": "another report\n",
        "items/notes.md": "by hand\n",
    }


def test_a_stale_file_that_was_changed_by_hand_stays(out: Path) -> None:
    (out / "curve.svg").write_text("mine\n")
    assert write_folder(out, SUBJECT, {"README.md": "index\n"}) == Written(0, 1, 1)
    assert files_of(out) == {"README.md": "index\n", "curve.svg": "mine\n"}


def test_a_page_that_was_changed_by_hand_is_not_written_over(out: Path) -> None:
    (out / "items" / "README.md").write_text("mine\n")
    with pytest.raises(InputError, match=r"items/README\.md was changed since it was written"):
        write_folder(out, SUBJECT, {**PAGES, "README.md": "new\n"})
    assert (out / "README.md").read_text() == "index\n"
    write_folder(out, SUBJECT, PAGES, force=True)
    assert files_of(out) == PAGES


def test_a_foreign_file_in_the_way_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("by hand\n")
    for force in (False, True):
        with pytest.raises(InputError, match=r"README\.md was not written by a report"):
            write_folder(tmp_path, SUBJECT, PAGES, force=force)
    assert files_of(tmp_path) == {"README.md": "by hand\n"}


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (replace(SUBJECT, recording="cc" * 32), "a report of another recording"),
        (replace(SUBJECT, part="dev"), "a report of another part"),
        (replace(SUBJECT, split_sha256="dd" * 32), "a report of another split_sha256"),
        (replace(SUBJECT, points=("items",)), r"points that this run lacks: count-curve\(k=1\)"),
    ],
)
def test_the_report_of_another_subject_is_replaced_only_by_force(
    out: Path, other: ReportSubject, reason: str
) -> None:
    pages = {"README.md": "other\n"}
    with pytest.raises(InputError, match=reason):
        write_folder(out, other, pages)
    assert files_of(out) == PAGES
    assert write_folder(out, other, pages, force=True) == Written(1, 0, 2)
    assert files_of(out) == pages


def test_a_run_with_more_points_replaces_the_report_of_fewer(out: Path) -> None:
    grown = replace(SUBJECT, points=(*SUBJECT.points, "whole(budget=2800)"), run_sha256="ee" * 32)
    assert write_folder(out, grown, {**PAGES, "whole/README.md": "whole\n"}) == Written(1, 3, 0)


def test_an_interrupted_report_is_continued(out: Path) -> None:
    """Some pages are new, the index is still that of the former report."""
    new = {name: f"new {text}" for name, text in PAGES.items()}
    (out / "README.md").write_text(new["README.md"])
    assert write_folder(out, SUBJECT, new) == Written(2, 1, 0)
    assert files_of(out) == new


@pytest.mark.parametrize(
    "damaged",
    [
        "not JSON",
        "[]",
        '{"schema": "harness.report/9", "subject": {"points": []}, "files": {}}',
        '{"schema": "harness.report/1", "subject": {"points": []}, "files": {"../x": "aa"}}',
        '{"schema": "harness.report/1", "subject": {"points": []}, "files": {"/x": "aa"}}',
        '{"schema": "harness.report/1", "subject": {"points": [1]}, "files": {}}',
    ],
)
def test_a_damaged_index_is_refused(out: Path, damaged: str) -> None:
    (out / "report.json").write_text(damaged)
    with pytest.raises(InputError, match="is not the index of a report"):
        write_folder(out, SUBJECT, PAGES)
    write_folder(out, SUBJECT, PAGES, force=True)
    assert json.loads((out / "report.json").read_text())["schema"] == "harness.report/1"


def test_a_file_or_link_in_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file exists and is not a plain folder"):
        write_folder(tmp_path / "file", SUBJECT, PAGES)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "items").symlink_to(tmp_path)
    with pytest.raises(InputError, match="items exists and is not a plain folder"):
        write_folder(tmp_path / "out", SUBJECT, PAGES, force=True)
    assert files_of(tmp_path / "out") == {}
