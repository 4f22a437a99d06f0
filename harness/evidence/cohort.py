"""The counts of a cohort at some points, as arrays: cases down, points across.

Made once from a run's rows, with every case at every point exactly once. All that is computed from
it is therefore independent of the order of the rows, and has the same cases at every point.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harness.errors import Faults, InputError, UsageError, listed, nearest
from harness.words import counted

from .case_evidence import SCHEMA

Counts = NDArray[np.float64]

KEYS = ("case_id", "category", "point")

OPTIONAL_COLUMNS = ("prompt_tokens_estimated", "sessions_shown")
"""Columns of other tables that a metric reads; a table without one has it null throughout."""


@dataclass(frozen=True, slots=True, eq=False)
class CohortCounts:
    """`case_ids` (n) in code point order, their `categories` (n), `points` (p), and the counts.

    `counts[name]` is float64 of shape (n, p): whole numbers, NaN for null.
    """

    case_ids: tuple[str, ...]
    categories: tuple[str | None, ...]
    points: tuple[str, ...]
    counts: Mapping[str, Counts]

    def by_category(self) -> list[tuple[str | None, CohortCounts]]:
        """Split the cohort by category, in the order of their names; cases without one come
        last."""
        names = sorted(set(self.categories), key=lambda name: (name is None, name or ""))
        places = {
            name: [place for place, own in enumerate(self.categories) if own == name]
            for name in names
        }
        return [(name, self._at(kept)) for name, kept in places.items()]

    def among(self, case_ids: Collection[str]) -> CohortCounts:
        """Return the cohort without the cases that are not among these."""
        return self._at([place for place, name in enumerate(self.case_ids) if name in case_ids])

    def _at(self, kept: Sequence[int]) -> CohortCounts:
        return CohortCounts(
            case_ids=tuple(self.case_ids[place] for place in kept),
            categories=tuple(self.categories[place] for place in kept),
            points=self.points,
            counts={name: values[list(kept)] for name, values in self.counts.items()},
        )


def cohort_of(rows: pa.Table, points: Sequence[str]) -> CohortCounts:
    """Return the cohort of `rows` at `points`.

    `rows` has the columns `case_id`, `category`, `point` and those of `SCHEMA`, and those of
    `OPTIONAL_COLUMNS` where known. It may be a pandas data frame. The cases are those of all rows,
    whatever their point.

    Raises `UsageError` for a point that has no rows, and `InputError` for a missing column, a null
    that its column does not admit, two rows of one case and point, a missing row, or a case with
    two categories.
    """
    table = rows if isinstance(rows, pa.Table) else pa.Table.from_pandas(rows, preserve_index=False)
    _check_columns(table)
    for name in KEYS:  # which may be dictionaries or large strings
        place = table.column_names.index(name)
        table = table.set_column(place, name, table[name].cast(pa.string()))
    points = tuple(dict.fromkeys(points))
    _check_points(table, points)
    case_ids = sorted(pc.unique(table["case_id"]).to_pylist())
    categories = _categories(table, case_ids)
    table = table.filter(pc.is_in(table["point"], pa.array(points, pa.string())))
    cells = _cells(table, case_ids, points)
    names = [*SCHEMA.names, *OPTIONAL_COLUMNS]
    return CohortCounts(
        case_ids=tuple(case_ids),
        categories=categories,
        points=points,
        counts={name: _numbers(table, name)[cells] for name in names},
    )


def _check_columns(table: pa.Table) -> None:
    faults = Faults()
    for name in (*KEYS, *SCHEMA.names):
        if name not in table.column_names:
            faults.add(f"no column {name!r}{nearest(name, table.column_names)}")
    faults.raise_if_any("evidence rows", "Join the run's evidence and case tables.")
    never_null = ["case_id", "point", *(field.name for field in SCHEMA if not field.nullable)]
    for name in never_null:
        if count := table[name].null_count:
            faults.add(f"column {name!r} is null in {counted(count, 'row')}")
    faults.raise_if_any("evidence rows", "Replay into a new run; these rows are not complete.")


def _check_points(table: pa.Table, points: Sequence[str]) -> None:
    known = pc.unique(table["point"]).to_pylist()
    unknown = [point for point in points if point not in known]
    if unknown:
        raise UsageError(
            "\n  ".join(f"no rows of point {name!r}{nearest(name, known)}" for name in unknown),
            f"The points here are: {', '.join(sorted(known))}.",
        )


def _categories(table: pa.Table, case_ids: Sequence[str]) -> tuple[str | None, ...]:
    categories_of: dict[str, set[str | None]] = {case_id: set() for case_id in case_ids}
    distinct = table.group_by(["case_id", "category"]).aggregate([])
    for case_id, category in zip(
        distinct["case_id"].to_pylist(), distinct["category"].to_pylist(), strict=True
    ):
        categories_of[case_id].add(category)
    faults = Faults()
    for case_id, names in categories_of.items():
        if len(names) > 1:
            faults.add(f"case {case_id!r} has the categories {listed(sorted(map(str, names)))}")
    faults.raise_if_any("evidence rows", "A case has one category.")
    return tuple(names.pop() for names in categories_of.values())


def _cells(table: pa.Table, case_ids: Sequence[str], points: Sequence[str]) -> NDArray[np.int64]:
    """Return the row of each case (down) and point (across)."""
    case_places = pc.index_in(table["case_id"], pa.array(case_ids, pa.string())).to_numpy()
    point_places = pc.index_in(table["point"], pa.array(points, pa.string())).to_numpy()
    # -1 stands for no row; with as many rows as cells and none empty, no row is there twice
    cells = np.full((len(case_ids), len(points)), -1, dtype=np.int64)
    cells[case_places, point_places] = np.arange(table.num_rows)
    missing = np.argwhere(cells < 0)
    if len(missing) or table.num_rows != cells.size:
        times = np.zeros(cells.shape, dtype=np.int64)
        np.add.at(times, (case_places, point_places), 1)
        faults = Faults(limit=10)
        for case, point in np.argwhere(times != 1):
            count = times[case, point]
            seen = "no row" if count == 0 else counted(count, "row")
            faults.add(f"case {case_ids[case]!r} has {seen} at {points[point]}")
        faults.raise_if_any(
            "evidence rows",
            "Every case needs exactly one row per point; replay the missing points.",
        )
    return cells


def _numbers(table: pa.Table, name: str) -> Counts:
    if name not in table.column_names:
        return np.full(table.num_rows, np.nan)
    try:
        numbers: Counts = table[name].cast(pa.float64()).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(f"evidence rows: column {name!r} is not a number ({error})") from error
    return numbers
