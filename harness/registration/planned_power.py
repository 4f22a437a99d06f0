"""The power of a plan's primary rules, and the smallest difference that each can detect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from harness.statistics.power import minimum_detectable_effect, power
from harness.statistics.rules import Rule, parse_rule

from .cohort import RegisteredCohort
from .development import DevOutcomes, dev_pairs
from .plan import Correction, Plan, RegisteredRule
from .power_statement import Prospect, statement_of
from .registration import DevPairs, RulePower

TARGET = "0.8"
"""The power at which a difference counts as detectable."""

COIN = 0.5
"""A test whose power is below this misses what it looks for more often than not."""


def planned_power(
    plan: Plan, cohort: RegisteredCohort, outcomes: Mapping[str, DevOutcomes]
) -> tuple[RulePower, ...]:
    """The power of each primary rule on the cohort.

    Superiority is looked at where the truth is as on dev, non-inferiority where there is no
    difference; both at the discordance of dev, else at the one that the plan assumes.
    """
    return tuple(
        _power_of(rule, plan, cohort, dev_pairs(outcomes, plan.point, rule.against))
        for rule in plan.primary_rules
    )
