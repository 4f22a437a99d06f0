"""The formats that grades are read from, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from harness.datasets.question_list import ListedQuestion
from harness.errors import Faults

from . import longmemeval_log, omnimemeval, plain
from .rows import GradeFile, ReadGrades

Reader = Callable[[Sequence[GradeFile], Sequence[ListedQuestion], Faults], ReadGrades]
"""Reads the files, given the dataset's questions in order; faults are added, never raised."""

FORMATS: Mapping[str, Reader] = {
    longmemeval_log.NAME: longmemeval_log.read,
    omnimemeval.NAME: omnimemeval.read,
    plain.JSONL: plain.read_json_lines,
    plain.CSV: plain.read_csv,
}
