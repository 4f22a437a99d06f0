"""The arm `2.6.5a1`: evidence allocation as designed."""

from __future__ import annotations

from harness.model import Arm, Role, Roles

from .allocation.fusion import FUSED
from .allocation.settings import BUDGET_POINTS, DESIGN_PARAMETERS, evidence_policy

ARM = Arm(
    name="2.6.5a1",
    summary="passages of every record in one fused order, overlapping ones merged",
    explanation="""\
Every block of every record of every item offers the range that it governs. Ranges of a record that
share a character are merged, transitively; a merged passage over 800 characters keeps its first
800. A passage's rank inside its record is the best rank among its blocks, its cosine the best
cosine among them. A record of at most 800 characters is one passage, as are the first 800
characters of a longer one that does not divide; neither has a cosine.

Three ranks are fused by sums of 1 / (61 + rank): the item's place (a claim has its item's), the
rank inside the record, and the dense shared rank of the cosine over all passages. The sums are
exact, so ties do not depend on the interpreter; ties go to the better item, then to the earlier
start. The longest prefix within the budget is taken; the first passage always is.

A claim with a taken passage is shown as an excerpt of its item, with its ranges, and gets no other
excerpt. Excerpts of other claims come only after every passage.""",
    source="the 2.6.5 evidence allocation design; the release differs (see `evidence`)",
    policy=evidence_policy,
    parameters=DESIGN_PARAMETERS,
    default_points=BUDGET_POINTS,
    place=40,
    reads=FUSED,
    # the budget at which the design's test was registered
    roles=Roles(points={Role.REFERENCE: {"budget": 2800}}),
)
