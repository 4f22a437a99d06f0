"""Reports of a made-up run: tasks with tokens and correct answers in each repeat."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HASH = "sha256-" + "0" * 64
LIFECYCLE = ("endpoint_free", "startup_verified", "server_stayed_up", "cleanup_verified")
Arm = Mapping[str, Sequence[tuple[int, bool]]]
"""By task, for each repeat: tokens, and whether the answer was correct."""

BEFORE: Arm = {
    "a": [(100, True), (120, True)],
    "b": [(200, True), (180, False)],
    "c": [(90, True)] * 2,
}


def sha(letter: str) -> str:
    return "sha256-" + letter * 64


def report(arm: Arm, **changed: Any) -> dict[str, Any]:
    """A report, with a summary computed here by hand."""
    attempts = [
        _attempt(task, repeat, tokens, correct)
        for task, tries in arm.items()
        for repeat, (tokens, correct) in enumerate(tries, 1)
    ]
    return {
        "format": "demarkus-answer-report-v2",
        "spec": {
            "suite": "made",
            "repeats": 2,
            "expected_attempts": 6,
            "scoring_version": "independent-evidence-v2",
            "reader_policy": "short",
            "reader_prompt_hash": sha("1"),
            "fixture_hashes": {"corpus": HASH, "tasks": HASH, "rubric": HASH},
        },
        "generated": "2026-01-01T00:00:00Z",
        "implementation_hashes": dict.fromkeys(("server", "mcp", "runner", "proxy"), HASH),
        "lifecycle": {
            **dict.fromkeys(LIFECYCLE, True),
            "attribution": "run-read-capability-v1",
            "tool_names": ["mark_fetch", "mark_lookup"],
        },
        "attempts": attempts,
        "summary": summary(attempts),
        "categories": {
            name: summary([each for each in attempts if each["category"] == name])
            for name in {each["category"] for each in attempts}
        },
        **changed,
    }


def summary(attempts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    tokens = sum(each["trace"]["usage"]["input"] + 5 for each in attempts)
    correct = sum(each["score"]["correct"] for each in attempts)
    found = {
        "attempts": len(attempts),
        "correct": correct,
        "known_total_tokens": tokens,
        "usage_complete": all(each["trace"]["usage_complete"] for each in attempts),
        "usage": {
            "input": tokens - 5 * len(attempts),
            "output": len(attempts),
            "reasoning": len(attempts),
            "cache": {"read": len(attempts), "write": 2 * len(attempts)},
        },
        "model_turns": 2 * len(attempts),
        "tool_calls": len(attempts),
        "dimension_attempts": len(attempts),
        "answer_correct": correct,
    }
    if found["usage_complete"] and correct:
        found["tokens_per_correct_answer"] = tokens / correct
    return found


def write(path: Path, value: Mapping[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")
    return path


def _attempt(task: str, repeat: int, tokens: int, correct: bool) -> dict[str, Any]:
    usage = {"input": tokens - 5, "output": 1, "reasoning": 1, "cache": {"read": 1, "write": 2}}
    return {
        "task": task,
        "category": "first" if task == "a" else "rest",
        "repeat": repeat,
        "latency_phase": "cold" if repeat == 1 else "warm",
        "trace": {
            "usage": usage,
            "usage_complete": True,
            "turns": 2,
            "calls": [{"name": "x_mark_lookup", "input": None, "output": ""}],
            "final": "",
        },
        "score": {"correct": correct, "dimensions_recorded": True, "answer_correct": correct},
    }
