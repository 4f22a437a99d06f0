"""The kind `command`: any program that reads a line of JSON and prints one."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import selectors
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from harness.decode import KEEP, Check, FieldError, Format, Text, decode
from harness.errors import Faults, UsageError
from harness.storage.hashing import sha256_of_json
from harness.words import counted

from .chat import excerpt, unless_json
from .reader import Reader, ReaderFile
from .reply import NOT_REPORTED, Prompt, ReaderError, Reply, ReportedUsage

_HINT = "docs/formats/readers.md describes what a program reads and prints."
_PIECE = 64 << 10
_LAST_WORDS = 400


def _empty(words: tuple[str, ...]) -> str | None:
    return None if words else "is empty"


@dataclass(frozen=True, kw_only=True)
class CommandFile(ReaderFile):
    """A reader's file of this kind: the program's words, run in the folder of the file."""

    command: Annotated[tuple[Text, ...], Check(_empty)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramAnswer:
    """The line that a program prints; a `momentary` error may be gone at another try.

    `prompt_sha256`, if it is there, must be that of the prompt.
    """

    answer: Text | None = None
    error: Text | None = None
    momentary: bool = False
    prompt_sha256: str | None = None
    finish_reason: Text | None = None
    model: Text | None = None
    usage: ReportedUsage = NOT_REPORTED

    def __post_init__(self) -> None:
        if (self.answer is None) == (self.error is None):
            raise FieldError("answer", "or error must be there, and not both")


_LINE = Format("an answer", ProgramAnswer, unknown=KEEP)


_WATCHED, _MOMENT = 3, 0.1
"""After how many answers of a program, and for how many seconds, it should print nothing more."""


class _Child:
    """One running program."""

    def __init__(self, command: tuple[str, ...], folder: Path) -> None:
        self._words = tempfile.TemporaryFile(prefix="harness-reader-")  # noqa: SIM115 (kept open)
        try:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._words,
                bufsize=0,
                start_new_session=True,  # Ctrl-C is for the harness, which ends it
            )
        except OSError as error:
            self._words.close()
            raise UsageError(
                f"the reader's command {command[0]!r} cannot be started ({error.strerror})",
                "Check `command` in the reader's file; it is run in the folder of that file.",
            ) from error
        assert self._process.stdin is not None  # noqa: S101 (they are pipes)
        assert self._process.stdout is not None  # noqa: S101
        self._input, self._output = self._process.stdin, self._process.stdout
        self._answers = 0
        os.set_blocking(self._input.fileno(), False)
        os.set_blocking(self._output.fileno(), False)

    @property
    def is_waiting(self) -> bool:
        """Whether it runs, and has printed nothing since its last answer."""
        return self._process.poll() is None and not select.select([self._output], [], [], 0)[0]

    def exchange(self, line: bytes, seconds: float, most: int) -> bytes:
        """Give it a line and return the one that it prints; raises `ReaderError`."""
        until = time.monotonic() + seconds
        left, printed = memoryview(line), bytearray()
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._input, selectors.EVENT_WRITE)
            waiting.register(self._output, selectors.EVENT_READ)
            while True:
                remaining = until - time.monotonic()
                if remaining <= 0:
                    raise ReaderError(f"took more than {seconds:g} seconds", momentary=True)
                for ready, _ in waiting.select(remaining):
                    if ready.fileobj is self._input:
                        left = left[self._write(left[:_PIECE]) :]
                        if not left:
                            waiting.unregister(self._input)
                        continue
                    printed += self._read()
                    if len(printed) > most:
                        raise ReaderError(f"printed a line of more than {counted(most, 'byte')}")
                    answer, end, rest = printed.partition(b"\n")
                    if end and rest:
                        raise ReaderError("printed more than one line")
                    if end:
                        self._expect_no_more()
                        return bytes(answer)

    def _expect_no_more(self) -> None:
        """Wait a moment after the first answers for a line that should not come: it would be taken
        for the answer to the next prompt, which no later check could tell."""
        self._answers += 1
        if self._answers > _WATCHED or not select.select([self._output], [], [], _MOMENT)[0]:
            return
        if os.read(self._output.fileno(), _PIECE):  # or nothing: it has ended after its answer
            raise ReaderError("printed more than one line")

    def end(self) -> None:
        """End it and what it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._input.close()
        self._output.close()
        self._words.close()

    def _write(self, piece: memoryview) -> int:
        try:
            return os.write(self._input.fileno(), piece)
        except BlockingIOError:
            return 0
        except BrokenPipeError as error:
            raise self._died() from error

    def _read(self) -> bytes:
        piece = os.read(self._output.fileno(), _PIECE)
        if not piece:
            raise self._died()
        return piece

    def _died(self) -> ReaderError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)  # it has closed its pipes
        code = self._process.poll()
        self._words.seek(max(0, self._words.seek(0, os.SEEK_END) - _LAST_WORDS))
        lines = self._words.read().splitlines()
        ending = "closed its output" if code is None else f"ended with exit code {code}"
        return ReaderError(f"{ending}{excerpt(lines[-1] if lines else b'')}", momentary=True)


