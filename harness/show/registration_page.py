"""A registration as a page for people: what is asked, of what, by which rule, and what each outcome
lets one say."""

from __future__ import annotations

from harness.statistics.methods import McCompat
from harness.trial.choice import Choice, ChoiceRow
from harness.trial.meaning import if_met, if_not_met
from harness.trial.plan import Correction, Plan, RegisteredRule, RuleRole
from harness.trial.plan_warnings import PlanWarning
from harness.trial.power import FalseMet, false_met
from harness.trial.registration import Registration, RulePower
from harness.words import (
    MINUS,
    Code,
    Kind,
    Sentence,
    Strong,
    Text,
    count,
    joined,
    kind_of_unit,
    percent,
)

from .evidence_tables import POINT, in_words
from .table import Column, PartOf, Table

MEASURES: dict[str, Text] = {
    "context_tokens": ("tokens of the context text alone, ", Code("cl100k_base")),
    "prompt_tokens_api": "tokens of the reader's whole prompt, as its API reported them",
    "prompt_tokens_estimated": "tokens of the reader's whole prompt, estimated",
}
"""What each measure of cost is, per question."""


def registration_page(registration: Registration) -> str:
    """Return the page, ending with a line break; the same registration gives the same page."""
    from .pages import rendered

    plan = registration.plan
    controls = joined([Code(control.spec) for control in plan.controls], " and ")
    choice = registration.development.choice
    return rendered(
        "registration.md.j2",
        registration=registration,
        plan=plan,
        title=(Code(plan.point.spec), " against ", *controls),
        development=registration.development,
        dev_grades=dev_grades_table(registration),
        choice=choice,
        candidates=None if choice is None else choice_table(choice),
        excluded=_excluded(registration),
        points=points_table(plan),
        older=joined(
            [Code(control.spec) for control in plan.controls if control.grades is not None]
        ),
        measures={name: MEASURES[name] for name in _measures(plan)},
        rules=rules_table(plan),
        false_met=false_met_table(registration),
        accepted=[
            (Code(name), f": {PlanWarning(name).about}") for name in registration.accepted_warnings
        ],
        primary=len(plan.primary_rules),
        is_holm=plan.family.correction is Correction.HOLM,
        is_primary=lambda rule: rule.role is RuleRole.PRIMARY,
        if_met=if_met,
        if_not_met=if_not_met,
        has_margin=any(not rule.met_when.is_superiority for rule in plan.rules),
    )


def dev_grades_table(registration: Registration) -> Table:
    """Return what is known of dev questions."""
    columns = (
        POINT,
        Column("path", "dev grades", Kind.CODE),
        Column("correct", "right", Kind.COUNT, cell=lambda row: PartOf(row.correct, row.graded)),
        Column(
            "accuracy",
            "accuracy",
            Kind.ACCURACY,
            cell=lambda row: row.correct / row.graded if row.graded else None,
        ),
    )
    return Table(columns, registration.development.grades)


def choice_table(choice: Choice) -> Table:
    """Return what a point was chosen from, as `harness choose` prints it and a registration shows
    it."""
    words = in_words(choice.cost).replace("api", "(API)")
    columns = [POINT, Column(choice.cost, f"mean {words}", Kind.TOKENS)]
    if choice.to is not None:
        columns.append(Column("distance", "distance", Kind.TOKENS))
    else:
        columns.append(Column("affordable", "affordable"))
    if choice.metric is not None:
        columns.append(_metric_column(choice.metric))
        columns.append(Column("scored", "scored", Kind.COUNT))
    if any(row.accuracy is not None for row in choice.table):
        columns.append(Column("accuracy", "dev accuracy", Kind.ACCURACY))
    columns.append(
        Column("chosen", "chosen", cell=lambda row: Strong("yes") if row["chosen"] else "")
    )
    if choice.packs is None:  # grades do not say which points are one policy
        columns.append(Column("aliases", "the same policy as", Kind.CODE))
    return Table(tuple(columns), [_choice_row(choice, row) for row in choice.table])


def _metric_column(name: str) -> Column:
    from harness.evidence import metric_named

    return Column(name, in_words(name), kind_of_unit(metric_named(name).unit))


def _choice_row(choice: Choice, row: ChoiceRow) -> dict[str, object]:
    values: dict[str, object] = {
        "point": row.point,
        "aliases": list(row.aliases),
        choice.cost: row.mean_cost,
    }
    if choice.to is not None:
        values["distance"] = row.distance
    else:
        values["affordable"] = row.affordable
    if choice.metric is not None:
        values |= {choice.metric: row.metric, "scored": row.scored}
    if row.accuracy is not None:
        values["accuracy"] = row.accuracy
    return {**values, "chosen": row.point == choice.chosen}


