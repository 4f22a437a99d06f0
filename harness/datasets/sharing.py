"""What questions share: answer sessions, haystacks, and so the clusters that they form.

A session is known by its id and its text: some datasets number the sessions of each conversation
from 1, so that an id alone joins what has nothing in common. Haystacks are the same where their
sessions are, in whatever order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from harness.storage.hashing import sha256_of_json

from .layout import Question, Session


@dataclass(frozen=True, slots=True)
class Sources:
    """What a question is asked of, as labels: questions that have one in common share it."""

    answer_sessions: frozenset[str]
    haystack: frozenset[str]

    @property
    def every(self) -> frozenset[str]:
        return self.answer_sessions | self.haystack


def sources_of(question: Question) -> Sources:
    """Label the answer sessions of a question, and its haystack unless it is empty."""
    labels = [(session.session_id, _label(session)) for session in question.sessions]
    evidence = set(question.answer_session_ids)
    unknown = evidence - {name for name, _ in labels}  # named, and not in the haystack
    whole = sha256_of_json(sorted({label for _, label in labels}))
    return Sources(
        frozenset([*(label for name, label in labels if name in evidence), *unknown]),
        frozenset([f"haystack {whole}"] if labels else []),
    )


def _label(session: Session) -> str:
    turns = [[turn.role, turn.content] for turn in session.turns]
    return f"{session.session_id} {sha256_of_json(turns)}"


def clusters_of(labels: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return the cluster of each question: the least id of those that it is joined to.

    Two questions are joined that have a label in common, or are both joined to a third: clusters
    are the connected components.
    """
    leads = {question: question for question in labels}

    def lead(question: str) -> str:
        while leads[question] != question:
            leads[question] = leads[leads[question]]
            question = leads[question]
        return question

    first: dict[str, str] = {}
    for question, own in labels.items():
        for label in own:
            one, other = sorted((lead(question), lead(first.setdefault(label, question))))
            leads[other] = one
    return {question: lead(question) for question in labels}
