"""A complete example of `harness.case/1`: what to write for one's own system, with every key."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from harness.model import (
    Case,
    EvidenceSpan,
    Gold,
    Item,
    Query,
    RecallPlace,
    Record,
)

from .case_writer import case_object
from .dividing import divided

_KETTLE = "user: I lent the kettle to Ana. It is blue.\n\nassistant: Noted."
_RETURNED = "user: Ana brought the kettle back; it is in the shed now."
_RAIN = "user: It rained all day."


def example_case() -> Case:
    """Return the case: three records, one of them a claim, vectors of four dimensions, labels."""
    evidence = EvidenceSpan("r2", len("user: "), len(_RETURNED), "user")
    return Case(
        case_id="kettle-1",
        category="knowledge-update",
        query=Query("Where is the kettle?", "2026-05-03", _floats(0.5, -0.25, 0.125, 0.75)),
        records=(
            _record("r1", "s1", "2026-05-01T10:00:00", _KETTLE, [(9, -4, 2, 12), (3, 3, -7, 1)]),
            _record("r2", "s2", "2026-05-02T18:30:00", _RETURNED, [(8, -3, 1, 11)]),
            _record("r3", "s3", "2026-05-02T20:00:00", _RAIN, [(-5, 9, 0, 2)]),
        ),
        items=(
            Item("r1", claims=("r2",), recall=RecallPlace(0, 4.5)),
            Item("r3", reserved=True, recall=RecallPlace(1, 0.75)),
        ),
        gold=Gold("in the shed", sessions=("s2",), evidence=(evidence,)),
    )


def example_line() -> str:
    """Return the case as a line of a file of cases."""
    return json.dumps(case_object(example_case()), ensure_ascii=False) + "\n"


def _record(
    record_id: str, session_id: str, time: str, text: str, vectors: Sequence[Sequence[int]]
) -> Record:
    blocks = divided(text)
    chosen = [vectors[place % len(vectors)] for place in range(len(blocks))]
    return Record(
        record_id,
        text,
        time,
        session_id,
        {"channel": "chat"},
        replace(blocks, vectors=np.array(chosen, dtype=np.int8)),
    )


def _floats(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array(values, dtype=np.float32)
