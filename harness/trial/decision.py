"""Applying the registered rules to the intervals: at their level, or step by step under Holm.

With the Holm correction, the primary rules are applied together, from the smallest p to the
largest: a rule's p is the one that its own interval implies (`harness.statistics.implied_p`), so
that while k rules are left, the next is met where its interval at the level 1 - (1 - level) / k
meets it, which is where k p is below 1 - level. It stops at the first that is not met. The adjusted
p of a rule is the largest k p up to it. So the probability of any false claim among the primary
rules stays at that of one rule, whatever their dependence, and a printed p says what was decided.

A registration of `harness.registration/1` is decided as it was registered: while k rules are left,
each is applied at the level 1 - (1 - its level) / k; those that are met leave, until none is met.
Where all levels are equal, that meets the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from harness.points import Point
from harness.statistics.counts import Interval, Level
from harness.statistics.implied_p import ImpliedP
from harness.statistics.methods import Pairs

from .plan import Correction, RegisteredRule, RuleRole


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the interval at `level` meets the rule; `met` and `interval` are None where the
    method has no interval at that level.

    `p` is the smallest 1 - level at which the rule's own interval meets it, None of a method of one
    level; `adjusted_p` the same after Holm's procedure, where the rule was decided by it.
    """

    met: bool | None
    level: Level
    interval: Interval | None
    p: float | None
    adjusted_p: float | None = None


def decide(
    rules: Sequence[RegisteredRule],
    correction: Correction,
    pairs: Mapping[Point, Pairs],
    *,
    by_p: bool = True,
) -> dict[str, Decision]:
    """Decide every rule, by its name; `pairs` are by the control compared with.

    Without `by_p` the correction is that of the first registrations.
    """
    implied = {rule.name: rule.method.p_of(rule.met_when, pairs[rule.against]) for rule in rules}

    def at(rule: RegisteredRule, share: int) -> Decision:
        level = shared_level(rule.level, share)
        interval = rule.method.interval_of(pairs[rule.against], level)
        met = None if interval is None else rule.met_when.holds(interval)
        p = implied[rule.name]
        return Decision(met, level, interval, None if p is None else float(p.value))

    together = [
        rule for rule in rules if correction is Correction.HOLM and rule.role is RuleRole.PRIMARY
    ]
    alone = [rule for rule in rules if rule not in together]
    decided = {rule.name: at(rule, 1) for rule in alone}
    if not by_p:
        return decided | _levels_down(together, at)
    return decided | _p_up(together, {name: p for name, p in implied.items() if p is not None}, at)


def shared_level(level: Level, share: int) -> Level:
    """Find the level at which `share` rules together keep the error of one:
    1 - (1 - level) / share."""
    if share == 1:
        return level
    value = 1 - (1 - level.value) / share
    return Level(f"{float(value):.6g}", value)


def _p_up(
    rules: Sequence[RegisteredRule],
    implied: Mapping[str, ImpliedP],
    at: Callable[[RegisteredRule, int], Decision],
) -> dict[str, Decision]:
    """Step through the p-values, from the smallest; each rule has one."""
    ranked = sorted(rules, key=lambda rule: implied[rule.name].value)
    met = 0
    for rule in ranked:
        if not implied[rule.name].meets((1 - rule.level.value) / (len(ranked) - met)):
            break
        met += 1
    decided, highest = {}, Fraction(0)
    for rank, rule in enumerate(ranked):
        highest = max(highest, min((len(ranked) - rank) * implied[rule.name].value, Fraction(1)))
        decision = at(rule, len(ranked) - min(rank, met))
        decided[rule.name] = replace(decision, met=rank < met, adjusted_p=float(highest))
    return decided


def _levels_down(
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
