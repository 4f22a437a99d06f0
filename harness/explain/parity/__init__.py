"""Comparing selections exactly: with recorded ones, with a file's, with a run's."""

from .comparison import FIELDS, Comparison, compare
from .fields import Parting
from .recorded import Content, RankedPassage, RecordedSelection, RecordedSequence

__all__ = [
    "FIELDS",
    "Comparison",
    "Content",
    "Parting",
    "RankedPassage",
    "RecordedSelection",
    "RecordedSequence",
    "compare",
]
