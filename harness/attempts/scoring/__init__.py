"""Scoring recorded attempts of readers: values, citations, evidence, abstention.

The rules are in `docs/comparing.md`.
"""

from .attempts import Attempt, Call, Score, Trace, Usage
from .citations import NearMiss
from .scoring import SCORING_VERSION, ScoredAttempt, score_attempt, scoring_version

__all__ = [
    "SCORING_VERSION",
    "Attempt",
    "Call",
    "NearMiss",
    "Score",
    "ScoredAttempt",
    "Trace",
    "Usage",
    "score_attempt",
    "scoring_version",
]
