"""Plain grades: JSON Lines or CSV with one graded answer per row.

`question_id` and `correct`, and where known `prompt_tokens` (as the reader's API reported them) or
`prompt_tokens_estimated`, `completion_tokens`, `context_tokens`, `context_sha256`, `reader`,
`judge`, `pass` (from 1, the default), and `error`, `autoeval_error` or `status` of what failed. All
files together hold the grades of one point, so a pass may be in several files.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

from harness.datasets.question_list import ListedQuestion
from harness.decode import Count, FieldError, Format, Positive, Sha256, Text, keys, typed
from harness.errors import LIKENESS, Faults, nearest
from harness.words import counted

from ..grade import API, ESTIMATED
from .rows import NO_VERDICT, ErrorMarkers, GradeFile, GradeFormat, GradeRow, ReadGrades, lines_of


@dataclass(frozen=True, slots=True)
class PlainRow(ErrorMarkers):
    """One graded answer; `correct` is None where there is no verdict, and means nothing where
    something failed."""

    __pydantic_config__ = keys(pass_number="pass")  # noqa: S106 (a key)

    question_id: Text
    correct: bool | None
    prompt_tokens: Positive | None = None
    prompt_tokens_estimated: Positive | None = None
    completion_tokens: Count | None = None
    context_tokens: Count | None = None
    context_sha256: Sha256 | None = None
    reader: Text | None = None
    judge: Text | None = None
    pass_number: Positive | None = None

    def __post_init__(self) -> None:
        if None not in (self.prompt_tokens, self.prompt_tokens_estimated):
            message = "stands next to prompt_tokens; give one of them"
            raise FieldError("prompt_tokens_estimated", message)


ROW = Format("a plain grade", PlainRow, of_others=True)
REQUIRED = ("question_id", "correct")
OPTIONAL = tuple(
    "pass" if field.name == "pass_number" else field.name
    for field in fields(PlainRow)
    if field.name not in REQUIRED
)
_NUMBERS = tuple(name for name in OPTIONAL if name == "pass" or name.endswith(("tokens", "mated")))
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")
_BOOLEANS = {"true": True, "false": False}


def read_json_lines(
    files: Sequence[GradeFile], listed: Sequence[ListedQuestion], faults: Faults
) -> ReadGrades:
    """Read JSON Lines files; what is wrong with them is added to `faults`."""
    read_grades = ReadGrades()
    for file in files:
        numbered = lines_of(ROW, file, faults)
        _add(read_grades, file, numbered)
    return read_grades


def read_csv(
    files: Sequence[GradeFile], listed: Sequence[ListedQuestion], faults: Faults
) -> ReadGrades:
    """Read CSV files, each with a line of column names; an empty cell is null."""
    read_grades = ReadGrades()
    for file in files:
        _add(read_grades, file, _csv_rows(file, faults))
    return read_grades


def _add(
    read_grades: ReadGrades, file: GradeFile, numbered: Iterable[tuple[int, PlainRow | None]]
) -> None:
    rows = 0
    passes: list[int] = []
    for number, row in numbered:
        rows += 1
        if row is not None:
            read_grades.rows.append(_grade_row(row, number, file))
            passes.append(row.pass_number or 1)
    read_grades.add_source(file, rows, passes)


def _grade_row(row: PlainRow, number: int, file: GradeFile) -> GradeRow:
    correct = row.correct if row.failure is None else None
    source = API if row.prompt_tokens is not None else None
    if row.prompt_tokens_estimated is not None:
        source = ESTIMATED
    return GradeRow(
        question_id=row.question_id,
        pass_number=row.pass_number or 1,
        correct=correct,
        problem=(row.failure or NO_VERDICT) if correct is None else None,
        source_sha256=file.sha256,
        row=number,
        reader=row.reader,
        judge=row.judge,
        prompt_tokens=row.prompt_tokens or row.prompt_tokens_estimated,
        completion_tokens=row.completion_tokens,
        tokens_source=source,
        context_tokens=row.context_tokens,
        context_sha256=row.context_sha256,
    )


def _csv_rows(file: GradeFile, faults: Faults) -> Iterator[tuple[int, PlainRow | None]]:
    """Yield each record as the object that JSON would have."""
    try:
        text = file.path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        faults.add(f"{file.path} is not UTF-8 at its byte {error.start:,}")
        return
    records = csv.reader(io.StringIO(text, newline=""), strict=True)
    names: list[str] | None = None
    line = 1
    try:
        for record in records:
            if record and names is None:
                names = [name.strip() for name in record]
                if not _names_are_sound(names, file.place(line), faults):
                    return
            elif record and names is not None:
                yield line, _csv_row(names, record, file.place(line), faults)
            line = records.line_num + 1
    except csv.Error as error:
        faults.add(f"{file.place(records.line_num)}: is not CSV ({error})")


def _csv_row(
    names: Sequence[str], record: Sequence[str], place: str, faults: Faults
) -> PlainRow | None:
    if len(record) != len(names):
        faults.add(f"{place}: has {counted(len(record), 'cell')}, expected {len(names)}")
        return None
    cells = {name: _cell(name, cell.strip()) for name, cell in zip(names, record, strict=True)}
    of_row = Faults()
    row = typed(ROW, cells, of_row)
    for message in of_row:
        faults.add(f"{place}: {message}")
    return row


def _cell(name: str, text: str) -> Any:
    if not text:
        return None
    if name == "correct" and text.lower() in _BOOLEANS:
        return _BOOLEANS[text.lower()]
    if name in (*_NUMBERS, "correct") and _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return text


def _names_are_sound(names: Sequence[str], place: str, faults: Faults) -> bool:
    known = (*REQUIRED, *OPTIONAL)
    unknown = [name for name in names if name not in known]
    messages = [
        f"has no column {name!r}"
        for name in REQUIRED
        if name not in names and not get_close_matches(name, unknown, n=1, cutoff=LIKENESS)
    ]
    for name in dict.fromkeys(names):
        if name not in known:
            messages.append(f"has the unknown column {name!r}{nearest(name, known)}")
        elif names.count(name) > 1:
            messages.append(f"has the column {name!r} {names.count(name)} times")
    for message in messages:
        faults.add(f"{place}: {message}")
    return not messages


_COLUMNS = (
    "question_id, correct; and where known prompt_tokens (as the API reported them) or "
    "prompt_tokens_estimated, completion_tokens, context_tokens, context_sha256, reader, judge, "
    "pass, error, status"
)
JSONL = GradeFormat("jsonl", _COLUMNS, read_json_lines)
CSV = GradeFormat("csv", "the same columns as jsonl; an empty cell is null", read_csv)
