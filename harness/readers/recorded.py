"""The kind `recorded`: answers from a file, as `harness answers export` writes them or by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.decode import KEEP, FieldError, Format, Positive, Sha256, Text, decode_lines
from harness.errors import Faults, InputError
from harness.storage.hashing import sha256_of_file, sha256_of_text

from .reader import Reader, ReaderFile
from .reply import NOT_REPORTED, Prompt, ReaderError, Reply, ReportedUsage

_HINT = "docs/formats/readers.md describes a file of answers."


@dataclass(frozen=True, kw_only=True)
class RecordedFile(ReaderFile):
    """A reader's file of this kind: `answers` is relative to it."""

    answers: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswer:
    """A line: the prompt, whole or by its hash, and what the answer to it was."""

    prompt: Text | None = None
    prompt_sha256: Sha256 | None = None
    repeat: Positive = 1
    answer: Text | None = None
    error: Text | None = None
    finish_reason: Text | None = None
    model: Text | None = None
    usage: ReportedUsage = NOT_REPORTED

    def __post_init__(self) -> None:
        if (self.prompt is None) == (self.prompt_sha256 is None):
            raise FieldError("prompt", "or prompt_sha256 must be there, and not both")
        if (self.answer is None) == (self.error is None):
            raise FieldError("answer", "or error must be there, and not both")

    @property
    def digest(self) -> str:
        """Hex SHA-256 of the prompt."""
        return self.prompt_sha256 or sha256_of_text(self.prompt or "")


LINE = Format("a recorded answer", RecordedAnswer, unknown=KEEP, hint=_HINT)


class RecordedReader:
    """Gives the answers of a file; a prompt that it lacks is an error."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines: dict[tuple[str, int], RecordedAnswer] = {}
        faults = Faults()
        for number, line in decode_lines(LINE, str(path), faults=faults, needed="answer"):
            key = (line.digest, line.repeat)
            if key in self._lines:
                faults.add(f"line {number}: repeat {line.repeat} of its prompt is there already")
            self._lines[key] = line
        faults.raise_if_any(str(path), _HINT)

    def ask(self, prompt: Prompt) -> Reply:
        line = self._lines.get((prompt.sha256, prompt.repeat))
        if line is None:
            raise ReaderError(
                f"{self._path} has no answer to prompt {prompt.sha256}, repeat {prompt.repeat}",
                may_cost=False,
            )
        if line.answer is None:
            raise ReaderError(str(line.error), may_cost=False)
        return Reply(line.answer, line.finish_reason, line.model, line.usage)

    def close(self) -> None:
        pass


class Recorded:
    """The kind itself."""

    name = "recorded"
    about = "answers from a file"
    form: Format[Any] = Format("a reader", RecordedFile, hint=_HINT)

    def source(self, file: RecordedFile, folder: Path) -> str:
        """Return the hash of the file: other answers are another reader."""
        path = folder / file.answers
        try:
            return sha256_of_file(path)
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}", _HINT) from error

    def connect(self, file: RecordedFile, folder: Path) -> Reader:
        return RecordedReader(folder / file.answers)


KIND = Recorded()
