"""Files of cases: JSON Lines, plain, gzip or xz, with an optional header line.

Each line is read as what its schema says: `harness.case/1` or `harness.lookup/1`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

import jsonlines

from harness.decode import Format, Json, PathFault, SourceLines, json_tree, typed
from harness.errors import Faults, InputError
from harness.model import Case

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


_HEADER = Format(HEADER_SCHEMA, CasesHeader)


class CaseLines:
    """The cases of a file or of standard input (`-`), one at a time, each checked when it is given.

    `header` is there after the first case was asked for. A faulty line does not hide the faults of
    later ones: the rest is read for faults alone, and one `InputError` names them all.
    """

    def __init__(self, source: str) -> None:
        self.header = CasesHeader()
        self._lines = SourceLines(source)

    @property
    def name(self) -> str:
        """Source, as messages name it."""
        return self._lines.name

    @property
    def sha256(self) -> str:
        """Hex SHA-256 of the bytes read, unpacked; of all once every case was asked for."""
        return self._lines.sha256

    def __iter__(self) -> Iterator[Case]:
        first_lines: dict[str, int] = {}
        faults = Faults()
        try:
            for number, line in self._lines:
                case = self._checked(number, line, first_lines, faults)
                if case is not None and not len(faults):
                    yield case
        except InputError as error:
            self._raise_faults(faults, error)
            raise
        self._raise_faults(faults)
        if not first_lines:
            raise InputError(f"{self.name} holds no case", f"Use a file of {CASE_SCHEMA}.")

    def _checked(
        self, number: int, line: bytes, first_lines: dict[str, int], faults: Faults
    ) -> Case | None:
        """Return the case of a line; None for a header and for a line with faults, which are
        collected."""
        noted = Faults()
        case = None
        try:
            tree, odd = json_tree(line)
        except ValueError as error:
            noted.add(str(error))
        else:
            if _schema_name(tree) == _HEADER_NAME:
                self._read_header(number, tree, odd, noted)
            else:
                case = _case_of(tree, noted, odd)
        if case is not None:
            first = first_lines.setdefault(case.case_id, number)
            if first != number:
                noted.add(f"case_id {case.case_id!r} is already in line {first}")
        for message in noted:
            faults.add(f"line {number}: {message}")
        return None if len(noted) else case

    def _read_header(
        self, number: int, tree: Any, odd: Sequence[PathFault], faults: Faults
    ) -> None:
        if number != 1:
            faults.add("is a header, which may only be the first line of a file")
            return
        self.header = typed(_HEADER, tree, faults, odd=odd) or self.header

    def _raise_faults(self, faults: Faults, end: InputError | None = None) -> None:
        if len(faults) and end is not None:
            faults.add(end.message.removeprefix(f"{self.name}: "))
        hint = f"A file of cases has one {CASE_SCHEMA} object per line: docs/file-formats.md."
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


def _case_of(tree: Any, faults: Faults, odd: Sequence[PathFault]) -> Case | None:
    """Return the case of a line, read as what its schema says."""
    if _schema_name(tree) == _LOOKUP_NAME:
        from .lookup_reader import lookup_case_of  # reads Markdown, which memory cases do not need

        return lookup_case_of(tree, faults, odd)
    return case_of(tree, faults, odd)


def _object_of(case: Case) -> dict[str, Any]:
    if case.lookup is None:
        return case_object(case)
    from .lookup_writer import lookup_object

    return lookup_object(case, case.lookup)


def _schema_name(value: Any) -> str | None:
    schema = value.get("schema") if isinstance(value, dict) else None
    return schema.split("/")[0] if isinstance(schema, str) else None


def _encode(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
