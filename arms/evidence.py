"""The arm `evidence`: what the published package does."""

from __future__ import annotations

from harness.model import Arm, Role, Roles

from .allocation.fusion import FUSED
from .allocation.settings import BUDGET_POINTS, RELEASE_PARAMETERS, evidence_policy

ARM = Arm(
    name="evidence",
    summary="the published package's evidence sequence: heads only, overlaps skipped",
    explanation="""\
As `2.6.5a1`, with what the release does: only the items' head records compete, a range that
overlaps a better-ranked one is skipped, so text only in it is never offered, and the three terms
are added left to right in double precision. Equal block vectors share a rank, where the release's
float32 product may tell them apart.

Excerpts take whatever room the passages left, also when passages were left out. A larger budget can
therefore lose an excerpt: this arm does not promise growth, and the harness counts what it
breaks.""",
    source="cpersona 2.6.5a1, reconstruct sequence `evidence`",
    policy=evidence_policy,
    parameters=RELEASE_PARAMETERS,
    default_points=BUDGET_POINTS,
    promises_growth=False,
    place=60,
    reads=FUSED,
    roles=Roles(points={Role.RANKING: {"budget": 2800}}),
)
