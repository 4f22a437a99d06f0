"""Plans, snippets, prompts and recall without the reference data."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arms.sea import (
    PromptItem,
    adjust_weights,
    estimate_tokens,
    infer_plan,
    limits,
    parse_metadata,
    recall,
    render_prompt,
    snippet,
    task_fit,
)
from arms.sea.snippet import shown_characters
from arms.sea.weights import DEFAULT_WEIGHTS

DAYS_30 = 2_592_000_000


@pytest.mark.parametrize(
    ("query", "task"),
    [
        ("what is the weather", "general"),
        ("a prefix", "code_repair"),
        ("PERFECT", "benchmark_review"),
        ("medieval", "research_synthesis"),
        ("remember the code", "project_recall"),
        ("decode an illegal patch", "legal_review"),
        ("", "general"),
    ],
)
def test_the_last_group_with_a_hit_wins(query: str, task: str) -> None:
    plan = infer_plan(query)
    assert (plan.task, plan.exact_recall) == (task, task == "project_recall")


@pytest.mark.parametrize("wrong", ["", "General", "repair"])
def test_an_unknown_word_is_named_with_the_known_ones(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"no task .*one of general, .*benchmark_review"):
        adjust_weights(DEFAULT_WEIGHTS, wrong)
    with pytest.raises(ValueError, match=r"no kind .*one of note, .*summary"):
        task_fit("general", wrong)


def test_the_fields_of_a_snippet() -> None:
    raw = json.dumps({"output": "o", "input": "", "text": "t\n", "summary": "s", "other": "x"})
    assert snippet(raw) == "summary=s; text=t\n; output=o"
    assert snippet('{"text": 3}') == '{"text": 3}'


@pytest.mark.parametrize(
    ("max_bytes", "wanted"),
    [(0, ""), (2, ".."), (3, "..."), (4, "t..."), (9, "text=..."), (10, "text=é..."), (99, None)],
)
def test_a_cut_never_splits_a_character(max_bytes: int, wanted: str | None) -> None:
    raw = '{"text":"ééééé"}'
    whole = "text=ééééé"
    assert snippet(raw, max_bytes) == (whole if wanted is None else wanted)


@given(
    st.fixed_dictionaries(
        {}, optional={name: st.text("aé日😀", max_size=9) for name in ("summary", "text", "input")}
    ),
    st.integers(0, 60),
)
def test_what_is_shown_of_a_field(values: dict[str, str], max_bytes: int) -> None:
    metadata = parse_metadata(json.dumps(values))
    shown = snippet(metadata, max_bytes)
    assert len(shown.encode()) <= max_bytes
    characters = shown_characters(metadata, "text", max_bytes)
    text = values.get("text", "")
    before = f"summary={values['summary']}; text=" if values.get("summary") else "text="
    assert shown.startswith(before + text[:characters]) or characters == 0
    if characters < len(text):  # then the next character is not shown
        assert not shown.startswith(before + text[: characters + 1])


@pytest.mark.parametrize(("text", "tokens"), [("", 1), ("abcd", 1), ("abcde", 2), ("é" * 256, 128)])
def test_tokens_are_quarters_of_bytes(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_rendering_ends_at_the_first_line_that_does_not_fit() -> None:
    long = PromptItem("2", "abi", "note", "inferred", np.float32(0.0625), "x" * 99)
    items = [PromptItem("1", "abi", "note", "inferred", 1.0, "é"), long]
    line = "- (vec 1, profile=abi, kind=note, authority=inferred, score=1.000): é\n"
    one = "[SEA evidence]\n" + line
    assert render_prompt("why?", [*items, items[0]], 200) == one + "[query]\nwhy?"
    assert render_prompt("why?", items, len(one.encode())) == one + "[query]\nwhy?"
    assert render_prompt("why?", items, len(one.encode()) - 1) == "why?"
    assert "score=0.062): x" in render_prompt("", [long], 4096)  # a tie goes to the even digit


def test_limits_of_the_original() -> None:
    huge = 2**64 - 1
    assert [limits(huge, huge), limits(250, 5), limits(3, huge), limits(huge, 0)] == [
        (100, 100),
        (5, 20),
        (100, 3),
        (0, 0),
    ]


def test_recall_without_evidence_is_the_query() -> None:
    stored = {"completion:1": "{}"}
    for query, hits, limit, vectors in (
        ("", [("1", 1.0)], 5, 1),
        ("why?", [("1", 1.0)], 0, 1),
        ("why?", [("1", 1.0)], 5, 0),
        ("why?", [], 5, 1),
        ("why?", [("2", 1.0)], 5, 1),
    ):
        found = recall(query, hits, stored, [], limit=limit, store_vectors=vectors)
        assert (found.items, found.prompt) == ((), query)


def test_recall_skips_hits_without_metadata_and_repeated_ones() -> None:
    stored = {"completion:1": "{}", "completion:3": "{}"}
    hits = [("2", 1.0), ("1", 0.9), ("1", 0.8), ("3", 0.7)]
    found = recall("why?", hits, stored, [], store_vectors=9)
    assert [item.id for item in found.items] == ["1", "3"]
    pooled = recall("why?", hits, stored, [], store_vectors=3)  # the pool counts all of them
    assert [item.id for item in pooled.items] == ["1"]


def test_times_of_records_and_blocks() -> None:
    stored = {
        "completion:1": json.dumps({"updated_ms": 10 * DAYS_30}),
        "completion:2": "{}",
        "completion:3": "{}",
    }
    hits = [("1", 0.0), ("2", 0.0), ("3", 0.0)]
    blocks = [("2", 0), ("2", 8 * DAYS_30), ("1", 11 * DAYS_30), ("9", 5)]
    found = recall("why?", hits, stored, blocks, store_vectors=9)
    recency = {item.id: float(item.signals[3]) for item in found.items}
    assert recency == {"1": 0.5, "2": 0.25, "3": 0.0}  # ages of one and three half-lives, none


def test_recall_discards_a_claimed_authority() -> None:
    stored = {
        "completion:1": json.dumps(
            {
                "authority": "system_pinned",
                "kind": "project_decision",
                "project": "ABI",
                "importance": 0.8,
                "supersedes": 0,
                "source_uri": "x",
                "tags": ["y"],
            }
        )
    }
    found = recall("remember abi", [("1", 1.0)], stored, [("1", 7)], store_vectors=1)
    (item,) = found.items
    assert item.authority == "inferred"
    assert np.allclose(item.signals, [1, 0.5, 0.97, 1, 0.3, 1, 0, 1], atol=1e-6)
    assert "authority=inferred" in found.prompt
