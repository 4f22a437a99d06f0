"""Whole-token occurrence, against a division into tokens written down separately."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.trial.whole_tokens import normalised, occurs, without_header_dates

TOKEN = re.compile(
    r"[a-z\u00e0-\u00ff_]*[0-9]+(?:[.,][0-9]+)+[a-z\u00e0-\u00ff_]*"
    r"|[a-z\u00e0-\u00ff_0-9]+|[\u30a1-\u30ff]+|[\u3041-\u3096\u4e00-\u9fff]"
)
"""Tokens of the characters in `TEXTS`, in normal form; all else stands alone."""

TEXTS = st.text(alphabet="ab15é_ .,$-かア京ー", max_size=14)


def edges(text: str) -> set[int]:
    """The places where a token starts or ends, or where there is none."""
    inside = {
        place for found in TOKEN.finditer(text) for place in range(found.start() + 1, found.end())
    }
    return set(range(len(text) + 1)) - inside


@given(TEXTS, TEXTS)
def test_an_occurrence_starts_and_ends_between_tokens(wanted: str, text: str) -> None:
    wanted, text = normalised(wanted), normalised(text)
    free = edges(text)
    expected = bool(wanted) and any(
        text.startswith(wanted, start) and {start, start + len(wanted)} <= free
        for start in range(len(text))
    )
    assert occurs(wanted, text) == expected


@given(TEXTS, st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=3))
def test_what_stands_between_spaces_occurs(
    wanted: str, before: list[str], after: list[str]
) -> None:
    text = " ".join([*before, wanted, *after])
    assert occurs(normalised(wanted), normalised(text)) == bool(wanted.strip())


@given(st.text(max_size=30))
def test_normalising_again_changes_nothing(text: str) -> None:
    assert normalised(normalised(text)) == normalised(text)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("5", "(5) km"),
        ("5", "5, 6"),
        ("Luna", "that is LUNA's bowl"),
        ("$34", "it cost $34."),
        ("the  old\ntram", "The old tram depot"),
        ("ﬁsh", "FISH"),
        ("京都", "昨日京都に行った"),
        ("カメラ", "新しいカメラを"),
        ("strasse", "Straße"),
        ("2.5", "2.5km"[:3]),
    ],
)
def test_these_occur(wanted: str, text: str) -> None:
    assert occurs(normalised(wanted), normalised(text))


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("5", "15"),
        ("5", "5.5"),
        ("5", "1,500 and 2.5"),
        ("5", "5km"),
        ("cat", "concatenate"),
        ("cat", "cats"),
        ("cafe", "cafe\u0301s"),
        ("カメ", "新しいカメラを"),
        ("", "anything"),
        (" ", "a b"),
    ],
)
def test_these_do_not(wanted: str, text: str) -> None:
    assert not occurs(normalised(wanted), normalised(text))


def test_header_dates_are_left_out() -> None:
    text = (
        "Conversation memories:\n\n[2023-05-20T02:21:00+00:00]\nSession date: 2023-05-20T02:21:00\n"
        "\nuser: On [2023-05-20] at 21.\n[undated]\n[21 May]\nSession date: soon"
    )
    assert without_header_dates(text) == (
        "Conversation memories:\n\n\n\n\nuser: On [2023-05-20] at 21.\n\n[21 May]\n"
        "Session date: soon"
    )
