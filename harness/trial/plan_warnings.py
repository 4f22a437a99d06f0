"""What a plan is warned of before it is registered: sound by its format, and yet seldom meant.

A registration is made only when each warning was accepted by its name, which it then holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from fractions import Fraction
from itertools import combinations

from .grades import Grades
from .plan import Plan, RegisteredRule
from .registration import Registration

LOW_LEVEL = Fraction(8, 10)

_SAME_COST = re.compile(r"\b(same|equal)[\s\u2010-\u2015-]+costs?\b|同じ\s*コスト", re.IGNORECASE)


class PlanWarning(Enum):
    """A warning by the name that accepts it; `about` says what it is of."""

    NO_DISCORDANCE = "no-discordance"
    LOW_POWER = "low-power"
    LOW_LEVEL = "low-level"
    UNCORRECTED = "uncorrected"
    SAME_HYPOTHESIS = "same-hypothesis"
    SAME_POLICY = "same-policy"
    NO_COST_CAP = "no-cost-cap"
    OTHER_READER = "other-reader"
    OTHER_JUDGE = "other-judge"

    @property
    def about(self) -> str:
        return _ABOUT[self]


_ABOUT = {
    PlanWarning.NO_DISCORDANCE: "the power of a primary rule is not known",
    PlanWarning.LOW_POWER: "a primary rule would be missed more often than met",
    PlanWarning.LOW_LEVEL: "a level is below 0.8",
    PlanWarning.UNCORRECTED: "several primary rules are not corrected",
    PlanWarning.SAME_HYPOTHESIS: "two rules are one hypothesis",
    PlanWarning.SAME_POLICY: "the point and a control are one policy",
    PlanWarning.NO_COST_CAP: "the question names an equal cost, a primary rule no cap",
    PlanWarning.OTHER_READER: "a pinned control was answered by another reader",
    PlanWarning.OTHER_JUDGE: "a pinned control was judged by another judge",
}


def plan_warnings(
    registration: Registration, grades: Mapping[str, Grades]
) -> dict[PlanWarning, list[str]]:
    """Find what the registration's plan is warned of, with a sentence for each place; `grades` are
    the pinned ones by folder."""
    found: dict[PlanWarning, list[str]] = {}
    for warning, sentence in (
        *_of_power(registration),
        *_of_rules(registration.plan),
        *_of_points(registration.plan),
        *_of_grades(registration.plan, grades),
    ):
        found.setdefault(warning, []).append(sentence)
    return {warning: found[warning] for warning in PlanWarning if warning in found}


def _of_power(registration: Registration) -> Iterator[tuple[PlanWarning, str]]:
    for power in registration.power:
        if power.discordance is None:
            yield PlanWarning.NO_DISCORDANCE, f"{power.rule!r}: {power.statement}"
        elif power.decides is False:
            yield PlanWarning.LOW_POWER, f"{power.rule!r}: {power.statement}"


def _of_rules(plan: Plan) -> Iterator[tuple[PlanWarning, str]]:
    for rule in plan.rules:
        if rule.level.value < LOW_LEVEL:
            often = f"{100 * float(rule.level.tail):.3g} % of studies at the margin"
            said = f"{rule.name!r} is at level {rule.level}, at which {often} are met"
            yield PlanWarning.LOW_LEVEL, said
    if len(plan.primary_rules) > 1 and not plan.is_corrected:
        several = ", ".join(repr(rule.name) for rule in plan.primary_rules)
        yield (
            PlanWarning.UNCORRECTED,
            f'{several} are all primary and [family] correction = "none": the chance of a false '
            "claim adds up",
        )
    for first, second in combinations(plan.rules, 2):
        if _hypothesis(first) == _hypothesis(second):
            yield (
                PlanWarning.SAME_HYPOTHESIS,
                f"{first.name!r} and {second.name!r} compare with the same policy at the same "
                "margin: they are one hypothesis",
            )
    if (match := _SAME_COST.search(plan.question)) is not None:
        for rule in plan.primary_rules:
            if rule.cost is None:
                yield (
                    PlanWarning.NO_COST_CAP,
                    f'the question says "{match[0]}", and {rule.name!r} has no cap: '
                    'cost = "MEASURE <= TOKENS"',
                )


def _hypothesis(rule: RegisteredRule) -> tuple[object, ...]:
    """Return what a rule claims: of which policy, on which side of which margin, at what cost."""
    met_when = rule.met_when
    cost = None if rule.cost is None else (rule.cost.measure, rule.cost.limit)
    return rule.against.policy, met_when.end, met_when.threshold, cost


def _of_points(plan: Plan) -> Iterator[tuple[PlanWarning, str]]:
    point = plan.point.spec
    for control in plan.controls:
        if control.spec.policy == point.policy:
            yield (
                PlanWarning.SAME_POLICY,
                f"{point} and {control.spec} are one policy, which gives the same contexts",
            )


def _of_grades(plan: Plan, grades: Mapping[str, Grades]) -> Iterator[tuple[PlanWarning, str]]:
    for control in plan.controls:
        if control.grades is None:
            continue
        of_control = grades[control.grades]
        reader, judges = of_control.reader, of_control.judges
        if None not in (plan.reader.model, reader) and reader != plan.reader.model:
            yield (
                PlanWarning.OTHER_READER,
                f"{control.grades}: {reader} answered, the plan's reader is {plan.reader.model}",
            )
        if plan.judge.model is not None and judges and set(judges) != {plan.judge.model}:
            yield (
                PlanWarning.OTHER_JUDGE,
                f"{control.grades}: judged by {', '.join(judges)}, the plan's judge is "
                f"{plan.judge.model}",
            )
