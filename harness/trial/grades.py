"""A folder of grades: written with everything accounted for, opened with all verified by hash.

`docs/formats/grades.md` describes every column and key. The outcomes lie in a table of their own,
behind one door: `Grades.outcomes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import pyarrow as pa

from harness.datasets.cohort import Cohort, QuestionSource, ids_sha256
from harness.decode import KEEP, Format, Parsed, typed
from harness.errors import InputError
from harness.points import Point, parse_point
from harness.storage.atomic import atomic_path
from harness.storage.folder import OutputFolder
from harness.storage.hashing import canonical_json, sha256_of_json
from harness.storage.manifest import (
    Manifest,
    code_version,
    environment,
    file_entries,
    read_manifest,
    verify_files,
)
from harness.storage.parquet import read_schema, read_table, write_table

from .grade import (
    Clearance,
    Counts,
    Grade,
    GradedAnswers,
    GradeSource,
    Outcome,
    RegistrationReference,
    Status,
    TokenTotals,
    count_grades,
)
from .json_text import json_value
from .plan import ABSENT

GRADES_SCHEMA = "harness.grades/1"

GRADED = "graded.parquet"
OUTCOMES = "outcomes.parquet"
TABLES = (GRADED, OUTCOMES)

KIND: Literal["grades"] = "grades"
"""Kind of outcome set that a folder holds, one per pass."""

WORK_KEY = b"harness.grades.work"
"""Key of the metadata of `graded.parquet` that holds the manifest's `work` as canonical JSON, so
that the hash of the folder is also of what the grades are of and of what let them be made."""

GRADED_SCHEMA = pa.schema(
    [
        pa.field("question_id", pa.string(), nullable=False),
        pa.field("pass", pa.int32(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        pa.field("reason", pa.string()),
        pa.field("source_sha256", pa.string()),
        pa.field("row", pa.int32()),
        pa.field("reader", pa.string()),
        pa.field("judge", pa.string()),
        pa.field("prompt_tokens", pa.int32()),
        pa.field("completion_tokens", pa.int32()),
        pa.field("tokens_source", pa.string()),
        pa.field("context_tokens", pa.int32()),
        pa.field("context_sha256", pa.string()),
    ]
)
ANSWER_COLUMN = pa.field("answer_sha256", pa.string())
"""Last column of `graded.parquet`, where the harness asked for the answers itself."""

OUTCOMES_SCHEMA = pa.schema(
    [
        pa.field("question_id", pa.string(), nullable=False),
        pa.field("pass", pa.int32(), nullable=False),
        pa.field("correct", pa.bool_(), nullable=False),
    ]
)

_AGAIN = "Import the grades again with --force."


@dataclass(frozen=True, slots=True)
class SplitReference:
    """The split that grades are of: its file as it was named, and the file's hash."""

    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class QuestionsReference:
    """Which questions were expected: where the list comes from, how many, and the hash of their
    ids in the dataset's order."""

    source: str
    questions: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DatasetReference:
    """The dataset or the recording that gold answers were read from."""

    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class GradesContent:
    """What a folder's manifest says that it holds; `left_out` counts rows by reason. `exploratory`
    is true or null. Grades that the harness made name the `dataset` of the gold answers, and those
    of its own answers what was `graded`. `question_types` are by question, those of the list that
    was read; None in folders of before."""

    point: Annotated[Point, Parsed(parse_point)]
    split: SplitReference
    part: str
    cohort: QuestionsReference
    registration: RegistrationReference | None
    exploratory: Literal[True] | None
    format: str
    reader: str | None
    judges: tuple[str, ...]
    passes: tuple[int, ...]
    counts: Counts
    left_out: Mapping[str, int]
    sources: tuple[GradeSource, ...]
    token_totals: tuple[TokenTotals, ...]
    dataset: DatasetReference | None = field(default=None, metadata=ABSENT)
    graded: GradedAnswers | None = field(default=None, metadata=ABSENT)
    question_types: Mapping[str, str] | None = field(default=None, metadata=ABSENT)

    def to_json(self) -> dict[str, Any]:
        """Spell the content as the manifest has it."""
        value: dict[str, Any] = json_value(self)
        return value


