"""The published package against the replay of its own store: the same selections, exactly."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.model import Case, view_of
from harness.points import parse_point
from harness.recording.recording import Recording
from harness.replay.context import render_context
from harness.replay.selection_writer import selection_object

from .live_store import EMBEDDER, Answer, LiveStore, make_store, skip_unless_installed

pytestmark = [pytest.mark.parity, pytest.mark.embed]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, checkout: Path) -> LiveStore:
    skip_unless_installed()
    folder = tmp_path_factory.mktemp("live")
    return make_store(folder, checkout / "datasets" / "sample" / "sample.json.xz")


@pytest.fixture(scope="module")
def cases(live: LiveStore) -> dict[str, Case]:
    """The store as `harness record cpersona --live` records it."""
    questions = live.path.with_name("questions.jsonl")
    lines = [
        json.dumps({"question_id": question_id, "agent_id": agent, "query": query})
        for question_id, agent, query in live.questions
    ]
    questions.write_text("\n".join(lines) + "\n", encoding="utf-8")
    out = live.path.with_name("recording")
    given = ["--questions", str(questions), "--embedder", EMBEDDER, "--request", "deep=true"]
    assert run(["record", "cpersona", str(live.path), "--live", *given, "--out", str(out)]) == 0
    return {case.case_id: case for case in Recording.open(out).cases()}


def test_every_selection_of_a_window_without_repeats_is_the_same(
    live: LiveStore,
    cases: dict[str, Case],
    capsys: pytest.CaptureFixture[str],
) -> None:
    compared: Counter[str] = Counter()
    differing: dict[str, list[str]] = {"without repeats": [], "with repeats": []}
    for answer in live.answers:
        case = cases[answer.question_id]
        kind = "with repeats" if _has_equal_blocks(case) else "without repeats"
        compared[kind] += 1
        if fields := _differing_fields(case, answer):
            differing[kind].append(
                f"{answer.question_id} {answer.sequence} {answer.budget} {fields}"
            )
    with capsys.disabled():
        for kind, count in sorted(compared.items()):
            print(f"\n  {kind}: {count - len(differing[kind])} of {count} the same", end="")
    shown = [item for answer in live.answers for item in answer.response["items"]]
    assert any("excerpts" in item for item in shown)
    assert any("admission" in item for item in shown)
    assert compared["without repeats"] >= 50
    assert differing["without repeats"] == []


def _has_equal_blocks(case: Case) -> bool:
    """Whether two blocks of the window have one text: the package's float32 may tell them apart."""
    texts: Counter[str] = Counter()
    for record in case.records:
        if record.blocks is not None:
            bounds = zip(record.blocks.starts.tolist(), record.blocks.ends.tolist(), strict=True)
            texts.update(record.text[start:end] for start, end in bounds)
    return any(count > 1 for count in texts.values())


def _differing_fields(case: Case, answer: Answer) -> list[str]:
    point = parse_point(f"{answer.sequence}(budget={answer.budget})")
    view, records = view_of(case)
    selection = point.policy.select(view)
    ours = selection_object(
        case, records, str(point), selection, render_context(selection, records)
    )
    theirs = answer.response
    differing = [] if ours["used"] == theirs["used_budget"] else ["used"]
    if [_our_item(item) for item in ours["items"]] != [_their_item(i) for i in theirs["items"]]:
        differing.append("items")
    if answer.sequence == "evidence":
        taken = [(s["record_id"], s["span"], s["ranks"]) for s in ours["sequence"] if s["taken"]]
        said = [(s["ref"], s["span"], s["ranks"]) for s in theirs["trace"]["sequence"]["taken"]]
        differing += [] if taken == said else ["sequence"]
    return differing


def _our_item(item: dict[str, Any]) -> tuple[Any, ...]:
    excerpts = [(one["record_id"], one["content"]) for one in item["excerpts"]]
    return item["head"], item["ranges"], item["content"], excerpts


def _their_item(item: dict[str, Any]) -> tuple[Any, ...]:
    excerpts = [(one["ref"], one["content"]) for one in item.get("excerpts", [])]
    return item["head_ref"], item["ranges"], item["content"], excerpts
