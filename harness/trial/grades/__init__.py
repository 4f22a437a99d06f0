"""Grades: whether a reader's answer to each question at a point was right, and where that verdict
came from. Outcomes are kept apart from everything else, behind one door (`Grades.outcomes`)."""

from .grade import (
    Clearance,
    Counts,
    Grade,
    GradeSource,
    Outcome,
    RegistrationReference,
    Status,
    TokenTotals,
    count_grades,
)
from .grades import Grades

__all__ = [
    "Clearance",
    "Counts",
    "Grade",
    "GradeSource",
    "Grades",
    "Outcome",
    "RegistrationReference",
    "Status",
    "TokenTotals",
    "count_grades",
]
