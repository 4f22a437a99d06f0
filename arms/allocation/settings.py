"""The parameters that the evidence arms share, declared once, and the policy that they make."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from harness.model import Parameter, Settings, Value

from ..quoting.budget import BUDGET
from .candidates import CandidateRecords, Overlap
from .evidence import CoverageRule, EvidenceOrdering, EvidencePolicy, Excerpts
from .fusion import Summation
from .parts import Parts

CANDIDATES = Parameter(
    name="candidates",
    meaning="whose blocks compete: the heads' alone, or those of every record of every item",
    kind=str,
    choices=("heads", "all-records"),
)
OVERLAP = Parameter(
    name="overlap",
    meaning="what happens to ranges of a record that share a character",
    kind=str,
    choices=("skip", "merge"),
)
SUMMATION = Parameter(
    name="summation",
    meaning="how the three reciprocal ranks are added: exactly (fsum), or left to right",
    kind=str,
    choices=("exact", "sequential"),
)
EXCERPTS = Parameter(
    name="excerpts",
    meaning="when other records are excerpted: only after all passages, or in leftover room",
    kind=str,
    choices=("after-all", "leftover"),
)
START = Parameter(
    name="start",
    meaning="the order that coverage rearranges; whole: whole short records come first",
    kind=str,
    choices=("2.6.5a1", "whole"),
)
PARTS = Parameter(
    name="parts",
    meaning="which words of the question count as parts",
    kind=str,
    choices=("ledger", "rare-words"),
)
STEP = Parameter(
    name="step", meaning="by how many places coverage moves a passage", minimum=0, maximum=1000
)
KEEP_FIRST = Parameter(
    name="keep_first",
    meaning="passages of this many records, in item order, are never moved down",
    minimum=0,
    maximum=1000,
)
BUDGETS = (2000, 2400, 2800, 3200, 3600, 4000)
BUDGET_POINTS: tuple[dict[str, Value], ...] = tuple({"budget": budget} for budget in BUDGETS)


def evidence_parameters(
    *, candidates: CandidateRecords, overlap: Overlap, summation: Summation, excerpts: Excerpts
) -> tuple[Parameter, ...]:
    """Return the shared parameters with an arm's own defaults."""
    return (
        BUDGET,
        replace(CANDIDATES, default=candidates),
        replace(OVERLAP, default=overlap),
        replace(SUMMATION, default=summation),
        replace(EXCERPTS, default=excerpts),
    )


DESIGN_PARAMETERS = evidence_parameters(
    candidates="all-records", overlap="merge", summation="exact", excerpts="after-all"
)
RELEASE_PARAMETERS = evidence_parameters(
    candidates="heads", overlap="skip", summation="sequential", excerpts="leftover"
)


def evidence_policy(settings: Settings, *, whole_first: bool = False) -> EvidencePolicy:
    """Return the policy of an arm's settings; `start`, `parts`, `step` and `keep_first` if it has
    them."""
    coverage = None
    if "parts" in settings:
        coverage = CoverageRule(
            parts=cast(Parts, settings["parts"]),
            step=int(settings["step"]),
            keep_first=int(settings["keep_first"]),
        )
        whole_first = settings["start"] == "whole"
    ordering = EvidenceOrdering(
        candidates=cast(CandidateRecords, settings["candidates"]),
        overlap=cast(Overlap, settings["overlap"]),
        summation=cast(Summation, settings["summation"]),
        start="whole" if whole_first else "fused",
        coverage=coverage,
    )
    return EvidencePolicy(ordering, int(settings["budget"]), cast(Excerpts, settings["excerpts"]))
