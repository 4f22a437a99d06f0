"""What questions share, and the clusters that they form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.datasets.layout import Question, Session, Turn
from harness.datasets.sharing import clusters_of, sources_of


def session(name: str, text: str = "It rained.") -> Session:
    return Session(name, "2023/05/20", (Turn("user", text),), "2023-05-20")


def asked(sessions: Sequence[Session], *evidence: str) -> Question:
    return Question("q", "single", "Who?", "I", "", tuple(sessions), evidence, "")


def test_answer_sessions_are_known_by_id_and_text() -> None:
    one = sources_of(asked([session("a"), session("b")], "a"))
    assert sources_of(asked([session("c"), session("a")], "a")).answer_sessions == (
        one.answer_sessions
    )
    # the first session of another conversation may have the same number
    other = sources_of(asked([session("a", "It shone.")], "a"))
    assert not one.every & other.every
    # no haystack holds it, so its id is all that is known of it
    lacking = sources_of(asked([session("b")], "a", "b"))
    assert "a" in lacking.answer_sessions
    assert len(lacking.answer_sessions) == 2


def test_haystacks_of_the_same_sessions_are_one_in_any_order() -> None:
    there, back = [session("a"), session("b")], [session("b"), session("a"), session("a")]
    assert sources_of(asked(there)).haystack == sources_of(asked(back)).haystack
    assert sources_of(asked(there)).haystack != sources_of(asked(there[:1])).haystack
    assert sources_of(asked(there)).answer_sessions == frozenset()
    assert sources_of(asked([])).every == frozenset()


def test_clusters_are_connected_components() -> None:
    labels = {"d": "xy", "a": "x", "c": "yz", "b": "w", "e": "w", "f": ""}
    assert clusters_of(labels) == {"d": "a", "a": "a", "c": "a", "b": "b", "e": "b", "f": "f"}
    assert clusters_of({}) == {}


@given(st.dictionaries(st.integers(0, 30).map(str), st.frozensets(st.sampled_from("abcdefgh"))))
def test_clusters_by_joining_until_nothing_changes(labels: dict[str, frozenset[str]]) -> None:
    wanted = {question: question for question in labels}
    for _ in labels:
        for one in labels:
            for other in labels:
                if labels[one] & labels[other]:
                    wanted[one] = wanted[other] = min(wanted[one], wanted[other])
    assert clusters_of(labels) == wanted


@pytest.mark.shared
def test_the_400_test_questions_of_longmemeval_are_398_clusters(shared: Path) -> None:
    """By the ids of their answer sessions: no id of these has two texts, and no two questions have
    one haystack."""
    published = json.loads((shared / "data/splits/v1_5_dev_questions.json").read_text())
    dev = {question["question_id"] for question in published["dev"]}
    listed = shared / "data/longmemeval/longmemeval_questions_500.jsonl"
    rows = [json.loads(line) for line in listed.read_text(encoding="utf-8").splitlines()]
    sessions = {row["question_id"]: row["answer_session_ids"] for row in rows}
    test = {name: own for name, own in sessions.items() if name not in dev}
    clusters = clusters_of(test)
    assert (len(clusters), len(set(clusters.values()))) == (400, 398)
    joined = sorted((name, lead) for name, lead in clusters.items() if name != lead)
    assert joined == [("07741c45", "07741c44"), ("71017277", "71017276")]
