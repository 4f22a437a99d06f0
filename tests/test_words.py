"""How numbers and marked sentences are spelled."""

from __future__ import annotations

import pytest

from harness.evidence import METRICS
from harness.words import (
    Code,
    Emphasis,
    Kind,
    Link,
    Strong,
    counted,
    kind_of_unit,
    limits,
    markdown_of,
    number,
    percent,
    plain_of,
    points,
)


@pytest.mark.parametrize(
    ("value", "share", "tokens", "ratio"),
    [
        (0.9615, "96.2", "1.0", "0.96"),
        (1531.42, "153,142.0", "1,531.4", "1,531.42"),
        (0.0, "0.0", "0.0", "0.00"),
        (None, "–", "–", "–"),
    ],
)
def test_a_value(value: float | None, share: str, tokens: str, ratio: str) -> None:
    kinds = (Kind.SHARE, Kind.TOKENS, Kind.RATIO)
    assert [number(value, kind) for kind in kinds] == [share, tokens, ratio]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.019, "+1.9"), (-0.012, "−1.2"), (0.0, "0.0"), (-0.0004, "0.0"), (0.0004, "0.0")],
)
def test_a_difference_has_a_sign_unless_it_rounds_to_zero(value: float, text: str) -> None:
    assert number(value, Kind.SHARE_POINTS) == text


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind.numeric])
@pytest.mark.parametrize("value", [-1234.5, -0.00001, 0.0, 12.0])
def test_no_number_has_a_hyphen(kind: Kind, value: float) -> None:
    if kind is not Kind.NUMBER:
        assert "-" not in number(value, kind)


def test_a_difference_of_accuracies_shows_one_question_of_400() -> None:
    assert [points(value) for value in (0.0025, -0.0125, 0.0, None)] == [
        "+0.25",
        "−1.25",
        "0.00",
        "–",
    ]


def test_a_very_small_p_is_not_zero() -> None:
    assert [number(p, Kind.P) for p in (0.02136, 0.00001, 1.0)] == ["0.0214", "< 0.0001", "1.0000"]


def test_other_numbers() -> None:
    assert [number(share, Kind.RELATIVE) for share in (1.133, -0.0001)] == ["+113.3", "0.0"]
    assert limits(-0.012, 0.05, Kind.SHARE_POINTS) == "(−1.2, +5.0)"
    assert limits(None, 0.05, Kind.SHARE_POINTS) == "–"
    assert [percent(0.95), percent(0.975), percent(-0.02)] == ["95 %", "97.5 %", "−2 %"]
    assert [counted(1, "question"), counted(1021, "question")] == ["1 question", "1,021 questions"]


def test_every_kind_of_a_metric_follows_from_its_unit() -> None:
    assert {metric.unit.split()[0]: kind_of_unit(metric.unit) for metric in METRICS} == {
        "fraction": Kind.SHARE,
        "sessions": Kind.RATIO,
        "place": Kind.RATIO,
        "tokens": Kind.TOKENS,
    }


def test_a_difference_has_the_decimals_of_its_values() -> None:
    for kind in Kind:
        assert kind.of_change.value.decimals == kind.value.decimals
        assert kind.of_change.value.scale == kind.value.scale


def test_a_sentence_has_its_marks_in_markdown_alone() -> None:
    sentence = ("Stamp: ", Strong("repeat"), " of ", Code("a`b"), ", ", Emphasis("so"), ".")
    assert markdown_of(sentence) == "Stamp: **repeat** of ``a`b``, *so*."
    assert plain_of(sentence) == "Stamp: repeat of a`b, so."
    link = Link(Code("items"), "items/README.md")
    assert markdown_of(link) == "[`items`](items/README.md)"
    assert plain_of(link) == "items"


@pytest.mark.parametrize(
    ("value", "noun", "text"),
    [
        (1, "point", "1 point"),
        (0, "point", "0 points"),
        (1024, "point", "1,024 points"),
        (2, "entry", "2 entries"),
        (2, "day", "2 days"),
        (3, "pass", "3 passes"),
        (3, "search", "3 searches"),
        (1, "entry", "1 entry"),
    ],
)
def test_a_number_of_things(value: int, noun: str, text: str) -> None:
    assert counted(value, noun) == text
