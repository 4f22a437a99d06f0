"""What is known of the point and of each control over the judged questions, beside the rules."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from harness.evidence import METRICS, cohort_of, metric_values
from harness.points import parse_point

from .outcomes import EntrantOutcomes
from .preparation import Prepared
from .verdict import EvidenceValue, PassFigures, PointFigures


def point_figures(answers: EntrantOutcomes, prepared: Prepared) -> PointFigures:
    """Accuracy, origin and costs of one entrant, with its evidence metrics where the run has it."""
    entrant = answers.entrant
    costs = prepared.costs[entrant.spec]
    return PointFigures(
        point=entrant.spec,
        role=entrant.role,
        n=len(answers.correct),
        correct=sum(answers.correct.values()),
        accuracy=answers.accuracy,
        reader=entrant.grades.reader,
        judges=entrant.grades.judges,
        grades_sha256=entrant.grades.sha256,
        judged_pass=entrant.judged.name,
        other_passes=tuple(
            PassFigures(
                other.name,
                len(other.correct),
                sum(other.correct.values()),
                sum(other.correct.values()) / len(other.correct),
            )
            for other in answers.others
            if other.correct
        ),
        tokens={name: found.value for name, found in costs.items() if found.value is not None},
        evidence=_evidence(entrant.spec, prepared),
    )


def _evidence(spec: str, prepared: Prepared) -> Mapping[str, EvidenceValue] | None:
    if prepared.run is None or prepared.rows[spec] is None:
        return None
    point = parse_point(spec)
    rows = prepared.run.evidence_rows([point])
    inside = pc.is_in(rows["case_id"].cast(pa.string()), pa.array(prepared.judged.ids, pa.string()))
    cohort = cohort_of(rows.filter(inside), [str(point)])
    found = [metric_values(metric, cohort)[0] for metric in METRICS]
    return {value.name: EvidenceValue(value.value, value.expected, value.scored) for value in found}
