"""A choice: the rule, the table it chose from, and the point, as one JSON file.

`docs/formats/registration.md` describes every key. It holds no time: the same run, split and rule
give the same bytes.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.storage.manifest import check_schema

from .candidates import Candidate, DevTable
from .rules import TIES, BestMetric, ChoosingRule, ClosestCost, DearestUnder

SCHEMA = "harness.choice/1"
RULE_NAMES: dict[type, str] = {
    ClosestCost: "closest-cost",
    DearestUnder: "max-cost",
    BestMetric: "best",
}

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Choice:
    """`chosen` was picked by `rule` from `table`. `run_sha256` is the content hash of the run's
    manifest, `split_sha256` of the split's file; `target` is what closest-cost aimed at."""

    rule: ChoosingRule
    table: DevTable
    chosen: Candidate
    run_sha256: str
    split_sha256: str
    target: Candidate | None = None

    @property
    def rows(self) -> list[Json]:
        """The table, cheapest first: what closest-cost aimed at is in it and says so."""
        candidates = list(self.table.candidates)
        if self.target is not None and self.target not in candidates:
            candidates.append(self.target)
        candidates.sort(key=lambda candidate: (candidate.cost, candidate.point))
        return [self._row(candidate) for candidate in candidates]

    def _row(self, candidate: Candidate) -> Json:
        row: Json = {
            "point": candidate.point,
            "aliases": list(candidate.aliases),
            self.table.cost_measure: float(candidate.cost),
        }
        if self.target is not None:
            row["distance"] = float(abs(candidate.cost - self.target.cost))
        if not isinstance(self.rule, ClosestCost):
            row["affordable"] = candidate.cost <= Fraction(self.rule.at_most)
        if candidate.metric is not None:
            row[candidate.metric.name] = candidate.metric.value
            row["scored"] = candidate.metric.scored
        row["chosen"] = candidate == self.chosen
        return row
