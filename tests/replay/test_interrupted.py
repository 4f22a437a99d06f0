"""Replays in several processes: their number does not show, and they end together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.cli.main import run as call
from harness.replay import schema

from ..make.questions import contents_of


def given(recording: Path, out: Path) -> list[str]:
    return ["replay", str(recording), "--out", str(out), "-q"]


def test_the_number_of_processes_does_not_show(
    recording: Path, default_run: Path, tmp_path: Path
) -> None:
    out = tmp_path / "by-two"
    assert call([*given(recording, out), "--jobs", "2"]) == 0
    assert contents_of(out) == contents_of(default_run)


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
