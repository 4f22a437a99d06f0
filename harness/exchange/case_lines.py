"""Files of cases: JSON Lines, plain, gzip or xz, with an optional header line."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import jsonlines
import msgspec

from harness.errors import Faults, InputError
from harness.model import Case, Json

from .case_reader import duplicate_case, read_case
from .case_writer import case_object
from .fields import ObjectReader

HEADER_SCHEMA = "harness.cases/1"
STANDARD_INPUT = "-"
_GZIP_MAGIC, _XZ_MAGIC = b"\x1f\x8b", b"\xfd7zXZ\x00"


@dataclass(frozen=True, slots=True)
class CasesHeader:
    """What the first line of a file may say of all its cases; null where it is not known."""

    recall: Json = None
    embedder: Json = None
    dataset_sha256: str | None = None


class CaseLines:
    """The cases of a file or of standard input, one at a time.

    `header` is there after the first case was asked for. A faulty line does not hide the faults of
    later ones: the rest is read for faults alone, and one `InputError` names them all.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.header = CasesHeader()

    def __iter__(self) -> Iterator[Case]:
        seen: dict[str, str] = {}
        faulty: list[str] = []
        hint = ""
        for number, value in self._objects():
            where = f"{self._name()}, line {number}"
            try:
                if number == 1 and self._is_header(value, where):
                    continue
                case = read_case(value, where)
                if case.case_id in seen:
                    raise duplicate_case(case.case_id, where, seen[case.case_id])
            except InputError as error:
                faulty.append(error.message)
                hint = hint or error.hint
                continue
            seen[case.case_id] = f"line {number}"
            if not faulty:
                yield case
        if faulty:
            raise InputError("\n".join(faulty), hint)
        if not seen:
            raise InputError(f"{self._name()} holds no case", "Give a file of harness.case/1.")

    def _name(self) -> str:
        return "standard input" if self.source == STANDARD_INPUT else self.source

    def _objects(self) -> Iterator[tuple[int, Any]]:
        with _opened(self.source, self._name()) as stream:
            lines = jsonlines.Reader(stream, loads=_decode)
            number = 0
            try:
                for number, value in enumerate(lines, start=1):
                    yield number, value
            except jsonlines.InvalidLineError as error:
                cause = str(error).split(" (line", maxsplit=1)[0]
                raise InputError(
                    f"{self._name()}, line {error.lineno}: not JSON ({cause})",
                    "A file of cases has one JSON object a line.",
                ) from error
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{self._name()}, line {number + 1}: not UTF-8 ({error.reason})",
                    "Save the file as UTF-8.",
                ) from error
            except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
                raise InputError(
                    f"{self._name()}: the compressed data is damaged or ends early, after line "
                    f"{number} ({error})",
                    "Copy or fetch the file again.",
                ) from error

    def _is_header(self, value: Any, where: str) -> bool:
        if not isinstance(value, dict) or value.get("schema") != HEADER_SCHEMA:
            return False
        faults = Faults()
        optional = ("recall", "embedder", "dataset_sha256")
        fields = ObjectReader(value, "", faults, required=("schema",), optional=optional)
        self.header = CasesHeader(
            fields.raw("recall"), fields.raw("embedder"), fields.text_or_null("dataset_sha256")
        )
        faults.raise_if_any(where)
        return True


def write_cases(stream: IO[str], cases: Iterator[Case], header: CasesHeader) -> int:
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
        lines.write(case_object(case))
    return count


def _encode(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _decode(line: str | bytes) -> Any:
    """JSON; NaN and infinities are let through, so that their field can be named."""
    try:
        return msgspec.json.decode(line)
    except msgspec.DecodeError:
        return json.loads(line)
    except UnicodeEncodeError:
        return json.loads(line)


@contextmanager
def _opened(source: str, name: str) -> Iterator[IO[str]]:
    if source == STANDARD_INPUT:
        yield io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8")
        return
    path = Path(source)
    try:
        with path.open("rb") as stream:
            magic = stream.read(6)
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}", "Check the path.") from error
    if magic.startswith(_GZIP_MAGIC):
        with gzip.open(path, "rt", encoding="utf-8") as text:
            yield text
    elif magic == _XZ_MAGIC:
        with lzma.open(path, "rt", encoding="utf-8") as text:
            yield text
    else:
        with path.open(encoding="utf-8") as text:
            yield text
