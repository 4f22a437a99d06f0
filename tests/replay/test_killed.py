"""Replays that are killed at any step of their writing, or find the disk full, and are continued to
the same bytes."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow.parquet as pq
import pytest

from harness.cli.main import run as call
from harness.replay import schema
from harness.replay.run import Run
from harness.storage.lock import HOLDER

from ..make.questions import contents_of, made_questions
from ..make.recordings import recording_of_questions
from ..recording.killed import run_killed

POINTS = ("--point", "items", "--point", "evidence(budget=2400)", "--point", "count-curve(k=full)")
ADDED = ("--point", "count-curve(k=2)", "--point", "evidence(budget=2200)")
SHARD = 4


@pytest.fixture(scope="module", autouse=True)
def small_shards() -> Iterator[None]:
    """A part of a run holds few cases, so that few make several parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "CASES_PER_SHARD", SHARD)
        yield


@pytest.fixture(scope="module")
def recording() -> Path:
    """Ten made-up questions: three shards."""
    return recording_of_questions(made_questions(10))


def given(recording: Path, out: Path, *points: str) -> list[str]:
    chosen = ["--no-tokens", *points] if points else []
    return ["replay", str(recording), "--out", str(out), "-q", *chosen]


def killed(step: int, *arguments: str) -> bool:
    return run_killed(step, *arguments, shard=SHARD)


@pytest.fixture(scope="module")
def whole(recording: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing interrupted."""
    out = tmp_path_factory.mktemp("whole") / "run"
    assert call(given(recording, out, *POINTS)) == 0
    return out


# a start record, three shards of six tables, cases, points and the manifest: 22 files
@pytest.mark.parametrize("step", [1, 4, 15, 42, 43, 44])
def test_killed_at_any_step(recording: Path, whole: Path, tmp_path: Path, step: int) -> None:
    out = tmp_path / "out"
    assert killed(step, *given(recording, out, *POINTS))
    assert (out / "manifest.json").exists() == (step == 44)
    left = [name for name in contents_of(out) if name.endswith(".part") and name != HOLDER]
    assert len(left) == step % 2
    assert call(given(recording, out, *POINTS)) == 0
    assert contents_of(out) == contents_of(whole)


@pytest.fixture(scope="module")
def whole_added(recording: Path, whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with points added."""
    out = Path(shutil.copytree(whole, tmp_path_factory.mktemp("whole") / "added"))
    assert call(given(recording, out, *ADDED)) == 0
    return out


# a start record, three shards of six tables, points and the manifest: 21 files
@pytest.mark.parametrize("step", [1, 20, 39, 41, 42])
def test_killed_while_points_are_added(
    recording: Path, whole: Path, whole_added: Path, tmp_path: Path, step: int
) -> None:
    out = Path(shutil.copytree(whole, tmp_path / "out"))
    assert killed(step, *given(recording, out, *ADDED))
    opened = Run.open(out)  # what was there stays readable all the time
    before = contents_of(whole)
    left = contents_of(out)
    if step < 42:
        assert {str(point) for point in opened.points} == {
            str(point) for point in Run.open(whole).points
        }
        assert all(left[name] == before[name] for name in before)
    assert call(given(recording, out, *ADDED)) == 0
    assert contents_of(out) == contents_of(whole_added)


def test_other_points_wait_until_the_killed_ones_are_there(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert killed(6, *given(recording, out, *POINTS))
    assert call(given(recording, out, *ADDED)) == 2
    error = capsys.readouterr().err
    assert "holds other work, unfinished (adding: stored" in error
    assert "Finish it with its own command" in error
    assert call([*given(recording, out, *ADDED), "--force"]) == 0
    assert len(Run.open(out).points) == 2


def test_killed_after_the_manifest_other_points_can_follow(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert killed(44, *given(recording, out, *POINTS))
    assert (out / "started.json").exists()
    assert call(given(recording, out, *ADDED)) == 0
    assert len(Run.open(out).points) == 5
    assert not (out / "started.json").exists()


def test_only_what_is_missing_is_computed(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    assert killed(20, *given(recording, out, *POINTS))  # the first shard is whole
    written: list[str] = []
    plain = pq.write_table

    def noted(table: Any, stream: IO[bytes], **options: Any) -> None:
        written.append(Path(stream.name).parent.name)
        plain(table, stream, **options)

    monkeypatch.setattr(pq, "write_table", noted)
    assert call(given(recording, out, *POINTS)) == 0
    assert written.count(schema.SELECTIONS) == 2


@pytest.mark.parametrize("after", [0, 3, 9, 19])
@pytest.mark.parametrize("step", ["pyarrow.parquet.write_table", "os.fsync"])
def test_a_full_disk_leaves_nothing_half_written(
    recording: Path,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    step: str,
    after: int,
) -> None:
    out = tmp_path / "out"
    owner: Any = os if step == "os.fsync" else pq
    plain = getattr(owner, step.rpartition(".")[2])
    calls = 0

    def fail(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > after:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return plain(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(owner, step.rpartition(".")[2], fail)
        assert call(given(recording, out, *POINTS)) == 2
    assert capsys.readouterr().err.startswith(
        f"error: no room left on the disk while writing {out}"
    )
    expected = contents_of(whole)
    for name, data in contents_of(out).items():
        assert name == "started.json" or data == expected[name]
    assert call(given(recording, out, *POINTS)) == 0
    assert contents_of(out) == expected
