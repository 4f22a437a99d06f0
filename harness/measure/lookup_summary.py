"""What a run of lookups printed, by point, and by point and category."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from harness.errors import UsageError
from harness.model import LOOKUP
from harness.points import Point
from harness.replay import schema
from harness.replay.run import Run
from harness.statistics.difference import PairedDifference

from .lookup_rows import Row, paired, total

SUMS = (
    "result_tokens_estimated",
    "result_tokens",
    "table_bytes",
    "block_bytes",
    "relation_bytes",
    "note_bytes",
    "stub_bytes",
    "over_budget_bytes",
    "rows",
    "rows_expanded",
    "blocks",
    "outlines",
    "uncitable_blocks",
    "fetches",
    "omitted",
    "fields",
    "fields_citable",
    "fields_citable_with_stubs",
)
"""Columns of `expansions` that are summed over lookups."""

EXERCISED = {
    "coalesce_exercised": "coalesced",
    "pin_exercised": "pinned_documents",
    "hop_exercised": "related_documents",
    "omissions_exercised": "omitted",
}
"""How many lookups have a part of the expansion at work: where the column is above 0. A stub counts
as coalescing; what the budget for the whole result does shows in an ablation alone."""


@dataclass(frozen=True, slots=True)
class PointSummary:
    """Sums over the lookups of a point (of one category, where one is named)."""

    point: Point
    category: str | None
    lookups: int
    sums: dict[str, int | None]
    exercised: dict[str, int]

    @property
    def row(self) -> Row:
        """Everything, flat."""
        start = {"point": str(self.point), "category": self.category, "lookups": self.lookups}
        return {**start, **self.sums, **self.exercised}


def summaries(
    run: Run,
    points: Sequence[Point] = (),
    *,
    by_category: bool = False,
    cases: Collection[str] | None = None,
) -> list[PointSummary]:
    """Return a summary of every point that expands lookups, in the run's order; `points` and
    `cases` choose some."""
    summaries_made = []
    for point, rows in rows_by_point(run, points, cases).items():
        for category, chosen in _parts(rows, by_category):
            exercised = {
                name: sum(
                    row[column] > 0 or (name == "coalesce_exercised" and row["stubs"] > 0)
                    for row in chosen
                )
                for name, column in EXERCISED.items()
            }
            sums = {name: total(chosen, name) for name in SUMS}
            summaries_made.append(PointSummary(point, category, len(chosen), sums, exercised))
    return summaries_made


def compared(
    run: Run,
    against: Point,
    points: Sequence[Point] = (),
    *,
    stubs: bool = False,
    cases: Collection[str] | None = None,
) -> dict[Point, tuple[PairedDifference, PairedDifference | None]]:
    """Compute for every other point the mean difference of estimated result tokens per lookup from
    `against`, and that of the share of fields that are citable (None where no lookup has any)."""
    by_point = rows_by_point(run, cases=cases)
    if against not in by_point:
        raise UsageError(f"{against} expands no lookup of {run.folder}", "Choose another point.")
    base = by_point[against]
    key = "fields_citable_with_stubs" if stubs else "fields_citable"
    has_fields = any(row["fields"] for row in base)
    return {
        point: (
            paired(rows, base, "result_tokens_estimated"),
            paired(rows, base, key, "fields") if has_fields else None,
        )
        for point, rows in rows_by_point(run, points, cases).items()
        if point != against
    }


def rows_by_point(
    run: Run, points: Sequence[Point] = (), cases: Collection[str] | None = None
) -> dict[Point, list[Row]]:
    """Return the rows of `expansions` of each point, aliases under their own spelling, sorted by
    case; only those of `cases`, if they are given.

    Raises `UsageError` for a run of other cases.
    """
    if run.manifest.content.get("kind") != LOOKUP:
        raise UsageError(
            f"{run.folder} is not a run of lookups",
            "Record some (harness record lookups WORLD --out REC) and replay them.",
        )
    rows: dict[str, list[Row]] = {}
    for row in run.table(schema.EXPANSIONS).to_pylist():
        if cases is None or row["case_id"] in cases:
            rows.setdefault(row["point"], []).append(row)
    return {
        point: sorted(rows[run.computed_as[str(point)]], key=lambda row: str(row["case_id"]))
        for point in (points or run.points)
        if run.computed_as[str(point)] in rows
    }


def _parts(rows: list[Row], by_category: bool) -> Iterator[tuple[str | None, list[Row]]]:
    if not by_category:
        yield None, rows
        return
    for category in sorted({row["category"] or "" for row in rows}):
        yield category, [row for row in rows if (row["category"] or "") == category]
