"""Faults of citations, and near misses with their reason."""

from __future__ import annotations

import pytest

from harness.attempts.scoring import Call, score_attempt
from harness.attempts.scoring.citations import NearMiss, Reason
from harness.worlds import World

from ...make.attempts import (
    GREASE,
    NOTE,
    OAK,
    RACE,
    SPEED,
    WIDE,
    attempt,
    cite,
    fetch,
    final,
    lookup,
    right_wheel,
    whole_wheel,
)

OLD = fetch("/mill/wheel.md/v1", 1, "# Wheel\n\nThe wheel turns at 9 rounds.\n")
WHOLE_RACE = fetch("/mill/race.md", 1, RACE)


def rounds(url: str, quote: str) -> str:
    return final(
        {"rounds": 12, "wood": "oak 0007"},
        cite("rounds", url, quote),
        cite("wood", "/mill/wheel.md/v2#wood", OAK),
    )


def feet(url: str, quote: str = WIDE) -> str:
    return final({"feet": 3}, cite("feet", url, quote))


@pytest.mark.parametrize(
    ("task", "last", "call", "fault", "miss"),
    [
        (
            "wheel",
            rounds("/mill/wheel.md/v1#wheel", "The wheel turns at 9 rounds."),
            OLD,
            "'/mill/wheel.md/v1#wheel' supports nothing that 'rounds' may cite",
            (Reason.VERSION, "expected /mill/wheel.md/v2#wheel"),
        ),
        (
            "wheel",
            rounds("/mill/wheel.md/v1#speed", SPEED),
            whole_wheel(),
            "'/mill/wheel.md/v1#speed' names no section of that version",
            (Reason.VERSION, "expected /mill/wheel.md/v2#speed"),
        ),
        (
            "wheel",
            rounds("/mill/wheel.md/v2#wood", SPEED),
            whole_wheel(),
            "the quote is not in '/mill/wheel.md/v2#wood'",
            (Reason.SIBLING, "expected /mill/wheel.md/v2#speed"),
        ),
        (
            "wheel",
            rounds("/mill/wheel.md/v2", SPEED),
            whole_wheel(),
            "'/mill/wheel.md/v2' names no section",
            (Reason.NO_ANCHOR, "expected /mill/wheel.md/v2#speed"),
        ),
        (
            "wheel",
            rounds("/mill/wheel.md/v2#speed", SPEED),
            fetch("/mill/wheel.md#wood", 2, f"## Wood\n\n{OAK} Oak lasts.\n", "wood"),
            "the quote was not shown as text of '/mill/wheel.md/v2#speed'",
            (Reason.NOT_OBSERVED, "/mill/wheel.md/v2#speed"),
        ),
        (
            "wheel",
            rounds("/mill/wheel.md/v2#speed", "it turns at 12 rounds a minute"),
            whole_wheel(),
            "the quote is not in '/mill/wheel.md/v2#speed'",
            (Reason.QUOTE_FORMAT, "it turns at 12 rounds a minute"),
        ),
        (
            "wheel",
            rounds("/mill/wheel.md/v2#speed", "12 rounds"),
            whole_wheel(),
            "'/mill/wheel.md/v2#speed' supports nothing that 'rounds' may cite",
            (Reason.PART_OF_QUOTE, f"expected /mill/wheel.md/v2#speed: {SPEED}"),
        ),
        (
            "wheel",
            rounds("/mill/wheel.md/v2#wood", OAK),
            whole_wheel(),
            "'/mill/wheel.md/v2#wood' supports nothing that 'rounds' may cite",
            (Reason.OTHER_FIELD, "it supports wood"),
        ),
        (
            "race",
            feet("/mill/race.md/v1#race"),
            WHOLE_RACE,
            "'/mill/race.md/v1#race' supports nothing that 'feet' may cite",
            (Reason.AMBIGUOUS, f"expected /mill/race.md/v1#width: {WIDE}"),
        ),
        (
            "race",
            feet("/mill/race.md/v1#depth"),
            WHOLE_RACE,
            "'/mill/race.md/v1#depth' supports nothing that 'feet' may cite",
            (Reason.SIBLING, "expected /mill/race.md/v1#width"),
        ),
    ],
    ids=[
        "another version's quote",
        "version without the section",
        "sibling",
        "no anchor",
        "not observed",
        "letters and stops",
        "part of the quote",
        "another field",
        "section around it, twice",
        "sibling with the same words",
    ],
)
def test_a_citation_that_falls_short_says_how(
    world: World, task: str, last: str, call: Call, fault: str, miss: tuple[Reason, str]
) -> None:
    scored = score_attempt(attempt(task, last, call), world)
    assert not scored.score.citations_valid
    assert any(reason.endswith(fault) for reason in scored.score.reasons), scored.score.reasons
    found = [(each.reason, each.detail) for each in scored.near_misses]
    assert miss in found


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("/mill/wheel.md/v9#speed", "names no version of a document of the world"),
        ("/mill/nowhere.md/v1#speed", "names no version of a document of the world"),
        ("/mill/wheel.md#speed", "names no version"),
        ("/mill/wheel.md/v2#spead", "names no section of that version"),
        ("/mill/wheel.md/v2?x=1#speed", "has a query or a user"),
        ("https://x/mill/wheel.md/v2#speed", "has the scheme 'https'"),
        ("mark://other/mill/wheel.md/v2#speed", "is on another server"),
    ],
)
def test_a_citation_of_what_is_not_there(world: World, url: str, fault: str) -> None:
    score = score_attempt(attempt("wheel", rounds(url, SPEED), whole_wheel()), world).score
    assert not score.citations_valid
    assert fault in score.reasons[0]


