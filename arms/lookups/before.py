"""The arm `lookup-before`: the expansion before its five parts were added."""

from __future__ import annotations

from harness.model import LOOKUP, Arm

from .policy import BUDGET_POINTS, BUDGET_TOKENS, LIMITS, expansion_policy

ARM = Arm(
    name="lookup-before",
    summary="rows expanded in table order under a budget for blocks alone",
    explanation="""\
Every row in table order: the section that it names, else the whole document; of a document of
`outline_threshold` bytes or more the sections that hold every word of the query, else its outline.
A block that does not fit is skipped silently, and a later, smaller one may still be printed.
The table and the notes are free.

A larger budget can print an early large block in place of later small ones, so this arm does not
promise growth. It is `lookup-budgeted` with all five parts off.""",
    source="demarkus 1530fecb",
    policy=expansion_policy,
    parameters=(BUDGET_TOKENS, *LIMITS),
    default_points=BUDGET_POINTS,
    promises_growth=False,
    accepts=(LOOKUP,),
    place=120,
)
