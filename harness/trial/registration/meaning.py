"""What a registered rule says in words, and what may be said when it is met or not."""

from __future__ import annotations

from fractions import Fraction

from harness.statistics.rules import Rule, parse_rule
from harness.words import code

from .plan import MethodName, RegisteredRule

METHODS = {
    MethodName.EXACT: "exact percentile",
    MethodName.TANGO: "Tango score",
    MethodName.BONETT_PRICE: "Bonett–Price",
    MethodName.MC_COMPAT: "resampled percentile",
}


def is_superiority(rule: RegisteredRule) -> bool:
    """Whether meeting the rule shows a difference; otherwise it shows that a loss stays within a
    margin (non-inferiority), which holds where there is no difference."""
    return not _allows_zero(parse_rule(rule.met_when))


def _allows_zero(rule: Rule) -> bool:
    return rule.threshold < 0 if rule.end == "lower" else rule.threshold > 0


def in_words(rule: RegisteredRule, point: str) -> str:
    """When the rule is met, as a phrase in Markdown."""
    decision = parse_rule(rule.met_when)
    limit = {"lower": "lower limit", "upper": "upper limit"}[decision.end]
    relation = {
        ("lower", True): "above",
        ("lower", False): "at or above",
        ("upper", True): "below",
        ("upper", False): "at or below",
    }[decision.end, decision.strict]
    percent = f"{100 * float(Fraction(rule.level)):g} %"
    words = (
        f"the {limit} of the {METHODS[rule.interval]} {percent} interval of the accuracy of "
        f"{code(point)} less that of {code(rule.against)} is {relation} {_points(decision)}"
    )
    if rule.seed is not None and rule.id_order is not None:
        words += f" (seed {rule.seed}, ids in {rule.id_order.value} order)"
    if rule.cost is not None:
        words += f", and the point's mean {code(rule.cost.measure)} is at most {rule.cost.at_most}"
    return words


def if_met(rule: RegisteredRule, point: str) -> str:
    """What may be said when the rule is met."""
    decision = parse_rule(rule.met_when)
    margin = f"{100 * abs(float(decision.threshold)):g} points"
    beyond = f" by more than {margin}" if decision.threshold else ""
    verb = "better" if decision.end == "lower" else "worse"
    if is_superiority(rule):
        words = f"{code(point)} answers {verb} than {code(rule.against)}{beyond}"
    elif decision.end == "lower":
        words = f"{code(point)} holds the accuracy of {code(rule.against)} to within {margin}"
    else:
        words = f"{code(point)} is not better than {code(rule.against)} by more than {margin}"
    if rule.cost is not None:
        words += f", at no more than {rule.cost.at_most} {code(rule.cost.measure)} a question"
    return f"{words}, on questions like these."


def if_not_met(rule: RegisteredRule, point: str) -> str:
    """What may be said when it is not."""
    if is_superiority(rule):
        other = f"not that {code(point)} and {code(rule.against)} answer equally well"
    else:
        other = f"not that {code(point)} loses more than the margin"
    return f"this was not shown; {other}."


def _points(rule: Rule) -> str:
    return f"{100 * float(rule.threshold):g} points"
