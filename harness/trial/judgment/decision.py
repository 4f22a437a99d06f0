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

from harness.statistics.counts import Interval, Level
from harness.statistics.mc_compat import mc_compat_interval
from harness.statistics.methods import method_named
from harness.statistics.rules import parse_rule
from harness.trial.registration import RegisteredRule
from harness.trial.registration.plan import Correction, RuleRole
from harness.trial.registration.plan import MethodName as Method

from .outcomes import counts_of

Pairs = Mapping[str, int]
"""The difference of each judged question, 1, 0 or -1."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the interval at `level` meets the rule; `met` and `interval` are None where the
    method has no interval at that level."""

    met: bool | None
    level: Level
    interval: Interval | None


def rule_interval(rule: RegisteredRule, pairs: Pairs, level: Level) -> Interval | None:
    """The interval by the rule's method; None for mc-compat at another level than its own."""
    if rule.interval is not Method.MC_COMPAT:
        return method_named(rule.interval.value).interval(counts_of(pairs), level)
    if level.value != Level.of(rule.level).value or rule.seed is None or rule.id_order is None:
        return None
    return mc_compat_interval(pairs, seed=rule.seed, id_order=rule.id_order.value)


def decide(
    rules: Sequence[RegisteredRule], correction: Correction, pairs: Mapping[str, Pairs]
) -> dict[str, Decision]:
    """The decision on every rule, by its name; `pairs` are by the control compared with."""

    def at(rule: RegisteredRule, share: int) -> Decision:
        level = shared_level(rule.level, share)
        interval = rule_interval(rule, pairs[rule.against], level)
        met = None if interval is None else parse_rule(rule.met_when).holds(interval)
        return Decision(met, level, interval)

    together = [
        rule for rule in rules if correction is Correction.HOLM and rule.role is RuleRole.PRIMARY
    ]
    alone = [rule for rule in rules if rule not in together]
    return {rule.name: at(rule, 1) for rule in alone} | _step_down(together, at)


def shared_level(level: str, share: int) -> Level:
    """The level at which `share` rules together keep the error of one: 1 - (1 - level) / share."""
    exact = Level.of(level)
    if share == 1:
        return exact
    value = 1 - (1 - exact.value) / share
    return Level(f"{float(value):.6g}", value)


def _step_down(
    rules: Sequence[RegisteredRule], at: Callable[[RegisteredRule, int], Decision]
) -> dict[str, Decision]:
    decided: dict[str, Decision] = {}
    left = list(rules)
    while left:
        found = {rule.name: at(rule, len(left)) for rule in left}
        met = [rule for rule in left if found[rule.name].met]
        if not met:
            return decided | found
        decided |= {rule.name: found[rule.name] for rule in met}
        left = [rule for rule in left if rule not in met]
    return decided
