"""Causes of differences from published figures, as people write them down.

A cause may be named only where one thing was varied and measured. The file is TOML: a table a
point, in it a text a metric, which stands at that metric over every published split.

    ["count-curve(k=4)"]
    answer_sessions_shown = "the recall: with … in its place, all else equal, 89.9 against 88.6"
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.errors import Faults, HarnessError, InputError
from harness.evidence import metric_named
from harness.points import parse_point

NOT_ESTABLISHED = "not established"


@dataclass(frozen=True, slots=True)
class Causes:
    """Texts by point and metric; without one a cause is not established."""

    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def of(self, point: str, metric: str) -> str:
        return self.texts.get((point, metric), NOT_ESTABLISHED)

    def check_used(self, pairs: Collection[tuple[str, str]]) -> None:
        """Raise `InputError` for a text whose point and metric are not among those compared."""
        faults = Faults()
        for point, metric in self.texts:
            if (point, metric) not in pairs:
                faults.add(f"{point}, {metric}: not set beside a published figure")
        faults.raise_if_any("causes", "Mend their names, or take them out.")


def read_causes(path: Path) -> Causes:
    """Read `path`; raises `InputError` naming every point, metric and text that is not one."""
    try:
        value = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the causes {path}: {error}") from error
    faults = Faults()
    texts: dict[tuple[str, str], str] = {}
    for spelling, table in value.items():
        try:
            point = str(parse_point(spelling))
        except HarnessError as error:
            faults.add(error.message)
            continue
        if not isinstance(table, dict):
            faults.add(f"{spelling!r}: expected a table of metrics")
            continue
        for name, text in table.items():
            try:
                metric = metric_named(name).name
            except HarnessError as error:
                faults.add(f"{spelling!r}: {error.message}")
                continue
            if isinstance(text, str) and text.strip():
                texts[(point, metric)] = " ".join(text.split())
            else:
                faults.add(f"{spelling!r}.{name}: expected a text")
    faults.raise_if_any(str(path), 'A table a point, in it `metric = "text"`.')
    return Causes(texts)
