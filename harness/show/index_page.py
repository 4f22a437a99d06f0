"""The index of a report: all points side by side."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from harness.evidence import METRICS
from harness.measure.answers import GradedPoints
from harness.measure.equal_cost import SAME_COST
from harness.points import load_arm
from harness.recording.absent import Absence
from harness.replay.run import Run
from harness.words import Code, Kind, Link, Text, counted, joined

from .accuracy_tables import answers_table, types_table, with_answers
from .evidence_tables import (
    COSTS_FIRST,
    default_interval_words,
    differences_table,
    misleading,
    same_cost_table,
    value_rows,
    values_table,
)
from .figures import Figures
from .growth import Growth
from .provenance import Provenance, provenance_table
from .table import Column, Table


@dataclass(frozen=True, slots=True)
class ReportInputs:
    """What a report was asked to set beside the run: file names and hashes, None where not.

    A verdict goes without its hash: it holds the commit and the opening it was reached under.
    """

    published: tuple[str, str] | None = None
    causes: tuple[str, str] | None = None
    split: tuple[str, str] | None = None
    registration: tuple[str, str] | None = None
    verdict: str | None = None
    grades: tuple[tuple[str, str], ...] = ()
    recording: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Alias:
    """A point that was computed, and the other spellings of its policy."""

    point: str
    others: Text


@dataclass(frozen=True, slots=True)
class IndexPage:
    """What the template `index.md.j2` shows; `answers` is None without grades."""

    figures: Figures
    provenance: Provenance
    growth: tuple[Growth, ...]
    arms: Table
    absent: tuple[Text, ...]
    has_curve: bool
    same_cost: Table
    points: Table
    answers: Table | None
    answer_types: Table | None
    differences: Table
    misleading: str
    aliases: tuple[Alias, ...]
    growth_table: Table
    inputs: ReportInputs
    same_cost_share: float
    interval: str
    replayed: Table
    report_command: str
    hashes: Table
    definitions: Table


def index_page(
    run: Run,
    figures: Figures,
    provenance: Provenance,
    growth: tuple[Growth, ...],
    graded: GradedPoints,
    *,
    has_curve: bool,
    inputs: ReportInputs,
    absent: Sequence[Absence] = (),
) -> IndexPage:
    """Return the tables of the index; `absent` are signals of the arms."""
    rows = value_rows(figures.values, figures.points)
    return IndexPage(
        figures=figures,
        provenance=provenance,
        growth=growth,
        arms=_arms(figures, absent),
        absent=absent_lines(absent),
        has_curve=has_curve,
        same_cost=same_cost_table(figures),
        points=values_table(rows, COSTS_FIRST),
        answers=answers_table(with_answers(rows, figures.cohort, graded)),
        answer_types=types_table(graded, figures.points),
        differences=differences_table(figures),
        misleading=misleading(figures, figures.points),
        aliases=aliases_of(run.computed_as),
        growth_table=growth_table(growth),
        inputs=inputs,
        same_cost_share=SAME_COST,
        interval=default_interval_words(),
        replayed=provenance_table(provenance, everything=True),
        report_command=_report_command(figures, inputs),
        hashes=_hashes(provenance, inputs),
        definitions=_definitions(),
    )


def arm_folder(arm: str) -> str:
    """Return the folder of an arm's page: its name, with what a file name cannot hold escaped."""
    folder = quote(arm, safe="")
    return folder.replace(".", "%2E") if set(folder) <= {"."} else folder


def aliases_of(computed_as: Mapping[str, str]) -> tuple[Alias, ...]:
    """Return the computed points that have other spellings."""
    others: dict[str, list[str]] = {}
    for point, computed in computed_as.items():
        if point != computed:
            others.setdefault(computed, []).append(point)
    return tuple(
        Alias(point, joined([Code(spelling) for spelling in spellings]))
        for point, spellings in others.items()
    )


