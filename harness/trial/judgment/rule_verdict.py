"""What one rule comes to: its numbers, its state, and the reason in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from harness.statistics.counts import Interval, Level, PairedCounts
from harness.statistics.mcnemar import mcnemar
from harness.statistics.power import minimum_detectable_effect
from harness.statistics.rules import parse_rule
from harness.statistics.tango import tango_interval
from harness.statistics.warnings import interval_warnings
from harness.trial.registration import RegisteredRule
from harness.trial.registration.meaning import if_met, if_not_met, is_superiority
from harness.trial.registration.plan import MethodName as Method
from harness.trial.registration.plan import RuleRole, SameCost

from .by_type import type_rows
from .costs import Costs, cost_of_rule, same_cost_check
from .decision import Decision, Pairs, rule_interval
from .numbers import points_text
from .outcomes import EntrantOutcomes, counts_of
from .verdict import Cost, NoiseCheck, RuleState, RuleVerdict, SameCostCheck

TARGET = "0.8"
"""The probability of being met at which a difference counts as detectable."""


@dataclass(frozen=True, slots=True)
class RuleInputs:
    """Everything that a rule looks at. `pairs`: the difference of each judged question."""

    rule: RegisteredRule
    point: EntrantOutcomes
    control: EntrantOutcomes
    pairs: Pairs
    point_costs: Costs
    control_costs: Costs
    same_cost: SameCost | None
    noise: Sequence[NoiseCheck]
    types: Mapping[str, str | None] | None


def rule_verdict(found: RuleInputs, decision: Decision, adjusted_p: float | None) -> RuleVerdict:
    """The verdict on one rule; `adjusted_p` where the primary rules are corrected together."""
    rule, counts = found.rule, counts_of(found.pairs)
    level = Level.of(rule.level)
    interval = rule_interval(rule, found.pairs, level)
    if interval is None:
        raise ValueError(f"{rule.interval.value} has no interval at its own level {level}")
    tango = tango_interval(counts, level)
    cost = cost_of_rule(rule, found.point_costs)
    same_cost = same_cost_check(found.same_cost, found.point_costs, found.control_costs)
    mde = _mde(rule, counts, decision.level)
    state, reason = _state(found, decision, cost)
    decided = decision.interval
    return RuleVerdict(
        name=rule.name,
        role=rule.role.value,
        against=rule.against,
        state=state,
        reason=reason,
        met_when=rule.met_when,
        interval=rule.interval.value,
        level=rule.level,
        wins=counts.wins,
        losses=counts.losses,
        ties=counts.ties,
        n=counts.n,
        accuracy=found.point.accuracy,
        control_accuracy=found.control.accuracy,
        difference=float(counts.difference),
        lower=interval.lower,
        upper=interval.upper,
        decided_at=decision.level.text,
        decided_lower=None if decided is None else decided.lower,
        decided_upper=None if decided is None else decided.upper,
        tango_lower=tango.lower,
        tango_upper=tango.upper,
        exact_p=mcnemar(counts.wins, counts.losses).exact_p,
        adjusted_p=adjusted_p,
        discordance=counts.discordant / counts.n,
        mde=mde,
        cost=cost,
        same_cost=same_cost,
        may_be_said=_said(state, rule, found.point.entrant.spec),
        does_not_show=_not_shown(state, found, decided, counts, mde),
        by_question_type=type_rows(found.point, found.control, found.pairs, found.types),
        warnings=_warnings(rule, counts, interval, same_cost),
    )


def _mde(rule: RegisteredRule, counts: PairedCounts, level: Level) -> float | None:
    # the exact interval is what mc-compat's becomes with ever more resamples
    method = "exact" if rule.interval is Method.MC_COMPAT else rule.interval.value
    discordance = Fraction(counts.discordant, counts.n)
    decision_rule = parse_rule(rule.met_when)
    return minimum_detectable_effect(
        decision_rule, counts.n, discordance, level, TARGET, method=method
    )


def _state(found: RuleInputs, decision: Decision, cost: Cost | None) -> tuple[RuleState, str]:
    rule = found.rule
    void = [check for check in found.noise if check.void]
    if void:
        check = void[0]
        return RuleState.CANNOT_SAY, (
            f"two passes of {check.point} differ by {points_text(check.difference)} points in "
            f"accuracy, more than {100 * check.limit:g}: the noise check voids the comparison"
        )
    if decision.met is None or decision.interval is None:
        return RuleState.CANNOT_SAY, (
            f"{rule.interval.value} has no interval at level {decision.level}, which the "
            "correction for several primary rules asks for"
        )
    interval = _interval_reason(rule, decision, decision.interval)
    if cost is not None and cost.held is None:
        return (
            RuleState.CANNOT_SAY,
            f"whether {cost.measure} <= {cost.at_most} holds is not known: "
            + (f"{cost.reason}; {interval}"),
        )
    if not decision.met:
        return RuleState.NOT_MET, interval + (
            f"; and {cost.reason}" if cost is not None and not cost.held else ""
        )
    if cost is not None and not cost.held:
        return RuleState.NOT_MET, f"{cost.reason}; {interval}"
    return RuleState.MET, interval if cost is None else f"{interval}; {cost.reason}"


def _interval_reason(rule: RegisteredRule, decision: Decision, interval: Interval) -> str:
    end = parse_rule(rule.met_when).end
    limit = interval.lower if end == "lower" else interval.upper
    met = "which meets" if decision.met else "which does not meet"
    at = "" if decision.level.text == rule.level else f" at level {decision.level}"
    reversed_ = (
        f"; the whole interval is {'below' if end == 'lower' else 'above'} zero"
        if (interval.upper < 0 if end == "lower" else interval.lower > 0)
        else ""
    )
    return f"the {end} limit{at} is {points_text(limit)} points, {met} {rule.met_when}{reversed_}"


def _said(state: RuleState, rule: RegisteredRule, point: str) -> str:
    if state is RuleState.CANNOT_SAY:
        return "nothing: the rule could not be applied."
    return if_met(rule, point) if state is RuleState.MET else if_not_met(rule, point)


def _not_shown(
    state: RuleState,
    found: RuleInputs,
    interval: Interval | None,
    counts: PairedCounts,
    mde: float | None,
) -> str | None:
    """What a rule that is not met does not show, where its interval holds zero."""
    if (
        state is not RuleState.NOT_MET
        or interval is None
        or not interval.lower <= 0 <= interval.upper
    ):
        return None
    point, against = found.point.entrant.spec, found.rule.against
    open_question = (
        f"{against} and {point} answer equally well"
        if is_superiority(found.rule)
        else f"{point} answers worse than {against}"
    )
    return (
        f"This does not show that {open_question}: differences from "
        f"{points_text(interval.lower)} to {points_text(interval.upper)} points agree with the "
        f"grades, and with {100 * counts.discordant / counts.n:.1f} % of {counts.n:,} pairs "
        f"discordant {_reach(found.rule, mde)}."
    )


def _reach(rule: RegisteredRule, mde: float | None) -> str:
    """From which true difference on the rule is met with the target probability."""
    met = f"the rule is met with probability {TARGET}"
    if mde is None:
        return f"no true difference is large enough that {met}"
    if mde == 0:
        return f"{met} or more where there is no true difference"
    beyond = "more" if parse_rule(rule.met_when).end == "lower" else "less"
    return f"{met} only where the true difference is {points_text(mde)} points or {beyond}"


def _warnings(
    rule: RegisteredRule,
    counts: PairedCounts,
    interval: Interval,
    same_cost: SameCostCheck | None,
) -> tuple[str, ...]:
    found = list(interval_warnings(counts, interval, rule.interval.value))
    # a secondary rule often compares with a dearer point on purpose
    if same_cost is not None and rule.role is RuleRole.PRIMARY and not same_cost.held:
        known = "do not cost the same" if same_cost.held is False else "may not cost the same"
        found.append(f"the two {known}: {same_cost.reason}")
    return tuple(found)
