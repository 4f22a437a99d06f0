"""The section of one rule on a verdict's page."""

from __future__ import annotations

from collections.abc import Iterator

from harness.trial.numbers import (
    interval_text,
    p_text,
    percent_text,
    points_text,
    tokens_text,
)
from harness.trial.verdict import Cost, RuleVerdict, SameCostCheck, Verdict
from harness.words import code

from .markdown import Table


def rule_section(rule: RuleVerdict) -> Iterator[str]:
    """State and reason, what it says and does not show, the numbers, and warnings."""
    yield f"**{rule.state.value}**: {rule.reason}."
    yield f"What it says: {rule.may_be_said}"
    if rule.does_not_show is not None:
        yield rule.does_not_show
    yield "\n".join(f"- {line}" for line in rule_facts(rule))
    if rule.warnings:
        yield "\n".join(f"- Warning: {warning}." for warning in rule.warnings)


def rule_facts(rule: RuleVerdict) -> Iterator[str]:
    """The numbers of a rule, a line each."""
    yield (
        f"Accuracy {percent_text(rule.accuracy)} % against {percent_text(rule.control_accuracy)} % "
        f"on {rule.n:,} questions: {rule.wins:,} won, {rule.losses:,} lost, {rule.ties:,} the same"
    )
    tango = f"; Tango {interval_text(rule.tango_lower, rule.tango_upper)}"
    if rule.interval == "tango":
        tango = ""
    level = percent_text(float(rule.level)).rstrip("0").rstrip(".")
    yield (
        f"Difference {points_text(rule.difference)} points; {level} % interval "
        f"{interval_text(rule.lower, rule.upper)} by the registered method, {rule.interval}{tango}"
    )
    if rule.decided_at != rule.level:
        yield (
            f"Applied at level {rule.decided_at}, as Holm's procedure asks: "
            f"{interval_text(rule.decided_lower, rule.decided_upper)}"
        )
    adjusted = "" if rule.adjusted_p is None else f", after Holm {p_text(rule.adjusted_p)}"
    yield f"McNemar exact p {p_text(rule.exact_p)}{adjusted}"
    yield _detectable(rule)
    if rule.cost is not None:
        yield _cost(rule.cost)
    if rule.same_cost is not None:
        yield _same_cost(rule.same_cost)


def _detectable(rule: RuleVerdict) -> str:
    share = f"at {percent_text(rule.discordance)} % discordant pairs"
    if rule.mde is None:
        return f"No true difference is found with probability 0.8 {share}"
    return f"Detectable with probability 0.8 {share}: {points_text(rule.mde)} points"


def _cost(cost: Cost) -> str:
    held = {True: "held", False: "**not held**", None: "**not known**"}[cost.held]
    return (
        f"Cost {code(cost.measure)} {tokens_text(cost.mean)}, cap {cost.at_most}: {held} "
        f"({cost.reason})"
    )


def _same_cost(check: SameCostCheck) -> str:
    held = {True: "held", False: "**not held**", None: "**not known**"}[check.held]
    return (
        f"Same cost {code(check.measure)} {tokens_text(check.point_mean)} against "
        f"{tokens_text(check.control_mean)}: {held} ({check.reason})"
    )


def by_type_section(verdict: Verdict) -> Iterator[str]:
    """The tables by question type, one a control."""
    tables = {rule.against: _by_type(rule) for rule in verdict.rules if rule.by_question_type}
    if tables:
        yield "Descriptive: no rule was registered for a type."
    for against, table in tables.items():
        yield f"Against {code(against)}:"
        yield str(table)


def _by_type(rule: RuleVerdict) -> Table:
    headings = ("type", "n", "won", "lost", "same", "accuracy (%)", "control (%)", "difference")
    rows = tuple(
        (
            row.question_type or "without a type",
            f"{row.n:,}",
            f"{row.wins:,}",
            f"{row.losses:,}",
            f"{row.ties:,}",
            percent_text(row.accuracy),
            percent_text(row.control_accuracy),
            points_text(row.difference),
        )
        for row in rule.by_question_type
    )
    return Table(headings, rows)
