"""Kills over every verb that writes: `python -m tests.boundaries.kills --count 400`.

Each command runs in a process of its own, which kills itself at the n-th thing that it does to a
file, or is killed at some moment of its time. The same command is then run again, and everything in
its folder must be as after a run that nothing killed: the same bytes, and no other file or process.
Where a kill comes is drawn by its number.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import importlib
import os
import pkgutil
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import arms
import harness
from harness.cli.main import run
from harness.evidence.tokens import ENCODINGS, Tokenizer
from harness.replay import schema

from ..make.questions import word_embedder
from .writing import FETCHED, FIXTURES, WRITING

SHARD = 4
"""Cases of a part of a run, so that few cases make several parts."""
SECONDS = 120
"""After which a process counts as hung."""


@dataclass(frozen=True)
class Ended:
    """How a run ended: its exit code (negative for a signal), what it said, its moments and
    seconds, and whether a process of it went on."""

    code: int
    said: str
    moments: int
    seconds: float
    outlived: bool


class _Moments:
    """Counts what a process does to files of a folder, and kills it at the given one."""

    def __init__(self, folder: Path, kill_at: int | None) -> None:
        self.count = 0
        self._folder = str(folder)
        self._kill_at = kill_at

    def listen(self) -> None:
        sys.addaudithook(self._heard)
        for name in ("fsync", "write"):  # which have no event of their own
            setattr(os, name, self._counted(getattr(os, name)))

    def _counted(self, call: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(call)
        def counted(*arguments: Any) -> Any:
            self._one()
            return call(*arguments)

        return counted

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if flags & (os.O_WRONLY | os.O_RDWR) and self._inside(path):
                self._one()
        elif event in _CHANGES and self._inside(arguments[0]):
            self._one()

    def _inside(self, path: Any) -> bool:
        if isinstance(path, int):
            return True
        return os.path.abspath(os.fsdecode(path)).startswith(self._folder)

    def _one(self) -> None:
        self.count += 1
        if self.count == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)


_CHANGES = frozenset(
    {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "sqlite3.connect"}
)


def _run(
    folder: Path,
    work: Callable[[], int],
    kill_at: int | None = None,
    kill_after: float | None = None,
) -> Ended:
    """Do the work in `folder`, in a process of its own; wait for it and for all that it began."""
    reading, writing = os.pipe()
    log = folder.parent / "log"
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        _work(folder, work, log, kill_at, writing)
    os.close(writing)
    limit = SECONDS if kill_after is None else kill_after
    timer = threading.Timer(limit, os.killpg if kill_after is None else os.kill, [child, 9])
    timer.start()
    _, status = os.waitpid(child, 0)
    timer.cancel()
    seconds = time.monotonic() - began
    with os.fdopen(reading) as pipe:
        moments = pipe.read()
    said = log.read_text(encoding="utf-8", errors="replace")
    code = os.waitstatus_to_exitcode(status)
    return Ended(code, said, int(moments or 0), seconds, _outlived(child))


def _outlived(group: int) -> bool:
    """Whether a process that the killed one began goes on for long; workers end when they see that
    it did."""
    until = time.monotonic() + SECONDS
    while _living(group):
        if time.monotonic() > until:
            os.killpg(group, signal.SIGKILL)
            return True
        time.sleep(0.02)
    return False


def _living(group: int) -> bool:
    for stat in Path("/proc").glob("[0-9]*/stat"):  # elsewhere than on Linux nothing is looked at
        with suppress(OSError):
            state, _, of = stat.read_text().rpartition(")")[2].split()[:3]
            if int(of) == group and state != "Z":
                return True
    return False


def _work(
    folder: Path, work: Callable[[], int], log: Path, kill_at: int | None, writing: int
) -> None:
    code = 99
    try:
        os.setsid()
        os.chdir(folder)
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(descriptor, stream)
        schema.CASES_PER_SHARD = SHARD
        moments = _Moments(folder, kill_at)
        plain = os.write
        moments.listen()
        # the version of the code changes while somebody works on it
        with word_embedder(), patch("harness.storage.manifest.ask_git", return_value=None):
            code = work()
        sys.stdout.flush()
        plain(writing, str(moments.count).encode())
    finally:
        os._exit(code)


def contents_of(folder: Path) -> dict[str, bytes]:
    """What is in the folder, links aside; a database by its rows."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or name.split("/")[0] == ".git":
            continue
        if path.is_dir():
            found[f"{name}/"] = b""
        elif path.suffix == ".sqlite":
            found[name] = _rows(path)
        else:
            found[name] = path.read_bytes()
    return found


def _rows(path: Path) -> bytes:
    with closing(sqlite3.connect(path)) as database:
        return "\n".join(sorted(database.iterdump())).encode()