CONTENT = Format("the content of grades", GradesContent, unknown=KEEP, hint=_AGAIN)


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
        manifest = read_manifest(folder, GRADES_SCHEMA)
        missing = [name for name in TABLES if name not in manifest.files]
        if missing:
            raise InputError(f"{folder}: the manifest does not name {missing[0]}", _AGAIN)
        verify_files(folder, manifest)
        grades = cls(folder, manifest)
        if not grades._says_what_was_hashed():
            raise InputError(
                f"{folder}: the manifest says other things than were recorded with the grades",
                f"It was edited. {_AGAIN}",
            )
        _ = grades.content  # whatever is wrong with it is said now
        return grades

    @property
    def sha256(self) -> str:
        """Hash of everything the folder holds, outcomes included."""
        return self.manifest.content_sha256

    @cached_property
    def content(self) -> GradesContent:
        """What the grades are of, and where they come from."""
        where = f"{self.folder}: the manifest is not of grades"
        return typed(CONTENT, self.manifest.content, at=where)

    @property
    def point(self) -> Point:
        return self.content.point

    @property
    def part(self) -> str:
        """`dev`, `test` or `all`."""
        return self.content.part

    @property
    def split_sha256(self) -> str:
        """Hash of the split file that the part is of."""
        return self.content.split.sha256

    @property
    def registration(self) -> RegistrationReference | None:
        """What let test questions be graded, if they are not exploratory."""
        return self.content.registration

    @property
    def exploratory(self) -> bool:
        return self.content.exploratory is True

    @property
    def reader(self) -> str | None:
        """Model that answered; None where the sources do not say."""
        return self.content.reader

    @property
    def judges(self) -> tuple[str, ...]:
        """What decided whether an answer is right: models, or the rule of the stand-in."""
        return self.content.judges

    @property
    def passes(self) -> tuple[int, ...]:
        """Passes, ascending from 1."""
        return self.content.passes

    @property
    def sources(self) -> tuple[GradeSource, ...]:
        return self.content.sources

    @property
    def token_totals(self) -> tuple[TokenTotals, ...]:
        """What token-usage files say in sum, where grades come with such files."""
        return self.content.token_totals

    def rows(self) -> tuple[Grade, ...]:
        """Return every question of the cohort in every pass: by pass, then in the dataset's
        order."""
        return self._rows

    @cached_property
    def _rows(self) -> tuple[Grade, ...]:
        rows = _read(self.folder / GRADED, GRADED_SCHEMA).to_pylist()
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
        """Return how many questions have each status in one pass."""
        return count_grades(row for row in self.rows() if row.pass_number == pass_number)

    def errors(self, pass_number: int) -> frozenset[str]:
        """Return the questions whose answer or judgment failed in one pass."""
        return frozenset(
            row.question_id
            for row in self.rows()
            if row.pass_number == pass_number and row.status is Status.ERROR
        )

    def outcomes(self) -> tuple[Outcome, ...]:
        """Return whether each graded question was right: the one door to what a registration seals.

        In the order of `rows`. Whoever calls this for test questions has opened the split: only
        `judge` does, and others after `harness.trial.ledger` says that it is open. Raises
        `InputError` where the outcomes are not those of the graded questions.
        """
        return self._outcomes()

    def identity(self, pass_number: int) -> str:
        """Hash what one pass came to: part, point, and for each question its outcome and, where
        known, the context that was answered.

        It is of that content alone, never of a file's bytes, and tells nothing of an outcome.
        """
        correct = {
            outcome.question_id: outcome.correct
            for outcome in self._outcomes()
            if outcome.pass_number == pass_number
        }
        rows = sorted(
            (row for row in self.rows() if row.pass_number == pass_number),
            key=lambda row: row.question_id,
        )
        return sha256_of_json(
            {
                "kind": KIND,
                "questions": ids_sha256(row.question_id for row in rows),
                "part": self.part,
                "point": str(self.point),
                "outcomes": [
                    [
                        row.question_id,
                        correct.get(row.question_id, row.status.value),
                        row.context_sha256,
                    ]
                    for row in rows
                ],
            }
        )

    @cached_property
    def identities(self) -> Mapping[int, str]:
        """Identity of every pass."""
        return {number: self.identity(number) for number in self.passes}

    def cost_inputs(self, pass_number: int) -> str:
        """Hash the tokens that the reader reported for each question of one pass, and the sums
        that token-usage files report."""
        rows = sorted(
            (row.question_id, row.prompt_tokens, row.tokens_source)
            for row in self.rows()
            if row.pass_number == pass_number
        )
        totals = [{**json_value(entry), "source_sha256": None} for entry in self.token_totals]
        return sha256_of_json({"prompt_tokens": rows, "token_totals": totals})

    def _outcomes(self) -> tuple[Outcome, ...]:
        table = _read(self.folder / OUTCOMES, OUTCOMES_SCHEMA)
        outcomes = tuple(Outcome(*row.values()) for row in table.to_pylist())
        graded = [
            (row.question_id, row.pass_number) for row in self.rows() if row.status is Status.GRADED
        ]
        if [(outcome.question_id, outcome.pass_number) for outcome in outcomes] != graded:
            raise InputError(
                f"{self.folder / OUTCOMES} is not of the questions that are graded", _AGAIN
            )
        return outcomes

    def _says_what_was_hashed(self) -> bool:
        """Return whether the manifest is of the same point, split, part and clearance as the
        table."""
        work, content = self.manifest.work, self.manifest.content
        path = self.folder / GRADED
        stated = (_opened(read_schema, path).metadata or {}).get(WORK_KEY)
        if stated != canonical_json(work).encode("utf-8"):
            return False
        said = {
            "point": content.get("point"),
            "part": content.get("part"),
            "split_sha256": _sha256_in(content.get("split")),
            "exploratory": content.get("exploratory") is True,
            "registration_sha256": _sha256_in(content.get("registration")),
        }
        return all(work.get(key) == value for key, value in said.items())


