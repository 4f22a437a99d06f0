"""Causes of differences from published figures, as people write them down.

A cause may be named only where one thing was varied and measured. The file is TOML: a table per
point, in it a text per metric, which is printed at that metric over every published split.

    ["count-curve(k=4)"]
    answer_sessions_shown = "the recall: with … in its place, all else equal, 89.9 against 88.6"
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from harness.decode import Check, Format, Parsed, decode_file
from harness.errors import Faults
from harness.evidence import Metric, metric_named
from harness.points import Point, parse_point

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
                faults.add(f"{point}, {metric}: not compared with a published figure")
        faults.raise_if_any("causes", "Fix their names, or take them out.")


def read_causes(path: Path) -> Causes:
    """Read `path`; raises `InputError` naming every point, metric and text that is not one."""
    return Causes(
        {
            (str(point), metric.name): " ".join(text.split())
            for point, table in decode_file(_CAUSES, path).items()
            for metric, text in table.items()
        }
    )


def _blank(text: str) -> str | None:
    return None if text.strip() else "is empty"


_CAUSES = Format(
    "causes",
    dict[
        Annotated[Point, Parsed(parse_point)],
        dict[Annotated[Metric, Parsed(metric_named)], Annotated[str, Check(_blank)]],
    ],
    hint='One table per point, and in it `metric = "text"`.',
)
