"""The score that would have got a rejected candidate in: asked of the policy, or read off it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arms.sea import Candidate, SeaSelection, select
from harness.errors import HarnessError
from harness.explain import CandidateReason, Explanation, explain_case
from harness.explain.candidates import EXCEPTION_USED, TOKEN_BUDGET, scores_that_admit
from harness.model import CandidateTrace, CaseView, Policy, Selection
from harness.points import Point, parse_point
from harness.recording.case_lines import CaseLines

FIXTURES = Path(__file__).resolve().parents[2] / "datasets" / "fixtures" / "selection"
CASES = {case.case_id: case for case in CaseLines(str(FIXTURES / "cases.jsonl"))}
LEAST_ABOVE_ZERO = float(np.nextafter(np.float32(0), np.float32(1)))


def trace_of(candidates: Sequence[Candidate], choice: SeaSelection) -> CandidateTrace:
    """The trace of a walk over candidates whose only signal is their score."""
    walked = [candidates[step.place] for step in choice.walk]
    scores = np.array([candidate.score for candidate in walked], np.float32)
    selected = np.array([step.selected for step in choice.walk], np.bool_)
    return CandidateTrace(
        item=np.array([step.place for step in choice.walk], np.int32),
        score=scores,
        signals=scores.reshape(-1, 1),
        signal_names=("semantic",),
        weights=np.ones(1, np.float32),
        cost=np.array([candidate.tokens for candidate in walked], np.int32),
        cluster=np.array([candidate.cluster for candidate in walked], np.int32),
        selected=selected,
        rendered=selected,
        reasons=tuple(step.reasons for step in choice.walk),
        summary=choice.reason,
        plan="general",
    )


def found(candidates: Sequence[Candidate], **caps: int) -> dict[str, float | None]:
    choice = select(candidates, **caps)
    scores = scores_that_admit(trace_of(candidates, choice))
    walked = [candidates[step.place].id for step in choice.walk]
    return dict(zip(walked, scores, strict=True))


def made(*rows: tuple[float, int, int]) -> list[Candidate]:
    """Candidates of score, cluster and cost, with the ids 1, 2, …"""
    return [
        Candidate(str(number), cluster, cost, np.float32(score))
        for number, (score, cluster, cost) in enumerate(rows, start=1)
    ]


def test_the_record_cap_is_met_before_the_last_selected() -> None:
    candidates = made((0.75, 0, 1), (0.5, 0, 1), (0.25, 0, 1))
    scores = found(candidates, max_tokens=9, max_records=2, per_cluster_limit=9)
    assert scores == {"1": None, "2": None, "3": 0.5}


def test_the_cluster_cap_is_met_before_the_last_of_the_cluster() -> None:
    candidates = made((0.875, 0, 1), (0.75, 1, 1), (0.5, 2, 1), (0.25, 0, 1))
    scores = found(candidates, max_tokens=9, max_records=9, per_cluster_limit=1)
    assert scores["4"] == 0.875


def test_the_design_notes_greedy_example() -> None:
    """Five does not fit after eight; before eight it would, and 8 and 10 both show that it fits."""
    candidates = made((0.75, 0, 8), (0.5, 1, 5), (0.25, 2, 2))
    scores = found(candidates, max_tokens=10, max_records=9, per_cluster_limit=9)
    assert scores == {"1": None, "2": 0.75, "3": None}


def test_what_no_walk_shows_to_fit_is_not_known() -> None:
    scores = found(
        made((0.75, 0, 5), (0.5, 1, 8)), max_tokens=10, max_records=9, per_cluster_limit=9
    )
    assert scores["2"] is None


def test_a_duplicate_gets_in_at_no_score() -> None:
    twice = [Candidate("1", 0, 1, np.float32(0.5)), Candidate("1", 0, 1, np.float32(0.5))]
    choice = select(twice, max_tokens=9, max_records=9, per_cluster_limit=9)
    assert scores_that_admit(trace_of(twice, choice)) == [None, None]


def test_an_exception_that_was_seen_lifts_the_cluster_cap() -> None:
    candidates = made((0.99, 0, 1), (0.95, 0, 1), (0.5, 0, 1))
    scores = found(candidates, max_tokens=9, max_records=9, per_cluster_limit=1)
    assert scores["3"] == np.float32(0.95)


_candidates = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.125, 0.25, 0.375, 0.5, 0.75, 0.9375, 0.96875, 1.0]),
        st.integers(0, 2),
        st.integers(1, 6),
    ),
    min_size=2,
    max_size=9,
).map(lambda rows: made(*rows))


@given(_candidates, st.integers(0, 20), st.integers(0, 5), st.integers(0, 3))
def test_a_higher_score_gets_in_and_a_lower_one_does_not(
    candidates: list[Candidate], tokens: int, records: int, per_cluster: int
) -> None:
    """Above the score it is selected. Without exceptions and token refusals it is the least such:
    just below it, the candidate is still refused."""
    caps = {"max_tokens": tokens, "max_records": records, "per_cluster_limit": per_cluster}
    choice = select(candidates, **caps)
    trace = trace_of(candidates, choice)
    for step, score in zip(choice.walk, scores_that_admit(trace), strict=True):
        if score is None:
            continue
        above = _with_score(candidates, step.place, np.nextafter(np.float32(score), np.float32(2)))
        identifier = candidates[step.place].id
        assert identifier in select(above, **caps).selected
        plain = not any({TOKEN_BUDGET, EXCEPTION_USED} & set(each) for each in trace.reasons)
        if plain and score < 0.9:
            below = np.nextafter(np.float32(score), np.float32(-1))
            unchanged = _with_score(candidates, step.place, below)
            assert identifier not in select(unchanged, **caps).selected


def _with_score(candidates: Sequence[Candidate], place: int, score: np.float32) -> list[Candidate]:
    one = candidates[place]
    changed = Candidate(one.id, one.cluster, one.tokens, score)
    return [*candidates[:place], changed, *candidates[place + 1 :]]


@dataclass(frozen=True)
class OnlySelects:
    """Another's policy, without whatever else it can tell."""

    policy: Policy

    def select(self, case: CaseView) -> Selection:
        return self.policy.select(case)


