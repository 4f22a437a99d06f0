"""What is explained: a selection with the case and the point that it is of.

Beside it stands the smallest larger setting at which its arm shows something that it does not show
now.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from harness.model import (
    Case,
    CaseView,
    Expansion,
    ItemQuote,
    Parameter,
    Positions,
    Quote,
    Selection,
    Value,
)
from harness.points import Point, load_arm, make_point


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


Shows = Callable[[Selection], bool]


class LargerSettings:
    """Selections of one case at larger settings of one point; each is made once.

    Only for arms that promise growth: there, what a setting shows every larger one shows too, so
    the smallest that does is found by halving.
    """

    def __init__(self, subject: ExplainedSelection) -> None:
        self._subject = subject
        self._arm = load_arm(subject.point.arm)
        self._parameters = tuple(
            parameter for parameter in self._arm.parameters if _grows(parameter)
        )
        self._selection = cache(self._select)

    def that_show(self, shows: Shows) -> tuple[str, ...]:
        """Return `name=value` for each growing parameter of which some value is enough by
        itself."""
        if not self._arm.promises_growth:
            return ()
        settings = [
            (parameter.name, self._smallest(parameter, shows)) for parameter in self._parameters
        ]
        return tuple(f"{name}={value}" for name, value in settings if value is not None)

    def _smallest(self, parameter: Parameter, shows: Shows) -> int | None:
        not_enough = self._current(parameter)
        if parameter.maximum is None or not_enough is None:
            return None
        enough = int(parameter.maximum)
        if not_enough >= enough or not shows(self._selection(parameter.name, enough)):
            return None
        while enough - not_enough > 1:
            middle = (enough + not_enough) // 2
            if shows(self._selection(parameter.name, middle)):
                enough = middle
            else:
                not_enough = middle
        return enough

    def _current(self, parameter: Parameter) -> int | None:
        """Return the value now; for a word that stands for a budget, the budget."""
        value = self._subject.point.settings[parameter.name]
        if isinstance(value, int):
            return value
        budget = self._subject.selection.budget
        same_unit = parameter.unit == self._subject.selection.budget_unit
        return budget if same_unit else None

    def _select(self, name: str, value: int) -> Selection:
        settings: dict[str, Value] = {**self._subject.point.settings, name: value}
        return make_point(self._arm, settings).policy.select(self._subject.view)


def _grows(parameter: Parameter) -> bool:
    return parameter.grows and parameter.kind is int
