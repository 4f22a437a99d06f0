"""Atomic writes: whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import gc
import os
import sys
from pathlib import Path
from types import FrameType
from typing import IO, Any

import pytest

from harness.errors import HarnessError
from harness.storage.atomic import (
    atomic_path,
    atomic_text,
    is_temporary,
    remove_temporaries,
    write_text,
)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_half(target: Path, error: BaseException) -> None:
    with atomic_text(target) as stream:
        stream.write("half")
        stream.flush()
        raise error


def test_a_write_takes_the_name_and_leaves_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder" / "file.txt"
    write_text(target, "zwei\r\nZeilen\n猫")
    assert target.read_bytes() == "zwei\r\nZeilen\n猫".encode()
    assert names(target.parent) == ["file.txt"]
    write_text(target, "again")
    assert target.read_text() == "again"
    assert names(target.parent) == ["file.txt"]


def test_the_file_has_the_permissions_of_a_plain_one(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    write_text(tmp_path / "atomic", "")
    assert (tmp_path / "atomic").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_in_the_block_leaves_what_was_there(
    tmp_path: Path, error: type[BaseException]
) -> None:
    target = tmp_path / "file.txt"
    target.write_text("before")
    with pytest.raises(error):
        write_half(target, error())
    assert target.read_text() == "before"
    assert names(tmp_path) == ["file.txt"]


def interrupted_at(step: int, target: Path) -> bool:
    """Write `target` with an interrupt before the given line of Python; whether it came to that."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        if event == "line" and frame.f_code is not interrupted_at.__code__:
            count += 1
            if count == step:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        write_text(target, "after")
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_an_interrupt_before_any_line_leaves_no_temporary_file(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    target = tmp_path / "file.txt"
    target.write_text("before")
    outcomes = set()
    step = 1
    gc.freeze()  # each collection looks at what the write left, not at the whole session
    request.addfinalizer(gc.unfreeze)
    while interrupted_at(step, target):
        gc.collect()
        assert names(tmp_path) == ["file.txt"], step
        outcomes.add(target.read_text())
        target.write_text("before")
        step += 1
    assert outcomes == {"before", "after"}
    assert step > 20


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_named_whatever_fails(tmp_path: Path, code: int) -> None:
    target = tmp_path / "file.txt"
    with pytest.raises(HarnessError) as caught:
        write_half(target, OSError(code, os.strerror(code)))
    assert caught.value.message == f"no room left on the disk while writing {target}"
    assert "run the same command again" in caught.value.hint
    assert caught.value.exit_code == 2
    assert names(tmp_path) == []


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace", "pathlib.Path.open"])
def test_a_disk_that_is_full_at_any_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    target = tmp_path / "file.txt"
    target.write_text("before")
    with monkeypatch.context() as patch:
        patch.setattr(step, fail)
        with pytest.raises(HarnessError, match="no room left on the disk"):
            write_text(target, "after")
    assert target.read_text() == "before"
    assert names(tmp_path) == ["file.txt"]
    write_text(target, "after")
    assert target.read_text() == "after"


def test_the_error_of_a_library_that_drops_the_code_is_a_full_disk_too(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="no room left"), atomic_path(tmp_path / "table"):
        raise OSError("[Errno 28] Error writing bytes to file. Detail: No space left on device")


def test_other_refusals_are_named_with_their_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HarnessError, match=r"cannot write .*/file: File exists"):
        write_text(tmp_path / "file" / "below", "text")


def test_what_killed_processes_left_is_removed_wherever_it_lies(tmp_path: Path) -> None:
    kept = [
        tmp_path / "file.part",
        tmp_path / ".mine.part",
        tmp_path / ".hidden",
        tmp_path / "a" / "b" / "part",
    ]
    left = [
        tmp_path / ".table.0123456789abcdef.part",
        tmp_path / "a" / ".table.fedcba9876543210.part",
    ]
    for path in [*kept, *left]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    remove_temporaries(tmp_path)
    assert all(path.exists() for path in kept)
    assert not any(path.exists() for path in left)
    remove_temporaries(tmp_path / "no such folder")


def test_what_a_killed_process_left_of_a_file_goes_when_it_is_written_again(tmp_path: Path) -> None:
    left = tmp_path / ".file.txt.0123456789abcdef.part"
    others = [tmp_path / ".other.txt.0123456789abcdef.part", tmp_path / ".file.txt.mine.part"]
    for path in [left, *others]:
        path.write_text("half")
    write_text(tmp_path / "file.txt", "whole")
    assert names(tmp_path) == sorted([*(path.name for path in others), "file.txt"])


def test_what_another_process_is_writing_stays(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    with atomic_text(target) as first:
        first.write("first")
        write_text(target, "second")
        assert len(names(tmp_path)) == 2
    assert target.read_text() == "first"
    assert names(tmp_path) == ["file.txt"]


def test_a_temporary_file_that_was_taken_for_a_left_one_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, removed = fcntl.flock, list[Path]()

    def flock(stream: IO[bytes], how: int) -> None:
        if not removed:  # as if another process had come between
            removed.append(Path(str(stream.name)))
            removed[0].unlink()
        plain(stream, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    write_text(tmp_path / "file.txt", "whole")
    assert removed
    assert (tmp_path / "file.txt").read_text() == "whole"


def test_its_own_temporary_names_are_known(tmp_path: Path) -> None:
    with atomic_path(tmp_path / "table.parquet") as temporary:
        assert is_temporary(temporary.name)
    assert not is_temporary("table.parquet")
