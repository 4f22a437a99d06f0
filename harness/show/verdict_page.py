"""A verdict as a page for people, in Markdown.

It has no time, commit or count of openings in it: the same registration and grades give the same
page, whenever and however often they were judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from harness.evidence import METRICS, Metric
from harness.trial.numbers import (
    MISSING,
    interval_text,
    p_text,
    percent_text,
    points_text,
    tokens_text,
)
from harness.trial.verdict import CONFIRMATORY, PointFigures, Verdict
from harness.words import code

from .markdown import Table
from .numbers import heading, value_text
from .verdict_rule import by_type_section, rule_section


def verdict_page(verdict: Verdict) -> str:
    """The page, ending with a line break."""
    sections: list[tuple[str, Iterator[str]]] = [
        ("Rules", _rules(verdict)),
        *((f"“{rule.name}”", rule_section(rule)) for rule in verdict.rules),
        ("By question type", by_type_section(verdict)),
        ("Accuracy and cost", _points(verdict)),
        ("Evidence", _evidence(verdict)),
        ("Noise check", _noise(verdict)),
        ("Departures from the plan", _list(verdict.departures, "None.")),
        ("Not checked", _list(verdict.notes, "Nothing was left unchecked.")),
    ]
    parts = [f"# Verdict: {_title(verdict)}", *_head(verdict)]
    for title, lines in sections:
        body = list(lines)
        if body:
            parts += [f"## {title}", *body]
    return "\n\n".join(parts) + "\n"


def _title(verdict: Verdict) -> str:
    point, *controls = (code(figures.point) for figures in verdict.points)
    return f"{point} against {' and '.join(controls)}"


def _head(verdict: Verdict) -> Iterator[str]:
    yield verdict.question
    yield stamp_sentence(verdict)
    cohort = verdict.cohort
    excluded = ", ".join(f"{code(rule)} {count:,}" for rule, count in cohort.excluded.items())
    yield "\n".join(
        [
            f"- Registration {code(PurePosixPath(verdict.registration).name)}, sha256 "
            f"{code(verdict.registration_sha256)}",
            f"- Dataset {code(verdict.dataset)}, sha256 {code(verdict.dataset_sha256)}",
            f"- Split {code(verdict.split)}, sha256 {code(verdict.split_sha256)}",
            f"- Judged: {cohort.judged:,} of the {cohort.test_questions:,} questions of the "
            f"{verdict.part} part; excluded by rule: {excluded or 'none'}",
            f"- Reader: {_models(verdict, readers=True)}; judge: {_models(verdict, readers=False)}",
        ]
    )


def _models(verdict: Verdict, *, readers: bool) -> str:
    """The readers or judges of all grades, each once."""
    named = [
        (figures.reader or "not said") if readers else (", ".join(figures.judges) or "not said")
        for figures in verdict.points
    ]
    return "; ".join(dict.fromkeys(named))


def stamp_sentence(verdict: Verdict) -> str:
    """What the verdict is stamped with, and why."""
    if verdict.stamp == CONFIRMATORY:
        return "Stamp: **confirmatory**. The registration came first and is unchanged."
    reasons = "; ".join(reason.rstrip(".") for reason in verdict.stamp_reasons)
    return f"Stamp: **{verdict.stamp}**: {reasons}."


def _rules(verdict: Verdict) -> Iterator[str]:
    headings = (
        "rule",
        "role",
        "against",
        "verdict",
        "difference (points)",
        "interval",
        "won / lost / same",
        "exact p",
        "detectable",
    )
    rows = tuple(
        (
            rule.name,
            rule.role,
            code(rule.against),
            f"**{rule.state.value}**",
            points_text(rule.difference),
            interval_text(rule.lower, rule.upper),
            f"{rule.wins:,} / {rule.losses:,} / {rule.ties:,}",
            p_text(rule.exact_p),
            points_text(rule.mde),
        )
        for rule in verdict.rules
    )
    yield str(Table(headings, rows, left=4))
    yield (
        "The difference is the accuracy of the point less that of the point compared with. The "
        "interval is by the registered method. Exact p: McNemar's test, two-sided. Detectable: the "
        "smallest true difference at which the rule is met with probability 0.8, with as many "
        "questions and discordant pairs."
    )


def _points(verdict: Verdict) -> Iterator[str]:
    measures = sorted({name for figures in verdict.points for name in figures.tokens})
    rows = tuple(
        (
            code(figures.point),
            figures.role,
            figures.reader or "not said",
            ", ".join(figures.judges) or "not said",
            f"{figures.correct:,} of {figures.n:,}",
            percent_text(figures.accuracy),
            *(tokens_text(figures.tokens.get(name)) for name in measures),
        )
        for figures in verdict.points
    )
    named = tuple(code(name) for name in measures)
    headings = ("point", "role", "reader", "judge", "right", "accuracy (%)", *named)
    yield str(Table(headings, rows, left=4))
    if measures:
        yield "Tokens are means a question, over all judged questions."
    passes = [
        f"- {code(figures.point)}: {figures.judged_pass} judges. {other.name}: {other.correct:,} "
        f"of {other.n:,}, {percent_text(other.accuracy)} %."
        for figures in verdict.points
        for other in figures.other_passes
    ]
    if passes:
        yield "\n".join(passes)


def _evidence(verdict: Verdict) -> Iterator[str]:
    shown = [figures for figures in verdict.points if figures.evidence is not None]
    if not shown:
        return
    rows = tuple(
        (heading(metric), *(_evidence_cell(metric, figures) for figures in shown))
        for metric in METRICS
    )
    yield str(Table(("metric", *(code(figures.point) for figures in shown)), rows))
    yield (
        "Over the judged questions; where fewer enter, their number stands beside the value. "
        "Descriptive: no rule was registered for these."
    )


def _evidence_cell(metric: Metric, figures: PointFigures) -> str:
    found = (figures.evidence or {}).get(metric.name)
    if found is None or found.value is None:
        return MISSING
    entered = "" if found.scored == found.expected else f" (n={found.scored:,})"
    return value_text(metric, found.value) + entered


def _noise(verdict: Verdict) -> Iterator[str]:
    if not verdict.noise_checks:
        return
    rows = tuple(
        (
            code(check.point),
            check.first,
            check.second,
            f"{check.questions:,}",
            percent_text(check.agreement),
            points_text(check.difference),
            "**void**" if check.void else "holds",
        )
        for check in verdict.noise_checks
    )
    headings = ("point", "pass", "other pass", "questions", "agree (%)", "accuracy", "check")
    yield str(Table(headings, rows, left=3))
    limit = verdict.noise_checks[0].limit
    yield f"Void where the accuracies of two passes differ by more than {100 * limit:g} points."


def _list(lines: tuple[str, ...], otherwise: str) -> Iterator[str]:
    yield "\n".join(f"- {line}" for line in lines) or otherwise
