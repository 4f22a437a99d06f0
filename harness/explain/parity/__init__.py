"""Comparing selections exactly: with recorded ones, with a file's, with a run's."""

from .comparison import FIELDS, SelectionDiff, SelectionPart, compare
from .recorded import RankedPassage, RecordedSelection, RecordedSequence, TextByHash

__all__ = [
    "FIELDS",
    "RankedPassage",
    "RecordedSelection",
    "RecordedSequence",
    "SelectionDiff",
    "SelectionPart",
    "TextByHash",
    "compare",
]