def power_table(registration: Registration) -> Table:
    """Return how often each primary rule would be met, and the smallest difference that it can
    find."""
    columns = (
        Column("rule", "primary rule"),
        Column("n", "test questions", Kind.COUNT, cell=_questions),
        Column("discordance", "discordance", Kind.ACCURACY),
        Column("source", "from"),
        Column("difference", "true difference", Kind.POINTS),
        Column("power", "power", Kind.FRACTION),
        Column("mde", "detectable", Kind.POINTS),
    )
    return Table(columns, registration.power)


def _questions(power: RulePower | FalseMet) -> str:
    """Return the questions that are judged, or the most that may be."""
    return count(power.n) if power.exact else f"≤ {count(power.n)}"


def false_met_table(registration: Registration) -> Table:
    """Return how often each rule would be met where the truth is its margin itself."""
    columns = (
        Column("rule", "rule"),
        Column("interval", "interval", cell=lambda row: row.interval),
        Column("level", "level", cell=lambda row: row.level),
        Column("n", "test questions", Kind.COUNT, cell=_questions),
        Column("discordance", "discordance", Kind.ACCURACY),
        Column("source", "from"),
        Column("boundary", "true difference", Kind.POINTS),
        Column("probability", "false MET", Kind.FRACTION),
        Column("meant", "meant", Kind.FRACTION),
    )
    return Table(columns, false_met(registration))


def points_table(plan: Plan) -> Table:
    """Return the point and its controls, with the grades that the plan pins."""
    to_judge = ("given to ", Code("judge"))
    rows: list[dict[str, object]] = [
        {"point": plan.point.spec, "role": "point", "grades": to_judge}
    ]
    for control in plan.controls:
        pinned = control.grades is not None
        rows.append(
            {
                "point": control.spec,
                "role": "control",
                "grades": Code(control.grades) if pinned else to_judge,
                "sha256": control.grades_sha256 if pinned else None,
            }
        )
    columns = (
        POINT,
        Column("role", "role"),
        Column("grades", "grades"),
        Column("sha256", "sha256", Kind.HASH),
    )
    return Table(columns, rows)


def rules_table(plan: Plan) -> Table:
    """Return each rule and when it is met."""
    columns = (
        Column("name", "rule"),
        Column("role", "role", cell=lambda rule: rule.role.value),
        Column("against", "against", Kind.CODE),
        Column("met_when", "met when", cell=lambda rule: _met_when(rule, plan)),
    )
    return Table(columns, plan.rules)


_RELATIONS = {
    ("lower", True): "above",
    ("lower", False): "at or above",
    ("upper", True): "below",
    ("upper", False): "at or below",
}


def _met_when(rule: RegisteredRule, plan: Plan) -> Text:
    """Say when the rule is met, as a phrase."""
    met_when, method = rule.met_when, rule.method
    relation = _RELATIONS[met_when.end, met_when.strict]
    level = percent(float(rule.level.value))
    threshold = f"{100 * float(met_when.threshold):g}".replace("-", MINUS)
    words: Sentence = (
        f"the {met_when.end} limit of the {method.words} {level} interval of the accuracy of ",
        Code(plan.point.spec),
        " minus that of ",
        Code(rule.against),
        f" is {relation} {threshold} points",
    )
    if isinstance(method, McCompat):
        words += (f" (seed {method.seed}, ids in {method.id_order} order)",)
    if rule.cost is None:
        return words
    measure = Code(rule.cost.measure)
    return (*words, ", and the point's mean ", measure, f" is at most {rule.cost.at_most}")


def _excluded(registration: Registration) -> Text:
    """Return the rules that exclude test questions, with how many they exclude."""
    sentence: tuple[str, ...] = ()
    for excluded in registration.cohort.excluded:
        unknown = excluded.count is None
        known = "not known before the grades" if unknown else count(excluded.count)
        sentence += (", ",) if sentence else ()
        sentence += (Code(excluded.rule.value), f" {known}")
    return sentence


def _measures(plan: Plan) -> list[str]:
    """Return the measures of cost that the rules and the check of the same cost look at."""
    named = {rule.cost.measure for rule in plan.rules if rule.cost is not None}
    if plan.same_cost is not None:
        named.add(plan.same_cost.measure)
    return sorted(named)
