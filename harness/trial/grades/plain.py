"""Plain grades: JSON Lines or CSV with one graded answer a row.

`question_id` and `correct`, and where known `prompt_tokens` (as the reader's API reported them) or
`prompt_tokens_estimated`, `completion_tokens`, `context_tokens`, `context_sha256`, `reader`,
`judge`, and `pass` (from 1, the default). All files together hold the grades of one point, so a
pass may stand in several files.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

from harness.datasets.question_list import ListedQuestion
from harness.decode.fields import ObjectReader, count_or_none, text_or_none
from harness.decode.json_lines import JsonLines
from harness.errors import Faults, InputError, nearest

from .grade import API, ESTIMATED
from .rows import NO_VERDICT, GradeFile, GradeRow, ReadGrades

JSONL, CSV = "jsonl", "csv"
REQUIRED = ("question_id", "correct")
OPTIONAL = (
    "prompt_tokens",
    "prompt_tokens_estimated",
    "completion_tokens",
    "context_tokens",
    "context_sha256",
    "reader",
    "judge",
    "pass",
)
_NUMBERS = (
    "prompt_tokens",
    "prompt_tokens_estimated",
    "completion_tokens",
    "context_tokens",
    "pass",
)
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}")
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_SHA256 = re.compile(r"[0-9a-f]{64}")

_NumberedObject = tuple[int, Any, str | None]
"""The number of a line from 1, its value, and what keeps it from having one."""


def read_json_lines(
    files: Sequence[GradeFile], listed: Sequence[ListedQuestion], faults: Faults
) -> ReadGrades:
    """The rows of JSON Lines files; what is wrong with them is added to `faults`."""
    read_grades = ReadGrades()
    for file in files:
        lines = ((line.number, line.value, line.fault) for line in JsonLines(str(file.path)))
        _add(read_grades, file, lines, faults)
    return read_grades


def read_csv(
    files: Sequence[GradeFile], listed: Sequence[ListedQuestion], faults: Faults
) -> ReadGrades:
    """The rows of CSV files, each with a line of column names; an empty cell is null."""
    read_grades = ReadGrades()
    for file in files:
        _add(read_grades, file, _csv_objects(file, faults), faults)
    return read_grades


def _add(
    read_grades: ReadGrades, file: GradeFile, objects: Iterator[_NumberedObject], faults: Faults
) -> None:
    count = 0
    passes: list[int] = []
    try:
        for number, value, fault in objects:
            count += 1
            found = Faults()
            if fault is not None:
                found.add(fault)
            row = None if fault else _row(value, number, file, found)
            for message in found:
                faults.add(f"{file.place(number)}: {message}")
            if row is not None and not found:
                read_grades.rows.append(row)
                passes.append(row.pass_number)
    except InputError as error:
        faults.add(error.message)
    read_grades.add_source(file, count, passes)


def _row(value: Any, number: int, file: GradeFile, faults: Faults) -> GradeRow:
    fields = ObjectReader(value, "", faults, REQUIRED, OPTIONAL)
    verdict = fields.raw("correct") is not None
    correct = fields.boolean("correct") if verdict else None
    prompt, source = _prompt_tokens(fields)
    digest = text_or_none(fields, "context_sha256")
    if digest is not None and not _SHA256.fullmatch(digest):
        fields.fault("context_sha256", "is not 64 lower-case hexadecimal digits")
    return GradeRow(
        question_id=fields.text("question_id", empty=False),
        pass_number=count_or_none(fields, "pass", least=1) or 1,
        correct=correct,
        problem=None if verdict else NO_VERDICT,
        source_sha256=file.sha256,
        row=number,
        reader=text_or_none(fields, "reader"),
        judge=text_or_none(fields, "judge"),
        prompt_tokens=prompt,
        completion_tokens=count_or_none(fields, "completion_tokens"),
        tokens_source=source,
        context_tokens=count_or_none(fields, "context_tokens"),
        context_sha256=digest,
    )


def _prompt_tokens(fields: ObjectReader) -> tuple[int | None, str | None]:
    reported = count_or_none(fields, "prompt_tokens", least=1)
    estimated = count_or_none(fields, "prompt_tokens_estimated", least=1)
    if reported is not None and estimated is not None:
        fields.fault("prompt_tokens_estimated", "stands beside prompt_tokens; give one of them")
    if reported is not None:
        return reported, API
    return (None, None) if estimated is None else (estimated, ESTIMATED)


def _csv_objects(file: GradeFile, faults: Faults) -> Iterator[_NumberedObject]:
    """Each record as the object that JSON would have."""
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
                yield _csv_object(names, record, line)
            line = records.line_num + 1
    except csv.Error as error:
        faults.add(f"{file.place(records.line_num)}: is not CSV ({error})")


def _csv_object(names: Sequence[str], record: Sequence[str], line: int) -> _NumberedObject:
    if len(record) != len(names):
        return line, None, f"has {len(record)} cells, expected {len(names)}"
    cells = {name: _cell(name, cell.strip()) for name, cell in zip(names, record, strict=True)}
    return line, cells, None


def _cell(name: str, text: str) -> Any:
    if not text:
        return None
    if name == "correct":
        return _BOOLEANS.get(text.lower(), text)
    if name in _NUMBERS and _WHOLE_NUMBER.fullmatch(text):
        return int(text)
    return text


def _names_are_sound(names: Sequence[str], place: str, faults: Faults) -> bool:
    known = (*REQUIRED, *OPTIONAL)
    found = [f"has no column {name!r}" for name in REQUIRED if name not in names]
    for name in dict.fromkeys(names):
        if name not in known:
            found.append(f"has the unknown column {name!r}{nearest(name, known)}")
        elif names.count(name) > 1:
            found.append(f"has the column {name!r} {names.count(name)} times")
    for message in found:
        faults.add(f"{place}: {message}")
    return not found
