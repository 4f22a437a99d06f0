"""Opening a folder of grades: all of it verified by hash, and all but the outcomes read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from harness.errors import InputError
from harness.points import Point, parse_point
from harness.storage.hashing import canonical_json
from harness.storage.manifest import Manifest, read_manifest, verify_files

from . import schema
from .grade import (
    Clearance,
    Counts,
    Grade,
    GradeSource,
    Outcome,
    RegistrationReference,
    Status,
    TokenTotals,
    count_grades,
)

_ANEW = "Import the grades anew with --force."


@dataclass(frozen=True)
class Grades:
    """The grades of one point on one part of a split.

    Opening reads no outcome. `outcomes` is the only thing here that does.
    """

    folder: Path
    manifest: Manifest

    @classmethod
    def open(cls, folder: Path) -> Grades:
        """Open the grades in `folder`; raises `InputError` if a file is not as recorded.

        The outcomes are hashed like the rest, and not decoded.
        """
        manifest = read_manifest(folder, schema.GRADES_SCHEMA)
        missing = [name for name in schema.TABLES if name not in manifest.files]
        if missing:
            raise InputError(f"{folder}: the manifest does not name {missing[0]}", _ANEW)
        verify_files(folder, manifest)
        grades = cls(folder, manifest)
        if not grades._says_what_was_hashed():
            raise InputError(
                f"{folder}: the manifest says other things than were recorded with the grades",
                f"It was edited. {_ANEW}",
            )
        return grades

    @property
    def sha256(self) -> str:
        """The hash of everything the folder holds, outcomes included."""
        return self.manifest.content_sha256

    @cached_property
    def point(self) -> Point:
        return parse_point(self.manifest.content["point"])

    @property
    def part(self) -> str:
        """`dev`, `test` or `all`."""
        return str(self.manifest.content["part"])

    @property
    def split_sha256(self) -> str:
        """The hash of the split file that the part is of."""
        return str(self.manifest.content["split"]["sha256"])

    @cached_property
    def clearance(self) -> Clearance:
        """What let test questions be graded."""
        found = self.manifest.content["registration"]
        reference = None if found is None else RegistrationReference(**found)
        return Clearance(reference, self.manifest.content["exploratory"] is True)

    @property
    def registration(self) -> RegistrationReference | None:
        return self.clearance.registration

    @property
    def exploratory(self) -> bool:
        return self.clearance.exploratory

    @property
    def format(self) -> str:
        """The format of the files that the grades were read from."""
        return str(self.manifest.content["format"])

    @property
    def reader(self) -> str | None:
        """The model that answered; None where the sources do not say."""
        reader = self.manifest.content["reader"]
        return None if reader is None else str(reader)

    @property
    def judges(self) -> tuple[str, ...]:
        """What decided whether an answer is right: models, or the rule of the stand-in."""
        return tuple(self.manifest.content["judges"])

    @property
    def passes(self) -> tuple[int, ...]:
        """The passes, ascending from 1."""
        return tuple(self.manifest.content["passes"])

    @cached_property
    def sources(self) -> tuple[GradeSource, ...]:
        return tuple(
            GradeSource(**{**source, "passes": tuple(source["passes"])})
            for source in self.manifest.content["sources"]
        )

    @cached_property
    def token_totals(self) -> tuple[TokenTotals, ...]:
        """What token-usage files say in sum, where grades come with such files."""
        return tuple(TokenTotals(**totals) for totals in self.manifest.content["token_totals"])

    def rows(self) -> tuple[Grade, ...]:
        """Every question of the cohort in every pass: by pass, then in the dataset's order."""
        return self._rows

    @cached_property
    def _rows(self) -> tuple[Grade, ...]:
        rows = _read(self.folder / schema.GRADED, schema.GRADED_SCHEMA).to_pylist()
        return tuple(
            Grade(pass_number=row.pop("pass"), status=Status(row.pop("status")), **row)
            for row in rows
        )

    @cached_property
    def expected_ids(self) -> tuple[str, ...]:
        """Every question of the cohort, in the dataset's order."""
        return tuple(dict.fromkeys(row.question_id for row in self.rows()))

    @cached_property
    def counts(self) -> Counts:
        """How many grades have each status, over all passes."""
        return count_grades(self.rows())

    def counts_of(self, pass_number: int) -> Counts:
        """How many questions have each status in one pass."""
        return count_grades(row for row in self.rows() if row.pass_number == pass_number)

    def outcomes(self) -> tuple[Outcome, ...]:
        """Whether each graded question was right: the one door to what a registration seals.

        In the order of `rows`. Whoever calls this for test questions has opened the split: only
        `judge` does, and others after `harness.trial.grades.seal` says that it is open. Raises
        `InputError` where the outcomes are not those of the graded questions.
        """
        table = _read(self.folder / schema.OUTCOMES, schema.OUTCOMES_SCHEMA)
        found = tuple(Outcome(*row.values()) for row in table.to_pylist())
        graded = [
            (row.question_id, row.pass_number) for row in self.rows() if row.status is Status.GRADED
        ]
        if [(outcome.question_id, outcome.pass_number) for outcome in found] != graded:
            raise InputError(
                f"{self.folder / schema.OUTCOMES} is not of the questions that are graded", _ANEW
            )
        return found

    def _says_what_was_hashed(self) -> bool:
        """Whether the manifest is of the same point, split, part and clearance as the table."""
        work, content = self.manifest.work, self.manifest.content
        path = self.folder / schema.GRADED
        stated = (_opened(pq.read_schema, path).metadata or {}).get(schema.WORK_KEY)
        if stated != canonical_json(work).encode("utf-8"):
            return False
        registration = content["registration"] or {"sha256": None}
        said = {
            "point": content["point"],
            "part": content["part"],
            "split_sha256": content["split"]["sha256"],
            "exploratory": content["exploratory"] is True,
            "registration_sha256": registration["sha256"],
        }
        return all(work[key] == value for key, value in said.items())


def _read(path: Path, wanted: pa.Schema) -> pa.Table:
    table = _opened(pq.read_table, path)
    if not table.schema.equals(wanted):
        raise InputError(f"{path} does not have the columns of {schema.GRADES_SCHEMA}", _ANEW)
    return table


def _opened(read: Callable[[Path], Any], path: Path) -> Any:
    """What `read` makes of the file."""
    try:
        return read(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read ({str(error).splitlines()[0]})", _ANEW) from error
