"""The arm `lookup-table`: the printed table, not expanded."""

from __future__ import annotations

from harness.model import LOOKUP, Arm

from .policy import TablePolicy

ARM = Arm(
    name="lookup-table",
    summary="the table that the lookup printed, and nothing after it",
    explanation="What a lookup without a budget gives. It quotes nothing of any document.",
    source="demarkus, mark_lookup without a budget",
    policy=lambda settings: TablePolicy(),
    accepts=(LOOKUP,),
    place=110,
)