@dataclass(frozen=True)
class TellsOne(OnlySelects):
    """Tells one score, however many candidates there are."""

    def admitting_scores(self, case: CaseView) -> list[float | None]:
        return [None]


def explained(case_id: str, spec: str) -> Explanation:
    return explain_case(CASES[case_id], parse_point(spec))


def candidates_of(explanation: Explanation) -> list[CandidateReason]:
    return [row for row in explanation.reasons if isinstance(row, CandidateReason)]


def test_a_policy_that_can_tell_is_asked() -> None:
    """Eight records of 120 tokens leave no room for 80; seven do. All score 0, and its place loses
    the tie with the eighth, so the least float above 0 is enough."""
    explanation = explained("greedy-walk", "sea(limit=20, per_cluster_limit=20)")
    enough = {row.record_id: row.score_enough for row in candidates_of(explanation)}
    assert enough.pop("eighty") == LEAST_ABOVE_ZERO
    assert set(enough.values()) == {None}
    (eighty,) = [row for row in candidates_of(explanation) if not row.taken]
    assert eighty.score_above == 0
    assert any("the policy's own answer" in fact for fact in explanation.facts)


def test_of_any_other_policy_the_walk_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """All score the same, and one of the kind is taken: the others lose the tie with it, so they
    are met before it from the float just above on."""
    exact = candidates_of(explained("tied-scores", "sea(per_cluster_limit=1)"))
    monkeypatch.setattr(
        Point, "policy", OnlySelects(parse_point("sea(per_cluster_limit=1)").policy)
    )
    explanation = explained("tied-scores", "sea(per_cluster_limit=1)")
    read = candidates_of(explanation)
    assert [row.score_enough for row in read] == [row.score_enough for row in exact]
    assert [row.score_above for row in read] == [None] + [exact[0].score] * 5
    assert any("read off the walk" in fact for fact in explanation.facts)


@pytest.mark.parametrize("case_id", CASES)
@pytest.mark.parametrize(
    "spec", ["sea(limit=1)", "sea(limit=2)", "sea", "sea(per_cluster_limit=1)"]
)
def test_what_is_read_off_a_walk_is_never_too_little(
    case_id: str, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = candidates_of(explained(case_id, spec))
    monkeypatch.setattr(Point, "policy", OnlySelects(parse_point(spec).policy))
    for least, bound in zip(exact, candidates_of(explained(case_id, spec)), strict=True):
        assert least.taken == bound.taken
        if bound.score_enough is not None:
            assert least.score_enough is not None
            assert least.score <= least.score_enough <= bound.score_enough


def test_a_policy_that_tells_of_too_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Point, "policy", TellsOne(parse_point("sea").policy))
    with pytest.raises(HarnessError, match="is 1, and the walk has 3 candidates"):
        explained("greedy", "sea")
