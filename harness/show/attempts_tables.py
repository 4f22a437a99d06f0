"""Two reports of attempts compared, and the checks before a reader is paid: at the terminal, in
Markdown, and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from harness.attempts.comparing.comparison import ComparisonState, Group, ReportComparison
from harness.attempts.comparing.measures import TOKENS_PER_CORRECT, Compared
from harness.attempts.comparing.preflight import PreflightCheck
from harness.attempts.comparing.report import Report
from harness.errors import listed
from harness.words import Kind, Strong, count, counted, markdown_of, number, percent, plain_of

from .printing import OutputFormat, cell_text, print_as
from .table import Column, Limits, OfKind, Table

Row = dict[str, Any]
_DETAILS_SHOWN = 20
_RESULT = {True: "passed", False: "FAILED", None: "not checked"}


def comparison_text(comparison: ReportComparison, form: OutputFormat) -> str:
    """Return the whole comparison as text or Markdown, in paragraphs."""
    return "\n\n".join(_parts(comparison, form))


def _parts(comparison: ReportComparison, form: OutputFormat) -> Iterator[str]:
    say = markdown_of if form is OutputFormat.MARKDOWN else plain_of

    def items(lines: Iterable[str]) -> str:
        return "\n".join(f"- {say(line)}" for line in lines)

    yield say(Strong(f"State: {comparison.state.value}"))
    sides = items([*_sides(comparison), *_clients(comparison)])
    if comparison.reasons:
        yield items(comparison.reasons)
        yield sides
        return
    yield items(_headline(comparison))
    if comparison.exercised is not None:
        yield say(_exercised(comparison))
    yield print_as(measures_table(comparison), form)
    yield print_as(groups_table(comparison.tasks, "task"), form)
    yield print_as(groups_table(comparison.categories, "category"), form)
    yield "\n".join(map(say, _notes(comparison)))
    yield sides


def comparison_object(comparison: ReportComparison) -> dict[str, Any]:
    """Return everything, with full precision; fractions, not points."""
    value: dict[str, Any] = {
        "state": comparison.state.value,
        "reasons": list(comparison.reasons),
        "only": comparison.ask.only,
        "policies": comparison.ask.policies,
        "feature": None if comparison.exercised is None else asdict(comparison.exercised),
        "schemas": "equal" if comparison.schemas_known else "unknown",
        "clients": None if comparison.clients is None else asdict(comparison.clients),
        "before": _report_object(comparison.before),
        "after": _report_object(comparison.after),
    }
    if comparison.state is ComparisonState.INCOMPARABLE:
        return value
    tokens = comparison.tokens_per_correct
    change = comparison.change
    drawn = comparison.resampling
    return {
        **value,
        "tokens_per_correct_before": tokens.before,
        "tokens_per_correct_after": tokens.after,
        "change_percent": None if change is None else 100 * change,
        "regressed_tasks": _regressed(comparison.tasks),
        "regressed_categories": _regressed(comparison.categories),
        "changed_components": list(comparison.changed),
        "measures": measures_table(comparison).values,
        "resampling": None if drawn is None else asdict(drawn),
        "tasks": groups_table(comparison.tasks, "task").values,
        "categories": groups_table(comparison.categories, "category").values,
    }


def measures_table(comparison: ReportComparison) -> Table:
    """Return each measure before and after, with the difference and its interval: per attempt, but
    for tokens per correct answer."""
    columns = (
        Column("measure", "measure", cell=_measure),
        Column("before", "before", Kind.COUNT, cell=_side_value("before")),
        Column("after", "after", Kind.COUNT, cell=_side_value("after")),
        Column("difference", "difference", Kind.COUNT, cell=_difference),
        Column("lower", "interval", Kind.COUNT, cell=_interval),
    )
    return Table(columns, comparison.measures)


def measures_for_csv(comparison: ReportComparison) -> Table:
    """Return the measures, with what people see of them in columns that end with `_shown`: scripts
    read these columns, so they stay."""
    table = measures_table(comparison)
    names = ("before", "after", "difference", "interval")
    rows = [
        values
        | {
            f"{name}_shown": cell_text(cell, Kind.TEXT)
            for name, cell in zip(names, cells, strict=True)
        }
        for values, (_, *cells) in zip(table.values, table.cells, strict=True)
    ]
    return Table((), rows)


def _side_value(side: str) -> Callable[[Compared], OfKind]:
    """Return a ratio for tokens per correct answer, else the total over all attempts."""

    def cell(row: Compared) -> OfKind:
        if row.measure == TOKENS_PER_CORRECT:
            return OfKind(getattr(row, side), Kind.TOKENS)
        return OfKind(getattr(row, f"{side}_total"), Kind.COUNT)

    return cell


def _measure(row: Compared) -> str:
    words = row.measure.replace("_", " ")
    return f"{words} (points)" if row.is_share else words


def _change_kind(row: Compared) -> Kind:
    if row.is_share:
        return Kind.POINTS
    return Kind.TOKENS_CHANGE if "tokens" in row.measure else Kind.RATIO_CHANGE


def _difference(row: Compared) -> OfKind:
    return OfKind(row.difference, _change_kind(row))


def _interval(row: Compared) -> OfKind:
    return OfKind(Limits(row.lower, row.upper), _change_kind(row))


def groups_table(groups: Sequence[Group], kind: str) -> Table:
    """Correct answers and tokens of each task or category, before and after."""
    columns = (
        Column(kind, kind),
        Column("correct_before", "correct", Kind.COUNT, cell=_both("correct")),
        Column("tokens_before", "tokens", Kind.COUNT, cell=_both("tokens")),
        Column("regressed", "", cell=lambda row: "regressed" if row["regressed"] else ""),
    )
    rows = []
    for group in groups:
        row = asdict(group)
        row[kind] = row.pop("name")
        rows.append({**row, "regressed": group.regressed})
    return Table(columns, rows)


def _both(name: str) -> Callable[[Row], str]:
    return lambda row: f"{count(row[f'{name}_before'])} → {count(row[f'{name}_after'])}"


def checks_table(checks: Sequence[PreflightCheck]) -> Table:
    """Return the checks of a preflight."""
    columns = (
        Column("what", "check"),
        Column("before", "before", Kind.COUNT),
        Column("after", "after", Kind.COUNT),
        Column("passed", "result"),
    )
    rows = [{**asdict(check), "passed": _RESULT[check.passed]} for check in checks]
    return Table(columns, rows)


def checks_object(
    checks: Sequence[PreflightCheck], before: str, after: str, *, stubs: bool
) -> dict[str, Any]:
    """Return the checks of a preflight for JSON."""
    return {
        "passed": all(check.passed is not False for check in checks),
        "before": before,
        "after": after,
        "stub_counts": stubs,
        "checks": [asdict(check) for check in checks],
    }


def checks_remarks(
    checks: Sequence[PreflightCheck], before: str, after: str, *, stubs: bool
) -> Iterator[str]:
    """Yield what is printed below the checks at the terminal: details, both sides, what follows."""
    for check in checks:
        if check.details:
            yield f"\n{check.what}:"
            yield from (f"  {detail}" for detail in check.details[:_DETAILS_SHOWN])
            if len(check.details) > _DETAILS_SHOWN:
                more = count(len(check.details) - _DETAILS_SHOWN)
                yield f"  … and {more} more; --json lists them"
    yield f"\nbefore: {before}\nafter:  {after}"
    yield f"A stub {'counts' if stubs else 'does not count'} as the text that it names."
    failed = sum(check.passed is False for check in checks)
    missing = sum(check.passed is None for check in checks)
    passed = f"No check failed; {missing} was not made." if missing else "Every check passed."
    verdict = f"{failed} of {counted(len(checks), 'check')} failed: do not pay for this arm."
    yield verdict if failed else passed


def _headline(comparison: ReportComparison) -> list[str]:
    tokens, change = comparison.tokens_per_correct, comparison.change
    relative = f"{number(change, Kind.RELATIVE)} %"
    sides = " → ".join(number(side, Kind.TOKENS) for side in (tokens.before, tokens.after))
    return [
        f"Tokens per correct answer: {sides} "
        f"({'no change is defined' if change is None else relative})",
        f"Regressed tasks: {', '.join(_regressed(comparison.tasks)) or 'none'}",
        f"Regressed categories: {', '.join(_regressed(comparison.categories)) or 'none'}",
        f"Changed binaries: {', '.join(comparison.changed) or 'none'}",
        _schemas(comparison),
    ]


def _schemas(comparison: ReportComparison) -> str:
    if comparison.schemas_known:
        return "Tool schemas: equal"
    sides = (("before", comparison.before), ("after", comparison.after))
    silent = [name for name, report in sides if report.tool_schemas is None]
    return f"Tool schemas: unknown ({listed(silent)} without their hash)"


def _clients(comparison: ReportComparison) -> Iterator[str]:
    """Yield how old each measured client is, where that was asked for."""
    clients, rule = comparison.clients, comparison.ask.clients
    if clients is None or rule is None:
        return
    for name, client in (("before", clients.before), ("after", clients.after)):
        if client.behind is None or client.ahead is None:
            known = client.commit or "of no recorded commit"
            yield f"client of {name}: {known}; its distance from {rule.ref} is not known"
        else:
            more = f", {counted(client.ahead, 'commit')} of its own" if client.ahead else ""
            behind = f"{counted(client.behind, 'commit')} behind {rule.ref}"
            yield f"client of {name}: {client.commit}, {behind}{more}"


def _exercised(comparison: ReportComparison) -> str:
    at_work = comparison.exercised
    if at_work is None or at_work.attempts is None:
        return (
            f"Feature {comparison.ask.feature}: AFTER is metrics-only and keeps no results, so "
            "nothing shows that it was exercised."
        )
    return (
        f"Feature {at_work.feature}: exercised in {at_work.attempts} of "
        f"{counted(at_work.of, 'attempt')} "
        "of AFTER."
    )


def _notes(comparison: ReportComparison) -> Iterator[str]:
    drawn = comparison.resampling
    if drawn is not None:
        yield (
            f"Intervals: {percent(drawn.level)} percentile bootstrap over "
            f"{counted(drawn.tasks, 'task')}, "
            f"{count(drawn.resamples)} resamples, seed {drawn.seed}; a draw of a task takes all "
            "its repeats in both arms."
        )
    yield (
        "Differences are AFTER minus BEFORE: of sum(tokens) / sum(correct) for tokens per correct "
        "answer, per attempt for the rest; shares in points."
    )
    undefined = comparison.tokens_per_correct.undefined_resamples
    if undefined:
        yield (
            f"In {counted(undefined, 'resample')} no answer of an arm is "
            f"correct: tokens per correct "
            "answer have no interval."
        )


def _sides(comparison: ReportComparison) -> list[str]:
    sides = (("before", comparison.before), ("after", comparison.after))
    return [f"{name}: {_side(report)}" for name, report in sides]


def _side(report: Report) -> str:
    tasks = len({attempt.task for attempt in report.attempts})
    kept = ", metrics only" if report.metrics_only else ""
    silent = f"; not recorded: {listed(report.not_recorded)}" if report.not_recorded else ""
    attempts = counted(len(report.attempts), "attempt")
    return f"{report.path} ({attempts} at {counted(tasks, 'task')}{kept}{silent})"


def _report_object(report: Report) -> dict[str, Any]:
    return {
        "report": report.path.as_posix(),
        "sha256": report.sha256,
        "metrics_only": report.metrics_only,
        "not_recorded": list(report.not_recorded),
        "summary": report.summary,
    }


def _regressed(groups: Sequence[Group]) -> list[str]:
    return [group.name for group in groups if group.regressed]
