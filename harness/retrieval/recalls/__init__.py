"""Recalls: which records of a haystack a case's window holds, and in which order.

A recall is a plug-in, found through the entry-point group `harness.recalls`. It is given texts
only, and is named in every result, because a better recall changes what selection can gain.
"""

from .protocol import Place, Recall, RecordTexts, UserTurnVectors
from .registry import load_recall, recall_names

__all__ = [
    "Place",
    "Recall",
    "RecordTexts",
    "UserTurnVectors",
    "load_recall",
    "recall_names",
]
