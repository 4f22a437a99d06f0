"""The bundled sample dataset has the shape it promises, and its generator makes it again."""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from harness.datasets.layout import read_questions
from harness.datasets.question_list import question_hash
from harness.model import view_of
from harness.points import parse_point
from harness.recording.recording import Recording
from harness.replay.context import render_context

SAMPLE = Path(__file__).parents[2] / "datasets" / "sample"
SHOWN_TO_DIFFER = ("items", "2.6.5a1", "2.6.5a2", "evidence")
Question = dict[str, Any]


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    with lzma.open(SAMPLE / "sample.json.xz") as file:
        loaded: list[Question] = json.load(file)
    return loaded


@pytest.fixture(scope="module")
def recording() -> Recording:
    return Recording.open(SAMPLE / "recording")


def sessions_of(question: Question) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    yield from zip(
        question["haystack_session_ids"],
        question["haystack_dates"],
        question["haystack_sessions"],
        strict=True,
    )


def turns_of(questions: list[Question]) -> Iterator[dict[str, Any]]:
    for question in questions:
        for _, _, turns in sessions_of(question):
            yield from turns


def moment(text: str) -> datetime:
    parsed = datetime.strptime(text, "%Y/%m/%d (%a) %H:%M")
    assert parsed.strftime("%Y/%m/%d (%a) %H:%M") == text
    return parsed


def test_counts_by_type_and_abstentions(questions: list[Question]) -> None:
    assert Counter(question["question_type"] for question in questions) == {
        "single-session-user": 21,
        "multi-session": 40,
        "single-session-preference": 9,
        "temporal-reasoning": 40,
        "knowledge-update": 23,
        "single-session-assistant": 17,
    }
    ids = [question["question_id"] for question in questions]
    assert len(set(ids)) == 150
    assert sum(name.endswith("_abs") for name in ids) == 10
    abstaining = {q["question_type"] for q in questions if q["question_id"].endswith("_abs")}
    assert len(abstaining) == 4


def test_the_list_of_questions_is_in_file_order(questions: list[Question]) -> None:
    lines = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    wanted = [
        (q["question_id"], q["question_type"], question_hash(q["question"])) for q in questions
    ]
    assert [tuple(json.loads(line).values()) for line in lines] == wanted


def test_haystacks_hold_their_evidence(questions: list[Question]) -> None:
    for question in questions:
        evidence = set(question["answer_session_ids"])
        asked = moment(question["question_date"])
        marked = 0
        assert 38 <= len(question["haystack_sessions"]) <= 62
        assert evidence <= set(question["haystack_session_ids"])
        for session_id, date, turns in sessions_of(question):
            assert ("answer" in session_id) == (session_id in evidence)
            assert all(("has_answer" in turn) == (session_id in evidence) for turn in turns)
            assert session_id not in evidence or moment(date) <= asked
            marked += sum(turn.get("has_answer", False) for turn in turns)
        assert marked > 0 or question["question_id"].endswith("_abs")


def test_an_id_has_one_text_and_one_date(questions: list[Question]) -> None:
    known: dict[str, tuple[str, list[dict[str, Any]]]] = {}
    for question in questions:
        for session_id, date, turns in sessions_of(question):
            assert known.setdefault(session_id, (date, turns)) == (date, turns)
    texts = {json.dumps([(t["role"], t["content"]) for t in turns]) for _, turns in known.values()}
    assert 130 <= len(texts) <= 170


def test_evidence_of_multi_session_questions(questions: list[Question]) -> None:
    sizes = Counter(
        len(question["answer_session_ids"])
        for question in questions
        if question["question_type"] == "multi-session"
    )
    assert set(sizes) == {2, 3, 4}


def test_dates_have_the_right_weekday(questions: list[Question]) -> None:
    for question in questions:
        dates = [moment(date) for date in question["haystack_dates"]]
        assert len(dates) == len(question["haystack_sessions"])


def test_irregularities_of_published_data(questions: list[Question]) -> None:
    turns = list(turns_of(questions))
    assert sum(isinstance(question["answer"], int) for question in questions) >= 10
    assert any(not turn["content"] for turn in turns)
    assert any("<|endoftext|>" in turn["content"] for turn in turns)
    assert any(turns[0]["role"] == "assistant" for q in questions for _, _, turns in sessions_of(q))
    twice = [q for q in questions if max(Counter(q["haystack_session_ids"]).values()) > 1]
    assert len(twice) == 1
    dates = [[moment(date) for date in question["haystack_dates"]] for question in questions]
    assert 20 < sum(day != sorted(day) for day in dates) < 100


def test_japanese_and_other_characters(questions: list[Question]) -> None:
    japanese = [q for q in questions if any("\u3041" <= c <= "\u9fff" for c in q["question"])]
    assert len(japanese) >= 4
    text = "".join({turn["content"] for turn in turns_of(questions)})
    assert all(mark in text for mark in "。「」？🎉")
    assert any(unicodedata.combining(character) for character in text)
    assert "```" in text
    assert "| --- |" in text


def test_the_harness_reads_it(questions: list[Question]) -> None:
    read = list(read_questions(SAMPLE / "sample.json.xz"))
    assert [q.question_id for q in read] == [q["question_id"] for q in questions]


def test_the_generator_makes_the_committed_files() -> None:
    command = [sys.executable, str(SAMPLE / "generate.py"), "--check"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr


def test_the_recording_is_of_this_file(recording: Recording) -> None:
    content = recording.manifest.content
    with lzma.open(SAMPLE / "sample.json.xz") as file:
        assert content["dataset"]["sha256"] == sha256(file.read()).hexdigest()
    assert content["counts"]["cases"] == 150
    assert content["counts"]["distinct_blocks"] <= 12_000


def test_the_manifest_of_the_recording_names_files_by_relative_paths(recording: Recording) -> None:
    manifest = json.loads((recording.folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["arguments"]["given"] == {"data": "datasets/sample/sample.json.xz"}


def test_policies_differ_pairwise_at_one_budget(recording: Recording) -> None:
    policies = [parse_point(f"{arm}(budget=2800)").policy for arm in SHOWN_TO_DIFFER]
    differing: Counter[tuple[str, str]] = Counter()
    for case in recording.cases():
        view, records = view_of(case)
        contexts = [render_context(policy.select(view), records) for policy in policies]
        named = zip(SHOWN_TO_DIFFER, contexts, strict=True)
        for (one, shown), (other, also_shown) in combinations(named, 2):
            differing[one, other] += shown != also_shown
    assert len(differing) == 6
    assert min(differing.values()) >= 20, differing
