"""`exact`: the response says the gold answer and nothing else."""

from __future__ import annotations

from harness.model import Settings
from harness.trial.whole_tokens import normalised

from .grader import Answered, Grader
from .units import same, units_of


def _right(answered: Answered, settings: Settings) -> bool:
    gold, response = units_of(answered.gold), units_of(answered.response)
    if not gold:  # of symbols alone
        return normalised(answered.gold) == normalised(answered.response)
    return same(gold, response)


GRADER = Grader(
    name="exact",
    version=1,
    about="the response is the gold answer: case, punctuation, articles and the spelling of "
    "numbers, dates and amounts aside",
    right=_right,
)
