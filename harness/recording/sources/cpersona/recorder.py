"""Recording a store with the searches that were made in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.datasets.layout import read_questions
from harness.errors import Faults, InputError
from harness.progress import progress
from harness.recording.writer import RecordingWriter
from harness.storage.content import content_size_and_sha256
from harness.storage.folder import FolderState
from harness.words import counted

from .cases import CaseMaker
from .labels import QuestionLabels, labels_of
from .query_vectors import QueryEmbedder, QueryVectors, query_vectors
from .searches import Searches
from .store import Store, open_store
from .summary import Summary
from .survey import chosen_labels, refuse_stale, survey


@dataclass(frozen=True, slots=True, eq=False)
class StorePlan:
    """What is asked for.

    `copy` is read in place of `store` if it is given. `labels`: the embedder labels that count as
    the server's; by default the only one there is. `asked`: how the searches were made, if the
    harness made them itself. `server_had_no_embedder`: no search of them had a vector to record.
    """

    store: Path
    searches: Searches
    copy: Path | None = None
    dataset: Path | None = None
    labels: tuple[str, ...] = ()
    allow_stale: bool = False
    query_embedder: QueryEmbedder | None = None
    asked: Mapping[str, Any] = field(default_factory=dict)
    server_had_no_embedder: bool = False


@dataclass(frozen=True, slots=True)
class RecordedStore:
    """What the output folder was before, and what the person at the terminal should know."""

    state: FolderState
    notes: tuple[str, ...]


def record_cpersona(
    plan: StorePlan,
    out: Path,
    *,
    quiet: bool = False,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
) -> RecordedStore:
    """Make the recording of `plan` in `out`.

    Everything is read and checked, and the store closed, before `out` is touched. Raises
    `InputError` for a store that is stale (unless `allow_stale`), damaged or locked, and for
    searches that do not fit it.
    """
    with RecordingWriter(
        out, verb="record cpersona", given=given, force=force, quiet=quiet
    ) as recording:
        summary = _read(plan, recording, quiet)
        state = recording.describe(summary.work(), **summary.described())
    return RecordedStore(state, tuple(summary.notes()))


def _read(plan: StorePlan, recording: RecordingWriter, quiet: bool) -> Summary:
    """Add every case of the plan; return what there is to say of them."""
    vectors = query_vectors(
        plan.searches, plan.query_embedder, had_none=plan.server_had_no_embedder, quiet=quiet
    )
    with open_store(plan.copy or plan.store, plan.store) as store:
        labels = chosen_labels(store, plan.labels)
        agents = [row.question.agent_id for row in plan.searches.rows]
        surveyed = survey(store, agents, labels, quiet=quiet)
        if not plan.allow_stale:
            refuse_stale(store, surveyed, plan.searches.refs)
        recording.dimension = _width(store, vectors)
        maker = CaseMaker(store, labels, recording.dimension, vectors)
        for case in maker.cases(plan.searches, _labels(plan, store, quiet), quiet=quiet):
            recording.add(case)
    return Summary(
        store_name=plan.store.name,
        store_sha256=store.sha256,
        searches=plan.searches,
        dataset=_dataset(plan.dataset),
        labels=labels,
        labels_given=bool(plan.labels),
        width=recording.dimension,
        vectors=vectors,
        survey=surveyed,
        tally=maker.tally,
        asked=plan.asked,
    )


def _width(store: Store, vectors: QueryVectors) -> int | None:
    """Return the number of components of the recording's vectors: the questions', else those of
    most blocks."""
    if vectors.width is None:
        return store.vector_width()
    if vectors.embedder is not None and store.vector_width() not in (None, vectors.width):
        raise InputError(
            f"the embedder {vectors.embedder['name']} gives "
            f"{counted(vectors.width, 'component')}, the blocks "
            f"of {store.path} have {store.vector_width()}",
            "Name the embedder that the server used.",
        )
    return vectors.width


def _dataset(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {"name": None, "sha256": None}
    return {"name": path.name, "sha256": content_size_and_sha256(path)[1]}


def _labels(plan: StorePlan, store: Store, quiet: bool) -> dict[str, QuestionLabels]:
    """Return the dataset's labels of the searches by question id; empty without a dataset."""
    if plan.dataset is None:
        return {}
    asked = {row.question.question_id: row.question for row in plan.searches.rows}
    faults = Faults()
    labels = {}
    questions = read_questions(plan.dataset)
    for question in progress(questions, total=None, label="labels", unit="question", quiet=quiet):
        search = asked.get(question.question_id)
        if search is not None:
            records = store.records_of(search.agent_id)
            labels[question.question_id] = labels_of(question, records, faults)
    faults.raise_if_any(str(plan.dataset), "Correct these turns; nothing was recorded.")
    for question_id, search in asked.items():
        if question_id not in labels:
            faults.add(f"line {search.line}: question_id {question_id!r} is not in {plan.dataset}")
    faults.raise_if_any(plan.searches.name, "Give the dataset that the questions are of.")
    _refuse_labels_of_nothing(plan, list(labels.values()))
    return labels


def _refuse_labels_of_nothing(plan: StorePlan, labels: Sequence[QuestionLabels]) -> None:
    sessions = sum(len(one.gold.sessions) for one in labels)
    turns = sum(len(one.gold.evidence) for one in labels)
    if (sessions or turns) and not any(one.any_stored for one in labels):
        raise InputError(
            f"{plan.store} holds nothing that {plan.dataset} labels: of "
            f"{counted(sessions, 'answer session')} and {counted(turns, 'evidence turn')}, 0 are "
            "memories of the agents that were asked",
            "Give the dataset whose sessions were stored, and each question's own agent_id; or "
            "leave the dataset out, and record without labels.",
        )
