"""Files of attempts: every faulty line is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.attempts.scoring import Usage
from harness.attempts.scoring.attempts import read_attempts
from harness.errors import InputError
from harness.worlds import World

from ...make.attempts import attempt, attempt_object, right_attempts, right_wheel, whole_wheel

GOOD = attempt_object(attempt("wheel", right_wheel(), whole_wheel()))


def test_attempts_come_back_as_they_were(world: World, tmp_path: Path) -> None:
    made = [*right_attempts(), *right_attempts(2)]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(json.dumps(attempt_object(each)) for each in made), "utf-8")
    read = read_attempts(str(path), world)
    assert [each.key for each in read] == [each.key for each in made]
    assert [each.trace.final for each in read] == [each.trace.final for each in made]
    assert [each.latency_phase for each in read] == ["cold"] * 5 + ["warm"] * 5


def test_what_an_attempt_need_not_say(world: World, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    line = {"task": "wheel", "category": "direct", "repeat": 1, "trace": {"calls": None}}
    path.write_text(json.dumps(line), "utf-8")
    (read,) = read_attempts(str(path), world)
    assert (read.trace.calls, read.trace.usage, read.trace.usage_complete) == ((), Usage(), False)
    assert (read.elapsed_ms, read.protocol_requests, read.error) == (None, None, "")


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        (
            {"task": "wheels"},
            "task is 'wheels', which is not a task of the world; did you mean 'wheel'?",
        ),
        ({"category": "absent"}, "category is 'absent', but that of the task is 'direct'"),
        ({"repeat": 0}, "repeat is 0, expected 1 or more"),
        ({"repeats": 1}, "repeats is an unknown key; did you mean 'repeat'?"),
        ({"latency_phase": "warm"}, "latency_phase is 'warm', expected 'cold'"),
        ({"elapsed_ms": -1}, "elapsed_ms is -1.0, expected 0 or more"),
        ({"trace": {}}, "trace.calls is missing"),
        ({"trace": {"calls": [{"input": {}}]}}, "trace.calls[0].name is missing"),
        (
            {"trace": {"calls": [{"name": "x", "input": "q"}]}},
            "trace.calls[0].input is the string 'q', expected an object",
        ),
        (
            {"trace": {"calls": [], "usage": {"input": -1, "output": 1}}},
            "trace.usage.input is -1, expected 0 or more",
        ),
        (
            {"trace": {"calls": [], "usage_complete": True}},
            "trace.usage is missing, but usage_complete is true",
        ),
    ],
)
def test_a_faulty_line_is_named(
    world: World, tmp_path: Path, changed: dict[str, Any], fault: str
) -> None:
    path = tmp_path / "a.jsonl"
    lines = [{**GOOD, "repeat": 2}, {**GOOD, **changed}]
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    with pytest.raises(InputError) as caught:
        read_attempts(str(path), world)
    assert f"line 2: {fault}" in caught.value.message


def test_all_faults_come_together(world: World, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n{{\n\n{json.dumps(GOOD)}\n", "utf-8")
    with pytest.raises(InputError) as caught:
        read_attempts(str(path), world)
    assert "2 faults" in caught.value.message
    assert "line 2: is not JSON" in caught.value.message
    assert "line 4: the attempt wheel repeat 1 was given before" in caught.value.message


def test_an_empty_file_has_no_attempt(world: World, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("", "utf-8")
    with pytest.raises(InputError, match="there is no attempt"):
        read_attempts(str(path), world)
