"""The formats that grades are read from, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from harness.datasets.question_list import ListedQuestion
from harness.errors import Faults, listed

from . import longmemeval_log, omnimemeval, plain
from .rows import GradeFile, ReadGrades

Reader = Callable[[Sequence[GradeFile], Sequence[ListedQuestion], Faults], ReadGrades]
"""Reads the files, given the dataset's questions in order; faults are added, never raised."""


@dataclass(frozen=True, slots=True)
class GradeFormat:
    """A format that grades come in: what reads it, and a line of help."""

    read: Reader
    about: str


FORMATS: Mapping[str, GradeFormat] = {
    longmemeval_log.NAME: GradeFormat(
        longmemeval_log.read, "the official evaluation log; each FILE is a pass"
    ),
    omnimemeval.NAME: GradeFormat(
        omnimemeval.read, "a judged file, and token-usage files; each judgment is a pass"
    ),
    plain.JSONL: GradeFormat(
        plain.read_json_lines,
        f"an object per line: {listed(plain.REQUIRED)}; where known {listed(plain.OPTIONAL)}; "
        "prompt_tokens are as the API reported them",
    ),
    plain.CSV: GradeFormat(plain.read_csv, f"columns named as the keys of {plain.JSONL}"),
}
