"""Asking a copy of a store: the searches of a file of questions, made with the published package.

The copy is asked in the sequence `items` with the largest budget, so that the response shows the
whole window. The vector of each question is what the embedder gave while it was asked.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.datasets.layout import read_questions
from harness.datasets.session_text import session_text
from harness.decode import quoted
from harness.errors import Faults, InputError, UsageError, nearest
from harness.progress import progress
from harness.retrieval import load_embedder
from harness.storage.atomic import atomic_text

from .labels import labels_of
from .query_vectors import QueryEmbedder
from .relay import EmbeddingRelay
from .response import LEXICAL_ONLY
from .searches import SearchQuery
from .server import Call, run_server
from .store import open_store
from .survey import chosen_labels, refuse_stale, survey

LARGEST_BUDGET = 20_000
REQUEST_ARGUMENTS = (
    "channel",
    "count",
    "deep",
    "max_evidence",
    "max_hops",
    "project_id",
    "source_id",
    "top_k",
)
"""Arguments of the tool `reconstruct` that change which window a question gets."""
_SIDE_FILES = ("-wal", "-shm", "-journal")
# The window is that of the sequence items; the queue stays as it was found.
_FIXED = {
    "CPERSONA_RECONSTRUCT_SEQUENCE": "items",
    "CPERSONA_RECONSTRUCT_MAX_BUDGET": str(LARGEST_BUDGET),
    "CPERSONA_TASK_QUEUE_ENABLED": "false",
}
_SETTING_START = ("CPERSONA_", "EMBEDDING_")
_EMBEDDING_MODE = "EMBEDDING_MODE"


@dataclass(frozen=True, slots=True)
class LivePlan:
    """What is asked, and how. `settings`: the server's own, by name; `request`: arguments of each
    call; `embedder`: what embeds for the server, None for a server that does without."""

    questions: Sequence[SearchQuery]
    embedder: QueryEmbedder | None
    label: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    request: Mapping[str, Any] = field(default_factory=dict)

    @property
    def without_embedder(self) -> bool:
        """Whether the server embeds nothing: none is named, and no setting gives it one."""
        modes = [value for name, value in self.settings.items() if name.endswith(_EMBEDDING_MODE)]
        return self.embedder is None and all(mode == "none" for mode in modes)

    def described(self) -> dict[str, Any]:
        """Return how the searches were made, for the manifest."""
        return {
            "server_settings": dict(sorted(self.settings.items())),
            "request": dict(sorted(self.request.items())),
            "server_embedder": None if self.embedder is None else self.embedder.name,
        }


def check_settings(settings: Mapping[str, str], request: Mapping[str, Any]) -> None:
    """Raise `UsageError` for names that are not settings of the server, or that the harness
    sets."""
    for name in settings:
        if not name.startswith(_SETTING_START):
            raise UsageError(
                f"{name!r} is not a setting of the server",
                "They start with CPERSONA_ or EMBEDDING_.",
            )
        if name in _FIXED or name == "CPERSONA_DB_PATH":
            raise UsageError(f"{name} is set by the harness", "Leave it out.")
    for name in request:
        if name not in REQUEST_ARGUMENTS:
            raise UsageError(
                f"--request has no argument {name!r}{nearest(name, REQUEST_ARGUMENTS)}",
                f"It takes {', '.join(REQUEST_ARGUMENTS)}.",
            )


def copy_store(
    store: Path, folder: Path, agents: Sequence[str], labels: Sequence[str], *, allow_stale: bool
) -> tuple[Path, tuple[str, ...]]:
    """Return a copy of the store in `folder` with the files next to it, such as its calibration.

    Also gives the embedder labels that count as the server's. Raises `InputError` for a stale store
    before anything is asked, unless `allow_stale`.
    """
    copy = folder / store.name
    with open_store(store) as opened:
        chosen = chosen_labels(opened, labels)
        if not allow_stale:
            refuse_stale(opened, survey(opened, agents, chosen, quiet=True), ())
        opened.copy_to(copy)
    for beside in sorted(store.parent.glob(f"{store.name}*")):
        suffix = beside.name.removeprefix(store.name)
        if suffix and suffix not in _SIDE_FILES and beside.is_file():
            shutil.copyfile(beside, folder / beside.name)
    return copy, chosen


def questions_of(dataset: Path, agent: str) -> list[SearchQuery]:
    """Return the questions of a LongMemEval file; in the agent's name `{question_id}` and `{index}`
    stand for the question's id and its place in the file, from 0 (see `check_agents`)."""
    queries = []
    for index, question in enumerate(read_questions(dataset)):
        name = agent.replace("{question_id}", question.question_id).replace("{index}", str(index))
        queries.append(SearchQuery(index + 1, question.question_id, name, question.question))
    return queries


