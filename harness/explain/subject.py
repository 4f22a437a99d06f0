"""What is explained: a selection with the case and the point that it is of."""

from __future__ import annotations

from dataclasses import dataclass

from harness.model import Case, CaseView, Expansion, ItemQuote, Positions, Quote, Selection
from harness.points import Point


@dataclass(frozen=True, slots=True, eq=False)
class ExplainedSelection:
    """A selection, and where it comes from."""

    case: Case
    view: CaseView
    records: Positions
    point: Point
    selection: Selection

    @property
    def unit(self) -> str:
        """Unit of the budget, as words."""
        return (self.selection.budget_unit or "units").replace("_", " ")

    @property
    def expansion(self) -> Expansion:
        """What a lookup printed; empty where the selection has none."""
        return self.selection.expansion or Expansion()

    def record_id(self, position: int) -> str:
        return self.records[position].record_id

    def length(self, position: int) -> int:
        """Return code points of a record's text."""
        return len(self.records[position].text)


def quotes_by_place(selection: Selection) -> dict[tuple[int, int], Quote]:
    """Return what is quoted, by place in the window and position of the record."""
    return {
        (item.item, quote.record): quote
        for item in selection.items
        for quote in _quotes(item)
        if quote.ranges
    }


def _quotes(item: ItemQuote) -> tuple[Quote, ...]:
    return (item.head, *item.excerpts)
