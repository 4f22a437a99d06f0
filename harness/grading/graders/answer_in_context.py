"""`answer-in-context`: the context holds the gold answer, whatever was answered.

A stand-in for a reader; it compares as `harness grades answer-in-context` does, which needs no
answers.
"""

from __future__ import annotations

from harness.model import Settings
from harness.trial.whole_tokens import normalised, occurs, without_header_dates

from .grader import Answered, Grader


def _right(answered: Answered, settings: Settings) -> bool:
    context = normalised(without_header_dates(answered.context or ""))
    return occurs(normalised(answered.gold), context)


GRADER = Grader(
    name="answer-in-context",
    version=1,
    about="the gold answer occurs in the context as whole tokens, whatever was answered",
    right=_right,
    reads_context=True,
)
