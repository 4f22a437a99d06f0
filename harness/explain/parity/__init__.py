"""Comparing selections exactly: with recorded ones, with a file's, with a run's."""

from .comparison import FIELDS, SelectionDiff, compare
from .fields import SelectionPart
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
