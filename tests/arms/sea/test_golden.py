"""Every line of the reference data, bit for bit."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from arms.sea import (
    DEFAULT_WEIGHTS,
    Candidate,
    PromptItem,
    QueryTask,
    RouterState,
    adjust_weights,
    embed,
    estimate_tokens,
    graph_signal,
    infer_plan,
    keyword_signal,
    limits,
    metadata_signal,
    parse_metadata,
    recall,
    recency_signal,
    render_prompt,
    score,
    score_for_plan,
    select,
    semantic_signal,
    snippet,
    task_fit,
    update_router,
)

from ...golden import golden_rows
from .bits import floats, same_bits


def test_score() -> None:
    for line in golden_rows("sea/score"):
        found = score(floats(line["signals_bits"]), floats(line["weights_bits"]))
        assert same_bits(found, line["score_bits"]), line


def test_adjusted_weights() -> None:
    for line in golden_rows("sea/task_weights"):
        found = adjust_weights(floats(line["base_bits"]), line["task"])
        assert same_bits(found, line["adjusted_bits"]), line


def test_score_for_a_plan() -> None:
    for line in golden_rows("sea/plan_score"):
        plan = QueryTask(line["task"], line["exact_recall"])
        found = score_for_plan(floats(line["signals_bits"]), DEFAULT_WEIGHTS, plan)
        assert same_bits(found, line["score_bits"]), line


def test_query_plan() -> None:
    for line in golden_rows("sea/query_plan"):
        plan = infer_plan(line["query"])
        names = ("task", "ordinal", "exact_recall", "require_grounding", "recency_bias", "risk")
        assert {name: getattr(plan, name) for name in names} == {n: line[n] for n in names}, line


def test_selection() -> None:
    for line in golden_rows("sea/select"):
        candidates = [
            Candidate(one["id"], one["cluster"], one["tokens"], float(floats(one["score_bits"])))
            for one in line["candidates"]
        ]
        budget = {n: line[n] for n in ("max_tokens", "max_records", "per_cluster_limit")}
        choice = select(candidates, **budget)
        names = ("selected", "rejected", "total_tokens", "reason")
        assert {name: getattr(choice, name) for name in names} == {n: line[n] for n in names}, line


def test_keyword() -> None:
    for line in golden_rows("sea/keyword"):
        assert same_bits(keyword_signal(line["query"], line["text"]), line["bits"]), line


def test_recency() -> None:
    for line in golden_rows("sea/recency"):
        found = recency_signal(line["timestamp_ms"], line["latest_ms"])
        assert same_bits(found, line["bits"]), line


def test_semantic() -> None:
    for line in golden_rows("sea/semantic"):
        assert same_bits(semantic_signal(floats(line["cosine_bits"])), line["bits"]), line


def test_task_fit() -> None:
    for line in golden_rows("sea/task_fit"):
        metadata = parse_metadata(f'{{"kind": "{line["kind"]}"}}')
        assert metadata.cluster == line["cluster"]
        assert same_bits(task_fit(line["task"], line["kind"]), line["bits"]), line


def test_limits() -> None:
    for line in golden_rows("sea/limits"):
        found = limits(line["store_vectors"], line["requested"])
        assert found == (line["evidence_limit"], line["candidate_limit"]), line


def test_metadata() -> None:
    for line in golden_rows("sea/metadata"):
        found = parse_metadata(line["metadata"])
        names = ("profile", "kind", "project", "timestamp_ms", "graph_flags", "valid")
        assert {name: getattr(found, name) for name in names} == {n: line[n] for n in names}, line
        assert found.importance == np.float32(line["importance"]), line
        assert same_bits(metadata_signal(found, line["query"]), line["metadata_score_bits"]), line
        assert graph_signal(found) == np.float32(line["graph_score"]), line
        assert snippet(found, line["max_bytes"]) == line["summary"], line
        shown = snippet(found)
        assert len(shown.encode()) == line["snippet512_bytes"], line
        assert estimate_tokens(shown) == line["estimated_tokens"], line


@pytest.mark.parametrize("name", ["recall", "recall_high"])
def test_recall(name: str) -> None:
    for line in golden_rows(f"sea/{name}"):
        found = recall(
            line["query"],
            [(hit["id"], float(floats(hit["cosine_bits"]))) for hit in line["hits"]],
            line["kv"],
            [(identifier, time) for identifier, time in line["blocks"]],
            limit=line["limit"],
            store_vectors=line["store_vectors"],
            task=line["task"],
            exact_recall=line["exact_recall"],
            max_prompt_bytes=line["max_prompt_bytes"],
        )
        assert len(found.items) == len(line["items"]), line["i"]
        for item, wanted in zip(found.items, line["items"], strict=True):
            for field in ("id", "profile", "authority", "kind", "snippet"):
                assert getattr(item, field) == wanted[field], line["i"]
            assert same_bits(item.signals, wanted["signals_bits"]), line["i"]
            assert same_bits(item.score, wanted["score_bits"]), line["i"]
        assert found.prompt == line["prompt"], line["i"]


def test_prompt() -> None:
    for line in golden_rows("sea/prompt"):
        items = [
            PromptItem(
                id=one["id"],
                profile=one["profile"],
                kind=one["kind"],
                authority=one["authority"],
                score=float(floats(one["score_bits"])),
                snippet=one["snippet"],
            )
            for one in line["items"]
        ]
        prompt = render_prompt(line["query"], items, line["max_prompt_bytes"])
        assert prompt == line["prompt"], line["i"]
        assert len(prompt.encode()) == line["prompt_bytes"], line["i"]


def test_embedding() -> None:
    for line in golden_rows("sea/embedding"):
        assert same_bits(embed(line["text"]), line["bits"]), line["text"]


def test_router() -> None:
    for line in golden_rows("sea/router_ema"):
        state = RouterState.from_csv(line["start"])
        assert state.to_csv() == line["loaded"], line["start"]
        stored = [line["loaded"], *[step["stored"] for step in line["steps"]]]
        for step, (before, after) in zip(line["steps"], pairwise(stored), strict=True):
            state = RouterState.from_csv(before)
            observed = state.observe(step["text"])
            assert same_bits(observed, step["observed_bits"]), step
            updated = update_router(state, observed)
            assert same_bits(updated.weights, step["ema_bits"]), step
            assert updated.to_csv() == after, step
