"""Judging a registration: check, open the split on record, read the outcomes once, decide."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from harness.errors import InputError
from harness.evidence import METRICS, cohort_of, metric_values
from harness.storage.manifest import code_version

from .checks import JudgmentInputs, Preparation, prepare
from .decision import decide
from .entrants import Entrant
from .ledger import Opening, OpeningRequest, opened_split, openings_of, other_ledgers, read_ledger
from .not_registered import not_registered
from .outcomes import EntrantOutcomes, differences, noise_checks, read_outcomes
from .rule_verdict import RuleInputs, rule_verdict
from .verdict import (
    CONFIRMATORY,
    EXPLORATORY,
    ORDER_NOT_SHOWN,
    REPEAT,
    EvidenceValue,
    JudgedCohort,
    LedgerEntry,
    NoiseCheck,
    PassFigures,
    PointFigures,
    RuleVerdict,
    Verdict,
    read_verdict,
    write_verdict,
)


def judge(inputs: JudgmentInputs, out: Path, *, again: str | None = None) -> Verdict:
    """Judge and write the verdict to `out`.

    Nothing is opened unless everything holds that can be checked without an outcome. `again`: the
    reason of a repeat. Raises `InputError` with all that does not hold, and `UsageError` for a
    second opening without a reason.
    """
    prepared = prepare(inputs)
    request = _request(prepared, out)
    _check_out(out, inputs.ledger, request)
    with opened_split(inputs.ledger, request, again) as (opening, resumed):
        verdict = _verdict(prepared, out, opening, resumed)
        _keep_earlier(out, opening)
        write_verdict(verdict, out)
    return verdict


def _request(prepared: Preparation, out: Path) -> OpeningRequest:
    inputs, plan, entrants = prepared.inputs, prepared.plan, prepared.entrants
    folder = inputs.ledger.parent
    return OpeningRequest(
        registration=_relative_to(folder, inputs.registration),
        registration_sha256=prepared.registration.sha256,
        split_sha256=plan.split.sha256,
        part=plan.split.part,
        points=tuple(str(entrant.point) for entrant in entrants),
        grades={str(entrant.point): entrant.grades.sha256 for entrant in entrants},
        passes={
            str(entrant.point): tuple(grades.sha256 for grades in entrant.folders[1:])
            for entrant in entrants
            if len(entrant.folders) > 1
        },
        sources={
            str(entrant.point): tuple(
                source.sha256 for source in entrant.grades.sources if source.rows
            )
            for entrant in entrants
        },
        verdict=_relative_to(folder, out),
    )


def _relative_to(folder: Path, path: Path) -> str:
    """Return `path` as seen from `folder`, with forward slashes, the same on every machine; `..`
    where it is not below."""
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()


def _check_out(out: Path, ledger: Path, request: OpeningRequest) -> None:
    """Refuse `out` unless it is free, or has a verdict that the ledger knows as one of this
    registration."""
    if not out.exists():
        return
    earlier = read_verdict(out)
    known = {opening.line_sha256 for opening in openings_of(read_ledger(ledger), request)}
    if earlier.opening.line_sha256 not in known:
        raise InputError(
            f"{out} is a verdict of an opening that {ledger} does not have for this registration",
            "Restore the ledger, or name it with --ledger; or choose another --out.",
        )


def _keep_earlier(out: Path, opening: Opening) -> None:
    """Move the verdict of an earlier opening aside: `NAME.verdict.opening-1.json`."""
    if not out.exists():
        return
    earlier = read_verdict(out)
    if earlier.opening.line_sha256 != opening.line_sha256:
        out.rename(out.with_name(f"{out.stem}.opening-{earlier.opening.number}{out.suffix}"))


def _verdict(prepared: Preparation, out: Path, opening: Opening, resumed: bool) -> Verdict:
    outcomes = [read_outcomes(entrant, prepared.judged) for entrant in prepared.entrants]
    checks = [check for entrant in outcomes for check in noise_checks(entrant)]
    inputs, registration, plan = prepared.inputs, prepared.registration, prepared.plan
    before = [other for other in read_ledger(inputs.ledger) if other.number < opening.number]
    elsewhere = [
        other
        for ledger in other_ledgers(inputs.ledger, inputs.registration)
        for other in read_ledger(ledger)
    ]
    stamp, reasons = _stamp(prepared, opening, before, elsewhere)
    return Verdict(
        registration=_relative_to(out.parent, inputs.registration),
        registration_sha256=registration.sha256,
        stamp=stamp,
        stamp_reasons=reasons,
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
        not_registered=tuple(not_registered(outcomes[0], outcomes[1:])),
        departures=tuple(prepared.departures),
        notes=(*prepared.notes, *_pass_notes(prepared.entrants)),
        committed=prepared.order.committed,
        opening=LedgerEntry(
            ledger=_relative_to(out.parent, inputs.ledger),
            number=opening.number,
            line_sha256=opening.line_sha256,
            of_split=1
            + sum(other.request.split_sha256 == opening.request.split_sha256 for other in before),
            repeat=opening.repeat,
            resumed=resumed,
        ),
        code=code_version(),
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
                name, len(correct), sum(correct.values()), sum(correct.values()) / len(correct)
            )
            for name, correct in outcomes.others
            if correct
        ),
        tokens={name: cost.value for name, cost in costs.items() if cost.value is not None},
        evidence=_evidence(entrant, prepared),
    )


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


def _stamp(
    prepared: Preparation,
    opening: Opening,
    before: Sequence[Opening],
    elsewhere: Sequence[Opening],
) -> tuple[str, tuple[str, ...]]:
    """Stamp the verdict, and say why: a confirmatory one has no reasons.

    `before` are the earlier openings of this ledger, `elsewhere` those of others.
    """
    read = _read_before(prepared, opening, before, elsewhere)
    reasons = [*prepared.order.exploratory, *read]
    stamps = [EXPLORATORY] if reasons else []
    if not prepared.order.shown:
        stamps.append(ORDER_NOT_SHOWN)
        reasons.append(prepared.order.committed.statement)
    if opening.repeat is not None:
        stamps.append(REPEAT)
        reasons.append(
            f"the test was judged before by this registration; why again: {opening.repeat}"
        )
    return ", ".join(stamps) or CONFIRMATORY, tuple(reasons)


def _read_before(
    prepared: Preparation,
    opening: Opening,
    before: Sequence[Opening],
    elsewhere: Sequence[Opening],
) -> list[str]:
    """List where the point's answers were read already: whoever registered then could know them.

    Openings of this registration that this ledger knows are repeats and have their own stamp.
    """
    repeats = openings_of(before, opening.request)
    entrant = prepared.entrants[0]
    sources = set(opening.request.sources[str(entrant.point)])
    earlier = [
        f"the answers of the {entrant} were opened before, for "
        f"{other.request.registration} (sha256 {other.request.registration_sha256[:12]}…)"
        for other in [*(known for known in before if known not in repeats), *elsewhere]
        if sources & set(other.request.sources.get(str(entrant.point), ()))
    ]
    return list(dict.fromkeys(earlier))
