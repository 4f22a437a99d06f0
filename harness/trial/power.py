"""The power of a plan's primary rules, and the smallest difference that each can detect: in numbers
and in words, plainly where the test cannot decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from harness.points import Point
from harness.statistics.counts import Level
from harness.statistics.methods import McCompat
from harness.statistics.power import false_claims, minimum_detectable_effect, power
from harness.statistics.warnings import FEW_PAIRS

from .development import DevOutcomes, dev_pairs
from .plan import Correction, Plan, RegisteredRule
from .registration import DevPairs, RegisteredQuestions, Registration, RulePower

TARGET = "0.8"
"""The power at which a difference counts as detectable."""

MINIMUM_USEFUL_POWER = 0.5
"""Below this, a test misses what it looks for more often than not: a coin would do better."""

DEV, ASSUMED = "dev grades", "assumed"


def planned_power(
    plan: Plan, cohort: RegisteredQuestions, outcomes: Mapping[Point, DevOutcomes]
) -> tuple[RulePower, ...]:
    """Compute the power of each primary rule on the cohort, by the rule's own interval method.

    Superiority is looked at where the truth is as on dev, non-inferiority where there is no
    difference; both at the discordance of dev, else at the one that the plan assumes.
    """
    return tuple(
        _power_of(rule, plan, cohort, dev_pairs(outcomes, plan.point.spec, rule.against))
        for rule in plan.primary_rules
    )


@dataclass(frozen=True, slots=True)
class FalseMet:
    """The probability that a rule is MET where the truth is its margin itself, and the one that its
    level means, one side of the interval.

    `source` says where `discordance` comes from; both and `probability` are None where none is
    known. It is computed at the rule's own level, which a correction only makes stricter.
    """

    rule: str
    interval: str
    level: str
    n: int
    exact: bool
    boundary: float
    source: str | None
    discordance: float | None
    probability: float | None
    meant: float


def false_met(registration: Registration) -> tuple[FalseMet, ...]:
    """Compute the probability of a false MET of every rule, as registered: of a secondary rule at
    the discordance that dev gives its control, else at the assumed one, else at that of the first
    primary rule which has one."""
    plan, n = registration.plan, len(registration.cohort.cohort.ids)
    found = []
    for rule in plan.rules:
        source, discordance = _discordance(rule, registration)
        chance = None
        if discordance is not None:
            method = rule.method.of_counts.name
            chance = false_claims(rule.met_when, n, discordance, rule.level, method)
        found.append(
            FalseMet(
                rule=rule.name,
                interval=rule.interval,
                level=rule.level.text,
                n=n,
                exact=registration.cohort.is_exact,
                boundary=float(rule.met_when.threshold),
                source=source,
                discordance=discordance,
                probability=chance,
                meant=float(rule.level.tail),
            )
        )
    return tuple(found)


def _discordance(
    rule: RegisteredRule, registration: Registration
) -> tuple[str | None, float | None]:
    primary = dict(zip(registration.plan.primary_rules, registration.power, strict=True))
    known = {of: power for of, power in primary.items() if power.discordance is not None}
    same = [power for of, power in known.items() if of.against == rule.against]
    assumed = registration.plan.power.discordance
    if same or (known and assumed is None):
        power = same[0] if same else next(iter(known.values()))
        source = power.source if same else f"“{power.rule}”"
        return source, power.discordance
    return (None, None) if assumed is None else (ASSUMED, float(assumed))


def family_level(rule: RegisteredRule, plan: Plan) -> str:
    """Return the level at which the rule is sure to be met: Holm's first step divides alpha by the
    number of primary rules."""
    family = len(plan.primary_rules)
    if plan.family.correction is Correction.NONE or family == 1:
        return rule.level.text
    return f"{float(1 - (1 - rule.level.value) / family):.12g}"


def _power_of(
    rule: RegisteredRule, plan: Plan, cohort: RegisteredQuestions, dev: DevPairs | None
) -> RulePower:
    level = family_level(rule, plan)
    n = len(cohort.cohort.ids)
    source, discordance, difference = _truth(plan, dev, rule.met_when.is_superiority)
    chance = mde = None
    if discordance is not None and n:
        method = rule.method.of_counts.name
        if difference is not None:
            win = (discordance + difference) / 2
            chance = power(rule.met_when, n, win, discordance - win, Level.of(level), method)
        mde = minimum_detectable_effect(rule.met_when, n, discordance, level, TARGET, method)
    decides = None
    if discordance is not None:
        decides = mde is not None if chance is None else chance >= MINIMUM_USEFUL_POWER
    without_words = RulePower(
        rule=rule.name,
        n=n,
        exact=cohort.is_exact,
        level=level,
        target=TARGET,
        dev=dev,
        source=source,
        discordance=None if discordance is None else float(discordance),
        difference=None if difference is None else float(difference),
        power=chance,
        mde=mde,
        decides=decides,
        statement="",
    )
    return replace(without_words, statement=power_statement(rule, plan, without_words))


def _truth(
    plan: Plan, dev: DevPairs | None, superiority: bool
) -> tuple[str | None, Fraction | None, Fraction | None]:
    """Return what the power is computed at: the share of discordant pairs and where it comes from,
    and the true difference, None where none is supposed."""
    if dev is not None:
        difference = Fraction(dev.wins - dev.losses, dev.n) if superiority else Fraction(0)
        return DEV, Fraction(dev.wins + dev.losses, dev.n), difference
    if plan.power.discordance is not None:
        return ASSUMED, Fraction(plan.power.discordance), None if superiority else Fraction(0)
    return None, None, None


def power_statement(rule: RegisteredRule, plan: Plan, power: RulePower) -> str:
    """Say what the power of one primary rule comes to; `power.statement` is not looked at."""
    if power.discordance is None:
        return (
            f"The power cannot be computed: give the dev grades of {plan.point.spec} and "
            f"{rule.against} with --dev-grades, or assume a discordance: "
            "[power] discordance = 0.12."
        )
    superiority = rule.met_when.is_superiority
    numbers = filter(None, (_chance(power, superiority), _detectable(power, superiority)))
    sentences = [f"{_setting(power)}: {'; '.join(numbers)}.", *_undecided(power, superiority)]
    return " ".join([*sentences, *_caveats(rule, plan, power)])


def _setting(power: RulePower) -> str:
    many = f"{power.n:,} test questions"
    if not power.exact:
        many = f"at most {many}"
    share = f"{100 * (power.discordance or 0):.1f} %"
    if power.dev is None:
        return f"With {many} and an assumed discordance of {share}"
    dev = f"{power.dev.wins} won and {power.dev.losses} lost of {power.dev.n}"
    return f"With {many} and the discordance of dev, {share} ({dev})"


def _chance(power: RulePower, superiority: bool) -> str:
    if power.power is None:
        return ""
    truth = (
        f"if the true difference is that of dev, {_points(power.difference or 0)}"
        if superiority
        else "if there is no true difference"
    )
    return f"the rule is met with probability {power.power:.2f} {truth}"


def _detectable(power: RulePower, superiority: bool) -> str:
    if power.mde is None:
        return f"no true difference is found with probability {power.target}"
    if not power.mde and not superiority:
        return f"with no true difference it is met with probability {power.target} or more"
    return (
        f"the smallest true difference that is found with probability {power.target} (the minimum "
        f"detectable effect) is {_points(power.mde)}"
    )


def _undecided(power: RulePower, superiority: bool) -> Iterator[str]:
    if power.decides is not False:
        return
    if power.power is None:
        why = "no difference that the discordance admits is large enough to be found"
    elif superiority:
        why = "a difference as on dev would be missed more often than found"
    else:
        why = "a point that is just as good would fail more often than pass"
    yield f"THIS TEST CANNOT DECIDE THE QUESTION: {why}."


def _caveats(rule: RegisteredRule, plan: Plan, power: RulePower) -> Iterator[str]:
    family = len(plan.primary_rules)
    if power.dev is not None and power.dev.wins + power.dev.losses < FEW_PAIRS:
        yield f"Fewer than {FEW_PAIRS} dev pairs differ, so the discordance itself is unsure."
    if power.level != rule.level.text:
        yield (
            f"The power is for level {power.level}, the first step of Holm over {family} primary "
            "rules."
        )
    if rule.interval == McCompat.name:
        yield "The power is that of the exact interval, which mc-compat resamples."
    if rule.cost is not None:
        yield f"Whether {rule.cost} will hold is another matter."


def _points(fraction: float) -> str:
    # the registration holds the statement, and its bytes are its identity: this spelling stays
    return f"{100 * fraction:+.1f} points"
