"""What has to be said of grades wherever a number of theirs is shown: on a terminal, on a page, in
CSV and in JSON."""

from __future__ import annotations

from collections.abc import Iterator

from harness.words import counted

from .grade import STAND_IN_READER
from .grades import Grades

NOBODY_ANSWERED = f"no reader answered ({STAND_IN_READER})"
EXPLORATORY = "exploratory: graded without a registration"

_UNGRADED = ("missing", "duplicate", "error")


def caveats_of(grades: Grades, pass_number: int) -> Iterator[str]:
    """Yield what keeps the outcomes of a pass from being what they look like: nobody read the
    contexts, no registration came first, questions are not graded."""
    if grades.reader == STAND_IN_READER:
        yield NOBODY_ANSWERED
    if grades.exploratory:
        yield EXPLORATORY
    counts = grades.counts_of(pass_number)
    lacking = [f"{number} {name}" for name in _UNGRADED if (number := getattr(counts, name))]
    if lacking:
        ungraded = counts.missing + counts.duplicate + counts.error
        whole = counted(counts.expected, "question")
        yield f"{ungraded:,} of {whole} not graded: {', '.join(lacking)}"
