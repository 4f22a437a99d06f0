"""A registration as a page for people, in Markdown: what is asked, of what, by which rule, and what
each outcome lets one say."""

from __future__ import annotations

from collections.abc import Iterator

from harness.trial.meaning import if_met, if_not_met, in_words
from harness.trial.plan import Correction, Plan, RegisteredRule, RuleRole
from harness.trial.registration import Registration
from harness.words import code

from .markdown import Table
from .registration_sections import development_lines, judged_lines


def registration_page(registration: Registration) -> str:
    """The page, ending with a line break; the same registration gives the same page."""
    plan = registration.plan
    sections: list[tuple[str, Iterator[str]]] = [
        ("Question", iter([plan.question])),
        ("Development done before", development_lines(registration)),
        ("Test", judged_lines(registration)),
        ("Rules", _rule_lines(registration)),
        ("What may be said", _said_lines(plan)),
        ("What it does not say", _unsaid_lines(plan)),
        ("One run", _run_lines(plan)),
    ]
    parts = [f"# Registration: {_title(plan)}", *_head(registration)]
    for heading, lines in sections:
        parts += [f"## {heading}", *lines]
    return "\n\n".join(parts) + "\n"


def _title(plan: Plan) -> str:
    against = " and ".join(code(control.spec) for control in plan.controls)
    return f"{code(plan.point.spec)} against {against}"


def _head(registration: Registration) -> Iterator[str]:
    yield (
        "Written before any test grade of the point was read. The commit that added the "
        "registration's file is what shows it; the file itself holds no time."
    )
    yield (
        f"Registration: sha256 {code(registration.sha256)}. "
        f"Plan: {code(registration.plan_file.path)}, sha256 {code(registration.plan_file.sha256)}."
    )


def _rule_lines(registration: Registration) -> Iterator[str]:
    plan = registration.plan
    rows = [
        (rule.name, rule.role.value, code(rule.against), in_words(rule, plan.point.spec))
        for rule in plan.rules
    ]
    yield str(Table(("rule", "role", "against", "met when"), tuple(rows), left=4))
    if plan.family.correction is Correction.HOLM:
        yield f"The {len(plan.primary_rules)} primary rules are corrected together by Holm."
    elif len(plan.primary_rules) > 1:
        yield f"The {len(plan.primary_rules)} primary rules are not corrected for being several."
    for power in registration.power:
        yield f"**Power of “{power.rule}”.** {power.statement}"


def _said_lines(plan: Plan) -> Iterator[str]:
    yield "\n".join(_said(rule, plan) for rule in plan.rules)
    yield (
        "A rule whose cost, cohort or grades cannot be checked is neither: the verdict says CANNOT "
        "SAY, with the reason. Reported beside the rules, and deciding nothing: every other "
        "interval and test, the tables by question type, and evidence metrics."
    )


def _said(rule: RegisteredRule, plan: Plan) -> str:
    lead = "" if rule.role is RuleRole.PRIMARY else " (secondary: reported, it does not decide)"
    return (
        f"- “{rule.name}”{lead}\n"
        f"  - MET: {if_met(rule, plan.point.spec)}\n"
        f"  - NOT MET: {if_not_met(rule, plan.point.spec)}"
    )


def _unsaid_lines(plan: Plan) -> Iterator[str]:
    lines = [
        "A rule that is not met does not show that there is no difference; the smallest difference "
        "that the test could detect stands beside it.",
        "It holds for these questions, this recall and this recording of them, and no others.",
        "It says nothing of points that are not named here.",
    ]
    if plan.reader.model is not None:
        lines.append(f"It holds for the reader {code(plan.reader.model)}; another may differ.")
    if plan.judge.model is not None:
        lines.append(f"What is right is what the judge {code(plan.judge.model)} takes to be right.")
    if any(not rule.met_when.is_superiority for rule in plan.rules):
        lines.append("Within a margin is not equal: a loss smaller than the margin is allowed.")
    yield "\n".join(f"- {line}" for line in lines)


def _run_lines(plan: Plan) -> Iterator[str]:
    yield plan.stop.text
    yield (
        "The test part of the split is opened once for this registration, and the ledger counts "
        "every opening. A further one needs a reason, and stamps its verdict as a repeat."
    )
