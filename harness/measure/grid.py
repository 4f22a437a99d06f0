"""A grid: a point with lists of values, which stands for every combination of them.

`2.6.5a2(budget=[2400, 2800], step=[3..9:2])` is eight points. A list holds values and ranges;
`first..last:step` goes from `first` in steps up to `last`, and takes `last` where a step lands on
it; without `:step` the step is 1. The setting that is named last varies fastest. A text without a
list is a point, or an arm's name for its default points.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from math import prod

from harness.errors import UsageError
from harness.points import Point, parse_point, parse_points
from harness.points.spelling import points_of_each
from harness.words import counted

MOST_SETTINGS = 5_000
"""A larger grid is taken for a slip."""

EXAMPLE = "A grid is spelled like 2.6.5a2(budget=[2400, 2800..3600:200], step=[3, 5, 8])."

_GRID = re.compile(r"\s*(?P<arm>[^\s()\[\]]+)\s*\((?P<settings>[^()]*)\)\s*")
_SETTING = re.compile(r"(?:[^,\[\]]|\[[^\[\]]*\])+")
_LIST = re.compile(r"\s*(?P<name>[^\s=\[\]]+)\s*=\s*\[(?P<values>[^\[\]]*)\]\s*")
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_RANGE = re.compile(
    rf"(?P<first>{_NUMBER})\s*\.\.\s*(?P<last>{_NUMBER})(?:\s*:\s*(?P<step>{_NUMBER}))?"
)


@dataclass(frozen=True, slots=True)
class _Grid:
    """`settings`: each setting's spellings, such as `step=3` and `step=5`, in the order given."""

    arm: str
    settings: tuple[tuple[str, ...], ...]

    def spelled(self, chosen: Iterable[str]) -> str:
        return f"{self.arm}({', '.join(chosen)})"

    def first_with_each_value(self) -> list[str]:
        """Return the first combination with one setting changed: every value once, in as few points
        as that takes, so that a bad value is reported once and not in each of its combinations."""
        first = [values[0] for values in self.settings]
        return [
            self.spelled([*first[:place], value, *first[place + 1 :]])
            for place, values in enumerate(self.settings)
            for value in values[1:]
        ]

    def every_combination(self) -> list[str]:
        return [self.spelled(chosen) for chosen in product(*self.settings)]


def grid_points(texts: Iterable[str]) -> list[Point]:
    """Return the points of the grids, in order, each once. Raises `UsageError` with every bad text,
    and for more than `MOST_SETTINGS` points."""
    points = points_of_each(texts, _points_of)
    _check_size(len(points), "the grids")
    return points


def _points_of(text: str) -> list[Point]:
    if "[" not in text and "]" not in text:
        return parse_points([text])
    grid = _read(text)
    parse_point(grid.spelled(values[0] for values in grid.settings))
    parse_points(grid.first_with_each_value())
    _check_size(prod(len(values) for values in grid.settings), f"grid {text.strip()!r}")
    return parse_points(grid.every_combination())


def _read(text: str) -> _Grid:
    where = f"grid {text.strip()!r}"
    match = _GRID.fullmatch(text)
    if match is None:
        raise UsageError(f"{where} is not spelled arm(setting=[value, …], …)", EXAMPLE)
    inside = match["settings"]
    pieces = _SETTING.findall(inside)
    if ",".join(pieces) != inside:
        raise UsageError(f"{where} has a list that is not closed, or a comma too many", EXAMPLE)
    faults: list[str] = []
    settings = [_spellings(piece, faults) for piece in pieces]
    if faults:
        raise UsageError(f"{where}: {'; '.join(faults)}", EXAMPLE)
    return _Grid(match["arm"], tuple(settings))


def _spellings(piece: str, faults: list[str]) -> tuple[str, ...]:
    """Return `step=3`, `step=5`, … of `step=[3, 5]`; what has no list is left as it is."""
    match = _LIST.fullmatch(piece)
    if match is None:
        if "[" in piece:
            faults.append(f"{piece.strip()!r} is not spelled name=[value, …]")
        return (piece.strip(),)
    values: dict[str, None] = {}
    for part in match["values"].split(","):
        try:
            values.update(dict.fromkeys(_values(part.strip())))
        except ValueError as error:
            faults.append(f"{match['name']}: {error}")
    return tuple(f"{match['name']}={value}" for value in values)


def _values(part: str) -> list[str]:
    """Return the values of one part of a list; raises `ValueError` saying what is wrong with it."""
    if not part:
        raise ValueError("the list has an empty place")
    if ".." not in part:
        return [part]
    match = _RANGE.fullmatch(part)
    if match is None:
        raise ValueError(f"{part!r} is not a range such as 2400..4400:20")
    first, last = Decimal(match["first"]), Decimal(match["last"])
    step = Decimal(match["step"] or 1)
    if step <= 0 or last < first:
        raise ValueError(f"{part!r} does not go up: give the smaller end first, a step above 0")
    count = int((last - first) // step) + 1
    if count > MOST_SETTINGS:
        raise ValueError(f"{part!r} has {counted(count, 'value')}, more than {MOST_SETTINGS:,}")
    return [f"{first + place * step:f}" for place in range(count)]


def _check_size(count: int, what: str) -> None:
    if count > MOST_SETTINGS:
        raise UsageError(
            f"{what}: {counted(count, 'setting')}, more than {MOST_SETTINGS:,}",
            "Take larger steps (first..last:step), or sweep one setting after another.",
        )
