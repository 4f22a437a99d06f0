"""The arm `lookup-budgeted`: the expansion with its five parts."""

from __future__ import annotations

from harness.model import LOOKUP, Arm, Parts, Roles

from .policy import BUDGET_POINTS, BUDGET_TOKENS, LIMITS, PARTS, expansion_policy

ARM = Arm(
    name="lookup-budgeted",
    summary="a budget for the whole result, nothing printed twice, pinned documents, one hop",
    explanation="""\
As `lookup-before`, with five parts, each of which can be switched off:
`whole_result`: the budget covers the table too, and notes are charged, though never refused;
`coalesce`: a row that an earlier block holds, or that holds one, is a note, and a text that is
printed elsewhere is a stub that names the place;
`pin`: a whole document is printed under its first heading's anchor where that is its title;
`hop`: after a row's block its document's relations are printed on one line, and those of the first
document that printed are followed one step, `hop_predicates` first, within the scope and on the
same authority;
`omissions`: what did not fit is named at the end.

The relation line is charged and refused like a block, and no hop follows a line that was refused.
A larger budget can print an early large block in place of later small ones, so this arm does not
promise growth.""",
    source="demarkus 214fc889 and the merged behaviour of its relation lines",
    policy=expansion_policy,
    parameters=(BUDGET_TOKENS, *PARTS, *LIMITS),
    default_points=BUDGET_POINTS,
    promises_growth=False,
    accepts=(LOOKUP,),
    place=130,
    roles=Roles(
        parts=Parts(
            off={
                "whole_result": False,
                "coalesce": False,
                "pin": False,
                "hop": "none",
                "omissions": False,
            },
            without="lookup-before",
        )
    ),
)
