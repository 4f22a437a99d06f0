"""What a policy may see of a case.

The types have no id, category, label or file order: a record is known by its position, counted in
order of first appearance in the window. `Positions` leads back from a position to the record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from .case import BlockSet, Case, Query, Record
from .json_value import Json
from .lookup import Lookup


@dataclass(frozen=True, slots=True, eq=False)
class RecordView:
    """A record as a policy sees it; `blocks` is None when it has no current block set."""

    text: str
    timestamp: str | None
    metadata: Mapping[str, Json]
    blocks: BlockSet | None


@dataclass(frozen=True, slots=True)
class ItemView:
    """One place of the window: positions of its head and of its claims, most relevant first."""

    head: int
    claims: tuple[int, ...]
    reserved: bool

    @property
    def records(self) -> tuple[int, ...]:
        """Head, then the claims."""
        return (self.head, *self.claims)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class CaseView:
    """The query, the window's records by position, and the items in recall order, best first.

    `lookup` is what was printed, and what can be fetched, for a recorded first lookup. Compared by
    identity, so that work on one case can be remembered for as long as it is alive.
    """

    query: Query
    records: tuple[RecordView, ...]
    items: tuple[ItemView, ...]
    lookup: Lookup | None = None


@dataclass(frozen=True, slots=True)
class Positions:
    """The case's records in the order of the positions that its view uses.

    After the window's records come, for a lookup, the further documents that it can fetch.
    """

    records: tuple[Record, ...]

    def __getitem__(self, position: int) -> Record:
        return self.records[position]


def view_of(case: Case) -> tuple[CaseView, Positions]:
    """Return the policy's view of `case`, and the way back from positions to records."""
    by_id = {record.record_id: record for record in case.records}
    position_of: dict[str, int] = {}
    items = []
    for item in case.items:
        for record_id in (item.head, *item.claims):
            position_of.setdefault(record_id, len(position_of))
        claims = tuple(position_of[claim] for claim in item.claims)
        items.append(ItemView(position_of[item.head], claims, item.reserved))
    records = tuple(by_id[record_id] for record_id in position_of)
    views = tuple(
        RecordView(record.text, record.timestamp, record.metadata, record.blocks)
        for record in records
    )
    further: tuple[Record, ...] = ()
    if case.lookup is not None:
        further = tuple(record for record in case.records if record.record_id not in position_of)
    view = CaseView(case.query, views, tuple(items), case.lookup)
    _CASE_IDS[view] = case.case_id
    return view, Positions(records + further)


_CASE_IDS: WeakKeyDictionary[CaseView, str] = WeakKeyDictionary()
"""Beside the views, not in them: an id may say where the answer is."""


def case_id_of(view: CaseView) -> str:
    """Return the id of the case that a view is of, for messages alone."""
    return _CASE_IDS.get(view, "")
