"""What is joined by position must prove that it is of the same thing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.datasets.agreement import holds_text_of, is_of_time, same_instant, sessions_part
from harness.datasets.layout import Session, Turn
from harness.datasets.session_text import session_text

NAMES = ("a.json", "b.json")


def session(session_id: str, day: int, *turns: str) -> Session:
    """A session in May 2023; what is said alternates between the two."""
    said = tuple(Turn("assistant" if at % 2 else "user", text) for at, text in enumerate(turns))
    date = f"2023/05/{day:02} (Mon) 10:00"
    return Session(session_id, date, said, f"2023-05-{day:02}T10:00:00+00:00")


RAIN = session("s1", 1, "Rain in Lyon again.", "Thanks!")
KETTLE = session("s2", 2, "The kettle went to the shed.", "Thanks!")
CAT = session("s3", 3, "A cat sat.", "Thanks!")
HAYSTACK = (RAIN, KETTLE, CAT)
TEXTS = [session_text(each) for each in HAYSTACK]


def test_the_same_sessions_do_not_part() -> None:
    others = [
        Session(f"x{each.session_id}", each.date, each.turns, each.timestamp) for each in HAYSTACK
    ]
    assert sessions_part(HAYSTACK, others, NAMES) == ""  # ids aside, they are the same


@pytest.mark.parametrize(
    ("others", "difference"),
    [
        ((RAIN, KETTLE), "a.json has 3 sessions, b.json 2 sessions"),
        ((RAIN,), "a.json has 3 sessions, b.json 1 session"),
        (
            (RAIN, CAT, KETTLE),
            "session 1 is 's2' of 2023/05/02 (Mon) 10:00 in a.json, 's3' of 2023/05/03 (Mon) 10:00 "
            "in b.json",
        ),
        (
            (RAIN, session("s2", 2, "The kettle went to the attic.", "Thanks!"), CAT),
            "session 1 is ' kettle went to the shed.\\n\\nassistant: Thanks!' in a.json, "
            "' kettle went to the attic.\\n\\nassistant: Thanks!' in b.json",
        ),
        (
            (RAIN, session("s2", 2, "The kettle went to the shed."), CAT),
            "session 1 is 'le went to the shed.\\n\\nassistant: Thanks!' in a.json, "
            "'le went to the shed.' in b.json",
        ),
    ],
)
def test_the_first_difference_is_shown_with_both_values(
    others: tuple[Session, ...], difference: str
) -> None:
    assert sessions_part(HAYSTACK, others, NAMES) == difference


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        (TEXTS[1].text, {1}),
        ("user: The kettle went to the shed.\nassistant: Thanks!", {1}),  # laid out otherwise
        ("the kettle went to the shed", set()),  # not as it was said
        ("kettle went", {1}),  # a part
        ("assistant: Thanks!", set()),  # of every session
        ("", set()),
        ("Summary: rain, a kettle, a cat.", set()),
    ],
)
def test_a_text_is_of_the_session_that_alone_has_it(text: str, holds: set[int]) -> None:
    assert {place for place in range(3) if holds_text_of(text, place, TEXTS)} == holds


def test_sessions_of_one_text_both_hold_it() -> None:
    twice = [TEXTS[0], TEXTS[0], TEXTS[2]]
    assert holds_text_of(TEXTS[0].text, 0, twice)
    assert holds_text_of(TEXTS[0].text, 1, twice)
    assert holds_text_of("user: Rain in Lyon again.", 1, twice)


def test_a_time_shows_a_session_that_alone_has_it() -> None:
    assert is_of_time("2023-05-02T10:00:00Z", 1, TEXTS)
    assert not is_of_time("2023-05-02T10:00:00Z", 0, TEXTS)
    assert not is_of_time(None, 1, TEXTS)
    same_day = [TEXTS[0], replace(TEXTS[1], timestamp=TEXTS[0].timestamp), TEXTS[2]]
    assert not is_of_time(TEXTS[0].timestamp, 0, same_day)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2023-05-02T10:00:00Z", "2023-05-02T10:00:00+00:00", True),
        ("2023-05-02T12:00:00+02:00", "2023-05-02T10:00:00Z", True),
        ("2023-05-02T10:00:00", "2023-05-02T10:00:00Z", False),
        ("yesterday", "today", False),
        ("yesterday", "yesterday", True),
        (None, "2023-05-02T10:00:00Z", False),
        (None, None, True),
    ],
)
def test_one_instant_in_two_spellings(one: str | None, other: str | None, same: bool) -> None:
    assert same_instant(one, other) == same
