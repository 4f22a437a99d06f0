"""Points that are added to a run later, and runs of other work."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run as call
from harness.replay import schema
from harness.replay.run import Run

from ..make.questions import contents_of

FIRST = ("count-curve(k=full)", "evidence(budget=2400)", "count-curve(k=2)")
LATER = ("items", "evidence(budget=2000)", "count-curve(k=4)", "whole(budget=2000)")


def replay(recording: Path, out: Path, *points: str, more: tuple[str, ...] = ()) -> int:
    given = [part for point in points for part in ("--point", point)]
    return call(["replay", str(recording), "--out", str(out), *given, *more])


def rows_by_point(opened: Run, table: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in opened.table(table).to_pylist():
        found.setdefault(row["point"], []).append(row)
    return found


@pytest.fixture
def added(recording: Path, tmp_path: Path) -> Path:
    out = tmp_path / "added"
    assert replay(recording, out, *FIRST) == 0
    assert replay(recording, out, *LATER) == 0
    return out


def test_added_points_have_the_rows_of_a_run_of_all_at_once(
    recording: Path, added: Path, tmp_path: Path
) -> None:
    assert replay(recording, tmp_path / "once", *FIRST, *LATER) == 0
    by_batch, at_once = Run.open(added), Run.open(tmp_path / "once")
    for table in (schema.SELECTIONS, schema.QUOTES, schema.EVIDENCE):
        assert rows_by_point(by_batch, table) == rows_by_point(at_once, table)
    assert by_batch.computed_as == at_once.computed_as
    assert by_batch.computed_as["items"] == "count-curve(k=full)"
    assert "items" not in rows_by_point(by_batch, schema.SELECTIONS)
    for point in at_once.points:
        assert list(by_batch.contexts(point)) == list(at_once.contexts(point))
    assert by_batch.cases() == at_once.cases()


def test_an_ordering_is_stored_once_however_often_it_is_cut(added: Path) -> None:
    opened = Run.open(added)
    rows = {row["point"]: row for row in opened.table(schema.POINTS).to_pylist()}
    assert rows["evidence(budget=2000)"]["ordering"] == "evidence(budget=2400)"
    assert [rows[point]["batch"] for point in (*FIRST, *LATER)] == [0, 0, 0, 1, 1, 1, 1]
    sequences = opened.table(schema.SEQUENCES).to_pylist()
    assert {row["ordering"] for row in sequences} == {
        "evidence(budget=2400)",
        "whole(budget=2000)",
    }
    places = [(row["case_id"], row["ordering"], row["place"]) for row in sequences]
    assert len(set(places)) == len(places)


def test_added_points_are_compared_with_those_that_were_there(added: Path) -> None:
    content = Run.open(added).manifest.content
    assert content["growth_checks"] == {"count-curve": 3 * 70, "evidence": 70}
    assert [batch["points"] for batch in content["batches"]] == [list(FIRST), list(LATER)]
    assert content["counts"] == {"cases": 70, "points": 7}


def test_adding_leaves_every_file_of_the_first_batch_as_it_is(
    recording: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    assert replay(recording, out, *FIRST) == 0
    before = contents_of(out)
    assert replay(recording, out, *LATER) == 0
    after = contents_of(out)
    assert {name for name in before if after[name] != before[name]} == {"manifest.json"}


def test_points_that_are_there_are_nothing_to_do(
    recording: Path, added: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents_of(added)
    assert replay(recording, added, LATER[1], FIRST[0]) == 0
    assert "holds these points already" in capsys.readouterr().err
    assert contents_of(added) == before


def test_only_new_points_are_computed(
    recording: Path, added: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert replay(recording, added, "items", "quote-curve(head=800, tail=400)", "2.6.5a1") == 0
    assert "7 points of 70 cases replayed" in capsys.readouterr().err
    opened = Run.open(added)
    assert opened.computed_as["quote-curve(head=800, tail=400)"] == "count-curve(k=full)"
    assert len(opened.points) == 14


@pytest.mark.parametrize(
    ("more", "difference"),
    [
        (("--no-tokens",), "another tokens"),
        (("--reader-encoding", "cl100k_base"), "another tokens"),
    ],
)
def test_other_work_is_refused_and_force_replaces_it(
    recording: Path,
    added: Path,
    capsys: pytest.CaptureFixture[str],
    more: tuple[str, ...],
    difference: str,
) -> None:
    before = contents_of(added)
    assert replay(recording, added, "items", more=more) == 2
    assert difference in capsys.readouterr().err
    assert contents_of(added) == before
    assert replay(recording, added, "items", more=(*more, "--force")) == 0
    assert [str(point) for point in Run.open(added).points] == ["items"]


def test_a_run_of_another_recording_is_refused(
    recording: Path, added: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases, other = tmp_path / "cases.jsonl", tmp_path / "other"
    assert call(["export", "cases", str(recording), "--out", str(cases), "--case", "q1"]) == 0
    assert call(["import", "cases", str(cases), "--out", str(other)]) == 0
    assert replay(other, added, "items") == 2
    assert "holds a run of another recording" in capsys.readouterr().err


def test_a_damaged_run_is_not_added_to(
    recording: Path, added: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part = added / schema.QUOTES / "000-00001.parquet"
    part.write_bytes(part.read_bytes()[:-1] + b"!")
    assert replay(recording, added, "2.6.5a1") == 2
    assert f"{part} has sha256" in capsys.readouterr().err
    with pytest.raises(Exception, match="is not what was recorded"):
        Run.open(added)


def test_a_recording_is_never_replaced_by_a_run(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copied = Path(shutil.copytree(recording, tmp_path / "copied"))
    before = contents_of(copied)
    assert replay(copied, copied, "items", more=("--force",)) == 2
    assert "holds a recording, not a run" in capsys.readouterr().err
    assert replay(copied, copied, "items") == 2
    assert contents_of(copied) == before