@dataclass(frozen=True)
class Whole:
    """A command, the folder before it, and what it leaves when nothing kills it."""

    base: Path
    arguments: tuple[str, ...]
    ended: Ended
    left: dict[str, bytes]


class Killing:
    """Kills in folders below `root`; what a command leaves unkilled is found out once."""

    def __init__(self, root: Path, url: str) -> None:
        self._root = root
        self._url = url
        self._wholes: dict[int, Whole] = {}

    def finding(self, number: int) -> str | None:
        """Kill a command once, or twice; what is wrong afterwards, or None."""
        draw = random.Random(number)
        place = number % len(WRITING)
        whole = self._whole(place)
        folder = self._fresh(whole.base)
        kills, outlived = [], False
        for _ in range(draw.choice([1, 1, 1, 2])):
            if draw.random() < 0.75:
                at = draw.randint(1, max(1, whole.ended.moments))
                kills.append(f"at {at} of {whole.ended.moments}")
                ended = self._call(folder, whole, kill_at=at)
            else:
                after = draw.uniform(0, whole.ended.seconds)
                kills.append(f"after {after:.3f} of {whole.ended.seconds:.3f} s")
                ended = self._call(folder, whole, kill_after=after)
            outlived = outlived or ended.outlived
        again = self._call(folder, whole)
        fault = self._fault(whole, again, contents_of(folder))
        if outlived:
            fault = "a process went on"
        if fault is None:
            return None
        killed = ", ".join(kills)
        return f"{number}: {WRITING[place].command}\n  killed {killed}: {fault}\n{again.said}"

    @staticmethod
    def _fault(whole: Whole, again: Ended, left: dict[str, bytes]) -> str | None:
        if again.code != whole.ended.code:
            return f"exit code {again.code}, not {whole.ended.code}"
        if extra := sorted(left.keys() - whole.left.keys()):
            return f"left {', '.join(extra)}"
        if missing := sorted(whole.left.keys() - left.keys()):
            return f"has no {', '.join(missing)}"
        if other := [name for name in left if left[name] != whole.left[name]]:
            return f"other bytes in {', '.join(other)}"
        return None

    def _call(self, folder: Path, whole: Whole, **kill: Any) -> Ended:
        return _run(folder, lambda: run(list(whole.arguments)), **kill)

    def _fresh(self, base: Path) -> Path:
        """The folder of every run, so that no path tells one from another."""
        folder = self._root / "work"
        shutil.rmtree(folder, ignore_errors=True)
        return shutil.copytree(base, folder, symlinks=True)

    def _whole(self, place: int) -> Whole:
        if place not in self._wholes:
            writing = WRITING[place]
            work = self._root / "work"
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir()

            def prepare() -> int:
                writing.prepare(work)
                return 0

            prepared = _run(work, prepare)
            if prepared.code:
                raise RuntimeError(f"{writing.command}: not prepared\n{prepared.said}")
            base = work.rename(self._root / f"base-{place}")
            folder = self._fresh(base)
            arguments = tuple(writing.command.replace("URL", self._url).split())
            ended = _run(folder, lambda: run(list(arguments)))
            if ended.code not in (0, 1):
                raise RuntimeError(f"{writing.command}: {ended.code}\n{ended.said}")
            self._wholes[place] = Whole(base, arguments, ended, contents_of(folder))
        return self._wholes[place]


@contextmanager
def _server() -> Iterator[str]:
    """The address of a file that can be fetched."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments, directory=str(FIXTURES))

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{FETCHED}"
    server.shutdown()
    server.server_close()


def _import_all() -> None:
    """Import what a verb would, once for all runs."""
    for package in (harness, arms):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for name in ("pyarrow.parquet", "scipy.stats", "bm25s", "jsonlines", "markdown_it", "tabulate"):
        importlib.import_module(name)
    for encoding in ENCODINGS:
        Tokenizer(encoding).count("a text")


def findings(numbers: Sequence[int], tell: Callable[[str], None] = lambda _: None) -> list[str]:
    """What is wrong after these kills."""
    _import_all()
    found = []
    with tempfile.TemporaryDirectory(prefix="kills-") as root, _server() as url:
        killing = Killing(Path(root).resolve(), url)
        for number in numbers:
            wrong = killing.finding(number)
            if wrong is not None:
                found.append(wrong)
                tell(wrong)
    return found


def main() -> int:
    """Run as a command; exit with 1 where something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--step", type=int, default=1)
    given = parser.parse_args()
    numbers = range(given.first, given.first + given.count * given.step, given.step)
    found = findings(numbers, lambda line: print(line, flush=True))
    print(f"{given.count:,} kills of {len(WRITING)} commands, {len(found):,} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
