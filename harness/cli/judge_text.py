"""A verdict at the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from harness.show.verdict_page import stamp_sentence
from harness.show.verdict_rule import rule_facts
from harness.trial.numbers import MISSING, percent_text, points_text, tokens_text
from harness.trial.verdict import PointFigures, RuleVerdict, Verdict

from .output import Column, text_table

_WIDTH = 98

TYPE_COLUMNS = (
    Column("question_type", "question type"),
    Column("n", "n", "{:,}".format, numeric=True),
    Column("wins", "won", "{:,}".format, numeric=True),
    Column("losses", "lost", "{:,}".format, numeric=True),
    Column("accuracy", "accuracy %", percent_text, numeric=True),
    Column("control_accuracy", "control %", percent_text, numeric=True),
    Column("difference", "difference", points_text, numeric=True),
)


def verdict_lines(verdict: Verdict) -> Iterator[str]:
    """The whole verdict as lines."""
    yield verdict.question
    yield ""
    for rule in verdict.rules:
        yield from _rule(rule)
    yield from _by_type(verdict)
    yield from _points(verdict)
    for check in verdict.noise_checks:
        yield (
            f"Noise check of {check.point}, {check.second} against {check.first}: "
            f"{percent_text(check.agreement)} % agree, accuracy {points_text(check.difference)} "
            f"points: {'VOID' if check.void else 'holds'}"
        )
    for title, lines in (
        ("Departures from the plan", verdict.departures),
        ("Not checked", verdict.notes),
    ):
        if lines:
            yield f"{title}:"
            for line in lines:
                yield _wrapped(line, "  - ")
            yield ""
    yield _wrapped(_plain(stamp_sentence(verdict)), "")
    yield _wrapped(verdict.committed.statement, "Registration: ")


def _rule(rule: RuleVerdict) -> Iterator[str]:
    yield f"{rule.state.value}  {rule.name} ({rule.role}, against {rule.against})"
    yield _wrapped(f"{rule.reason}.", "  ")
    yield _wrapped(_plain(f"What it says: {rule.may_be_said}"), "  ")
    if rule.does_not_show is not None:
        yield _wrapped(_plain(rule.does_not_show), "  ")
    for line in rule_facts(rule):
        yield _wrapped(_plain(line), "  - ")
    for warning in rule.warnings:
        yield _wrapped(f"Warning: {warning}.", "  - ")
    yield ""


def _by_type(verdict: Verdict) -> Iterator[str]:
    """The tables by question type, one a control."""
    tables = {rule.against: rule.by_question_type for rule in verdict.rules}
    for against, types in tables.items():
        if types:
            rows = [
                {column.key: getattr(row, column.key) for column in TYPE_COLUMNS} for row in types
            ]
            yield f"By question type, against {against} (descriptive: no rule is about a type)"
            yield text_table(rows, TYPE_COLUMNS)
            yield ""


def _points(verdict: Verdict) -> Iterator[str]:
    measures = sorted({name for figures in verdict.points for name in figures.tokens})
    columns = [
        Column("point", "point"),
        Column("reader", "reader"),
        Column("correct", "right", "{:,}".format, numeric=True),
        Column("accuracy", "accuracy %", percent_text, numeric=True),
        *(Column(name, _narrow(name), tokens_text, numeric=True) for name in measures),
        *(
            Column(name, f"{_narrow(name)}\n%", percent_text, numeric=True)
            for name in _shown_evidence(verdict)
        ),
    ]
    yield text_table([_point_row(figures) for figures in verdict.points], columns)
    yield ""


def _shown_evidence(verdict: Verdict) -> list[str]:
    if all(figures.evidence is None for figures in verdict.points):
        return []
    return ["all_answer_sessions_shown", "evidence_turn_chars_macro"]


def _narrow(name: str) -> str:
    """A name that a heading breaks into lines."""
    return name.replace("_", "\n")


def _point_row(figures: PointFigures) -> dict[str, object]:
    evidence = {name: found.value for name, found in (figures.evidence or {}).items()}
    return {
        **evidence,
        "point": figures.point,
        "reader": figures.reader or MISSING,
        "correct": figures.correct,
        "accuracy": figures.accuracy,
        **figures.tokens,
    }


def _plain(markdown: str) -> str:
    return markdown.replace("**", "").replace("`", "")


def _wrapped(text: str, lead: str) -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    )
