"""Judging a registration: check, open the split on record, read the outcomes once, decide."""

from __future__ import annotations

from pathlib import Path

from harness.errors import InputError
from harness.statistics.holm import holm
from harness.statistics.mcnemar import mcnemar
from harness.storage.manifest import code_version
from harness.trial.registration.plan import Correction

from .decision import decide
from .ledger import Opening, OpeningRequest, opened_split, openings_of, read_ledger
from .ledger_history import other_ledgers
from .outcomes import EntrantOutcomes, counts_of, differences, noise_checks, read_answers
from .paths import relative_to
from .point_figures import point_figures
from .preparation import JudgmentInputs, Prepared, prepare
from .rule_verdict import RuleInputs, rule_verdict
from .stamp import stamp_of
from .verdict import SCHEMA, LedgerEntry, NoiseCheck, RuleVerdict, Verdict
from .verdict_file import read_verdict, write_verdict


def judge(inputs: JudgmentInputs, out: Path, *, again: str | None = None) -> Verdict:
    """Judge and write the verdict to `out`.

    Nothing is opened unless everything holds that can be checked without an outcome. `again`: the
    reason of a repeat. Raises `InputError` with all that does not hold, and `UsageError` for a
    second opening without a reason.
    """
    prepared = prepare(inputs)
    asked = _asked(prepared, out)
    _check_out(out, inputs.ledger, asked)
    with opened_split(inputs.ledger, asked, again) as (opening, resumed):
        verdict = _verdict(prepared, out, opening, resumed)
        _keep_earlier(out, opening)
        write_verdict(verdict, out)
    return verdict


def _asked(prepared: Prepared, out: Path) -> OpeningRequest:
    inputs, plan = prepared.inputs, prepared.registration.plan
    folder = inputs.ledger.parent
    return OpeningRequest(
        registration=relative_to(folder, inputs.registration),
        registration_sha256=prepared.registration.sha256,
        split_sha256=plan.split.sha256,
        part=plan.split.part,
        points=tuple(entrant.spec for entrant in prepared.entrants),
        grades={entrant.spec: entrant.grades.sha256 for entrant in prepared.entrants},
        passes={
            entrant.spec: tuple(grades.sha256 for grades in entrant.folders[1:])
            for entrant in prepared.entrants
            if len(entrant.folders) > 1
        },
        sources={
            entrant.spec: tuple(source.sha256 for source in entrant.grades.sources if source.rows)
            for entrant in prepared.entrants
        },
        verdict=relative_to(folder, out),
    )


def _check_out(out: Path, ledger: Path, asked: OpeningRequest) -> None:
    """`out` is free, or has a verdict that the ledger knows as one of this registration."""
    if not out.exists():
        return
    there = read_verdict(out)
    known = {opening.line_sha256 for opening in openings_of(read_ledger(ledger), asked)}
    if there.opening.line_sha256 not in known:
        raise InputError(
            f"{out} is a verdict of an opening that {ledger} does not have for this registration",
            "Restore the ledger, or name it with --ledger; or choose another --out.",
        )


def _keep_earlier(out: Path, opening: Opening) -> None:
    """Move the verdict of an earlier opening aside: `NAME.verdict.opening-1.json`."""
    if not out.exists():
        return
    there = read_verdict(out)
    if there.opening.line_sha256 != opening.line_sha256:
        out.rename(out.with_name(f"{out.stem}.opening-{there.opening.number}{out.suffix}"))


def _verdict(prepared: Prepared, out: Path, opening: Opening, resumed: bool) -> Verdict:
    answers = [read_answers(entrant, prepared.judged) for entrant in prepared.entrants]
    checks = [check for found in answers for check in noise_checks(found)]
    inputs, registration = prepared.inputs, prepared.registration
    plan = registration.plan
    before = [other for other in read_ledger(inputs.ledger) if other.number < opening.number]
    elsewhere = [
        other
        for ledger in other_ledgers(inputs.ledger, inputs.registration)
        for other in read_ledger(ledger)
    ]
    stamp = stamp_of(prepared, opening, before, elsewhere)
    return Verdict(
        schema=SCHEMA,
        registration=relative_to(out.parent, inputs.registration),
        registration_sha256=registration.sha256,
        stamp=stamp.text,
        stamp_reasons=stamp.reasons,
        question=plan.question,
        dataset=plan.dataset.name,
        dataset_sha256=plan.dataset.sha256,
        split=plan.split.file,
        split_sha256=plan.split.sha256,
        part=plan.split.part,
        correction=plan.correction.value,
        stop=plan.stop,
        cohort=prepared.judged.cohort,
        rules=tuple(_rules(prepared, answers, checks)),
        points=tuple(point_figures(found, prepared) for found in answers),
        noise_checks=tuple(checks),
        departures=prepared.departures,
        notes=(*prepared.notes, *_pass_notes(answers)),
        committed=prepared.order.committed,
        opening=LedgerEntry(
            ledger=relative_to(out.parent, inputs.ledger),
            number=opening.number,
            line_sha256=opening.line_sha256,
            of_split=1
            + sum(other.asked.split_sha256 == opening.asked.split_sha256 for other in before),
            repeat=opening.repeat,
            resumed=resumed,
        ),
        code=code_version(),
    )


def _rules(
    prepared: Prepared, answers: list[EntrantOutcomes], checks: list[NoiseCheck]
) -> list[RuleVerdict]:
    plan, point = prepared.registration.plan, answers[0]
    by_spec = {found.entrant.spec: found for found in answers}
    pairs = {found.entrant.spec: differences(point, found) for found in answers[1:]}
    decisions = decide(plan.rules, plan.correction, pairs)
    adjusted: dict[str, float] = {}
    if plan.correction is Correction.HOLM:
        primary = plan.primary_rules
        counts = [counts_of(pairs[rule.against]) for rule in primary]
        p_values = holm([mcnemar(found.wins, found.losses).exact_p for found in counts])
        adjusted = {rule.name: p for rule, p in zip(primary, p_values, strict=True)}
    return [
        rule_verdict(
            RuleInputs(
                rule=rule,
                point=point,
                control=by_spec[rule.against],
                pairs=pairs[rule.against],
                point_costs=prepared.costs[point.entrant.spec],
                control_costs=prepared.costs[rule.against],
                same_cost=plan.same_cost,
                noise=[check for check in checks if check.point in (plan.point, rule.against)],
                types=prepared.types,
            ),
            decisions[rule.name],
            adjusted.get(rule.name),
        )
        for rule in plan.rules
    ]


def _pass_notes(answers: list[EntrantOutcomes]) -> list[str]:
    return [
        f"The {found.entrant} has {1 + len(found.others)} passes: {found.entrant.judged.name} "
        "judges, the others are described."
        for found in answers
        if found.others
    ]