def check_agents(store: Path, dataset: Path, queries: Sequence[SearchQuery]) -> None:
    """Raise `InputError` for agents that hold something, and no session of their question.

    For agents that are named by the question's place in a file: one that lacks a question, or has
    them in another order, would ask a stranger's memory. An agent without a record is let pass.
    """
    faults = Faults()
    with open_store(store) as opened:
        for question, query in zip(read_questions(dataset), queries, strict=True):
            records = list(opened.records_of(query.agent_id))
            if records and not labels_of(question, records, Faults()).sessions:
                first = session_text(question.sessions[0]).text
                faults.add(
                    f"question {question.question_id!r} is at {query.line - 1}, but the agent "
                    f"{query.agent_id!r} has no session of it: its first record is "
                    f"{quoted(records[0].text)}, the first session {quoted(first)}"
                )
    faults.raise_if_any(
        f"{store} with {dataset}",
        "Give the file that the store was filled from, or name agents with --questions FILE.",
    )


def ask(plan: LivePlan, copy: Path, out: Path, *, quiet: bool = False) -> None:
    """Ask the copy every question, and write the searches to `out`, as `read_searches` reads them.

    Raises `HarnessError` when the package is missing, its server fails, or the embedder does.
    """
    check_settings(plan.settings, plan.request)
    if plan.embedder is None:
        rows = _asked(plan, copy, {"CPERSONA_EMBEDDING_MODE": "none"}, None, quiet)
    else:
        embedder = load_embedder(plan.embedder.name, plan.embedder.options)
        with EmbeddingRelay(embedder) as relay:
            settings = {
                "CPERSONA_EMBEDDING_MODE": "http",
                "CPERSONA_EMBEDDING_URL": relay.url,
            }
            if plan.label:
                settings["CPERSONA_EMBEDDING_MODEL"] = plan.label
            rows = _asked(plan, copy, settings, relay, quiet)
            if relay.fault is not None:
                raise relay.fault
    with atomic_text(out) as stream:
        for row in rows:
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")


def _asked(
    plan: LivePlan,
    copy: Path,
    embedding: Mapping[str, str],
    relay: EmbeddingRelay | None,
    quiet: bool,
) -> list[dict[str, Any]]:
    async def ask_all(call: Call) -> list[dict[str, Any]]:
        return [await _asked_one(call, question, plan, relay) for question in shown]

    shown: Iterator[SearchQuery] = progress(
        plan.questions, total=len(plan.questions), label="ask", unit="question", quiet=quiet
    )
    return run_server(copy, {**embedding, **plan.settings, **_FIXED}, ask_all)


async def _asked_one(
    call: Call, question: SearchQuery, plan: LivePlan, relay: EmbeddingRelay | None
) -> dict[str, Any]:
    response = await call(
        "reconstruct",
        {
            **plan.request,
            "agent_id": question.agent_id,
            "query": question.query,
            "budget": LARGEST_BUDGET,
            "trace": True,
        },
    )
    vector = None
    if relay is not None and response.get("quote_selection") != LEXICAL_ONLY:
        vector = _vector_given(question, relay)
    return {
        "question_id": question.question_id,
        "agent_id": question.agent_id,
        "query": question.query,
        "response": response,
        "query_vector": None if vector is None else vector.astype(np.float64).tolist(),
    }


def _vector_given(question: SearchQuery, relay: EmbeddingRelay) -> NDArray[np.float32]:
    """Return the question's vector as the server was given it."""
    for text in (question.query, question.query.strip()):
        if text in relay.vectors:
            return relay.vectors[text]
    raise InputError(
        f"question_id {question.question_id!r}: the server asked for no vector of the question",
        "It embeds with something else than the harness; leave its embedding settings out.",
    )
