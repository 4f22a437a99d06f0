"""Why a point took, or did not take, each passage, candidate, record or row of one case."""

from .explain import explain_case
from .explanation import (
    CandidateReason,
    Explanation,
    PassageReason,
    RecordReason,
    RowKind,
    RowReason,
)

__all__ = [
    "CandidateReason",
    "Explanation",
    "PassageReason",
    "RecordReason",
    "RowKind",
    "RowReason",
    "explain_case",
]
