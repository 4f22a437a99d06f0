"""Writing a folder of grades: its two tables, then its manifest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from harness.datasets.split import Split
from harness.points import Point
from harness.storage.atomic import atomic_path
from harness.storage.folder import OutputFolder
from harness.storage.hashing import canonical_json
from harness.storage.manifest import Manifest, code_version, environment, file_entries

from . import schema
from .accounting import Accounted
from .cohort import GradedCohort
from .grade import Clearance, Grade, GradeSource, Outcome, TokenTotals, count_grades


@dataclass(frozen=True, slots=True)
class GradeHeader:
    """What grades are of, and what let them be made."""

    point: Point
    split: Split
    split_file: str
    cohort: GradedCohort
    clearance: Clearance
    format: str

    def work(self) -> dict[str, Any]:
        """What tells these grades from others, their sources aside."""
        registration = self.clearance.registration
        return {
            "point": str(self.point),
            "split_sha256": self.split.sha256,
            "part": self.cohort.part,
            "cohort_sha256": self.cohort.sha256,
            "registration_sha256": None if registration is None else registration.sha256,
            "exploratory": self.clearance.exploratory,
            "format": self.format,
        }


def write_grades(
    folder: OutputFolder,
    subject: GradeHeader,
    accounted: Accounted,
    *,
    sources: Sequence[GradeSource],
    totals: Sequence[TokenTotals] = (),
    described: Mapping[str, Any] | None = None,
    arguments: Mapping[str, Any],
) -> None:
    """Write both tables and the manifest; the folder is finished when this returns.

    `described` is what more there is to say in the manifest's content.
    """
    folder.start()
    grades, outcomes = accounted.grades, accounted.outcomes
    _write(folder, schema.GRADED, _graded_rows(grades), schema.GRADED_SCHEMA)
    _write(folder, schema.OUTCOMES, _outcome_rows(outcomes), schema.OUTCOMES_SCHEMA)
    content = _content(subject, accounted)
    content["sources"] = [asdict(source) for source in sources]
    content["token_totals"] = [asdict(entry) for entry in totals]
    Manifest(
        schema=schema.GRADES_SCHEMA,
        work=folder.work,
        content={**content, **(described or {})},
        files=file_entries(folder.path, schema.TABLES),
        arguments=arguments,
        code=code_version(),
        environment=environment(),
    ).write(folder.path)
    folder.finish()


def _content(subject: GradeHeader, accounted: Accounted) -> dict[str, Any]:
    grades = accounted.grades
    registration = subject.clearance.registration
    cohort = subject.cohort
    return {
        "point": str(subject.point),
        "split": {"file": subject.split_file, "sha256": subject.split.sha256},
        "part": cohort.part,
        "cohort": {
            "source": cohort.source,
            "questions": len(cohort.ids),
            "sha256": cohort.sha256,
        },
        "registration": None if registration is None else asdict(registration),
        "exploratory": True if subject.clearance.exploratory else None,
        "format": subject.format,
        "reader": next((grade.reader for grade in grades if grade.reader is not None), None),
        "judges": sorted({grade.judge for grade in grades if grade.judge is not None}),
        "passes": sorted({grade.pass_number for grade in grades}),
        "counts": asdict(count_grades(grades)),
        "left_out": dict(accounted.left_out),
    }


def _graded_rows(grades: Iterable[Grade]) -> list[dict[str, Any]]:
    return [
        {**asdict(grade), "pass": grade.pass_number, "status": grade.status.value}
        for grade in grades
    ]


def _outcome_rows(outcomes: Iterable[Outcome]) -> list[dict[str, Any]]:
    return [{**asdict(outcome), "pass": outcome.pass_number} for outcome in outcomes]


def _write(
    folder: OutputFolder, name: str, rows: list[dict[str, Any]], table_schema: pa.Schema
) -> None:
    table = pa.Table.from_pylist(rows, schema=table_schema)
    if name == schema.GRADED:
        work = canonical_json(folder.work).encode("utf-8")
        table = table.replace_schema_metadata({schema.WORK_KEY: work})
    with atomic_path(folder.path / name) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_statistics=False)
