"""What every format of grades is read into, and the checks that they share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from harness.datasets.question_list import ListedQuestion
from harness.decode import Format, Json, SourceLines, decode
from harness.errors import Faults, InputError
from harness.storage.hashing import sha256_of_file

from ..grade import GradeSource, TokenTotals

Line = TypeVar("Line")

NO_VERDICT = "no verdict"
SUCCESS = ("success", "ok")
"""The words of a status that are not an error; of formats that have no words of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorMarkers:
    """What a row may say of a failure, of the answer or of its judgment. A verdict next to it is
    worth nothing: a judge that failed writes down that the answer is wrong."""

    autoeval_error: Json = None
    error: Json = None
    status: Json = None

    @property
    def failure(self) -> str | None:
        """Why there is no verdict, in the words of the row; None where nothing failed."""
        for key in ("autoeval_error", "error"):
            if getattr(self, key) not in _NO_ERROR:
                return key
        if self.status is None or str(self.status).lower() in SUCCESS:
            return None
        return f"status {self.status if isinstance(self.status, str) else json.dumps(self.status)}"


_NO_ERROR: tuple[object, ...] = (None, False, "", [], {})


@dataclass(frozen=True, slots=True)
class GradeRow:
    """One row of a file. `correct` is None where there is no verdict, and `problem` says why."""

    question_id: str
    pass_number: int
    correct: bool | None
    problem: str | None
    source_sha256: str
    row: int
    reader: str | None = None
    judge: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    tokens_source: str | None = None
    context_tokens: int | None = None
    context_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class GradeFile:
    """A file to read: its path and the hash of its bytes."""

    path: Path
    sha256: str

    def place(self, row: int, word: str = "line") -> str:
        """Spell how messages name a row of the file."""
        return f"{self.path}, {word} {row}"


@dataclass
class ReadGrades:
    """What was read from all files of a format, in order."""

    rows: list[GradeRow] = field(default_factory=list)
    sources: list[GradeSource] = field(default_factory=list)
    totals: list[TokenTotals] = field(default_factory=list)
    reader: str | None = None
    """The reader that a file names for all of its rows."""

    def add_source(self, file: GradeFile, rows: int, passes: Sequence[int]) -> None:
        """Record a file with the number of its rows, of either part, and their passes."""
        size = file.path.stat().st_size
        numbers = tuple(sorted(set(passes)))
        self.sources.append(GradeSource(file.path.as_posix(), file.sha256, size, rows, numbers))


@dataclass(frozen=True, slots=True)
class GradeFormat:
    """A format of grades: its name, a line of help, and its reader.

    `read` is given the files and the dataset's questions in order; it adds faults, and raises none.
    """

    name: str
    about: str
    read: Callable[[Sequence[GradeFile], Sequence[ListedQuestion], Faults], ReadGrades]


def grade_files(paths: Sequence[Path], faults: Faults) -> list[GradeFile]:
    """Hash the files; the same bytes twice are a fault."""
    files: list[GradeFile] = []
    for path in paths:
        file = GradeFile(path, sha256_of_file(path))
        same = next((other.path for other in files if other.sha256 == file.sha256), None)
        if same is not None:
            faults.add(f"{path} has the same bytes as {same}, so it is not another pass")
        files.append(file)
    return files


def lines_of(
    form: Format[Line], file: GradeFile, faults: Faults
) -> Iterator[tuple[int, Line | None]]:
    """Yield the number and value of each line of JSON; None for one whose faults were added."""
    try:
        for number, line in SourceLines(str(file.path)):
            yield number, decode(form, line, place=file.place(number), faults=faults)
    except InputError as error:
        faults.add(error.message)
