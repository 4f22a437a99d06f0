"""`exact` and `contains`: what is one answer in two spellings, and what is not."""

from __future__ import annotations

import inflect
import pytest
from kanjize import number2kanji

from harness.grading.graders import Answered, Grader, parse_grader


def right(grader: str, gold: str, response: str, **more: str) -> bool:
    chosen = parse_grader(grader)
    assert isinstance(chosen.grader, Grader)
    return chosen.grader.right(Answered("?", gold, response, **more), chosen.values)  # type: ignore[arg-type]


SAME = [
    ("three", "3"),
    ("The blue bike.", "blue bike"),
    ("Biscuit", "“BISCUIT”!"),
    ("twenty-three", "23"),
    ("one hundred and five", "105"),
    ("two thousand twenty-three", "2023"),
    ("nineteen hundred", "1,900"),
    ("a dozen", "12"),
    ("three and a half", "three and half"),
    ("1,500", "1500"),
    ("2.5 million", "2,500,000"),
    ("4.50", "4.5"),
    ("the twenty-first", "21st"),
    ("3rd", "third"),
    ("$1,500", "1500 dollars"),
    ("$5", "USD 5"),
    ("US$5", "5 USD"),
    ("€20", "20 euros"),
    ("£5", "5 pounds"),
    ("$3k", "$3,000"),
    ("$5", "5"),
    ("50%", "fifty percent"),
    ("5km", "5 km"),
    ("7 p.m.", "7pm"),
    ("don't", "dont"),
    ("May 30, 2023", "2023-05-30"),
    ("May 30, 2023", "30 May"),
    ("May 30, 2023", "2023/5/30"),
    ("30th of May, 2023", "May 30th 2023"),
    ("May the 5th", "5 may"),
    ("Sept. 1, 2022", "2022-09-01"),
    ("5/30/2023", "May 30, 2023"),
    ("30/5/2023", "May 30, 2023"),
    ("5/6/2023", "June 5, 2023"),  # either reading
    ("5/6/2023", "May 6, 2023"),
    ("the thirty-first of October", "31 October"),
    ("May 2023", "2023-05"),
    # Japanese
    ("２０２３", "2023"),
    ("2023年5月30日", "May 30, 2023"),
    ("二〇二三年五月三十日", "2023-05-30"),
    ("令和5年5月30日", "2023年5月30日"),
    ("平成元年1月8日", "1989-01-08"),
    ("5月30日", "5/30/2023"),
    ("2023年", "2023"),
    ("三匹", "3匹"),
    ("二十三人", "23人"),
    ("千五百円", "¥1,500"),
    ("１万２千円", "12,000円"),
    ("3億5000万", "350,000,000"),
    ("1.5万人", "15,000人"),
    ("三つ", "みっつ"),
    ("東京タワー", "「東京タワー」。"),
    ("ｶﾌｪ", "カフェ"),
]
OTHER = [
    ("3", "4"),
    ("3", "third"),
    ("15", "5"),
    ("5", "5.5"),
    ("-5", "5"),
    ("$5", "€5"),
    ("twenty, five", "25"),
    ("May 30, 2023", "May 30, 2022"),
    ("May 30, 2023", "May 31, 2023"),
    ("May 30, 2023", "June 30"),
    ("May 30, 2023", "May 2023"),
    ("13/5/2023", "5 January 2023"),
    ("三匹", "三重"),
    ("統一", "統1"),
    ("5月", "5か月"),
    ("5月", "5"),
    ("2023年", "2022年"),
    ("C++", "C"),
    ("A", "B"),
    ("", "3"),
]


@pytest.mark.parametrize(("gold", "response"), SAME)
def test_one_answer_in_two_spellings(gold: str, response: str) -> None:
    assert right("exact", gold, response)
    assert right("exact", response, gold)
    assert right("contains", gold, f"I am sure that it was {response}, since you told me.")


@pytest.mark.parametrize(("gold", "response"), OTHER)
def test_two_answers(gold: str, response: str) -> None:
    assert not right("exact", gold, response)
    assert not right("exact", response, gold)
    assert not right("contains", gold, response)


@pytest.mark.parametrize(
    ("gold", "response"),
    [
        ("The blue bike", "It was the blue bike that you bought."),
        ("Sara", "It was Sara's."),
        ("3", "You have three dogs and a cat."),
        ("猫", "私の猫は三匹です"),
        ("2023", "On May 30, 2023."),
        ("May", "On May 30, 2023."),
        ("May 2023", "On May 30, 2023."),
        ("the 30th", "On May 30, 2023."),
        ("May 30", "On 2023-05-30 at ten."),
        ("5月", "5月30日でした"),
    ],
)
def test_a_response_may_say_more(gold: str, response: str) -> None:
    assert right("contains", gold, response)
    assert not right("exact", gold, response)


@pytest.mark.parametrize(
    ("gold", "response"),
    [
        ("5", "It is 15 km or 5.5 miles"),
        ("30", "On May 30, 2023."),  # a number of something is not a day
        ("cat", "concatenate"),
        ("blue bike", "blue old bike"),
        ("5", "on 2023-05-06"),
        ("千", "千葉県"),
        ("カフェ", "ネットカフェテリア"),
    ],
)
def test_a_part_of_something_else_is_not_the_answer(gold: str, response: str) -> None:
    assert not right("contains", gold, response)


def test_symbols_alone_are_compared_as_they_are() -> None:
    assert right("exact", "♥", " ♥ ")
    assert right("contains", "♥", "with ♥")
    assert not right("contains", "♥", "with ♦")
    assert not right("contains", "", "anything")


@pytest.mark.parametrize("number", [*range(200), 999, 1000, 1001, 12_345, 1_002_003, 7_000_000])
def test_numbers_in_words_are_read_as_others_write_them(number: int) -> None:
    """Two oracles that are not ours."""
    words = inflect.engine()
    assert right("exact", str(number), str(words.number_to_words(number)))  # type: ignore[arg-type]
    assert right("exact", f"{number:,}円", f"{number2kanji(number)}円")
    if 0 < number < 100:
        ordinal = words.ordinal(number)  # type: ignore[arg-type]
        assert right("exact", ordinal, str(words.number_to_words(ordinal)))


@pytest.mark.parametrize("digits", ["9" * 5000, "9" * 5000 + "万", "九" * 5000, "0." + "1" * 5000])
def test_a_number_of_thousands_of_digits_is_a_text(digits: str) -> None:
    assert right("exact", digits, digits)
    assert right("contains", "3", f"three, and {digits}")
    assert not right("contains", "3", digits)


def test_answer_in_context_looks_at_the_context_alone() -> None:
    assert right("answer-in-context", "Biscuit", "no idea", context="[2023-05-30]\nmy dog Biscuit")
    assert not right("answer-in-context", "Biscuit", "Biscuit", context="my dog")
    assert not right("answer-in-context", "2023-05-30", "", context="[2023-05-30]\nmy dog")
