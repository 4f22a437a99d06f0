"""Replays that are killed, and continued to the same bytes; processes do not show."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from harness.cli.main import run as call
from harness.replay import schema
from harness.replay.run import Run

from ..make.questions import contents_of
from ..recording.killed import run_killed

POINTS = ("--point", "items", "--point", "evidence(budget=2400)", "--point", "count-curve(k=full)")
ADDED = ("--point", "count-curve(k=2)", "--point", "evidence(budget=2200)")


def given(recording: Path, out: Path, *points: str) -> list[str]:
    chosen = ["--no-tokens", *points] if points else []
    return ["replay", str(recording), "--out", str(out), "-q", *chosen]


@pytest.fixture(scope="module")
def whole(recording: Path) -> Path:
    """A run that nothing interrupted."""
    out = recording.parent / "whole"
    assert call(given(recording, out, *POINTS)) == 0
    return out


def test_the_number_of_processes_does_not_show(recording: Path, default_run: Path) -> None:
    out = recording.parent / "by-two"
    assert call([*given(recording, out), "--jobs", "2"]) == 0
    assert contents_of(out) == contents_of(default_run)


# a start record, three shards of six tables, cases, points and the manifest: 22 files
@pytest.mark.parametrize("step", [1, 4, 15, 42, 43, 44])
def test_killed_at_any_step(recording: Path, whole: Path, tmp_path: Path, step: int) -> None:
    out = tmp_path / "out"
    assert run_killed(step, *given(recording, out, *POINTS))
    assert (out / "manifest.json").exists() == (step == 44)
    left = [name for name in contents_of(out) if name.endswith(".part")]
    assert len(left) == step % 2
    assert call(given(recording, out, *POINTS)) == 0
    assert contents_of(out) == contents_of(whole)


@pytest.fixture(scope="module")
def whole_added(recording: Path, whole: Path) -> Path:
    """The same with points added."""
    out = Path(shutil.copytree(whole, recording.parent / "whole-added"))
    assert call(given(recording, out, *ADDED)) == 0
    return out


# a start record, three shards of six tables, points and the manifest: 21 files
@pytest.mark.parametrize("step", [1, 20, 39, 41, 42])
def test_killed_while_points_are_added(
    recording: Path, whole: Path, whole_added: Path, tmp_path: Path, step: int
) -> None:
    out = Path(shutil.copytree(whole, tmp_path / "out"))
    assert run_killed(step, *given(recording, out, *ADDED))
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
    assert run_killed(6, *given(recording, out, *POINTS))
    assert call(given(recording, out, *ADDED)) == 2
    error = capsys.readouterr().err
    assert "holds other work, unfinished (adding: stored" in error
    assert "Finish it with its own command" in error
    assert call([*given(recording, out, *ADDED), "--force"]) == 0
    assert len(Run.open(out).points) == 2


def test_killed_after_the_manifest_other_points_can_follow(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run_killed(44, *given(recording, out, *POINTS))
    assert (out / "started.json").exists()
    assert call(given(recording, out, *ADDED)) == 0
    assert len(Run.open(out).points) == 5
    assert not (out / "started.json").exists()


def test_only_what_is_missing_is_computed(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    assert run_killed(20, *given(recording, out, *POINTS))  # the first shard is whole
    written: list[str] = []
    plain = pq.write_table

    def noted(table: Any, where: Path, **options: Any) -> None:
        written.append(where.parent.name)
        plain(table, where, **options)

    monkeypatch.setattr(pq, "write_table", noted)
    assert call(given(recording, out, *POINTS)) == 0
    assert written.count(schema.SELECTIONS) == 2


def started(arguments: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "harness.cli.main", *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.001)


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """The processes of its group that replay, apart from the first one."""
    command = ["ps", "-A", "-ww", "-o", "pid=", "-o", "pgid=", "-o", "args="]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split(maxsplit=2) for line in found.stdout.splitlines()]
    return [int(pid) for pid, of, line in rows if int(of) == process.pid and "spawn_main" in line]


def wait_for_workers(process: subprocess.Popen[str], count: int) -> None:
    """Both are seen by their command line, which one that has just begun does not have yet."""
    deadline = time.monotonic() + 60
    while len(workers_of(process)) < count:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.005)


def wait_for_the_end_of_workers(process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while workers_of(process):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_killed_with_workers_they_end_too(
    recording: Path, default_run: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    process = started([*given(recording, out), "--jobs", "2"])
    wait_for_workers(process, 2)
    wait_for(out / schema.SELECTIONS, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    wait_for_the_end_of_workers(process)
    assert not (out / "manifest.json").exists()
    assert call([*given(recording, out), "--jobs", "2"]) == 0
    assert contents_of(out) == contents_of(default_run)


def interrupted(
    recording: Path, tmp_path: Path, jobs: str
) -> tuple[subprocess.Popen[str], Path, str]:
    """A replay that Ctrl-C reached in time; on a busy machine one may have ended before."""
    for attempt in range(20):
        out = tmp_path / f"out{attempt}"
        process = started([*given(recording, out), "--jobs", jobs])
        wait_for(out / schema.SELECTIONS, process)
        os.killpg(process.pid, signal.SIGINT)
        error = process.communicate(timeout=60)[1]
        if process.returncode != 0:
            return process, out, error
    raise AssertionError("every replay had ended before the interrupt")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_interrupted_by_ctrl_c(recording: Path, tmp_path: Path, jobs: str) -> None:
    """Every process of a terminal gets the interrupt; one message comes out."""
    process, out, error = interrupted(recording, tmp_path, jobs)
    assert process.returncode == 130
    assert error.strip() == "interrupted; run the same command again to continue"
    wait_for_the_end_of_workers(process)
    assert not (out / "manifest.json").exists()
    assert not any(name.endswith(".part") for name in contents_of(out))


def test_a_worker_that_dies_is_one_message(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = started([*given(recording, out), "--jobs", "2"])
    wait_for(out / schema.SELECTIONS, process)
    for worker in workers_of(process):
        os.kill(worker, signal.SIGKILL)
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 2
    assert error.startswith("error: a replay process ended early\n")


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