def _sha256_in(value: Any) -> Any:
    return value.get("sha256") if isinstance(value, dict) else None


def _read(path: Path, columns: pa.Schema) -> pa.Table:
    table = _opened(read_table, path)
    if table.schema.names[-1] == ANSWER_COLUMN.name:
        columns = columns.append(ANSWER_COLUMN)
    if not table.schema.equals(columns):
        raise InputError(f"{path} does not have the columns of {GRADES_SCHEMA}", _AGAIN)
    return table


def _opened(read: Callable[[Path], Any], path: Path) -> Any:
    """Return what `read` makes of the file."""
    try:
        return read(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read ({str(error).splitlines()[0]})", _AGAIN) from error


@dataclass(frozen=True, slots=True)
class GradeHeader:
    """What grades are of, and what let them be made. `source` is the list of questions."""

    point: Point
    cohort: Cohort
    source: QuestionSource
    split_file: str
    clearance: Clearance
    format: str

    def work(self) -> dict[str, Any]:
        """Return what distinguishes these grades from others, except their sources."""
        registration = self.clearance.registration
        return {
            "point": str(self.point),
            "split_sha256": self.cohort.split_sha256,
            "part": self.cohort.part,
            "cohort_sha256": self.cohort.sha256,
            "registration_sha256": None if registration is None else registration.sha256,
            "exploratory": self.clearance.exploratory,
            "format": self.format,
        }


def write_grades(
    folder: OutputFolder,
    header: GradeHeader,
    grades: Sequence[Grade],
    outcomes: Iterable[Outcome],
    *,
    left_out: Mapping[str, int],
    sources: Sequence[GradeSource],
    totals: Sequence[TokenTotals] = (),
    reader: str | None = None,
    judges: Sequence[str] = (),
    dataset: DatasetReference | None = None,
    graded: GradedAnswers | None = None,
    arguments: Mapping[str, Any],
) -> None:
    """Write both tables and the manifest; the folder is finished when this returns.

    `left_out` counts rows of other questions by reason. `reader` and `judges` are taken from the
    grades where they are not named. Where answers of the harness were `graded`, the size of no file
    depends on an outcome.
    """
    folder.start()
    rows = [
        {**asdict(grade), "pass": grade.pass_number, "status": grade.status.value}
        for grade in grades
    ]
    columns = GRADED_SCHEMA if graded is None else GRADED_SCHEMA.append(ANSWER_COLUMN)
    work = canonical_json(folder.work).encode("utf-8")
    table = pa.Table.from_pylist(rows, schema=columns)
    with atomic_path(folder.path / GRADED) as temporary:
        write_table(table.replace_schema_metadata({WORK_KEY: work}), temporary)
    right = [{**asdict(outcome), "pass": outcome.pass_number} for outcome in outcomes]
    table = pa.Table.from_pylist(right, schema=OUTCOMES_SCHEMA)
    with atomic_path(folder.path / OUTCOMES) as temporary:
        write_table(table, temporary, plain=graded is not None)
    content = GradesContent(
        point=header.point,
        split=SplitReference(header.split_file, str(header.cohort.split_sha256)),
        part=header.cohort.part,
        cohort=QuestionsReference(header.source.name, len(header.cohort.ids), header.cohort.sha256),
        registration=header.clearance.registration,
        exploratory=True if header.clearance.exploratory else None,
        format=header.format,
        reader=reader or next((grade.reader for grade in grades if grade.reader), None),
        judges=tuple(judges or sorted({grade.judge for grade in grades if grade.judge})),
        passes=tuple(sorted({grade.pass_number for grade in grades})),
        counts=count_grades(grades),
        left_out=left_out,
        sources=tuple(sources),
        token_totals=tuple(totals),
        dataset=dataset,
        graded=graded,
        question_types=header.source.types_of(header.cohort.ids),
    )
    Manifest(
        schema=GRADES_SCHEMA,
        work=folder.work,
        content=content.to_json(),
        files=file_entries(folder.path, TABLES),
        arguments=arguments,
        code=code_version(),
        environment=environment(),
    ).write(folder.path)
    folder.finish()
