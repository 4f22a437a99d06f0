"""The power of a plan's primary rules, and the smallest difference that each can detect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from harness.statistics.power import minimum_detectable_effect, power
from harness.statistics.rules import parse_rule

from .cohort import RegisteredCohort
from .development import DevOutcomes, dev_pairs
from .meaning import is_superiority
from .plan import Correction, MethodName, Plan, RegisteredRule
from .power_statement import power_statement
from .registration import DevPairs, RulePower

TARGET = "0.8"
"""The power at which a difference counts as detectable."""

COIN = 0.5
"""A test whose power is below this misses what it looks for more often than not."""

DEV, ASSUMED = "dev grades", "assumed"


@dataclass(frozen=True, slots=True)
class _Truth:
    """What the power is computed at: the share of discordant pairs, and the true difference, None
    where none is supposed."""

    source: str
    discordance: Fraction
    difference: Fraction | None


def planned_power(
    plan: Plan, cohort: RegisteredCohort, outcomes: Mapping[str, DevOutcomes]
) -> tuple[RulePower, ...]:
    """The power of each primary rule on the cohort, by the rule's own interval method.

    Superiority is looked at where the truth is as on dev, non-inferiority where there is no
    difference; both at the discordance of dev, else at the one that the plan assumes.
    """
    return tuple(
        _power_of(rule, plan, cohort, dev_pairs(outcomes, plan.point, rule.against))
        for rule in plan.primary_rules
    )


def family_level(rule: RegisteredRule, plan: Plan) -> str:
    """The level at which the rule is sure to be met: Holm's first step divides alpha by the number
    of primary rules."""
    family = len(plan.primary_rules)
    if plan.correction is Correction.NONE or family == 1:
        return rule.level
    return f"{float(1 - (1 - Fraction(rule.level)) / family):.12g}"


def _power_of(
    rule: RegisteredRule, plan: Plan, cohort: RegisteredCohort, dev: DevPairs | None
) -> RulePower:
    decision = parse_rule(rule.met_when)
    superiority = is_superiority(rule)
    level = family_level(rule, plan)
    method = "exact" if rule.interval is MethodName.MC_COMPAT else rule.interval.value
    n = len(cohort.ids)
    truth = _truth(plan, dev, superiority)
    chance = mde = None
    if truth is not None and n:
        if truth.difference is not None:
            win = (truth.discordance + truth.difference) / 2
            chance = power(decision, n, win, truth.discordance - win, level, method)
        mde = minimum_detectable_effect(decision, n, truth.discordance, level, TARGET, method)
    found = RulePower(
        rule=rule.name,
        n=n,
        exact=cohort.is_exact,
        level=level,
        target=TARGET,
        dev=dev,
        source=None if truth is None else truth.source,
        discordance=None if truth is None else float(truth.discordance),
        difference=None if truth is None or truth.difference is None else float(truth.difference),
        power=chance,
        mde=mde,
        decides=_decides(truth, chance, mde),
        statement="",
    )
    return replace(found, statement=power_statement(rule, plan, found))


def _decides(truth: _Truth | None, chance: float | None, mde: float | None) -> bool | None:
    """Whether the test can decide the question: not where the rule would be met less often than a
    coin shows heads, and without a difference to suppose, not where none reaches the target."""
    if truth is None:
        return None
    return mde is not None if chance is None else chance >= COIN


def _truth(plan: Plan, dev: DevPairs | None, superiority: bool) -> _Truth | None:
    if dev is not None:
        discordance = Fraction(dev.wins + dev.losses, dev.n)
        difference = Fraction(dev.wins - dev.losses, dev.n) if superiority else Fraction(0)
        return _Truth(DEV, discordance, difference)
    if plan.discordance is not None:
        return _Truth(ASSUMED, Fraction(plan.discordance), None if superiority else Fraction(0))
    return None
