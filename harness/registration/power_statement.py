"""What the power of a rule comes to, in words."""

from __future__ import annotations

from .plan import Interval, RegisteredRule
from .registration import DevPairs

COIN = 0.5
"""A test whose power is below this misses what it looks for more often than not."""


def points(fraction: float) -> str:
    """A difference in points (hundredths), with its sign: `+4.0 points`."""
    return f"{100 * fraction:+.1f} points"


def decides(*, known: bool, power: float | None, mde: float | None) -> bool | None:
    """Whether the test can decide the question; None when nothing is known.

    It cannot where the rule would be met less often than a coin shows heads; without a difference
    to compute that at, where no difference reaches the target.
    """
    if not known:
        return None
    return mde is not None if power is None else power >= COIN


def not_known(point: str, against: str) -> str:
    """What to give so that the power can be computed."""
    return (
        f"The power cannot be computed: give the dev grades of {point} and {against} "
        "(--dev-grades), or assume a discordance ([power] discordance)."
    )


def setting(n: int, exact: bool, discordance: float, dev: DevPairs | None) -> str:
    """The questions and the discordance that the power is computed at."""
    many = f"{n:,} test questions" if exact else f"at most {n:,} test questions"
    share = f"{100 * discordance:.1f}%"
    if dev is None:
        return f"With {many} and an assumed discordance of {share}"
    return (
        f"With {many} and the discordance of dev, {share} "
        f"({dev.wins} won, {dev.losses} lost of {dev.n})"
    )


def power_sentence(power: float, difference: float, superiority: bool) -> str:
    """How often the rule is met."""
    truth = (
        f"if the true difference is that of dev, {points(difference)}"
        if superiority
        else "if there is no true difference"
    )
    return f"the rule is met with probability {power:.2f} {truth}"


def detectable_sentence(mde: float | None, target: str, superiority: bool) -> str:
    """The smallest difference that the rule detects."""
    if mde is None:
        return f"No difference that this discordance admits is met with probability {target}."
    if mde == 0 and not superiority:
        return f"With no true difference it is met with probability {target} or more."
    return f"The smallest true difference that is met with probability {target} is {points(mde)}."


def verdict_sentence(decided: bool | None, power: float | None, superiority: bool) -> str:
    """Plainly, where the test cannot decide the question."""
    if decided is not False:
        return ""
    if power is None:
        why = "no difference is large enough to be found by it"
    elif superiority:
        why = "a difference as on dev would be missed more often than found"
    else:
        why = "a point that is just as good would fail more often than pass"
    return f"This test cannot decide the question: {why}."


def caveats(rule: RegisteredRule, level: str, family: int) -> list[str]:
    """What the number leaves out."""
    found = []
    if family > 1:
        found.append(
            f"Holm's first step over {family} primary rules is taken at level {level}, which the "
            "power is for."
        )
    if rule.interval is not Interval.EXACT:
        found.append(
            f"The power is that of the exact percentile interval, not of {rule.interval.value}."
        )
    if rule.cost is not None:
        found.append(f"Whether {rule.cost} holds is apart from it.")
    return found
