"""Files of cases: JSON Lines, plain, gzip or xz, with an optional header line.

Each line is read as what its schema says: `harness.case/1` or `harness.lookup/1`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any

import jsonlines

from harness.decode.fields import ObjectReader, schema_fault
from harness.decode.json_lines import JsonLine, JsonLines
from harness.errors import Faults, InputError
from harness.model import Case, Json

from .case_reader import CASE_SCHEMA, case_of
from .case_writer import case_object

HEADER_SCHEMA = "harness.cases/1"
_HEADER_NAME = HEADER_SCHEMA.split("/")[0]
_LOOKUP_NAME = "harness.lookup"


@dataclass(frozen=True, slots=True)
class CasesHeader:
    """What the first line of a file may say of all its cases; null where it is not known."""

    recall: Json = None
    embedder: Json = None
    dataset_sha256: str | None = None


class CaseLines:
    """The cases of a file or of standard input (`-`), one at a time, each checked when it is given.

    `header` is there after the first case was asked for. A faulty line does not hide the faults of
    later ones: the rest is read for faults alone, and one `InputError` names them all.
    """

    def __init__(self, source: str) -> None:
        self.header = CasesHeader()
        self._lines = JsonLines(source)

    @property
    def name(self) -> str:
        """The source, as messages name it."""
        return self._lines.name

    @property
    def sha256(self) -> str:
        """The hex SHA-256 of the bytes read, unpacked; of all once every case was asked for."""
        return self._lines.sha256

    def __iter__(self) -> Iterator[Case]:
        first_lines: dict[str, int] = {}
        faults = Faults()
        try:
            for line in self._lines:
                case = self._checked(line, first_lines, faults)
                if case is not None and not len(faults):
                    yield case
        except InputError as error:
            self._raise_faults(faults, error)
            raise
        self._raise_faults(faults)
        if not first_lines:
            raise InputError(f"{self.name} holds no case", f"Give a file of {CASE_SCHEMA}.")

    def _checked(self, line: JsonLine, first_lines: dict[str, int], faults: Faults) -> Case | None:
        """The case of a line; None for a header and for a line with faults, which are collected."""
        found = Faults()
        case = None
        if line.fault is not None:
            found.add(line.fault)
        elif _is_header(line.value):
            self._read_header(line, found)
        else:
            case = _case_of(line.value, found)
            first = first_lines.setdefault(case.case_id, line.number)
            if not len(found) and first != line.number:
                found.add(f"case_id {case.case_id!r} stands in line {first} already")
        for message in found:
            faults.add(f"line {line.number}: {message}")
        return None if len(found) else case

    def _read_header(self, line: JsonLine, faults: Faults) -> None:
        if line.number != 1:
            faults.add("is a header, which may only be the first line of a file")
            return
        optional = ("recall", "embedder", "dataset_sha256")
        fields = ObjectReader(line.value, "", faults, required=("schema",), optional=optional)
        wrong = schema_fault(fields.raw("schema"), HEADER_SCHEMA)
        if wrong is not None:
            fields.fault("schema", wrong)
            return
        self.header = CasesHeader(
            fields.json("recall"), fields.json("embedder"), fields.text_or_null("dataset_sha256")
        )

    def _raise_faults(self, faults: Faults, end: InputError | None = None) -> None:
        if len(faults) and end is not None:
            faults.add(end.message.removeprefix(f"{self.name}: "))
        hint = f"A file of cases has one {CASE_SCHEMA} object a line: docs/file-formats.md."
        faults.raise_if_any(self.name, hint)


def write_cases(stream: IO[str], cases: Iterable[Case], header: CasesHeader) -> int:
    """Write a header line and the cases; return how many."""
    lines = jsonlines.Writer(stream, dumps=_encode)
    header_object = {
        "schema": HEADER_SCHEMA,
        "recall": header.recall,
        "embedder": header.embedder,
        "dataset_sha256": header.dataset_sha256,
    }
    lines.write(header_object)
    count = 0
    for case in cases:
        count += 1
        lines.write(_object_of(case))
    return count


def _case_of(value: Any, faults: Faults) -> Case:
    """The case of a line, read as what its schema says."""
    if _schema_name(value) == _LOOKUP_NAME:
        from .lookup_reader import lookup_case_of  # reads Markdown, which memory cases do not need

        return lookup_case_of(value, faults)
    return case_of(value, faults)


def _object_of(case: Case) -> dict[str, Any]:
    if case.lookup is None:
        return case_object(case)
    from .lookup_writer import lookup_object

    return lookup_object(case, case.lookup)


def _schema_name(value: Any) -> str | None:
    schema = value.get("schema") if isinstance(value, dict) else None
    return schema.split("/")[0] if isinstance(schema, str) else None


def _is_header(value: Any) -> bool:
    return _schema_name(value) == _HEADER_NAME


def _encode(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
