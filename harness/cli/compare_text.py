"""A comparison at the terminal, in Markdown, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import click

from harness.attempts.comparing.comparison import ComparisonState, Group, ReportComparison
from harness.attempts.comparing.measures import TOKENS_PER_CORRECT, Compared
from harness.attempts.comparing.preflight import PreflightCheck
from harness.attempts.comparing.report import Report
from harness.show.markdown import Table

from .output import Column, OutputFormat, print_table, text_table

Row = dict[str, Any]
Tables = Callable[[Sequence[Row], Sequence[Column]], str]

MEASURES = (
    Column("measure", "measure", lambda name: str(name).replace("_", " ")),
    Column("before_shown", "before", numeric=True),
    Column("after_shown", "after", numeric=True),
    Column("difference_shown", "difference", numeric=True),
    Column("interval_shown", "interval", numeric=True),
)
_GROUP = (
    Column("correct_shown", "correct", numeric=True),
    Column("tokens_shown", "tokens", numeric=True),
    Column("regressed", "", lambda lost: "regressed" if lost else ""),
)
_SHOWN_KEYS = frozenset(column.key for column in (*MEASURES, *_GROUP) if "_shown" in column.key)
_RESULT = {True: "passed", False: "FAILED", None: "not checked"}
CHECKS = (
    Column("what", "check"),
    Column("before", "before", numeric=True),
    Column("after", "after", numeric=True),
    Column("passed", "result"),
)
_DETAILS_SHOWN = 20


def tables_as_text(rows: Sequence[Row], columns: Sequence[Column]) -> str:
    return text_table(rows, columns)


def tables_as_markdown(rows: Sequence[Row], columns: Sequence[Column]) -> str:
    left = sum(not column.numeric for column in columns[:1])
    cells = tuple(tuple(column.show(row[column.key]) for column in columns) for row in rows)
    return str(Table(tuple(column.heading for column in columns), cells, left))


def comparison_text(found: ReportComparison, table: Tables) -> str:
    """The whole comparison; paragraphs are parted by blank lines, which Markdown needs."""
    return "\n\n".join(_parts(found, table))


def comparison_object(found: ReportComparison) -> dict[str, Any]:
    """Everything, with full precision; fractions, not points."""
    value: dict[str, Any] = {
        "state": found.state.value,
        "reasons": list(found.reasons),
        "only": found.ask.only,
        "policies": found.ask.policies,
        "feature": None if found.exercised is None else asdict(found.exercised),
        "before": _report_object(found.before),
        "after": _report_object(found.after),
    }
    if found.state is ComparisonState.INCOMPARABLE:
        return value
    tokens = found.tokens_per_correct
    change = found.change
    return {
        **value,
        "tokens_per_correct_before": tokens.before,
        "tokens_per_correct_after": tokens.after,
        "change_percent": None if change is None else 100 * change,
        "regressed_tasks": [each.name for each in found.tasks if each.regressed],
        "regressed_categories": [each.name for each in found.categories if each.regressed],
        "changed_components": list(found.changed),
        "measures": [_without_shown(row) for row in measure_rows(found)],
        "resampling": None if found.resampling is None else asdict(found.resampling),
        "tasks": [_without_shown(row) for row in _group_rows(found.tasks, "task")],
        "categories": [_without_shown(row) for row in _group_rows(found.categories, "category")],
    }


def measure_rows(found: ReportComparison) -> list[Row]:
    """A row for each measure; `…_shown` is what people see."""
    return [{**asdict(each), **_shown(each)} for each in found.measures]


def print_checks(
    checks: Sequence[PreflightCheck], before: str, after: str, form: OutputFormat, *, stubs: bool
) -> None:
    """The checks of a preflight; details below the table."""
    failed = sum(check.passed is False for check in checks)
    if form is OutputFormat.JSON:
        value = {
            "passed": not failed,
            "before": before,
            "after": after,
            "stub_counts": stubs,
            "checks": [asdict(check) for check in checks],
        }
        click.echo(json.dumps(value, indent=1, ensure_ascii=False))
        return
    rows = [{**asdict(check), "passed": _RESULT[check.passed]} for check in checks]
    print_table(rows, CHECKS, form)
    if form is OutputFormat.TEXT:
        for check in checks:
            if check.details:
                click.echo(f"\n{check.what}:")
                click.echo("\n".join(_limited(check.details)))
        click.echo(f"\nbefore: {before}\nafter:  {after}")
        click.echo(f"A stub {'counts' if stubs else 'does not count'} as the text that it names.")
        missing = sum(check.passed is None for check in checks)
        passed = f"No check failed; {missing} was not made." if missing else "Every check passed."
        verdict = f"{failed} of {len(checks)} checks failed: do not pay for this arm."
        click.echo(verdict if failed else passed)


def _limited(details: Sequence[str]) -> Iterator[str]:
    yield from (f"  {detail}" for detail in details[:_DETAILS_SHOWN])
    if len(details) > _DETAILS_SHOWN:
        yield f"  … and {len(details) - _DETAILS_SHOWN:,} more; --json lists them"


def _parts(found: ReportComparison, table: Tables) -> Iterator[str]:
    bold = "**" if table is tables_as_markdown else ""
    yield f"{bold}State: {found.state.value}{bold}"
    if found.reasons:
        yield "\n".join(f"- {reason}" for reason in found.reasons)
        yield _sides(found)
        return
    yield _headline(found)
    if found.exercised is not None:
        yield _exercised(found)
    yield table(measure_rows(found), MEASURES)
    yield table(_group_rows(found.tasks, "task"), (Column("task", "task"), *_GROUP))
    yield table(
        _group_rows(found.categories, "category"), (Column("category", "category"), *_GROUP)
    )
    yield "\n".join(_notes(found))
    yield _sides(found)


def _headline(found: ReportComparison) -> str:
    tokens, change = found.tokens_per_correct, found.change
    percent = "no change is defined" if change is None else f"{100 * change:+.4f} %"
    lines = [
        f"Tokens per correct answer: {_exact(tokens.before)} → {_exact(tokens.after)} ({percent})",
        f"Regressed tasks: {_regressed(found.tasks)}",
        f"Regressed categories: {_regressed(found.categories)}",
        f"Changed binaries: {', '.join(found.changed) or 'none'}",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _exercised(found: ReportComparison) -> str:
    at_work = found.exercised
    if at_work is None or at_work.attempts is None:
        return (
            f"Feature {found.ask.feature}: AFTER is metrics-only and keeps no results, so nothing "
            "shows that it was exercised."
        )
    return (
        f"Feature {at_work.feature}: exercised in {at_work.attempts} of {at_work.of} attempts "
        "of AFTER."
    )


def _notes(found: ReportComparison) -> Iterator[str]:
    drawn = found.resampling
    if drawn is not None:
        yield (
            f"Intervals: {100 * drawn.level:g} % percentile bootstrap over {drawn.tasks} tasks, "
            f"{drawn.resamples:,} resamples, seed {drawn.seed}; a draw of a task takes all its "
            "repeats in both arms."
        )
    yield (
        "Differences are AFTER less BEFORE: of sum(tokens) / sum(correct) for tokens per correct "
        "answer, per attempt for the rest; shares in points."
    )
    undefined = found.tokens_per_correct.undefined_resamples
    if undefined:
        yield (
            f"In {undefined:,} resamples no answer of an arm is correct: tokens per correct answer "
            "have no interval."
        )


def _sides(found: ReportComparison) -> str:
    sides = (("before", found.before), ("after", found.after))
    return "\n".join(f"- {name}: {_side(report)}" for name, report in sides)


def _side(report: Report) -> str:
    tasks = len({each.task for each in report.attempts})
    kept = ", metrics only" if report.metrics_only else ""
    return f"{report.path} ({len(report.attempts)} attempts at {tasks} tasks{kept})"


def _report_object(report: Report) -> dict[str, Any]:
    return {
        "report": report.path.as_posix(),
        "sha256": report.sha256,
        "metrics_only": report.metrics_only,
        "summary": report.summary,
    }


def _group_rows(groups: Sequence[Group], kind: str) -> list[Row]:
    rows = []
    for group in groups:
        row = asdict(group)
        row[kind] = row.pop("name")
        row["regressed"] = group.regressed
        row["correct_shown"] = f"{group.correct_before} → {group.correct_after}"
        row["tokens_shown"] = f"{group.tokens_before:,} → {group.tokens_after:,}"
        rows.append(row)
    return rows


def _without_shown(row: Row) -> Row:
    return {key: value for key, value in row.items() if key not in _SHOWN_KEYS}


def _shown(each: Compared) -> Row:
    scale = 100.0 if each.is_share else 1.0
    unit = " points" if each.is_share else ""
    difference = "–" if each.difference is None else f"{scale * each.difference:+,.2f}{unit}"
    interval = "–"
    if each.lower is not None and each.upper is not None:
        interval = f"({scale * each.lower:+,.2f}, {scale * each.upper:+,.2f})"
    sides = (each.before_total, each.before), (each.after_total, each.after)
    before, after = (_value(each, total, value) for total, value in sides)
    return {
        "before_shown": before,
        "after_shown": after,
        "difference_shown": difference,
        "interval_shown": interval,
    }


def _value(each: Compared, total: float, value: float | None) -> str:
    """A ratio for tokens per correct answer, else the total over all attempts."""
    if each.measure == TOKENS_PER_CORRECT:
        return "–" if value is None else f"{value:,.1f}"
    return f"{total:,.0f}"


def _exact(value: float | None) -> str:
    return "none" if value is None else repr(value).removesuffix(".0")


def _regressed(groups: Sequence[Group]) -> str:
    return ", ".join(group.name for group in groups if group.regressed) or "none"
