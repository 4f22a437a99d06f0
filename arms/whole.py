"""The arm `whole`: the published package's `evidence` with whole short records first."""

from __future__ import annotations

from harness.model import Arm, Settings

from .allocation.evidence import EvidencePolicy
from .allocation.fusion import FUSED
from .allocation.settings import BUDGET_POINTS, RELEASE_PARAMETERS, evidence_policy


def _policy(settings: Settings) -> EvidencePolicy:
    return evidence_policy(settings, whole_first=True)


ARM = Arm(
    name="whole",
    summary="the published package's whole sequence: short heads first, then `evidence`",
    explanation="""\
Head records of at most 800 characters open the sequence in item order; all other passages follow in
the order of `evidence`. Cut and excerpts as in `evidence`, so this arm does not promise growth
either.""",
    source="cpersona 2.6.5a3, reconstruct sequence `whole`",
    policy=_policy,
    parameters=RELEASE_PARAMETERS,
    default_points=BUDGET_POINTS,
    promises_growth=False,
    place=70,
    reads=FUSED,
)
