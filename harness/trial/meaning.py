"""What a registered rule says in words, and what may be said when it is met or not.

Verdict files hold these sentences, so they are data of a format and not a page's.
"""

from __future__ import annotations

from harness.points import Point
from harness.statistics.methods import McCompat
from harness.words import code

from .plan import RegisteredRule

_RELATIONS = {
    ("lower", True): "above",
    ("lower", False): "at or above",
    ("upper", True): "below",
    ("upper", False): "at or below",
}


def in_words(rule: RegisteredRule, point: Point) -> str:
    """Say when the rule is met, as a phrase in Markdown."""
    met_when, method = rule.met_when, rule.method
    relation = _RELATIONS[met_when.end, met_when.strict]
    words = (
        f"the {met_when.end} limit of the {method.words} {100 * float(rule.level.value):g} % "
        f"interval of the accuracy of {code(point)} minus that of {code(rule.against)} is "
        f"{relation} {100 * float(met_when.threshold):g} points"
    )
    if isinstance(method, McCompat):
        words += f" (seed {method.seed}, ids in {method.id_order} order)"
    if rule.cost is not None:
        words += f", and the point's mean {code(rule.cost.measure)} is at most {rule.cost.at_most}"
    return words


def if_met(rule: RegisteredRule, point: Point) -> str:
    """Say what may be said when the rule is met."""
    met_when = rule.met_when
    margin = f"{100 * abs(float(met_when.threshold)):g} points"
    if met_when.is_superiority:
        beyond = f" by more than {margin}" if met_when.threshold else ""
        verb = "better" if met_when.end == "lower" else "worse"
        words = f"{code(point)} answers {verb} than {code(rule.against)}{beyond}"
    elif met_when.end == "lower":
        words = f"{code(point)} holds the accuracy of {code(rule.against)} to within {margin}"
    else:
        words = f"{code(point)} is not better than {code(rule.against)} by more than {margin}"
    if rule.cost is not None:
        words += f", at no more than {rule.cost.at_most} {code(rule.cost.measure)} per question"
    return f"{words}, on questions like these."


def if_not_met(rule: RegisteredRule, point: Point) -> str:
    """Say what may be said when it is not met."""
    if rule.met_when.is_superiority:
        other = f"not that {code(point)} and {code(rule.against)} answer equally well"
    else:
        other = f"not that {code(point)} loses more than the margin"
    return f"this was not shown; {other}."
