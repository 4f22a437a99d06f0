"""Steps and calls are matched one to one."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from harness.attempts.scoring import Call
from harness.attempts.scoring.completion import completion_of
from harness.worlds import CompletionStep


def step(name: str, query: str = "", **more: object) -> CompletionStep:
    return CompletionStep(name, "mark_lookup", "/", query=query, **more)  # type: ignore[arg-type]


def call(query: str, **envelope: str) -> Call:
    lines = {"status": "ok", **envelope}
    output = "\n".join(f"{key}: {value}" for key, value in lines.items()) + "\n\nbody"
    return Call("x_mark_lookup", {"url": "/", "query": query}, output)


def test_one_call_does_not_stand_for_two_steps() -> None:
    steps = (step("one", "q"), step("two", "q"))
    assert not completion_of(steps, [call("q")]).is_complete
    assert completion_of(steps, [call("q"), call("q")]).is_complete


def test_a_call_that_fits_two_steps_is_left_to_the_one_that_needs_it() -> None:
    any_result, none = step("any", "q"), step("none", "q", matches=0)
    empty, full = call("q", matches="0"), call("q", matches="3")
    found = completion_of((any_result, none), [empty, full])
    assert found.matched == (full, empty)


def test_no_steps_are_complete_and_no_calls_are_not() -> None:
    assert completion_of((), []).is_complete
    assert not completion_of((step("one"),), []).is_complete


def test_what_a_step_asks_of_a_call() -> None:
    asked = step("s", "q", match="body", status="ok", matches=2, complete=True)
    good = {"match": "body", "matches": "2", "complete": "true"}
    assert completion_of((asked,), [call("q", **good)]).is_complete
    for key, value in {
        "match": "catalog",
        "status": "gone",
        "matches": "3",
        "complete": "no",
    }.items():
        assert not completion_of((asked,), [call("q", **{**good, key: value})]).is_complete
    other = Call("mark_list", {"url": "/", "query": "q"}, call("q", **good).output)
    assert not completion_of((asked,), [other]).is_complete


def test_a_failure_by_its_text() -> None:
    asked = step("s", "q", failure="timed out")
    broken = Call("mark_lookup", {"url": "/", "query": "q"}, "", "the server timed out")
    assert completion_of((asked,), [broken]).is_complete
    assert not completion_of((asked,), [call("q", partial="true")]).is_complete
    assert completion_of((step("s", "q", failure=False),), [call("q")]).is_complete


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([None, 0, 1])), max_size=4),
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([0, 1])), max_size=4),
)
def test_as_many_steps_as_can_be_are_matched(
    wanted: list[tuple[str, int | None]], made: list[tuple[str, int]]
) -> None:
    """Some steps take any count, some one alone; the best of all assignments is tried by hand."""
    steps = [step(str(place), query, matches=count) for place, (query, count) in enumerate(wanted)]
    calls = [call(query, matches=str(count)) for query, count in made]
    matched = [each for each in completion_of(steps, calls).matched if each is not None]
    assert len({id(each) for each in matched}) == len(matched)
    padded = [*range(len(calls)), *[None] * len(steps)]
    best = max(
        sum(
            place is not None and made[place][0] == query and count in (None, made[place][1])
            for (query, count), place in zip(wanted, order, strict=True)
        )
        for order in permutations(padded, len(steps))
    )
    assert len(matched) == best
