"""Applying the registered rules to the intervals: at their level, or step by step under Holm.

With the Holm correction, the primary rules are applied together. While k of them are left, each is
applied at the level 1 - (1 - level) / k; those that are met leave, and the rest is applied again at
the level of their smaller number, until none is met. This is Holm's procedure on the p-values that
the intervals imply, so the probability of any false claim among the primary rules stays at that of
one rule, whatever their dependence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from harness.points import Point
from harness.statistics.counts import Interval, Level
from harness.statistics.methods import Pairs

from .plan import Correction, RegisteredRule, RuleRole


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the interval at `level` meets the rule; `met` and `interval` are None where the
    method has no interval at that level."""

    met: bool | None
    level: Level
    interval: Interval | None


def decide(
    rules: Sequence[RegisteredRule], correction: Correction, pairs: Mapping[Point, Pairs]
) -> dict[str, Decision]:
    """Return decide every rule, by its name; `pairs` are by the control compared with."""

    def at(rule: RegisteredRule, share: int) -> Decision:
        level = shared_level(rule.level, share)
        interval = rule.method.interval_of(pairs[rule.against], level)
        met = None if interval is None else rule.met_when.holds(interval)
        return Decision(met, level, interval)

    together = [
        rule for rule in rules if correction is Correction.HOLM and rule.role is RuleRole.PRIMARY
    ]
    alone = [rule for rule in rules if rule not in together]
    return {rule.name: at(rule, 1) for rule in alone} | _step_down(together, at)


def shared_level(level: Level, share: int) -> Level:
    """Find the level at which `share` rules together keep the error of one:
    1 - (1 - level) / share."""
    if share == 1:
        return level
    value = 1 - (1 - level.value) / share
    return Level(f"{float(value):.6g}", value)


def _step_down(
    rules: Sequence[RegisteredRule], at: Callable[[RegisteredRule, int], Decision]
) -> dict[str, Decision]:
    decided: dict[str, Decision] = {}
    left = list(rules)
    while left:
        decisions = {rule.name: at(rule, len(left)) for rule in left}
        met = [rule for rule in left if decisions[rule.name].met]
        if not met:
            return decided | decisions
        decided |= {rule.name: decisions[rule.name] for rule in met}
        left = [rule for rule in left if rule not in met]
    return decided
