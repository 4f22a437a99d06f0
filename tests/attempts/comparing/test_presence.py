"""What a report must say of its run: each rule, broken alone, is refused by name."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.attempts.comparing.report import read_report
from harness.cli.main import run
from harness.errors import InputError

from ...make.reports import BEFORE, report, write

Value = dict[str, Any]
Change = Callable[[Value], Any]


def whole() -> Value:
    """A report of the independent suite."""
    value = report(BEFORE)
    value["spec"] |= {"suite": "independent-answer-v1", "dataset": "made-v1"}
    return value


def _set(*keys: str | int, to: Any) -> Change:
    def change(value: Value) -> None:
        place: Any = value
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = to

    return change


def _drop(*keys: str) -> Change:
    def change(value: Value) -> None:
        place: Any = value
        for key in keys[:-1]:
            place = place[key]
        del place[keys[-1]]

    return change


RULES: dict[str, tuple[Change, str]] = {
    "no lifecycle": (_drop("lifecycle"), "lifecycle is missing"),
    "lifecycle of nothing": (_set("lifecycle", to=None), "lifecycle is null"),
    "no tools": (_set("lifecycle", "tool_names", to=[]), "lifecycle.tool_names is empty"),
    "tools left out": (_drop("lifecycle", "tool_names"), "lifecycle.tool_names is missing"),
    "another attribution": (
        _set("lifecycle", "attribution", to="run-read-capability-v2"),
        "lifecycle.attribution is 'run-read-capability-v2', expected 'run-read-capability-v1'",
    ),
    "no attribution": (_drop("lifecycle", "attribution"), "lifecycle.attribution is missing"),
    "no time": (_drop("generated"), "generated is missing"),
    "an empty time": (_set("generated", to=""), "generated is empty"),
    "no client": (_drop("implementation_hashes", "mcp"), "implementation_hashes.mcp is missing"),
    "no binaries": (_drop("implementation_hashes"), "implementation_hashes.mcp is missing"),
    "an empty client": (
        _set("implementation_hashes", "mcp", to=""),
        "implementation_hashes.mcp is empty",
    ),
    "no prompt": (_drop("spec", "reader_prompt_hash"), "spec.reader_prompt_hash is missing"),
    "an empty prompt": (
        _set("spec", "reader_prompt_hash", to=""),
        "spec.reader_prompt_hash is empty",
    ),
    "no dataset": (_drop("spec", "dataset"), "spec.dataset is missing"),
    "an empty dataset": (_set("spec", "dataset", to=""), "spec.dataset is empty"),
    "unknown scoring": (
        _set("spec", "scoring_version", to="independent-evidence-v9"),
        "spec.scoring_version is 'independent-evidence-v9', which is not known; known are",
    ),
    "a usage that does not add up": (
        _set("attempts", 0, "trace", "usage", "total", to=99),
        "attempts[0].trace.usage.total is 99, but its parts give 100",
    ),
    "a sum that does not add up": (
        _set("summary", "usage", "total", to=779),
        "summary.usage.total is 779, but its parts give 780",
    ),
    "failed attempts are not failed calls": (
        _set("summary", "failures", to=1),
        "summary.failures is 1, but the attempts give 0",
    ),
    "failed calls of a category": (
        _set("attempts", 0, "trace", "calls", 0, "error", to="timed out"),
        "categories.first.failures is None, but the attempts give 1",
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_is_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rule: str
) -> None:
    change, fault = RULES[rule]
    sound = write(tmp_path / "sound.json", whole())
    value = whole()
    change(value)
    path = write(tmp_path / "r.json", value)
    with pytest.raises(InputError) as caught:
        read_report(path)
    assert fault in caught.value.message
    for pair in ((sound, path), (path, sound), (path, path)):  # on both sides too
        assert run(["compare", *map(str, pair)]) == 2
        assert fault in capsys.readouterr().err
    assert run(["compare", str(sound), str(sound)]) == 0


def test_what_is_not_needed_is_known_and_read(tmp_path: Path) -> None:
    value = whole()
    value["spec"]["scoring_version"] = "independent-evidence-v3"
    for attempt in value["attempts"]:
        attempt["trace"] |= {"errors": ["the stream was slow"]}
        attempt["trace"]["usage"]["total"] = attempt["trace"]["usage"]["input"] + 5
    value["summary"]["usage"]["total"] = 780
    assert read_report(write(tmp_path / "r.json", value)).summary["known_total_tokens"] == 780


def test_failures_are_failed_calls(tmp_path: Path) -> None:
    value = whole()
    value["attempts"][0]["trace"]["calls"].append(
        {"name": "x_mark_fetch", "input": None, "output": "", "error": "timed out"}
    )
    for each in (value["summary"], value["categories"]["first"]):
        each["failures"] = 1
        each["tool_calls"] += 1
    assert read_report(write(tmp_path / "r.json", value)).summary["failures"] == 1


def test_an_attempt_that_broke_off_has_an_incomplete_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    value = whole()
    value["attempts"][4]["error"] = "the client stopped"
    for each in (value["summary"], value["categories"]["rest"]):
        each["usage_complete"] = False
        del each["tokens_per_correct_answer"]
    paths = [write(tmp_path / "b.json", whole()), write(tmp_path / "a.json", value)]
    assert run(["compare", *map(str, paths)]) == 2
    out = capsys.readouterr().out
    assert "after: attempts[4].error is 'the client stopped' (c repeat 1): the attempt broke" in out
    value["summary"]["usage_complete"] = True
    with pytest.raises(
        InputError, match=r"summary\.usage_complete is True, but the attempts give F"
    ):
        read_report(write(paths[1], value))


def test_another_suite_needs_no_dataset(tmp_path: Path) -> None:
    value = whole()
    value["spec"] |= {"suite": "another-v1", "dataset": ""}
    assert read_report(write(tmp_path / "r.json", value)).not_recorded == ()


def test_attempts_that_were_scored_here_may_say_less(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    value = whole()
    value["spec"]["scoring_version"] = "harness.scoring/1(stubs=counted)"
    silent = copy.deepcopy(value)
    del silent["lifecycle"], silent["generated"], silent["implementation_hashes"]
    del silent["spec"]["reader_prompt_hash"]
    path = write(tmp_path / "r.json", silent)
    assert read_report(path).not_recorded == (
        "generated",
        "implementation_hashes.mcp",
        "spec.reader_prompt_hash",
        "lifecycle",
    )
    assert run(["compare", str(path), str(path)]) == 0
    assert "(6 attempts at 3 tasks; not recorded: generated, impl" in capsys.readouterr().out
    silent["spec"]["scoring_version"] = "harness.scoring/2"
    with pytest.raises(InputError, match=r"spec\.scoring_version is 'harness.scoring/2', which"):
        read_report(write(path, silent))


def test_the_older_form_needs_no_lifecycle_but_the_rest(tmp_path: Path) -> None:
    value = whole()
    del value["format"], value["lifecycle"], value["spec"]["scoring_version"]
    assert read_report(write(tmp_path / "r.json", value)).not_recorded == ("lifecycle",)
    del value["generated"]
    with pytest.raises(InputError, match="generated is missing"):
        read_report(write(tmp_path / "r.json", value))
