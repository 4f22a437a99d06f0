"""Fetching from local servers that drop, lie, refuse and cannot resume."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.datasets.download import DownloadSource, PartialDownload, open_part
from harness.datasets.fetch import FetchResult, Patience, fetch
from harness.datasets.register import Dataset
from harness.errors import HarnessError, InputError, UsageError

DATA = random.Random(1).randbytes(600_000)
SHA256 = hashlib.sha256(DATA).hexdigest()
Serve = Callable[..., Any]
ONCE = Patience(retries=0)
TWICE = Patience(retries=1, first_wait_seconds=0.01)


def entry(url: str | None, path: Path | None = None) -> Dataset:
    return Dataset("made-up", len(DATA), SHA256, "MIT", "nobody", Path("list"), url, path)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "out" / "data.json"


@pytest.fixture
def part(target: Path) -> Path:
    return target.with_name("data.json.part")


def leave_part(part: Path, data: bytes) -> None:
    part.parent.mkdir()
    part.write_bytes(data)


def test_fetched_whole_and_not_again(serve: Serve, target: Path, part: Path) -> None:
    server = serve(DATA)
    lengths: list[int] = []
    assert fetch(entry(server.url), target, report=lengths.append) is FetchResult.FETCHED
    assert target.read_bytes() == DATA
    assert not part.exists()
    assert lengths[0] == 0
    assert lengths[-1] == len(DATA)
    assert fetch(entry(server.url), target) is FetchResult.THERE
    assert len(server.requests) == 1


def test_a_dropped_connection_keeps_the_part_and_is_continued(
    serve: Serve, target: Path, part: Path
) -> None:
    server = serve(DATA, drops=[250_000])
    with pytest.raises(HarnessError, match="closed early, at 250,000 of 600,000 bytes") as caught:
        fetch(entry(server.url), target, patience=ONCE)
    assert "Run the same command again" in caught.value.hint
    assert part.read_bytes() == DATA[:250_000]
    assert not target.exists()
    assert fetch(entry(server.url), target, patience=ONCE) is FetchResult.FETCHED
    assert target.read_bytes() == DATA
    assert server.requests[1]["Range"] == "bytes=250000-"


def test_a_dropped_connection_is_tried_again(serve: Serve, target: Path) -> None:
    server = serve(DATA, drops=[100_000], statuses=[None, 503], entity_tag='"one"')
    said: list[str] = []
    patience = Patience(retries=2, first_wait_seconds=0.01)
    fetch(entry(server.url), target, patience=patience, say=said.append)
    assert target.read_bytes() == DATA
    assert server.requests[2]["Range"] == "bytes=100000-"
    assert server.requests[2]["If-Range"] == '"one"'
    assert said == [
        "the connection was closed early, at 100,000 bytes; trying again in 0.01 s",
        "the server answers 503 Service Unavailable, at 100,000 bytes; trying again in 0.02 s",
    ]


def test_a_file_that_changes_on_the_server_starts_anew(serve: Serve, target: Path) -> None:
    server = serve(DATA, drops=[100_000], entity_tag='"one"')
    fetch(
        entry(server.url),
        target,
        patience=TWICE,
        say=lambda message: setattr(server, "entity_tag", '"two"'),
    )
    assert target.read_bytes() == DATA
    assert server.requests[1]["If-Range"] == '"one"'


def test_a_server_without_ranges_starts_anew(serve: Serve, target: Path, part: Path) -> None:
    server = serve(DATA, ranges=False)
    leave_part(part, DATA[:1000])
    fetch(entry(server.url), target, patience=ONCE)
    assert target.read_bytes() == DATA
    assert server.requests[0]["Range"] == "bytes=1000-"


def test_a_range_that_is_refused_starts_anew(serve: Serve, target: Path, part: Path) -> None:
    server = serve(DATA, statuses=[416])
    leave_part(part, DATA[:1000])
    fetch(entry(server.url), target, patience=TWICE)
    assert target.read_bytes() == DATA
    assert "Range" not in server.requests[1]


@pytest.mark.parametrize("left", [DATA + b"more", b"x" * len(DATA)])
def test_a_part_of_another_file_starts_anew(
    serve: Serve, target: Path, part: Path, left: bytes
) -> None:
    leave_part(part, left)
    fetch(entry(serve(DATA).url), target, patience=ONCE)
    assert target.read_bytes() == DATA


def test_a_whole_part_needs_no_request(serve: Serve, target: Path, part: Path) -> None:
    server = serve(DATA)
    leave_part(part, DATA)
    assert fetch(entry(server.url), target) is FetchResult.FETCHED
    assert target.read_bytes() == DATA
    assert server.requests == []


def test_wrong_bytes_are_removed(serve: Serve, target: Path, part: Path) -> None:
    wrong = DATA[:-1] + bytes([DATA[-1] ^ 1])
    with pytest.raises(InputError, match=f"sent wrong bytes: sha256 .* register says {SHA256}"):
        fetch(entry(serve(wrong).url), target, patience=ONCE)
    assert list(target.parent.iterdir()) == []


def test_a_part_with_a_wrong_start_is_removed_at_the_end(
    serve: Serve, target: Path, part: Path
) -> None:
    server = serve(DATA)
    leave_part(part, b"wrong start")
    with pytest.raises(InputError, match="sent wrong bytes"):
        fetch(entry(server.url), target, patience=ONCE)
    assert list(target.parent.iterdir()) == []
    assert fetch(entry(server.url), target, patience=ONCE) is FetchResult.FETCHED


def test_another_size_is_refused_before_it_is_loaded(
    serve: Serve, target: Path, part: Path
) -> None:
    leave_part(part, DATA[:1000])
    with pytest.raises(InputError, match="has 600001 bytes, the register says 600000"):
        fetch(entry(serve(DATA + b"x").url), target, patience=ONCE)
    assert part.read_bytes() == DATA[:1000]
    assert not target.exists()


def test_an_answer_of_404_is_final(serve: Serve, target: Path) -> None:
    server = serve(DATA, statuses=[404])
    with pytest.raises(HarnessError, match="the server answers 404 Not Found"):
        fetch(entry(server.url), target, patience=TWICE)
    assert len(server.requests) == 1
    assert list(target.parent.iterdir()) == []


def test_a_server_that_is_not_there(target: Path) -> None:
    with pytest.raises(HarnessError, match=r"cannot reach .*, at 0 of 600,000 bytes"):
        fetch(entry("http://127.0.0.1:9/data.json"), target, patience=TWICE)


@pytest.mark.parametrize("url", ["file:///etc/hosts", "data.json", "http://[bad"])
def test_other_addresses_are_refused(target: Path, url: str) -> None:
    with pytest.raises(UsageError, match="address"):
        fetch(entry(None), target, url=url)


def test_another_file_is_replaced_only_by_force(serve: Serve, target: Path) -> None:
    server = serve(DATA)
    target.parent.mkdir()
    target.write_bytes(b"mine")
    with pytest.raises(InputError, match="exists and is another file"):
        fetch(entry(server.url), target)
    assert target.read_bytes() == b"mine"
    fetch(entry(server.url), target, force=True)
    assert target.read_bytes() == DATA


def test_two_downloads_at_once_are_refused(serve: Serve, target: Path, part: Path) -> None:
    with open_part(part), pytest.raises(HarnessError, match="another download is writing"):
        fetch(entry(serve(DATA).url), target)


class FullDisk(io.BytesIO):
    """A disk with room for one write."""

    def write(self, data: Any, /) -> int:
        if self.tell():
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


def test_a_full_disk_is_no_lost_connection(serve: Serve, part: Path) -> None:
    filling = PartialDownload(part, FullDisk())
    with pytest.raises(HarnessError, match="no room left on the disk while writing"):
        DownloadSource(serve(DATA).url, len(DATA)).continue_into(filling, lambda length: None)
    assert 0 < filling.length < len(DATA)


def test_a_bundled_file_is_copied_if_it_is_right(tmp_path: Path, target: Path) -> None:
    bundled = tmp_path / "bundled"
    bundled.write_bytes(DATA)
    assert fetch(entry(None, bundled), target) is FetchResult.COPIED
    assert target.read_bytes() == DATA
    bundled.write_bytes(b"other")
    with pytest.raises(InputError, match="is not what the register says"):
        fetch(entry(None, bundled), tmp_path / "again")


def test_a_killed_fetch_continues_to_the_same_bytes(
    serve: Serve, tmp_path: Path, target: Path, part: Path
) -> None:
    server = serve(DATA, pause=0.05, step=20_000)
    register = tmp_path / "register.toml"
    register.write_text(
        f'[[dataset]]\nname = "made-up"\nurl = "{server.url}"\nsize = {len(DATA)}\n'
        f'sha256 = "{SHA256}"\nlicence = "MIT"\ncitation = "nobody"\nquestions = "list"\n'
    )
    command = [sys.executable, "-m", "harness.cli.main", "dataset", "fetch", "made-up"]
    command += ["--register", str(register), "--out", str(target)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while not (part.exists() and part.stat().st_size > 40_000):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = part.read_bytes()
    assert 40_000 < len(kept) < len(DATA)
    assert kept == DATA[: len(kept)]
    assert not target.exists()

    server.pause = 0.0
    subprocess.run(command, check=True, capture_output=True)
    assert target.read_bytes() == DATA
    assert not part.exists()
    assert server.requests[1]["Range"] == f"bytes={len(kept)}-"
