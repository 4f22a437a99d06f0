"""The small real world: a reader that does everything right scores 8 of 8."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.attempts.scoring import Attempt, Call, ScoredAttempt, score_attempt
from harness.worlds import World, load_world

from ...make.attempts import attempt, cite, fetch, final

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def real(shared: Path) -> World:
    return load_world(shared / "data/lookups/tools/internal/answerbench/fixtures")


def perfect(world: World, task: str) -> Attempt:
    """Fetches every version that the rubric names whole, and cites its quotes."""
    marking = world.rubric[task]
    passages = [(field, one) for field, found in marking.evidence.items() for one in found]
    calls = [Call("fixture_mark_lookup", {"query": "pager"}, "status: ok\nmatches: 0\n\n")]
    for path, version in sorted({(one.path, one.version) for _, one in passages}):
        document = world.document(path, version)
        assert document is not None
        calls.append(fetch(f"{path}/v{version}", version, document.body))
    citations = [
        cite(field, f"{one.path}/v{one.version}#{one.anchor}", one.quote) for field, one in passages
    ]
    last = final(dict(marking.answer), *citations, abstain=marking.abstain)
    return attempt(
        task,
        last,
        *calls,
        category=next(each.category for each in world.tasks if each.task_id == task),
    )


def test_a_perfect_reader(real: World) -> None:
    scored = [score_attempt(perfect(real, each.task_id), real) for each in real.tasks]
    assert len(scored) == 8
    assert [each.score.reasons for each in scored] == [()] * 8
    assert all(each.score.correct for each in scored)


def _without_call(made: Attempt, place: int) -> Attempt:
    import dataclasses

    calls = (*made.trace.calls[:place], *made.trace.calls[place + 1 :])
    return dataclasses.replace(made, trace=dataclasses.replace(made.trace, calls=calls))


def test_what_was_not_fetched_cannot_be_cited(real: World) -> None:
    scored: ScoredAttempt = score_attempt(_without_call(perfect(real, "q2"), 1), real)
    assert scored.score.answer_correct
    assert not scored.score.citations_valid
    assert [each.reason.value for each in scored.near_misses] == ["quote not observed"]


def test_the_current_value_does_not_answer_a_question_about_the_past(real: World) -> None:
    made = perfect(real, "q1")
    past = json.loads(made.trace.final)
    scored = score_attempt(
        attempt("q4", json.dumps(past), *made.trace.calls, category="historical"), real
    )
    assert not scored.score.correct
    assert "wrong version" in [each.reason.value for each in scored.near_misses]
