"""The arm `2.6.5a2`: evidence allocation rearranged by coverage of the question's parts."""

from __future__ import annotations

from dataclasses import replace

from harness.model import Arm

from .allocation.fusion import FUSED
from .allocation.settings import (
    BUDGET_POINTS,
    DESIGN_PARAMETERS,
    KEEP_FIRST,
    PARTS,
    START,
    STEP,
    evidence_policy,
)

ARM = Arm(
    name="2.6.5a2",
    summary="`2.6.5a1` rearranged so that parts of the question are covered sooner",
    explanation="""\
From the order of `2.6.5a1`, with places p: the first passage stays; then each remaining passage has
the key p - step if it holds a part that no placed passage holds, p + step if it holds parts and all
are held already, else p. Passages of the first `keep_first` records in item order are never moved
down. The smallest key is placed next, ties to the smaller p.

Parts are words of the question: identifiers, and runs of katakana or of kanji, NFKC-normalised and
lower-cased, looked for as plain substrings of the equally normalised passage. `parts=rare-words`
leaves out stop words and words that more than max(1, floor(0.25 × records)) records of the window
hold; `parts=ledger` keeps all. The trace names the parts that each passage holds.""",
    source="the 2.6.5 coverage design and its registration; never released",
    policy=evidence_policy,
    parameters=(
        *DESIGN_PARAMETERS,
        replace(START, default="2.6.5a1"),
        replace(PARTS, default="rare-words"),
        replace(STEP, default=5),
        replace(KEEP_FIRST, default=2),
    ),
    default_points=BUDGET_POINTS,
    place=50,
    reads=FUSED,
)
