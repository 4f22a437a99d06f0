"""Reports are read strictly."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.attempts.comparing.report import read_report
from harness.errors import InputError

from ...make.reports import BEFORE, HASH, report, summary, write

Value = dict[str, Any]


def test_a_report_is_read(tmp_path: Path) -> None:
    read = read_report(write(tmp_path / "r.json", report(BEFORE)))
    assert read.summary["known_total_tokens"] == 780
    assert read.summary["tokens_per_correct_answer"] == 156
    assert set(read.components) == {"server", "mcp", "runner", "proxy"}
    assert (read.gaps, read.metrics_only) == ((), False)


def test_a_folder_stands_for_its_report(tmp_path: Path) -> None:
    write(tmp_path / "run" / "report.json", report(BEFORE))
    assert read_report(tmp_path / "run").path == tmp_path / "run" / "report.json"
    with pytest.raises(InputError, match=r"is a folder without report\.json"):
        read_report(tmp_path)


def _set(*keys: str | int, value: Any) -> Callable[[Value], None]:
    def change(found: Value) -> None:
        place: Any = found
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = value

    return change


CORRUPTED: dict[str, tuple[Callable[[Value], Any], str]] = {
    "unknown key": (_set("extra", value=1), "extra is an unknown key"),
    "unknown key of spec": (
        _set("spec", "repeat", value=2),
        "spec.repeat is an unknown key; did you mean 'repeats'?",
    ),
    "unknown key of an attempt": (
        _set("attempts", 2, "tasks", value=1),
        "attempts[2].tasks is an unknown key; did you mean 'task'?",
    ),
    "unknown key of a trace": (
        _set("attempts", 2, "trace", "turn", value=1),
        "attempts[2].trace.turn is an unknown key",
    ),
    "unknown key of a score": (
        _set("attempts", 0, "score", "right", value=True),
        "attempts[0].score.right is an unknown key",
    ),
    "unknown key of the summary": (_set("summary", "x", value=1), "summary.x is an unknown key"),
    "format": (_set("format", value="demarkus-answer-report-v1"), "format is"),
    "scoring": (
        lambda value: value["spec"].pop("scoring_version"),
        "spec.scoring_version is missing",
    ),
    "missing spec": (lambda value: value.pop("spec"), "spec is missing"),
    "no hash": (
        _set("implementation_hashes", "mcp", value="abc"),
        "implementation_hashes.mcp is 'abc', expected sha256-",
    ),
    "unknown binary": (
        _set("implementation_hashes", "mpc", value=HASH),
        "implementation_hashes.mpc is an unknown key",
    ),
    "fixture hash": (
        _set("spec", "fixture_hashes", "tasks", value="x"),
        "spec.fixture_hashes.tasks is 'x', expected sha256-",
    ),
    "changed summary": (
        _set("summary", "correct", value=6),
        "summary.correct is 6, but the attempts give 5",
    ),
    "changed tokens": (
        _set("summary", "known_total_tokens", value=779),
        "summary.known_total_tokens is 779, but the attempts give 780",
    ),
    "changed usage": (
        _set("summary", "usage", "cache", "read", value=7),
        "summary.usage.cache.read is 7, but the attempts give 6",
    ),
    "stated only": (
        _set("summary", "failures", value=1),
        "summary.failures is 1, but the attempts give 0",
    ),
    "changed category": (
        _set("categories", "first", "correct", value=1),
        "categories.first.correct is 1, but the attempts give 2",
    ),
    "missing category": (
        lambda value: value["categories"].pop("rest"),
        "categories.rest is missing",
    ),
    "category without attempts": (_set("categories", "x", value={}), "categories.x has no attempt"),
    "changed score": (
        _set("attempts", 0, "score", "correct", value=False),
        "summary.correct is 5, but the attempts give 4",
    ),
    "missing attempt": (
        lambda value: value["attempts"].pop(3),
        "attempts lack b repeat 2, but spec.repeats is 2",
    ),
    "duplicate attempt": (
        lambda value: value["attempts"].append(copy.deepcopy(value["attempts"][1])),
        "attempts[6] is a repeat 2, as attempts[1] is",
    ),
    "category that changes": (
        _set("attempts", 1, "category", value="rest"),
        "attempts[1].category is 'rest', but that of a was 'first'",
    ),
    "unknown usage": (
        _set("attempts", 4, "trace", "usage_complete", value=False),
        "attempts[4].trace.usage_complete is false (c repeat 1)",
    ),
    "phase": (
        _set("attempts", 1, "latency_phase", value="cold"),
        "attempts[1].latency_phase is 'cold', expected 'warm'",
    ),
    "metrics without a source": (
        _set("metrics_only", value=True),
        "source_report_sha256 is missing, but metrics_only is true",
    ),
    "result tokens": (
        _set("tool_result_tokens", value=3),
        "tool_result_tokens is 3, but the attempts give 0",
    ),
    "half rescored": (
        _set("rescored_from_sha256", value=HASH),
        "rescored_at is missing, but rescored_from_sha256 is there",
    ),
    "rescored from nothing": (
        _set("rescored_at", value="2026-01-01"),
        "rescored_from_sha256 is missing",
    ),
    "no lifecycle evidence": (
        _set(
            "lifecycle",
            value={
                "endpoint_free": True,
                "startup_verified": True,
                "server_stayed_up": False,
            },
        ),
        "lifecycle.server_stayed_up is false",
    ),
    "dataset hash": (
        _set("spec", "dataset_hash", value="sha256-" + "1" * 64),
        "spec.fixture_hashes.dataset is",
    ),
}


@pytest.mark.parametrize("name", CORRUPTED)
def test_a_corrupted_report_is_refused_with_the_field(tmp_path: Path, name: str) -> None:
    change, fault = CORRUPTED[name]
    value = report(BEFORE)
    value["spec"]["fixture_hashes"]["dataset"] = HASH
    read_report(write(tmp_path / "whole.json", value))
    change(value)
    path = write(tmp_path / "r.json", value)
    with pytest.raises(InputError) as caught:
        read_report(path)
    assert caught.value.message.startswith(str(path))
    assert fault in caught.value.message


def test_a_truncated_report_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    text = json.dumps(report(BEFORE), indent=1)
    for length in (0, 1, len(text) // 2, len(text) - 1):
        path.write_text(text[:length], "utf-8")
        with pytest.raises(InputError, match=r"r\.json is not JSON \(at "):
            read_report(path)


def test_a_key_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text('{"format": "a", "format": "b"}', "utf-8")
    with pytest.raises(InputError, match="has the key 'format' twice"):
        read_report(path)


def test_attempts_are_no_report(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", report(BEFORE)["attempts"][0])
    with pytest.raises(InputError) as caught:
        read_report(path)
    assert "harness score WORLD" in caught.value.hint


@pytest.mark.parametrize(
    ("factor", "fits"), [(1 + 1e-12, True), (1 - 1e-12, True), (1 + 1e-8, False)]
)
def test_float_noise_is_tolerated(tmp_path: Path, factor: float, fits: bool) -> None:
    value = report(BEFORE)
    value["summary"]["tokens_per_correct_answer"] = 156 * factor
    path = write(tmp_path / "r.json", value)
    if fits:
        assert read_report(path).summary["tokens_per_correct_answer"] == 156
    else:
        with pytest.raises(InputError, match=r"summary\.tokens_per_correct_answer"):
            read_report(path)


def test_a_partial_cohort_is_kept_and_says_so(tmp_path: Path) -> None:
    value = report(BEFORE)
    del value["attempts"][3]
    value["summary"] = summary(value["attempts"])
    value["categories"]["rest"] = summary(value["attempts"][2:])
    read = read_report(write(tmp_path / "r.json", value))
    assert read.gaps == (
        "attempts are 5, but spec.expected_attempts is 6: an incomplete cohort",
        "attempts lack b repeat 2, but spec.repeats is 2",
    )


def test_latencies_are_recomputed(tmp_path: Path) -> None:
    value = report({"a": [(100, True), (120, True)]})
    value["spec"]["expected_attempts"] = 2
    value["attempts"][0]["elapsed_ms"] = 10.5
    cold = {"samples": 1, "mean_ms": 10.5, "min_ms": 10.5, "max_ms": 10.5}
    for each in (value["summary"], value["categories"]["first"]):
        each["cold_latency"] = cold
        each["warm_latency"] = {"samples": 0}
    assert read_report(write(tmp_path / "r.json", value)).summary["cold_latency"] == cold
    value["summary"]["cold_latency"] = {**cold, "mean_ms": 11}
    with pytest.raises(InputError, match=r"summary\.cold_latency\.mean_ms is 11"):
        read_report(write(tmp_path / "r.json", value))


def _older(**changed: Any) -> Value:
    value = report({"a": [(100, True), (120, True)]}, **changed)
    value["spec"]["expected_attempts"] = 2
    del value["format"], value["spec"]["scoring_version"]
    for attempt in value["attempts"]:
        attempt["elapsed_ms"] = 10.5
    return value


def test_a_report_of_the_older_form_is_read_where_it_holds_what_is_needed(tmp_path: Path) -> None:
    read = read_report(write(tmp_path / "r.json", _older()))
    assert (read.summary["known_total_tokens"], read.gaps) == (220, ())
    assert read.summary["cold_latency"]["mean_ms"] == 10.5  # it leaves latencies out


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda value: value.pop("summary"), "summary is missing"),
        (_set("summary", "correct", value=1), "summary.correct is 1, but the attempts give 2"),
        (
            _set("summary", "warm_latency", value={"samples": 1, "mean_ms": 9}),
            "summary.warm_latency.mean_ms is 9, but the attempts give 10.5",
        ),
        (lambda value: value["attempts"][0].pop("score"), "attempts[0].score is missing"),
        (_set("format", value=None), "format is null"),
    ],
)
def test_what_the_older_form_lacks_or_contradicts_is_named(
    tmp_path: Path, change: Callable[[Value], Any], fault: str
) -> None:
    value = _older()
    change(value)
    with pytest.raises(InputError) as caught:
        read_report(write(tmp_path / "r.json", value))
    assert fault in caught.value.message
    assert "harness score" not in caught.value.hint
