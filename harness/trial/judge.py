"""Judging a registration: check, open the outcome sets on record, read them once, decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from harness.errors import InputError
from harness.evidence import METRICS, cohort_of, metric_values
from harness.storage.manifest import code_version

from .by_type import accuracy_by_type
from .checks import JudgmentInputs, Preparation, prepare
from .decision import decide
from .entrants import Entrant, Pass
from .grades import KIND
from .ledger import (
    DEMONSTRATION,
    JUDGMENT,
    EarlierLine,
    OpenedSet,
    Opening,
    OpeningLine,
    locked_ledger,
    openings_of,
    read_ledger,
    relative_to,
)
from .not_registered import not_registered, shown_evidence
from .outcomes import EntrantOutcomes, differences, noise_checks, read_outcomes
from .rule_verdict import RuleInputs, rule_verdict
from .stamp import stamped
from .verdict import (
    EvidenceValue,
    Fixed,
    FixedSet,
    JudgedCohort,
    LedgerEntry,
    NoiseCheck,
    NotRegistered,
    PassFigures,
    PointFigures,
    RuleVerdict,
    Verdict,
    read_verdict,
    write_verdict,
)

FURTHER = "pass"
"""Role of a further pass of the point or of a control."""


def judge(inputs: JudgmentInputs, out: Path) -> tuple[Verdict, bool]:
    """Judge, and write the verdict to `out`; return it, and whether it was there already.

    Nothing is opened unless everything holds that can be checked without an outcome. Raises
    `InputError` with all that does not hold, and for a registration that was judged on something
    else.
    """
    prepared = prepare(inputs)
    request = _request(prepared, out)
    _check_out(out, inputs.ledger, request)
    with locked_ledger(inputs.ledger) as ledger:
        opening = _judged_before(ledger.openings, request, prepared)
        if opening is not None and out.exists():
            return read_verdict(out), True
        if opening is None:
            kind = DEMONSTRATION if inputs.demonstration else JUDGMENT
            opening = ledger.append(kind, stamped(prepared, request, ledger.openings))
        line = opening.line
        if isinstance(line, EarlierLine):
            line = stamped(prepared, request, ledger.openings, opening)
        verdict = _verdict(prepared, out, opening, line, ledger.openings)
        write_verdict(verdict, out)
    return verdict, False


def _request(prepared: Preparation, out: Path) -> OpeningLine:
    """Return what would be opened, without its stamp; no outcome leaves this."""
    inputs, plan, run = prepared.inputs, prepared.plan, prepared.run
    return OpeningLine(
        registration=relative_to(inputs.ledger.parent, inputs.registration),
        registration_sha256=prepared.registration.sha256,
        dataset_sha256=plan.dataset.sha256,
        split_sha256=plan.split.sha256,
        part=plan.split.part,
        sets=tuple(_sets(prepared.entrants)),
        run_sha256=None if run is None else run.manifest.content_sha256,
        recording_sha256=None if run is None else run.manifest.content["recording"]["sha256"],
        clusters_sha256=None if prepared.clusters is None else prepared.clusters.sha256,
        questions=tuple(sorted(_opened_questions(prepared))),
        verdict=relative_to(inputs.ledger.parent, out),
    )


def _sets(entrants: Sequence[Entrant]) -> Iterator[OpenedSet]:
    for entrant in entrants:
        yield _set(entrant, entrant.judged, entrant.role)
    for entrant in entrants:
        for further in entrant.others:
            yield _set(entrant, further, FURTHER)


def _set(entrant: Entrant, entry: Pass, role: str) -> OpenedSet:
    return OpenedSet(
        kind=KIND,
        point=str(entrant.point),
        role=role,
        identity=entry.grades.identities[entry.number],
        costs=entry.grades.cost_inputs(entry.number),
    )


def _opened_questions(prepared: Preparation) -> set[str]:
    """Return every question that one of the sets has: a folder is opened as a whole."""
    return {
        name
        for entrant in prepared.entrants
        for grades in entrant.folders
        for name in grades.expected_ids
    }


def _check_out(out: Path, ledger: Path, request: OpeningLine) -> None:
    """Refuse `out` unless it is free, or has a verdict that the ledger knows as one of this
    registration."""
    if not out.exists():
        return
    earlier = read_verdict(out)
    known = {opening.line_sha256 for opening in _of_registration(read_ledger(ledger), request)}
    if earlier.opening.line_sha256 not in known:
        raise InputError(
            f"{out} is a verdict of an opening that {ledger} does not have for this registration",
            "Restore the ledger; or choose another --out.",
        )


def _of_registration(openings: Sequence[Opening], request: OpeningLine) -> list[Opening]:
    return openings_of(openings, str(request.registration), str(request.registration_sha256))


def _judged_before(
    openings: Sequence[Opening], request: OpeningLine, prepared: Preparation
) -> Opening | None:
    """Return the opening of this registration that fixed just these identities; None for a first.

    Raises `InputError` naming what is not as it was fixed.
    """
    earlier = _of_registration(openings, request)
    if not earlier:
        return None
    for opening in reversed(earlier):
        problems = list(_not_as_fixed(opening, request, prepared))
        if not problems:
            return opening
    last = earlier[-1]
    place = last.ledger.parent / str(last.line.verdict)
    raise InputError(
        "\n  ".join(
            [
                f"{last.ledger}, line {last.number}: this registration was judged, and the opening "
                "fixed what decides it; a test is spent once",
                *problems,
            ]
        ),
        f"Its verdict is {place}. Judge again with what was fixed, or register another test.",
    )


def _not_as_fixed(opening: Opening, request: OpeningLine, prepared: Preparation) -> Iterator[str]:
    if isinstance(opening.line, OpeningLine):
        yield from opening.line.differences(request)
        return
    if opening.line.registration_sha256 != request.registration_sha256:
        yield "registration: another text than was judged"
    if request.clusters_sha256 is not None:
        yield "clusters (--data): the opening fixed none"
    given = {grades.sha256 for entrant in prepared.entrants for grades in entrant.folders}
    if given != opening.line.folders:
        yield "outcomes: other folders of grades than line and verdict name"


def _verdict(
    prepared: Preparation,
    out: Path,
    opening: Opening,
    line: OpeningLine,
    openings: Sequence[Opening],
) -> Verdict:
    outcomes = [read_outcomes(entrant, prepared.judged) for entrant in prepared.entrants]
    checks = [check for entrant in outcomes for check in noise_checks(entrant)]
    inputs, registration, plan = prepared.inputs, prepared.registration, prepared.plan
    of_split = [
        other
        for other in openings
        if other.number <= opening.number and other.line.split_sha256 == plan.split.sha256
    ]
    return Verdict(
        stamp=str(line.stamp),
        not_checked=line.not_checked,
        stamp_reasons=line.stamp_reasons,
        registration=relative_to(out.parent, inputs.registration),
        registration_sha256=registration.sha256,
        question=plan.question,
        dataset=plan.dataset.name,
        dataset_sha256=plan.dataset.sha256,
        split=plan.split.file,
        split_sha256=plan.split.sha256,
        part=plan.split.part,
        correction=plan.family.correction.value,
        stop=plan.stop.text,
        cohort=_judged_cohort(prepared),
        rules=tuple(_rules(prepared, outcomes, checks)),
        points=tuple(_point_figures(entrant, prepared) for entrant in outcomes),
        noise_checks=tuple(checks),
        not_registered=_not_registered(prepared, outcomes),
        departures=tuple(prepared.departures),
        notes=(*prepared.notes, *_pass_notes(prepared.entrants)),
        committed=prepared.order.committed,
        seen_at_other_points=line.seen_elsewhere,
        fixed=Fixed(
            sets=tuple(
                FixedSet(
                    kind=opened.kind,
                    point=opened.point,
                    role=opened.role,
                    identity=opened.identity,
                    costs=opened.costs,
                )
                for opened in line.sets
            ),
            run_sha256=line.run_sha256,
            recording_sha256=line.recording_sha256,
            clusters_sha256=line.clusters_sha256,
        ),
        opening=LedgerEntry(
            ledger=relative_to(out.parent, inputs.ledger),
            number=opening.number,
            line_sha256=opening.line_sha256,
            of_split=len(of_split),
        ),
        code=code_version(),
    )


def _not_registered(
    prepared: Preparation, outcomes: Sequence[EntrantOutcomes]
) -> tuple[NotRegistered, ...]:
    in_run = [entrant.point for entrant in prepared.entrants if prepared.rows[entrant.point]]
    shown = shown_evidence(prepared.run, in_run)
    return tuple(
        not_registered(outcomes[0], outcomes[1:], prepared.types, shown, prepared.clusters)
    )


def _judged_cohort(prepared: Preparation) -> JudgedCohort:
    judged, registered = prepared.judged, prepared.registration.cohort
    reasons = list(judged.left_out.values())
    return JudgedCohort(
        test_questions=len(registered.test_ids),
        excluded={
            excluded.rule.value: reasons.count(excluded.rule.value)
            for excluded in registered.excluded
        },
        judged=len(judged.ids),
        sha256=judged.sha256,
    )


def _rules(
    prepared: Preparation, outcomes: Sequence[EntrantOutcomes], checks: Sequence[NoiseCheck]
) -> list[RuleVerdict]:
    plan, point = prepared.plan, outcomes[0]
    controls = {control.entrant.point: control for control in outcomes[1:]}
    pairs = {spec: differences(point, control) for spec, control in controls.items()}
    by_p = prepared.registration.decides_by_p
    decisions = decide(plan.rules, plan.family.correction, pairs, by_p=by_p)
    return [
        rule_verdict(
            RuleInputs(
                rule=rule,
                point=point,
                control=controls[rule.against],
                pairs=pairs[rule.against],
                point_costs=prepared.costs[point.entrant.point],
                control_costs=prepared.costs[rule.against],
                same_cost=plan.same_cost,
                noise=[
                    check
                    for check in checks
                    if check.point in (str(plan.point.spec), str(rule.against))
                ],
                types=prepared.types,
            ),
            decisions[rule.name],
        )
        for rule in plan.rules
    ]


def _point_figures(outcomes: EntrantOutcomes, prepared: Preparation) -> PointFigures:
    """Return accuracy, origin and costs of one entrant, with its evidence metrics where the run has
    it: reported with the rules, and deciding none of them."""
    entrant = outcomes.entrant
    costs = prepared.costs[entrant.point]
    return PointFigures(
        point=str(entrant.point),
        role=entrant.role,
        n=len(outcomes.correct),
        correct=sum(outcomes.correct.values()),
        accuracy=outcomes.accuracy,
        reader=entrant.grades.reader,
        judges=entrant.grades.judges,
        grades_sha256=entrant.grades.sha256,
        judged_pass=entrant.judged.name,
        other_passes=tuple(
            PassFigures(
                further.name,
                len(correct),
                sum(correct.values()),
                sum(correct.values()) / len(correct),
                _errors(further, prepared),
            )
            for further, (_, correct) in zip(entrant.others, outcomes.others, strict=True)
            if correct
        ),
        tokens={name: cost.value for name, cost in costs.items() if cost.value is not None},
        evidence=_evidence(entrant, prepared),
        by_type=accuracy_by_type(outcomes.correct, prepared.types),
        errors=_errors(entrant.judged, prepared),
    )


def _errors(entry: Pass, prepared: Preparation) -> int:
    return len(entry.grades.errors(entry.number) & set(prepared.judged.ids))


def _evidence(entrant: Entrant, prepared: Preparation) -> Mapping[str, EvidenceValue] | None:
    if prepared.run is None or prepared.rows[entrant.point] is None:
        return None
    rows = prepared.run.evidence_rows([entrant.point])
    inside = pc.is_in(rows["case_id"].cast(pa.string()), pa.array(prepared.judged.ids, pa.string()))
    counts = cohort_of(rows.filter(inside), [str(entrant.point)])
    values = [metric_values(metric, counts)[0] for metric in METRICS]
    return {
        value.name: EvidenceValue(value.value, value.expected, value.scored) for value in values
    }


def _pass_notes(entrants: Sequence[Entrant]) -> list[str]:
    return [
        f"The {entrant} has {1 + len(entrant.others)} passes: {entrant.judged.name} judges, the "
        "others are described."
        for entrant in entrants
        if entrant.others
    ]
