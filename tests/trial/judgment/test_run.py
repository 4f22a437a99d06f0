"""A run beside the grades: contexts are compared, costs and evidence metrics are added."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.model import Case, EvidenceSpan, Gold, Item, Query, Record
from harness.points import parse_point
from harness.replay.run import Run
from harness.show.verdict_page import verdict_page
from harness.trial.verdict import read_verdict

from ...make.once import copied
from ...make.project import CONTROL_RIGHT, POINT_RIGHT, TEST_IDS, Project
from ...make.recordings import recording_of

ONE, TWO = "count-curve(k=1)", "count-curve(k=2)"


def _case(question_id: str) -> Case:
    """The answer session is the second item: one item shows none of it, two show all of it."""
    records = tuple(
        Record(f"{question_id}-{place}", f"user: {text}", session_id=f"s{place}")
        for place, text in enumerate(("It rained.", f"I am {question_id}."))
    )
    evidence = (EvidenceSpan(f"{question_id}-1", 6, 13, "user"),)
    return Case(
        question_id,
        Query("Who am I?"),
        records,
        tuple(Item(record.record_id) for record in records),
        "made",
        Gold(question_id, sessions=("s1",), evidence=evidence),
    )


@pytest.fixture
def replayed(project: Project) -> Project:
    """A run of the test questions at one and at two items, in `run`."""
    recording = recording_of(map(_case, TEST_IDS), dataset_sha256=None)
    copied(recording, project.folder / "recording")
    points = ["--point", ONE, "--point", TWO]
    assert run(["replay", "recording", "--out", "run", "-q", *points]) == 0
    return project


def _contexts(point: str) -> dict[str, str]:
    opened = Run.open(Path("run"))
    return {name: digest for name, digest, _ in opened.contexts(parse_point(point))}


def _grade(
    project: Project, name: str, point: str, right: Any, contexts: Mapping[str, str]
) -> None:
    rows = project.rows(right)
    for row in rows:
        if row["question_id"] in contexts:
            row["context_sha256"] = contexts[row["question_id"]]
    project.grade(name, point, rows)


def test_evidence_and_costs_stand_beside_accuracy(replayed: Project) -> None:
    table = '[same_cost]\nmeasure = "context_tokens"\nwithin = 0.05'
    sha256 = json.loads(Path("recording/manifest.json").read_text())["content_sha256"]
    replayed.register(
        head="",
        point=TWO,
        control=ONE,
        tail=f'{table}\n[recording]\nsha256 = "{sha256}"',
        rule_keys='cost = "context_tokens <= 1000"',
    )
    _grade(replayed, "new", TWO, POINT_RIGHT, _contexts(TWO))
    _grade(replayed, "old", ONE, CONTROL_RIGHT, _contexts(ONE))
    verdict = replayed.judged("--run", "run")
    two, one = verdict["points"]
    for figures, shown in ((two, 1.0), (one, 0.0)):
        assert figures["evidence"]["all_answer_sessions_shown"] == {
            "value": shown,
            "expected": 20,
            "scored": 20,
        }
    selections = Run.open(Path("run")).table("selections").to_pylist()
    means = {
        point: sum(row["context_tokens"] for row in selections if row["point"] == point) / 20
        for point in (ONE, TWO)
    }
    assert two["tokens"]["context_tokens"] == means[TWO]
    (rule,) = verdict["rules"]
    assert rule["cost"]["held"] is True
    (beside,) = verdict["not_registered"]
    assert {question["question_id"] for question in beside["won"]} == POINT_RIGHT - CONTROL_RIGHT
    assert {question["question_id"] for question in beside["lost"]} == CONTROL_RIGHT - POINT_RIGHT
    for question in (*beside["won"], *beside["lost"]):
        counts = [question[side]["answer_sessions_shown"] for side in ("point", "control")]
        assert counts == [1, 0]
        assert question["point"]["answer_sessions"] == 1
    page = verdict_page(read_verdict(replayed.verdict_file))
    assert "| lost | 1 of 1 answer session, 1 of 1 turn | 0 of 1 answer session, " in page
    assert rule["same_cost"]["ratio"] == pytest.approx(means[TWO] / means[ONE], abs=1e-15)
    assert (verdict["stamp"], verdict["not_checked"]) == ("confirmatory", [])
    assert verdict["notes"] == []


def test_other_contexts_than_were_answered(
    replayed: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    replayed.register(head="", point=TWO, control=ONE)
    _grade(replayed, "new", TWO, POINT_RIGHT, _contexts(TWO))
    _grade(replayed, "old", ONE, CONTROL_RIGHT, {TEST_IDS[0]: "0" * 64})
    assert replayed.judge("--run", "run") == 2
    message = capsys.readouterr().err
    assert (
        f"(control {ONE}): 1 answered contexts are not those of the run: {TEST_IDS[0]}" in message
    )
    assert replayed.openings() == []


def test_contexts_that_are_not_known_are_listed(replayed: Project) -> None:
    replayed.register(head="", point=TWO, control=ONE)
    _grade(replayed, "new", TWO, POINT_RIGHT, _contexts(TWO))
    _grade(replayed, "old", ONE, CONTROL_RIGHT, {})
    (line,) = replayed.judged("--run", "run")["not_checked"]
    assert line.startswith(f"which contexts the answers of the control {ONE} are of: the grades do")
    assert line.endswith("for 20 of 20 questions")


def test_another_recording(replayed: Project, capsys: pytest.CaptureFixture[str]) -> None:
    replayed.register(head="", point=TWO, control=ONE, tail=f'[recording]\nsha256 = "{"0" * 64}"')
    _grade(replayed, "new", TWO, POINT_RIGHT, {})
    _grade(replayed, "old", ONE, CONTROL_RIGHT, {})
    assert replayed.judge("--run", "run") == 2
    assert f"the registration names {'0' * 64}" in capsys.readouterr().err
