"""Tables as data: columns with kinds, and rows of values. Looks are for `printing`.

A table is declared once and printed on a terminal, on a page, as CSV and as JSON. Its rows hold
everything under the keys that CSV and JSON print, which are a promise; its columns say what people
see of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from harness.words import Kind, Text

Row = Any
"""A mapping by key, or a dataclass whose fields are the keys."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `key` names the value in a row, and in CSV and JSON.

    The printed heading ends with `per` what (`"lookup"`) and the unit of the kind, if `has_unit`:
    words above the table may say it once for all columns. A heading may be `Code`. `cell` makes the
    value that people see of a row, where that is more than the value at `key`: a difference with
    its limits, a count with what it is a part of. `width` is where a terminal breaks long text, and
    an `optional` column is left out where the terminal is narrow.
    """

    key: str
    heading: str
    kind: Kind = Kind.TEXT
    per: str | None = None
    cell: Callable[[Row], Any] | None = None
    width: int | None = None
    has_unit: bool = True
    optional: bool = False

    @property
    def title(self) -> str:
        """`est. tokens per lookup`, `difference (points)`."""
        per = f" per {self.per}" if self.per else ""
        unit = f" ({self.kind.unit})" if self.kind.unit and self.has_unit else ""
        return f"{self.heading}{per}{unit}" if per or unit else self.heading

    def of(self, row: Row) -> Any:
        """Return the value that people see in this column of `row`; None where the row has none."""
        if self.cell is not None:
            return self.cell(row)
        return row.get(self.key) if isinstance(row, Mapping) else getattr(row, self.key, None)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values under columns; `title` and `notes` are sentences above and below.

    `before` are rows for people alone, such as the number of questions that enter each column.
    """

    columns: Sequence[Column]
    rows: Sequence[Row]
    title: Text = ""
    notes: tuple[Text, ...] = ()
    before: Sequence[Mapping[str, Any]] = ()

    @property
    def values(self) -> list[dict[str, Any]]:
        """Every row by key, as CSV and JSON have it."""
        return [row_values(row) for row in self.rows]

    @property
    def cells(self) -> list[list[Any]]:
        """What people see: the rows before the others, then every row, by column."""
        first = [[row.get(column.key, "") for column in self.columns] for row in self.before]
        return first + [[column.of(row) for column in self.columns] for row in self.rows]


def row_values(row: Row) -> dict[str, Any]:
    """Return a row by key, with unchanged values."""
    if isinstance(row, Mapping):
        return dict(row)
    return {field.name: getattr(row, field.name) for field in fields(row)}


@dataclass(frozen=True, slots=True)
class WithLimits:
    """A difference with the limits of its interval at `level`; None where there is none.

    The limits of an interval that misleads, a `doubtful` one, are not printed for people: a mark is
    in their place, and what is around the table says why.
    """

    difference: float | None
    lower: float | None
    upper: float | None
    level: float | None = None
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of an interval or a band."""

    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class PartOf:
    """A count of a whole; `share` asks for its percentage beside it, in place of the whole."""

    count: int
    whole: int
    share: bool = False


@dataclass(frozen=True, slots=True)
class MeanOf:
    """A mean with its own number of questions, where that differs from row to row."""

    value: float | None
    scored: int


@dataclass(frozen=True, slots=True)
class WithChange:
    """A value and by how much it differs from another one."""

    value: float | None
    difference: float | None


@dataclass(frozen=True, slots=True)
class OfKind:
    """A value whose kind is not its column's: in a table with a row per metric."""

    value: Any
    kind: Kind


def with_limits(
    difference: str = "difference", lower: str = "lower", upper: str = "upper"
) -> Callable[[Mapping[str, Any]], WithLimits | None]:
    """Return the cell of a difference whose limits stand under keys of their own; None where the
    row has no difference."""

    def cell(row: Mapping[str, Any]) -> WithLimits | None:
        value = row[difference]
        return None if value is None else WithLimits(value, row[lower], row[upper])

    return cell


def count_of(
    count: str, whole: str, *, share: bool = False
) -> Callable[[Mapping[str, Any]], PartOf]:
    """Return the cell of a count of a whole, both under keys of their own."""
    return lambda row: PartOf(row[count], row[whole], share)
