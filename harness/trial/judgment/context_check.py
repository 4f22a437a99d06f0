"""Whether the contexts of a run are the ones that were answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from harness.errors import Faults
from harness.points import parse_point
from harness.replay import schema
from harness.replay.run import Run
from harness.trial.registration import Plan

from .cohort_check import Judged, named
from .entrants import Entrant


@dataclass(frozen=True, slots=True)
class RunRow:
    """What a run has of one question at one point; tokens are None where they were not counted."""

    context_sha256: str
    context_tokens: int | None
    prompt_tokens_estimated: int | None


RunRows = Mapping[str, RunRow]


def check_run(run: Run, plan: Plan, judged: Judged, faults: Faults) -> None:
    """The run has every judged question, and is of the recording that the plan names, if any."""
    there = set(run.cases()["case_id"].to_pylist())
    lacking = [name for name in judged.ids if name not in there]
    if lacking:
        faults.add(f"{run.folder} lacks {len(lacking)} judged questions: {named(lacking)}")
    found = run.manifest.content["recording"]["sha256"]
    if plan.recording_sha256 is not None and found != plan.recording_sha256:
        faults.add(
            f"{run.folder} is of the recording with sha256 {found}, the registration names "
            f"{plan.recording_sha256}"
        )


def run_rows(run: Run, spec: str) -> RunRows | None:
    """By question; None for a point that the run does not have."""
    computed_as = run.computed_as.get(str(parse_point(spec)))
    if computed_as is None:
        return None
    names = list(RunRow.__dataclass_fields__)
    table = run.table(schema.SELECTIONS, ["case_id", "point", *names])
    rows = table.filter(pc.equal(table["point"].cast(pa.string()), computed_as))
    ids = rows["case_id"].cast(pa.string()).to_pylist()
    values = rows.select(names).to_pylist()
    return {case_id: RunRow(**value) for case_id, value in zip(ids, values, strict=True)}


def check_contexts(
    entrant: Entrant, judged: Judged, rows: RunRows, faults: Faults, notes: list[str]
) -> None:
    """The context of every judged question is the one of the run, where the grades know it."""
    wanted = set(judged.ids)
    answered = {
        row.question_id: row.context_sha256
        for row in entrant.judged.rows()
        if row.question_id in wanted and row.context_sha256 is not None
    }
    others = sorted(
        name
        for name, digest in answered.items()
        if name in rows and rows[name].context_sha256 != digest
    )
    if others:
        faults.add(
            f"{entrant.grades.folder} ({entrant}): {len(others)} answered contexts are not those "
            f"of the run: {named(others)}"
        )
    unknown = len(judged.ids) - len(answered)
    if unknown:
        notes.append(
            f"For {unknown} of {len(judged.ids)} questions the grades of the {entrant} do not say "
            "which context was answered; those were not compared with the run's."
        )