def test_an_empty_quote_supports_nothing(world: World) -> None:
    made = attempt("wheel", rounds("/mill/wheel.md/v2#speed", " \n"), whole_wheel())
    scored = score_attempt(made, world)
    assert "is empty" in scored.score.reasons[0]
    assert [miss.reason for miss in scored.near_misses] == [Reason.NOT_CITED]


def test_a_section_around_it_supports_a_quote_that_stands_there_once(world: World) -> None:
    last = rounds("/mill/wheel.md/v2#wheel", f"## Speed {SPEED}")
    assert score_attempt(attempt("wheel", last, whole_wheel()), world).score.correct


@pytest.mark.parametrize("value", ["0007", "Oak-0007", "the oak 0007"])
def test_a_value_that_differs_by_formatting(world: World, value: str) -> None:
    scored = score_attempt(attempt("wheel", right_wheel(wood=value), whole_wheel()), world)
    expected = NearMiss("wood", Reason.VALUE_FORMAT, repr(value), "expected 'oak 0007'")
    assert scored.near_misses == (expected,)


def test_a_value_that_is_wrong_is_no_near_miss(world: World) -> None:
    scored = score_attempt(attempt("wheel", right_wheel(wood="elm"), whole_wheel()), world)
    assert not scored.score.correct
    assert scored.near_misses == ()


def test_a_passage_that_was_shown_and_not_cited(world: World) -> None:
    last = final({"when": "monthly"}, cite("when", "/mill/a.md/v1#note", GREASE))
    calls = (fetch("/mill/a.md", 1, NOTE), fetch("/mill/b.md", 1, NOTE))
    scored = score_attempt(attempt("grease", last, *calls), world)
    assert [(each.reason, each.detail) for each in scored.near_misses] == [
        (Reason.NOT_CITED, "/mill/b.md/v1#note")
    ]


def test_a_call_that_comes_close_to_a_step(world: World) -> None:
    last = final({}, abstain=True, outcome="not-found")
    calls = (lookup(query="eels"), lookup(query="Eels", matches="2"))
    scored = score_attempt(attempt("eels", last, *calls), world)
    (miss,) = scored.near_misses
    assert miss.reason is Reason.CALL
    assert miss.detail == "the only call that fits stands for another step"
    scored = score_attempt(attempt("eels", last, calls[1]), world)
    assert {each.detail for each in scored.near_misses} == {
        "query is 'Eels', expected 'eels'; matches is '2', expected '0'"
    }


def test_a_right_attempt_has_no_near_miss(world: World) -> None:
    assert score_attempt(attempt("wheel", right_wheel(), whole_wheel()), world).near_misses == ()
