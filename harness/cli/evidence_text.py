"""Evidence rows as people read them: values, denominators and paired differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.evidence import Metric
from harness.points import Point
from harness.replay.run import Run
from harness.show.numbers import excluded_text, is_share, signed_text, value_text

from .output import Column, text_table

Row = Mapping[str, Any]

HEADING_WIDTH = 9


def values_table(rows: Sequence[Row], metrics: Sequence[Metric]) -> str:
    """One line a point. Where points differ in how many questions they score, the number stands
    beside the value."""
    columns = [Column("point", "point")]
    columns += [Column(metric.name, _heading(metric), numeric=True) for metric in metrics]
    apart = {metric.name for metric in metrics if _scored_differs(rows, metric)}
    shown = [
        {
            "point": row["point"],
            **{metric.name: _cell(row, metric, metric.name in apart) for metric in metrics},
        }
        for row in rows
    ]
    return text_table(shown, columns)


def _heading(metric: Metric) -> str:
    """The metric's name in short lines, and its unit."""
    lines: list[str] = []
    for word in metric.name.split("_"):
        if lines and len(lines[-1]) + 1 + len(word) <= HEADING_WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join([*lines, "%"] if is_share(metric) else lines)


def _cell(row: Row, metric: Metric, with_scored: bool) -> str | None:
    if row[metric.name] is None:
        return None
    value = value_text(metric, row[metric.name])
    scored = row["denominators"][metric.name]["scored"]
    return f"{value} (n={scored:,})" if with_scored else value


def _scored_differs(rows: Sequence[Row], metric: Metric) -> bool:
    return len({row["denominators"][metric.name]["scored"] for row in rows}) > 1


def denominator_lines(rows: Sequence[Row], metrics: Sequence[Metric]) -> list[str]:
    """How many questions enter each metric and why the others do not, metrics alike together."""
    groups: dict[str, list[str]] = {}
    for metric in metrics:
        groups.setdefault(_denominators(rows, metric), []).append(metric.name)
    expected = rows[0]["denominators"][metrics[0].name]["expected"]
    lines = [f"Scored of {expected:,} question{'' if expected == 1 else 's'}:"]
    if len(groups) == 1:
        return [f"{lines[0]} {next(iter(groups))}"]
    return lines + [f"  {', '.join(names)}: {counts}" for counts, names in groups.items()]


def _denominators(rows: Sequence[Row], metric: Metric) -> str:
    counts = [row["denominators"][metric.name] for row in rows]
    scored = [count["scored"] for count in counts]
    if len(set(scored)) > 1:
        reasons = dict.fromkeys(reason for count in counts for reason in count["excluded"])
        return (
            f"{min(scored):,} to {max(scored):,}, beside each value; the others: "
            f"{' or '.join(reasons)}"
        )
    excluded = counts[0]["excluded"]
    return f"{scored[0]:,}" + (f"; excluded: {excluded_text(excluded)}" if excluded else "")


def differences(rows: Sequence[Row], metrics: Sequence[Metric], against: str) -> str:
    """For each metric, the paired difference of every other point to `against`."""
    others = [row for row in rows if row["point"] != against]
    if not others:
        return f"\nNo other point to compare with {against}: name some with --point."
    parts = [_differences(others, metric, against) for metric in metrics]
    first = others[0]["differences"][metrics[0].name]
    interval = (
        f"Intervals: {first['level']:.0%}, percentile bootstrap, {first['resamples']:,} resamples "
        f"of the questions, seed {first['seed']}. A win is a question where the point is better."
    )
    return "\n".join([*parts, "", interval])


def _differences(rows: Sequence[Row], metric: Metric, against: str) -> str:
    unit = "percentage points" if is_share(metric) else metric.unit
    shown = []
    for row in rows:
        found = row["differences"][metric.name]
        limits = [signed_text(metric, found[name]) for name in ("lower", "upper")]
        shown.append(
            {
                "point": row["point"],
                "difference": signed_text(metric, found["difference"]),
                "interval": None if found["lower"] is None else f"{limits[0]} to {limits[1]}",
                "warnings": "; ".join(found["warnings"]),
                **{name: f"{found[name]:,}" for name in ("pairs", "wins", "losses", "ties")},
            }
        )
    columns = [
        Column("point", "point"),
        Column("difference", "difference", numeric=True),
        Column("interval", "interval", numeric=True),
        *(Column(name, name, numeric=True) for name in ("pairs", "wins", "losses", "ties")),
    ]
    if any(row["warnings"] for row in shown):
        columns.append(Column("warnings", "warnings"))
    return f"\n{metric.name} less that of {against}, {unit}\n\n{text_table(shown, columns)}"


def notes(run: Run, points: Sequence[Point], metrics: Sequence[Metric]) -> list[str]:
    """Encodings of the token columns, points that are the same policy, and where to read more."""
    lines = []
    tokens = run.manifest.work.get("tokens")
    encodings = {"context_tokens": "context", "prompt_tokens_estimated": "prompt"}
    shown = [metric.name for metric in metrics if metric.name in encodings]
    if tokens and shown:
        counted = [f"{name} in {tokens[encodings[name]]['encoding']}" for name in shown]
        lines.append(f"Encodings: {', '.join(counted)}.")
    same: dict[str, list[str]] = {}
    for point in points:
        same.setdefault(run.computed_as[str(point)], []).append(str(point))
    lines += [f"The same policy: {', '.join(names)}." for names in same.values() if len(names) > 1]
    return [*lines, "Definitions: harness evidence --help, and docs/metrics.md."]
