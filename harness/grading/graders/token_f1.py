"""`token-f1`: the response and the gold answer share enough tokens.

    precision = shared / tokens of the response,  recall = shared / tokens of the gold answer,
    F1 = 2 precision recall / (precision + recall)

with tokens counted as often as they occur; where one side has no token, 1 if neither has, else 0.
Source: Rajpurkar, Zhang, Lopyrev and Liang (2016), SQuAD, EMNLP, section 6.1, and the evaluation
script of version 2.0: lower case, punctuation deleted, articles deleted, split at white space.

Where ours deviates: NFKC first, and punctuation of every script. Japanese has no spaces, so an
ideograph and a kana letter are a token each, as in So, Byun, Kang and Cho (2022), JaQuAD,
arXiv:2202.01764, which computes F1 by character.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from fractions import Fraction

from harness.model import Parameter, Settings
from harness.statistics.exact_number import exact_number
from harness.trial.whole_tokens import normalised

from .grader import Answered, Grader
from .units import ARTICLES

_ALONE = re.compile(
    r"[\u3005\u3007\u3041-\u309f\u30a1-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
)


def f1(gold: str, response: str) -> Fraction:
    """Compute F1 of two texts, exactly."""
    wanted, given = Counter(_tokens(gold)), Counter(_tokens(response))
    if not wanted or not given:
        return Fraction(int(wanted == given))
    return Fraction(2 * (wanted & given).total(), wanted.total() + given.total())


def _tokens(text: str) -> list[str]:
    kept = "".join(
        character
        for character in _ALONE.sub(r" \g<0> ", normalised(text))
        if not unicodedata.category(character).startswith("P") and character not in "$+<=>^`|~"
    )
    return [token for token in kept.split() if token not in ARTICLES]


def _right(answered: Answered, settings: Settings) -> bool:
    return f1(answered.gold, answered.response) >= exact_number(str(settings["threshold"]))


GRADER = Grader(
    name="token-f1",
    version=1,
    about="F1 of the tokens of response and gold answer is at least the threshold (SQuAD; Japanese "
    "by character)",
    right=_right,
    settings=(
        Parameter(
            "threshold",
            "least F1 of a right answer",
            kind=float,
            default=0.5,
            minimum=0.0,
            maximum=1.0,
        ),
    ),
)
