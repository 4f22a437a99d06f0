"""What the power of a rule comes to, in words, and plainly where the test cannot decide."""

from __future__ import annotations

from collections.abc import Iterator

from harness.statistics.warnings import FEW_PAIRS

from .meaning import is_superiority
from .plan import MethodName, Plan, RegisteredRule
from .registration import RulePower


def power_statement(rule: RegisteredRule, plan: Plan, found: RulePower) -> str:
    """The sentences of one primary rule; `found.statement` is not looked at."""
    if found.discordance is None:
        return (
            f"The power cannot be computed: give the dev grades of {plan.point} and {rule.against} "
            "with --dev-grades, or assume a discordance: [power] discordance = 0.12."
        )
    superiority = is_superiority(rule)
    findings = [_chance(found, superiority), _detectable(found, superiority)]
    said = "; ".join(finding for finding in findings if finding)
    sentences = [f"{_setting(found)}: {said}.", *_undecided(found, superiority)]
    return " ".join([*sentences, *_caveats(rule, plan, found)])


def _setting(found: RulePower) -> str:
    many = f"{found.n:,} test questions"
    if not found.exact:
        many = f"at most {many}"
    share = f"{100 * (found.discordance or 0):.1f} %"
    if found.dev is None:
        return f"With {many} and an assumed discordance of {share}"
    dev = f"{found.dev.wins} won and {found.dev.losses} lost of {found.dev.n}"
    return f"With {many} and the discordance of dev, {share} ({dev})"


def _chance(found: RulePower, superiority: bool) -> str:
    if found.power is None:
        return ""
    truth = (
        f"if the true difference is that of dev, {_points(found.difference or 0)}"
        if superiority
        else "if there is no true difference"
    )
    return f"the rule is met with probability {found.power:.2f} {truth}"


def _detectable(found: RulePower, superiority: bool) -> str:
    if found.mde is None:
        return f"no true difference is found with probability {found.target}"
    if not found.mde and not superiority:
        return f"with no true difference it is met with probability {found.target} or more"
    return (
        f"the smallest true difference that is found with probability {found.target} (the minimum "
        f"detectable effect) is {_points(found.mde)}"
    )


def _undecided(found: RulePower, superiority: bool) -> Iterator[str]:
    if found.decides is not False:
        return
    if found.power is None:
        why = "no difference that the discordance admits is large enough to be found"
    elif superiority:
        why = "a difference as on dev would be missed more often than found"
    else:
        why = "a point that is just as good would fail more often than pass"
    yield f"THIS TEST CANNOT DECIDE THE QUESTION: {why}."


def _caveats(rule: RegisteredRule, plan: Plan, found: RulePower) -> Iterator[str]:
    family = len(plan.primary_rules)
    if found.dev is not None and found.dev.wins + found.dev.losses < FEW_PAIRS:
        yield f"Fewer than {FEW_PAIRS} dev pairs differ, so the discordance itself is unsure."
    if found.level != rule.level:
        yield (
            f"The power is for level {found.level}, the first step of Holm over {family} primary "
            "rules."
        )
    if rule.interval is MethodName.MC_COMPAT:
        yield "The power is that of the exact interval, which mc-compat resamples."
    if rule.cost is not None:
        yield f"Whether {rule.cost} will hold is another matter."


def _points(fraction: float) -> str:
    return f"{100 * fraction:+.1f} points"
