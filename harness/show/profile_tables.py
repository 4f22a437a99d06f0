"""What readers' attempts cost and how they used their tools: tables, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from harness.attempts.comparing.profile import Profile, profiles
from harness.attempts.comparing.spent import SpentReport
from harness.words import Kind, count

from .table import Column, PartOf, Table

Row = dict[str, Any]
KEPT, SUPERSEDED = "kept", "superseded"


def reports_table(spent: Sequence[SpentReport]) -> Table:
    """Return a row per report: what it cost, and whether that is counted."""
    columns = (
        Column("report", "report"),
        Column("state", "state"),
        Column("attempts", "attempts", Kind.COUNT),
        Column("tokens", "tokens", Kind.COUNT),
        Column("tokens_complete", "complete"),
        Column("made_from", "same attempts as", cell=lambda row: row["made_from"] or ""),
        Column("reason", "because", cell=lambda row: row["reason"] or ""),
    )
    return Table(columns, [_report_row(each) for each in spent])


def _report_row(spent: SpentReport) -> Row:
    report = spent.report
    return {
        "report": report.path.as_posix(),
        "sha256": report.sha256,
        "state": KEPT if spent.superseded is None else SUPERSEDED,
        "reason": spent.superseded,
        "attempts": len(report.attempts),
        "tokens": spent.tokens,
        "tokens_complete": bool(report.summary["usage_complete"]),
        "made_from": None if spent.made_from is None else spent.made_from.as_posix(),
    }


def tokens_by_state(spent: Sequence[SpentReport]) -> dict[str, int]:
    """Return the tokens of reports that are kept, of those that are superseded, and of all; of
    reports with the same attempts those of one."""
    sums = dict.fromkeys((KEPT, SUPERSEDED, "all"), 0)
    for each in spent:
        if each.made_from is None:
            sums[KEPT if each.superseded is None else SUPERSEDED] += each.tokens
            sums["all"] += each.tokens
    return sums


def tokens_line(spent: Sequence[SpentReport]) -> str:
    """Return `Tokens: 1,600 in kept reports, 780 in superseded ones, 2,380 altogether.`"""
    sums = tokens_by_state(spent)
    least = "" if all(each.report.summary["usage_complete"] for each in spent) else " at least"
    return (
        f"Tokens: {count(sums[KEPT])} in kept reports, {count(sums[SUPERSEDED])} in superseded "
        f"ones,{least} {count(sums['all'])} altogether."
    )


def profile_rows(spent: Sequence[SpentReport], *, by_category: bool) -> list[Row]:
    """Return a row per report, or per report and category, with its parts by turns and by tool."""
    return [
        {"report": each.report.path.as_posix(), **_shares(profile), **asdict(profile)}
        for each in spent
        for profile in profiles(each.report.attempts, by_category=by_category)
    ]


def _shares(profile: Profile) -> Row:
    parts = {
        "replayed_prompt_share": profile.replayed_prompt_tokens,
        "tool_result_share": profile.tool_result_tokens,
        "output_share": profile.output_tokens,
    }
    tokens = profile.tokens
    return {
        key: part / tokens if part is not None and tokens else None for key, part in parts.items()
    }


_WHERE = (Column("report", "report"), Column("category", "category"))


def profile_table(rows: Sequence[Row]) -> Table:
    """Return the shares of the tokens and the use of lookups."""
    columns = (
        *_of(rows),
        Column("attempts", "attempts", Kind.COUNT),
        Column("tokens", "tokens", Kind.COUNT),
        Column("replayed_prompt_share", "replayed prompts", Kind.SHARE),
        Column("tool_result_share", "tool results", Kind.SHARE),
        Column("output_share", "output", Kind.SHARE),
        Column("lookups", "lookups", Kind.COUNT),
        Column("lookups_with_budget", "with a budget", cell=_with_budget),
        Column("fetches_after_lookup", "fetches after the first lookup", Kind.RATIO, cell=_fetches),
        Column("most_fetches_after_lookup", "at most", Kind.COUNT),
    )
    return Table(columns, [_flat(row) for row in rows])


def turns_table(rows: Sequence[Row]) -> Table:
    """Return what attempts cost by their number of turns."""
    columns = (
        *_of(rows),
        Column("turns", "turns", Kind.COUNT),
        Column("attempts", "attempts", Kind.COUNT),
        Column("tokens", "tokens", Kind.TOKENS, per="attempt", cell=_mean),
    )
    return Table(columns, list(_parts(rows, "by_turns")))


def tools_table(rows: Sequence[Row]) -> Table:
    """Return calls by tool, and those that failed."""
    columns = (
        *_of(rows),
        Column("tool", "tool"),
        Column("calls", "calls", Kind.COUNT),
        Column("failed", "failed", Kind.COUNT),
    )
    return Table(columns, list(_parts(rows, "by_tool")))


def _of(rows: Sequence[Row]) -> tuple[Column, ...]:
    return _WHERE if any(row["category"] is not None for row in rows) else _WHERE[:1]


def _flat(row: Row) -> Row:
    return {key: value for key, value in row.items() if key not in ("by_turns", "by_tool")}


def _parts(rows: Sequence[Row], key: str) -> Iterator[Row]:
    for row in rows:
        for part in row[key]:
            yield {"report": row["report"], "category": row["category"], **part}


def _with_budget(row: Row) -> PartOf | None:
    budgeted = row["lookups_with_budget"]
    return None if budgeted is None else PartOf(budgeted, row["lookups"])


def _fetches(row: Row) -> float | None:
    return row["fetches_after_lookup"] / row["looked_up"] if row["looked_up"] else None


def _mean(row: Row) -> float:
    return float(row["tokens"] / row["attempts"])