def growth_table(growth: Sequence[Growth]) -> Table:
    """Return one row per arm: what it promises, and which losses there are."""
    columns = (
        Column("arm", "arm", Kind.CODE),
        Column("promised", "promises growth", cell=_promise),
        Column("parameters", "raising", Kind.CODE),
        Column("comparisons", "comparisons", Kind.COUNT),
        Column("losses", "losses", Kind.COUNT),
        Column("cases", "questions with losses", Kind.COUNT),
    )
    return Table(columns, growth)


def _promise(growth: Growth) -> str:
    if not growth.parameters:
        return "nothing to raise"
    return "yes" if growth.promised else "no"


def absent_lines(absent: Sequence[Absence]) -> tuple[Text, ...]:
    return tuple((*absence.sentence("question"), ".") for absence in absent)


def _absent_of(arm: str, absent: Sequence[Absence]) -> str:
    """Return `5 of 8`, with the questions where they are not all."""
    parts = []
    for absence in absent:
        if arm in absence.arms:
            every = absence.cases == absence.of_cases
            where = (
                "" if every else f" in {absence.cases:,} of {counted(absence.of_cases, 'question')}"
            )
            parts.append(f"{len(absence.signals)} of {absence.of_signals}{where}")
    return "; ".join(parts)


def _arms(figures: Figures, absent: Sequence[Absence]) -> Table:
    rows = [
        {
            "arm": Link(Code(name), f"{quote(arm_folder(name))}/README.md"),
            "summary": load_arm(name).summary,
            "points": len(figures.points_of(name)),
            "absent": _absent_of(name, absent),
        }
        for name in figures.arms
    ]
    columns = (
        Column("arm", "arm"),
        Column("summary", "what it shows"),
        Column("points", "points", Kind.COUNT),
        *((Column("absent", "absent signals"),) if absent else ()),
    )
    return Table(columns, rows)


def _report_command(figures: Figures, inputs: ReportInputs) -> str:
    words = ["harness", "report", "RUN", "--out", "reports", "--against", str(figures.against)]
    named = (
        ("--published", inputs.published),
        ("--causes", inputs.causes),
        ("--split", inputs.split),
        ("--registration", inputs.registration),
    )
    for option, file in named:
        if file is not None:
            words += [option, file[0]]
    if inputs.verdict is not None:
        words += ["--verdict", inputs.verdict]
    for folder, _ in inputs.grades:
        words += ["--grades", folder]
    if inputs.recording is not None:
        words += ["--recording", inputs.recording]
    if inputs.note is not None:
        words += ["--note", inputs.note]
    return " ".join(shlex.quote(word) for word in words)


def _hashes(provenance: Provenance, inputs: ReportInputs) -> Table:
    hashes: list[tuple[Text, str]] = [
        ("recording", provenance.recording_sha256),
        *((f"{kind} file", file[1]) for kind, file in _files(inputs)),
        *((("grades ", Code(folder)), digest) for folder, digest in inputs.grades),
        ("run, all files", provenance.run_sha256),
        *((("run, ", Code(table)), digest) for table, digest in provenance.tables),
    ]
    rows = [{"what": what, "sha256": digest} for what, digest in hashes]
    return Table((Column("what", "what"), Column("sha256", "sha256", Kind.HASH)), rows)


def _files(inputs: ReportInputs) -> list[tuple[str, tuple[str, str]]]:
    named = [
        ("published", inputs.published),
        ("causes", inputs.causes),
        ("split", inputs.split),
        ("registration", inputs.registration),
    ]
    return [(kind, file) for kind, file in named if file is not None]


def _definitions() -> Table:
    columns = (
        Column("name", "metric", Kind.CODE),
        Column("definition", "definition"),
        Column("denominator", "denominator"),
        Column("cases", "questions"),
        Column("aggregation", "aggregation"),
        Column("unit", "unit"),
        Column("better", "better"),
    )
    return Table(columns, METRICS)
