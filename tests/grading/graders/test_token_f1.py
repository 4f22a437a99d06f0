"""`token-f1`, computed by hand, and against its definition."""

from __future__ import annotations

import re
import string
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.grading.graders import Answered, Grader, parse_grader
from harness.grading.graders.token_f1 import f1


@pytest.mark.parametrize(
    ("gold", "response", "wanted"),
    [
        ("the blue bike", "a blue bike", Fraction(1)),
        # 2 of 2 and 2 of 5: P 2/5, R 1, F1 4/7
        ("blue bike", "It was the blue bike, yes", Fraction(4, 7)),
        # a token counts as often as on both sides: 1 of 2, 1 of 1
        ("blue", "blue blue", Fraction(2, 3)),
        ("red", "blue", Fraction(0)),
        ("", "", Fraction(1)),
        ("the", "a", Fraction(1)),  # no token on either side
        ("", "blue", Fraction(0)),
        ("twenty-three", "twentythree", Fraction(1)),  # punctuation is deleted, not a space
        # by character: 猫 が 三 匹 against 三 匹: P 1, R 1/2, F1 2/3
        ("猫が三匹", "三匹", Fraction(2, 3)),
        ("カフェ", "カフ", Fraction(4, 5)),
        ("ＡＢＣ", "abc", Fraction(1)),
    ],
)
def test_by_hand(gold: str, response: str, wanted: Fraction) -> None:
    assert f1(gold, response) == wanted


def by_the_script(gold: str, response: str) -> float:
    """F1 as SQuAD's definition has it, for texts of ASCII."""

    def tokens(text: str) -> list[str]:
        plain = "".join(each for each in text.lower() if each not in string.punctuation)
        return re.sub(r"\b(a|an|the)\b", " ", plain).split()

    wanted, shown = tokens(gold), tokens(response)
    shared = sum((Counter(wanted) & Counter(shown)).values())
    if not wanted or not shown:
        return float(wanted == shown)
    if shared == 0:
        return 0.0
    precision, recall = shared / len(shown), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)


words = st.lists(st.sampled_from(["a", "The", "dog", "dog's", "5", "5.5", "-", "no!", "$3"]))


@given(gold=words, response=words)
def test_against_the_definition(gold: list[str], response: list[str]) -> None:
    one, other = " ".join(gold), " ".join(response)
    assert float(f1(one, other)) == pytest.approx(by_the_script(one, other), abs=1e-12)


@pytest.mark.parametrize(("threshold", "right"), [("0.57", True), ("0.58", False), ("1", False)])
def test_the_threshold_is_what_counts_as_right(threshold: str, right: bool) -> None:
    chosen = parse_grader(f"token-f1(threshold={threshold})")  # 4/7 is 0.5714…
    assert isinstance(chosen.grader, Grader)
    answered = Answered("?", "blue bike", "It was the blue bike, yes")
    assert chosen.grader.right(answered, chosen.values) is right


def test_a_threshold_is_met_exactly() -> None:
    """F1 2/3 … and 3/5: 0.6 as a binary fraction is not 3/5."""
    chosen = parse_grader("token-f1(threshold=0.6)")
    assert isinstance(chosen.grader, Grader)
    assert f1("x y z", "x y z p q r s") == Fraction(3, 5)
    assert chosen.grader.right(Answered("?", "x y z", "x y z p q r s"), chosen.values)
