"""Cases and policies for the tests of the arm."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arms.sea.arm import ARM
from harness.model import (
    BlockSet,
    Case,
    CaseView,
    Item,
    Policy,
    Query,
    Record,
    Selection,
    Value,
    view_of,
)


def policy(**given: Value) -> Policy:
    """The arm's policy, other settings at their defaults."""
    defaults = {one.name: one.default for one in ARM.parameters if one.default is not None}
    return ARM.policy({**defaults, **given})


def view(
    query: str | Query, records: Sequence[Record], heads: Sequence[str] | None = None
) -> CaseView:
    """A case with one item for each record, in order, or for each of the `heads`."""
    asked = Query(query) if isinstance(query, str) else query
    named = [record.record_id for record in records] if heads is None else heads
    case = Case("one", asked, tuple(records), tuple(Item(head) for head in named))
    return view_of(case)[0]


def chosen(query: str | Query, records: Sequence[Record], **given: Value) -> Selection:
    """What the arm selects among the records."""
    return policy(**given).select(view(query, records))


def vectors(*rows: Sequence[int] | None) -> BlockSet:
    """Blocks of one character each; None for one without a vector."""
    count = len(rows)
    width = max((len(row) for row in rows if row is not None), default=0)
    table = [[0] * width if row is None else list(row) for row in rows]
    return BlockSet(
        np.arange(count, dtype=np.int32),
        np.arange(1, count + 1, dtype=np.int32),
        np.array(table, np.int8) if width else None,
        frozenset(place for place, row in enumerate(rows) if row is None),
    )
