"""Why a point took, or did not take, each passage, candidate, record or row of one case."""

from .explain import explain_case
from .explanation import CandidateReason, Explanation, Kind, PassageReason, RecordReason, RowReason

__all__ = [
    "CandidateReason",
    "Explanation",
    "Kind",
    "PassageReason",
    "RecordReason",
    "RowReason",
    "explain_case",
]
