"""What points print for recorded lookups, without a run, and how two of them differ over tasks.

A row is that of the table `expansions`, for each lookup and point.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from harness.errors import UsageError
from harness.model import LOOKUP, view_of
from harness.points import Point, load_arm, make_point
from harness.recording.recording import Recording
from harness.replay.lookup_rows import expansion_of, expansion_row
from harness.statistics.difference import PairedDifference
from harness.statistics.paired_bootstrap import Ratios, paired_bootstrap

Row = dict[str, Any]
BUDGET = "budget_tokens"


def measured(recording: Recording, points: Sequence[Point], *, counted: bool) -> list[Row]:
    """Return the row of the table `expansions` of each case at each point, cases sorted by id.

    `counted`: whether tokens are counted. `text` is what was printed.
    """
    require_lookups(recording)
    rows = []
    for case in recording.cases():
        view, _ = view_of(case)
        for point in points:
            selection = point.policy.select(view)
            row = expansion_row(case, selection, counted=counted)
            text = expansion_of(selection).text
            rows.append({"case_id": case.case_id, "point": str(point), "text": text, **row})
    return sorted(rows, key=lambda row: row["case_id"])


def require_lookups(recording: Recording) -> None:
    """Refuse a recording of other cases."""
    if recording.kind != LOOKUP:
        raise UsageError(
            f"{recording.folder} holds {recording.kind} cases, not lookups",
            "Record some: harness record lookups WORLD --out REC.",
        )


def require_budget(point: Point) -> None:
    """Refuse a point that does not expand lookups under a budget."""
    names = [parameter.name for parameter in load_arm(point.arm).parameters]
    if BUDGET not in names:
        raise UsageError(
            f"{point} has no {BUDGET}", "Give a point such as lookup-budgeted(budget_tokens=1500)."
        )


def with_settings(point: Point, **changes: Any) -> Point:
    """Return the point with some settings changed."""
    return make_point(load_arm(point.arm), {**dict(point.settings), **changes})


def total(rows: Iterable[Row], key: str) -> int | None:
    """Return the sum of a column; None where it was not counted."""
    values = [row[key] for row in rows]
    return None if any(value is None for value in values) else sum(values)


_ATTEMPT = re.compile(r"#[0-9]+\Z")


def paired(
    left: Sequence[Row], right: Sequence[Row], numerator: str, denominator: str | None = None
) -> PairedDifference:
    """Return the ratio at `left` less that at `right`; the mean per lookup without a denominator.

    Rows of both sides are of the same cases in the same order. Tasks are resampled, each with all
    lookups that attempts made for it and all of their numbers: an attempt repeated tells nothing
    new. See `harness.statistics.paired_bootstrap`.
    """
    ids = [row["case_id"] for row in left]
    if ids != [row["case_id"] for row in right]:
        raise ValueError("the two sides are of other lookups")
    tasks = [task_of(case_id) for case_id in ids]
    sides = [_ratios(rows, numerator, denominator) for rows in (left, right)]
    interval = paired_bootstrap(*sides, clusters=tasks)
    changed = sides[0].numerator != sides[1].numerator
    differing = {task for task, differs in zip(tasks, changed.tolist(), strict=True) if differs}
    return interval.at(0, len(set(tasks)), differing=len(differing))


def task_of(case_id: str) -> str:
    """Return the task of a lookup: its case id, without the number of the attempt that a trace gave
    it."""
    return _ATTEMPT.sub("", case_id)


def _ratios(rows: Sequence[Row], numerator: str, denominator: str | None) -> Ratios:
    above = np.array([row[numerator] for row in rows], dtype=np.float64)
    if denominator is None:
        return Ratios(above, np.ones(len(rows)))
    return Ratios(above, np.array([row[denominator] for row in rows], dtype=np.float64))
