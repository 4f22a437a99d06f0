"""What may be said when a registered rule is met, and when it is not.

Verdict files hold these sentences, so they are data of a format and not a page's.
"""

from __future__ import annotations

from harness.points import Point
from harness.words import code

from .plan import RegisteredRule


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