class CommandReader:
    """Runs a program per connection; one that ends, or is cut off, is started again."""

    def __init__(self, file: CommandFile, folder: Path) -> None:
        self._file = file
        self._folder = folder
        self._idle: queue.LifoQueue[_Child] = queue.LifoQueue()
        self._idle.put(_Child(file.command, folder))  # a command that cannot start says so now

    def ask(self, prompt: Prompt) -> Reply:
        """Make one call; see `harness.readers.reader.Reader`."""
        file = self._file
        line = json.dumps(
            {
                "prompt": prompt.text,
                "prompt_sha256": prompt.sha256,
                "repeat": prompt.repeat,
                "model": file.model,
                "parameters": file.parameters.as_json(),
            }
        )
        child = self._child()
        try:
            printed = child.exchange(
                line.encode() + b"\n",
                file.limits.deadline_seconds,
                file.limits.largest_answer_bytes,
            )
            answer = answer_of(printed, prompt)
        except ReaderError as error:
            child.end()  # what it prints next may be of this prompt
            error.message = f"{self._name} {error.message}"
            raise
        except BaseException:
            child.end()
            raise
        self._idle.put(child)
        if answer.answer is None:
            raise ReaderError(
                f"{self._name}: {answer.error}", momentary=answer.momentary, usage=answer.usage
            )
        return Reply(answer.answer, answer.finish_reason, answer.model, answer.usage)

    def close(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._idle.get_nowait().end()

    @property
    def _name(self) -> str:
        return f"the reader's command {Path(self._file.command[0]).name!r}"

    def _child(self) -> _Child:
        with contextlib.suppress(queue.Empty):
            while True:
                child = self._idle.get_nowait()
                if child.is_waiting:
                    return child
                child.end()
        return _Child(self._file.command, self._folder)


def answer_of(printed: bytes, prompt: Prompt) -> ProgramAnswer:
    """Read the line that a program printed; raises `ReaderError` for what is not an answer to that
    prompt, nor an error."""
    faults = Faults()
    line = decode(_LINE, printed, faults=faults)
    if line is None:
        found = "; ".join(list(faults)[:3])
        raise ReaderError(f"printed no answer: {found}{unless_json(printed)}", _HINT)
    if line.prompt_sha256 not in (None, prompt.sha256):
        raise ReaderError("printed an answer to another prompt", momentary=True)
    return line


class Command:
    """The kind itself."""

    name = "command"
    about = "any program that reads a line of JSON and prints one"
    form: Format[Any] = Format("a reader", CommandFile, hint=_HINT)

    def source(self, file: CommandFile, folder: Path) -> str:
        """Return a hash of the words, which may hold what is not to be written."""
        return sha256_of_json(list(file.command))

    def connect(self, file: CommandFile, folder: Path) -> Reader:
        return CommandReader(file, folder)


KIND = Command()
