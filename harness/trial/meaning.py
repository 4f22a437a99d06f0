"""What may be said when a registered rule is met, and when it is not.

Verdict files hold these sentences, so they are data of a format and not a page's.
"""

from __future__ import annotations

from harness.escapes import code_span
from harness.points import Point

from .plan import RegisteredRule


def if_met(rule: RegisteredRule, point: Point) -> str:
    """Say what may be said when the rule is met."""
    met_when = rule.met_when
    margin = f"{100 * abs(float(met_when.threshold)):g} points"
    if met_when.is_superiority:
        beyond = f" by more than {margin}" if met_when.threshold else ""
        verb = "better" if met_when.end == "lower" else "worse"
        words = f"{code_span(point)} answers {verb} than {code_span(rule.against)}{beyond}"
    elif met_when.end == "lower":
        words = (
            f"{code_span(point)} holds the accuracy of {code_span(rule.against)} to within {margin}"
        )
    else:
        words = (
            f"{code_span(point)} is not better than {code_span(rule.against)} by more than {margin}"
        )
    if rule.cost is not None:
        words += (
            f", at no more than {rule.cost.at_most} {code_span(rule.cost.measure)} per question"
        )
    return f"{words}, on questions like these."


def if_not_met(rule: RegisteredRule, point: Point) -> str:
    """Say what may be said when it is not met."""
    if rule.met_when.is_superiority:
        other = f"not that {code_span(point)} and {code_span(rule.against)} answer equally well"
    else:
        other = f"not that {code_span(point)} loses more than the margin"
    return f"this was not shown; {other}."
