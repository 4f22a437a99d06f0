"""Whole attempts: values, citations, evidence, abstention."""

from __future__ import annotations

from typing import Any

import pytest

from harness.attempts.scoring import Call, Score, score_attempt
from harness.worlds import World

from ...make.attempts import (
    GREASE,
    NOTE,
    OAK,
    SPEED,
    attempt,
    block,
    cite,
    fetch,
    final,
    lookup,
    right_attempts,
    right_wheel,
    whole_wheel,
)

NOTHING = final({}, abstain=True, outcome="not-found")


def scored(world: World, task: str, last: str, *calls: Call, stubs: bool = False) -> Score:
    return score_attempt(attempt(task, last, *calls), world, stubs=stubs).score


def dimensions(score: Score) -> list[bool]:
    return [score.answer_correct, score.citations_valid, score.evidence_sufficient, score.correct]


@pytest.mark.parametrize("made", right_attempts(), ids=lambda made: made.task)
def test_a_right_attempt_at_every_kind_of_task(world: World, made: Any) -> None:
    scored = score_attempt(made, world)
    assert dimensions(scored.score) == [True] * 4, scored.score.reasons
    assert (scored.score.scope_complete, scored.score.reasons, scored.near_misses) == (True, (), ())
    assert scored.attempt.score == scored.score


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"rounds": 13}, "answer.rounds is 13, expected 12"),
        ({"rounds": True}, "answer.rounds is True, expected 12"),
        ({"rounds": "12"}, "answer.rounds is '12', expected 12"),
        ({"wood": "Oak 0007"}, "answer.wood is 'Oak 0007', expected 'oak 0007'"),
        ({"more": 1}, "answer.more is not asked for"),
    ],
)
def test_values_are_equal_as_json(world: World, changed: dict[str, Any], reason: str) -> None:
    score = scored(world, "wheel", right_wheel(**changed), whole_wheel())
    assert dimensions(score) == [False, True, True, False]
    assert score.reasons == (reason,)


def test_a_number_has_one_value(world: World) -> None:
    assert scored(world, "wheel", right_wheel(rounds=12.0), whole_wheel()).correct


def test_a_missing_field_is_wrong(world: World) -> None:
    last = final({"rounds": 12}, cite("rounds", "/mill/wheel.md/v2#speed", SPEED))
    score = scored(world, "wheel", last, whole_wheel())
    assert dimensions(score) == [False, True, False, False]
    assert score.reasons == ("answer.wood is missing", "wood lacks /mill/wheel.md/v2#wood")


def test_a_fence_is_stripped(world: World) -> None:
    assert scored(world, "wheel", f"```json\n{right_wheel()}\n```\n", whole_wheel()).correct


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        ("", "the last message is empty"),
        ("It is oak.", "the last message is not JSON (at character 1: Expecting value)"),
        ("{} {}", "the last message has more after its JSON value ends (at character 4)"),
        ('{"anser": {}}', "anser is an unknown key; did you mean 'answer'?"),
        ('{"answer": [1]}', "answer is a list, expected an object"),
    ],
)
def test_no_answer_is_wrong_in_every_dimension(world: World, last: str, reason: str) -> None:
    score = scored(world, "wheel", last, whole_wheel())
    assert dimensions(score) == [False] * 4
    assert reason in score.reasons[0]


def test_no_call_is_wrong(world: World) -> None:
    score = scored(world, "wheel", right_wheel())
    assert dimensions(score) == [False] * 4
    assert score.reasons == ("the reader made no call",)


def test_an_unsupported_extra_citation_invalidates(world: World) -> None:
    extra = cite("wood", "/mill/wheel.md/v2#wood", "Oak lasts.")
    last = final(
        {"rounds": 12, "wood": "oak 0007"},
        cite("rounds", "/mill/wheel.md/v2#speed", SPEED),
        cite("wood", "/mill/wheel.md/v2#wood", OAK),
        extra,
    )
    score = scored(world, "wheel", last, whole_wheel())
    assert dimensions(score) == [True, False, True, False]


def test_a_supplemental_citation_is_valid_and_covers_nothing(world: World) -> None:
    last = final(
        {"rounds": 12, "wood": "oak 0007"},
        cite("rounds", "/mill/wheel.md/v2#wheel", "The wheel has two speeds."),
        cite("wood", "/mill/wheel.md/v2#wood", OAK),
    )
    assert dimensions(scored(world, "wheel", last, whole_wheel())) == [True, True, False, False]


def test_citing_nothing_is_not_valid(world: World) -> None:
    score = scored(world, "wheel", final({"rounds": 12, "wood": "oak 0007"}), whole_wheel())
    assert dimensions(score) == [True, False, False, False]
    assert score.reasons[0] == "cites nothing"


def test_contradictions_that_were_shown_are_counted(world: World) -> None:
    old = fetch("/mill/wheel.md/v1", 1, "# Wheel\n\nThe wheel turns at 9 rounds.\n")
    assert scored(world, "wheel", right_wheel(), whole_wheel(), old).contradictions_observed == 1
    assert scored(world, "wheel", right_wheel(), whole_wheel()).contradictions_observed == 0


def test_nothing_found_needs_a_call_for_every_step(world: World) -> None:
    score = scored(world, "eels", NOTHING, lookup(query="eels"))
    assert dimensions(score) == [True, True, False, False]
    assert not score.scope_complete
    assert score.reasons == ("no call for the step 'again'",)


@pytest.mark.parametrize(
    ("last", "wanted"),
    [
        (final({"count": 0}, abstain=True, outcome="not-found"), [False, True, True, False]),
        (final({}, outcome="not-found"), [False, True, True, False]),
        (final({}, abstain=True, outcome="incomplete"), [False, True, True, False]),
        (
            final({}, cite("count", "/mill/b.md/v1#note", GREASE), abstain=True),
            [True, False, True, False],
        ),
    ],
    ids=["a value", "no abstaining", "another outcome", "a citation"],
)
def test_nothing_found_is_empty(world: World, last: str, wanted: list[bool]) -> None:
    call = lookup(query="eels")
    assert dimensions(scored(world, "eels", last, call, call)) == wanted


def test_incomplete_needs_a_visible_failure(world: World) -> None:
    last = final({}, abstain=True, outcome="incomplete")
    fine = fetch("/mill/log.md", 1, "# Log\n")
    failed = fetch("/mill/log.md", 1, "", status="unavailable")
    assert dimensions(scored(world, "log", last, fine)) == [True, True, False, False]
    assert scored(world, "log", last, failed).correct


def test_abstaining_from_a_question_with_an_answer_is_wrong(world: World) -> None:
    score = scored(world, "wheel", NOTHING, whole_wheel())
    assert dimensions(score) == [False] * 4
    assert score.reasons[:2] == (
        "outcome is 'not-found', expected 'answered'",
        "the reader abstains",
    )


def test_a_stub_counts_only_where_that_is_chosen(world: World) -> None:
    last = final({"when": "monthly"}, cite("when", "/mill/b.md/v1#note", GREASE))
    shown = lookup(
        block("/mill/a.md/v1#note", NOTE)
        + block("/mill/b.md/v1#note", "same text as /mill/a.md/v1#note")
    )
    assert dimensions(scored(world, "grease", last, shown)) == [True, False, False, False]
    assert scored(world, "grease", last, shown, stubs=True).correct
