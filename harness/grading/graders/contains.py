"""`contains`: the response says the gold answer somewhere, whatever else it says.

A response that names several answers, or denies the right one, counts as right too, and a gold
answer in other words as wrong: for these a judge is needed.
"""

from __future__ import annotations

from harness.model import Settings
from harness.trial.whole_tokens import normalised

from .grader import Answered, Grader
from .units import holds, units_of


def _right(answered: Answered, settings: Settings) -> bool:
    gold = units_of(answered.gold)
    if not gold:  # of symbols alone
        wanted = normalised(answered.gold)
        return wanted != "" and wanted in normalised(answered.response)
    return holds(units_of(answered.response), gold)


GRADER = Grader(
    name="contains",
    version=1,
    about="the response says the gold answer somewhere, compared as by exact",
    right=_right,
)
