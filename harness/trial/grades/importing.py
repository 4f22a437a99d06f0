"""Importing recorded grades: every row checked, every question accounted for, then one folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.datasets.split import read_split
from harness.errors import Faults
from harness.points import Point
from harness.storage.folder import FolderState, open_output

from . import schema
from .accounting import account
from .clearance import cleared
from .cohort import cohort_of, question_source
from .formats import FORMATS
from .grades import Grades
from .rows import grade_files
from .writing import GradeHeader, write_grades

_REFUSED = "these grades cannot be imported"
_HINT = "Correct these, nothing was written; the formats: docs/formats/grades.md."


@dataclass(frozen=True, slots=True)
class GradeImport:
    """What is asked for. `data`, `questions` and `register` say which questions there are; `reader`
    and `judge` are models that the files do not name."""

    files: tuple[Path, ...]
    format: str
    point: Point
    split: Path
    part: str = "all"
    registration: Path | None = None
    exploratory: bool = False
    data: Path | None = None
    questions: Path | None = None
    register: Path | None = None
    reader: str | None = None
    judge: str | None = None


def import_grades(
    request: GradeImport,
    out: Path,
    *,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
) -> tuple[Grades, FolderState]:
    """Import the files into `out`; returns the grades, and what `out` was before.

    Raises `UsageError` for test questions without a registration, and `InputError` naming every
    faulty row of every file.
    """
    split = read_split(request.split)
    clearance = cleared(
        request.part,
        request.point,
        split,
        registration=request.registration,
        exploratory=request.exploratory,
    )
    source = question_source(
        split, data=request.data, questions=request.questions, register=request.register
    )
    cohort = cohort_of(split, request.part, source)
    subject = GradeHeader(
        request.point, split, request.split.as_posix(), cohort, clearance, request.format
    )
    faults = Faults()
    files = grade_files(request.files, faults)
    work = {
        **subject.work(),
        "sources": [file.sha256 for file in files],
        "reader": request.reader,
        "judge": request.judge,
    }
    folder = open_output(out, schema.GRADES_SCHEMA, work, schema.TABLES, force=force)
    if folder.state is FolderState.FINISHED:
        return Grades.open(out), folder.state
    found = FORMATS[request.format].read(files, cohort.listed, faults)
    accounted = account(found, cohort, files, faults, reader=request.reader, judge=request.judge)
    if not found.rows and not faults:
        faults.add("the files hold no grade")
    faults.raise_if_any(_REFUSED, _HINT)
    write_grades(
        folder,
        subject,
        accounted,
        sources=found.sources,
        totals=found.totals,
        arguments={"verb": "grades import", "given": dict(given or {}), "resolved": work},
    )
    return Grades.open(out), folder.state
