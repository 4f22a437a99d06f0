"""What one rule comes to: its numbers, its state, and the reason in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from harness.statistics.counts import Interval, PairedCounts
from harness.statistics.methods import Pairs
from harness.statistics.power import minimum_detectable_effect
from harness.statistics.tango import tango_interval
from harness.statistics.warnings import interval_warnings
from harness.words import points

from .costs import Costs, cost_of_rule, same_cost_check
from .decision import Decision
from .meaning import if_met, if_not_met
from .outcomes import EntrantOutcomes
from .plan import RegisteredRule, RuleRole, SameCost
from .power import TARGET
from .verdict import Cost, NoiseCheck, RuleState, RuleVerdict, SameCostCheck, TypeRow


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


def rule_verdict(inputs: RuleInputs, decision: Decision) -> RuleVerdict:
    """Reach the verdict on a rule."""
    rule, counts = inputs.rule, PairedCounts.of_differences(inputs.pairs.values())
    interval = rule.method.interval_of(inputs.pairs, rule.level)
    if interval is None:
        raise ValueError(f"{rule.interval} has no interval at its own level {rule.level}")
    tango = tango_interval(counts, rule.level)
    cost = cost_of_rule(rule, inputs.point_costs)
    same_cost = same_cost_check(inputs.same_cost, inputs.point_costs, inputs.control_costs)
    mde = minimum_detectable_effect(
        rule.met_when,
        counts.n,
        Fraction(counts.discordant, counts.n),
        decision.level,
        TARGET,
        method=rule.method.of_counts.name,
    )
    state, reason = _state(inputs, decision, cost)
    decided = decision.interval
    return RuleVerdict(
        name=rule.name,
        role=rule.role.value,
        against=str(rule.against),
        state=state,
        reason=reason,
        met_when=rule.met_when.text,
        interval=rule.interval,
        level=rule.level.text,
        wins=counts.wins,
        losses=counts.losses,
        ties=counts.ties,
        n=counts.n,
        accuracy=inputs.point.accuracy,
        control_accuracy=inputs.control.accuracy,
        difference=float(counts.difference),
        lower=interval.lower,
        upper=interval.upper,
        decided_at=decision.level.text,
        decided_lower=None if decided is None else decided.lower,
        decided_upper=None if decided is None else decided.upper,
        tango_lower=tango.lower,
        tango_upper=tango.upper,
        p=decision.p,
        adjusted_p=decision.adjusted_p,
        discordance=counts.discordant / counts.n,
        mde=mde,
        cost=cost,
        same_cost=same_cost,
        may_be_said=_said(state, inputs),
        does_not_show=_not_shown(state, inputs, decided, counts, mde),
        by_question_type=_type_rows(inputs),
        warnings=_warnings(rule, counts, interval, same_cost),
    )


def _state(inputs: RuleInputs, decision: Decision, cost: Cost | None) -> tuple[RuleState, str]:
    rule = inputs.rule
    void = [check for check in inputs.noise if check.void]
    if void:
        check = void[0]
        return RuleState.CANNOT_SAY, (
            f"two passes of {check.point} differ by {points(check.difference)} points in "
            f"accuracy, more than {100 * check.limit:g}: the noise check voids the comparison"
        )
    if decision.met is None or decision.interval is None:
        return RuleState.CANNOT_SAY, (
            f"{rule.interval} has no interval at level {decision.level}, which the "
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
    end = rule.met_when.end
    limit = rule.met_when.limit_of(interval)
    met = "which meets" if decision.met else "which does not meet"
    if not decision.met and rule.met_when.is_too_close(interval):
        met = "too close to call, which counts as not meeting"
    at = "" if decision.level.text == rule.level.text else f" at level {decision.level}"
    reversed_ = (
        f"; the whole interval is {'below' if end == 'lower' else 'above'} zero"
        if (interval.upper < 0 if end == "lower" else interval.lower > 0)
        else ""
    )
    text = rule.met_when.text
    return f"the {end} limit{at} is {points(limit)} points, {met} {text}{reversed_}"


def _said(state: RuleState, inputs: RuleInputs) -> str:
    if state is RuleState.CANNOT_SAY:
        return "nothing: the rule could not be applied."
    said = if_met if state is RuleState.MET else if_not_met
    return said(inputs.rule, inputs.point.entrant.point)


def _not_shown(
    state: RuleState,
    inputs: RuleInputs,
    interval: Interval | None,
    counts: PairedCounts,
    mde: float | None,
) -> str | None:
    """Return what a rule that is not met does not show, where its interval holds zero."""
    if (
        state is not RuleState.NOT_MET
        or interval is None
        or not interval.lower <= 0 <= interval.upper
    ):
        return None
    point, against = inputs.point.entrant.point, inputs.rule.against
    open_question = (
        f"{against} and {point} answer equally well"
        if inputs.rule.met_when.is_superiority
        else f"{point} answers worse than {against}"
    )
    return (
        f"This does not show that {open_question}: differences from "
        f"{points(interval.lower)} to {points(interval.upper)} points agree with the "
        f"grades, and with {100 * counts.discordant / counts.n:.1f} % of {counts.n:,} pairs "
        f"discordant {_reach(inputs.rule, mde)}."
    )


def _reach(rule: RegisteredRule, mde: float | None) -> str:
    """Say from which true difference on the rule is met with the target probability."""
    met = f"the rule is met with probability {TARGET}"
    if mde is None:
        return f"no true difference is large enough that {met}"
    if mde == 0:
        return f"{met} or more where there is no true difference"
    beyond = "more" if rule.met_when.end == "lower" else "less"
    return f"{met} only where the true difference is {points(mde)} points or {beyond}"


def _warnings(
    rule: RegisteredRule,
    counts: PairedCounts,
    interval: Interval,
    same_cost: SameCostCheck | None,
) -> tuple[str, ...]:
    warnings = list(interval_warnings(counts, interval, rule.interval))
    # a secondary rule often compares with a more expensive point on purpose
    if same_cost is not None and rule.role is RuleRole.PRIMARY and not same_cost.held:
        known = "do not cost the same" if same_cost.held is False else "may not cost the same"
        warnings.append(f"the two {known}: {same_cost.reason}")
    return tuple(warnings)


def _type_rows(inputs: RuleInputs) -> tuple[TypeRow, ...]:
    """Return one row per type, by name, questions without one last; none where types are not known.

    Descriptive: no rule is applied to a part of the questions.
    """
    types = inputs.types
    if types is None:
        return ()
    names = sorted(
        {types[question] for question in inputs.pairs}, key=lambda name: (name is None, name or "")
    )
    rows = []
    for name in names:
        members = [question for question in inputs.pairs if types[question] == name]
        counts = PairedCounts.of_differences(inputs.pairs[question] for question in members)
        rows.append(
            TypeRow(
                question_type=name,
                n=counts.n,
                wins=counts.wins,
                losses=counts.losses,
                ties=counts.ties,
                accuracy=_share(inputs.point, members),
                control_accuracy=_share(inputs.control, members),
                difference=float(counts.difference),
            )
        )
    return tuple(rows)


def _share(outcomes: EntrantOutcomes, members: Sequence[str]) -> float:
    return sum(outcomes.correct[question] for question in members) / len(members)
