"""Paired differences of lookup measures, over tasks."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from harness.statistics.difference import PairedDifference
from harness.statistics.paired_bootstrap import Ratios, paired_bootstrap

from .measuring import Row

_ATTEMPT = re.compile(r"#[0-9]+\Z")


def paired(
    left: Sequence[Row], right: Sequence[Row], numerator: str, denominator: str | None = None
) -> PairedDifference:
    """The ratio at `left` less that at `right`; the mean per lookup without a denominator.

    Rows of both sides are of the same cases in the same order. Tasks are resampled, each with all
    lookups that attempts made for it and all of their numbers: an attempt repeated tells nothing
    new. See `harness.statistics.paired_bootstrap`.
    """
    ids = [row["case_id"] for row in left]
    if ids != [row["case_id"] for row in right]:
        raise ValueError("the two sides are of other lookups")
    tasks = [task_of(case_id) for case_id in ids]
    sides = (_ratios(rows, numerator, denominator) for rows in (left, right))
    found = paired_bootstrap(*sides, clusters=tasks)
    return found.at(0, len(set(tasks)))


def task_of(case_id: str) -> str:
    """The task of a lookup: its case id, without the number of the attempt that a trace gave it."""
    return _ATTEMPT.sub("", case_id)


def _ratios(rows: Sequence[Row], numerator: str, denominator: str | None) -> Ratios:
    above = np.array([row[numerator] for row in rows], dtype=np.float64)
    if denominator is None:
        return Ratios(above, np.ones(len(rows)))
    return Ratios(above, np.array([row[denominator] for row in rows], dtype=np.float64))
