"""Reports of scored attempts: what is written is read, and scoring anew says so."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.attempts.comparing.report import read_report
from harness.attempts.comparing.sources import open_attempts
from harness.attempts.comparing.writing import (
    Head,
    grading_corrections,
    head_of,
    read_head,
    report_text,
    result_tokens,
    scorer_hash,
    told,
)
from harness.attempts.scoring import Call, Trace, score_attempt
from harness.errors import InputError
from harness.evidence.tokens import Tokenizer
from harness.storage.hashing import sha256_of_file, sha256_of_text
from harness.worlds import load_world
from harness.worlds.opening import OpenedWorld, open_world

from ...make.attempts import right_attempts
from ...make.reports import BEFORE, HASH, report, sha, write


@pytest.fixture(scope="module")
def opened(mill_folder: Path) -> OpenedWorld:
    return open_world(mill_folder)


def text(mill_folder: Path, opened: OpenedWorld, head: Head, *, stubs: bool = False) -> str:
    world = load_world(mill_folder)
    made = [*right_attempts(), *right_attempts(2, tokens=50)]
    scored = [score_attempt(each, world).attempt for each in made]
    return report_text(scored, head, opened, stubs=stubs)


def test_a_written_report_is_read(mill_folder: Path, opened: OpenedWorld, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(text(mill_folder, opened, Head()), "utf-8")
    read = read_report(path)
    assert (read.gaps, read.metrics_only) == ((), False)
    assert (read.summary["correct"], read.summary["known_total_tokens"]) == (10, 750)
    assert read.spec["scoring_version"] == "harness.scoring/1"
    assert (read.spec["repeats"], read.spec["expected_attempts"]) == (2, 10)
    assert (read.spec["documents"], read.spec["versions"]) == (4, 5)
    assert read.spec["fixture_hashes"]["tasks"] == (
        f"sha256-{sha256_of_file(mill_folder / 'tasks.json')}"
    )
    assert read.scorer == {"scorer_implementation_sha256": scorer_hash()}
    assert text(mill_folder, opened, Head()) == path.read_text("utf-8")


def test_the_choice_about_stubs_is_in_the_specification(
    mill_folder: Path, opened: OpenedWorld
) -> None:
    value = json.loads(text(mill_folder, opened, Head(), stubs=True))
    assert value["spec"]["scoring_version"] == "harness.scoring/1(stubs=counted)"


def test_a_head_says_what_was_run(mill_folder: Path, opened: OpenedWorld, tmp_path: Path) -> None:
    given = report(BEFORE, tool_schemas_sha256=sha("5"), implementation_commits={"mcp": "0123456"})
    given["spec"] = {
        "model": "m",
        "suite": "s",
        "expected_attempts": 12,
        "repeats": 2,
        "reader_prompt_hash": HASH,
    }
    head = read_head(write(tmp_path / "head.json", given))
    path = tmp_path / "r.json"
    path.write_text(text(mill_folder, opened, head), "utf-8")
    read = read_report(path)
    assert (read.spec["model"], read.spec["suite"]) == ("m", "s")
    assert read.components == given["implementation_hashes"]
    assert (read.commits, read.tool_schemas) == ({"mcp": "0123456"}, sha("5"))
    assert (read.generated, read.lifecycle) == (given["generated"], given["lifecycle"])
    assert read.gaps == ("attempts are 10, but spec.expected_attempts is 12: an incomplete cohort",)


def test_scoring_anew_names_its_source(
    mill_folder: Path, opened: OpenedWorld, tmp_path: Path
) -> None:
    path, anew = tmp_path / "r.json", tmp_path / "anew.json"
    path.write_text(text(mill_folder, opened, Head()), "utf-8")
    anew.write_text(text(mill_folder, opened, head_of(read_report(path))), "utf-8")
    scorer = read_report(anew).scorer
    assert scorer["rescored_from_sha256"] == f"sha256-{sha256_of_file(path)}"
    assert set(scorer) == {
        "rescored_from_sha256",
        "rescored_at",
        "scorer_implementation_sha256",
    }


def test_another_world_is_refused_and_another_rubric_is_a_correction(opened: OpenedWorld) -> None:
    own = {"corpus": f"sha256-{opened.corpus.sha256}", "tasks": f"sha256-{opened.tasks_sha256}"}
    assert grading_corrections(Head({"fixture_hashes": own}), opened) == []
    (correction,) = grading_corrections(Head({"fixture_hashes": {**own, "rubric": HASH}}), opened)
    assert correction == f"rubric {HASH} → sha256-{opened.rubric_sha256}"
    with pytest.raises(InputError, match=r"spec\.fixture_hashes\.tasks is sha256-2"):
        grading_corrections(Head({"fixture_hashes": {**own, "tasks": sha("2")}}), opened)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({}, "spec is missing"),
        ({"spec": {"modle": "m"}}, "spec.modle is an unknown key; did you mean 'model'?"),
        ({"spec": {}, "implementation_hashes": {"mcp": "x"}}, "implementation_hashes.mcp is"),
        ([], "is a list, expected an object"),
    ],
)
def test_a_faulty_head(tmp_path: Path, value: Any, fault: str) -> None:
    with pytest.raises(InputError) as caught:
        read_head(write(tmp_path / "head.json", value))
    assert fault in caught.value.message


def test_a_head_that_no_report_may_have(mill_folder: Path, opened: OpenedWorld) -> None:
    lifecycle = report(BEFORE)["lifecycle"] | {"server_stayed_up": False}
    with pytest.raises(InputError) as caught:
        text(mill_folder, opened, Head(lifecycle=lifecycle))
    assert "lifecycle.server_stayed_up is false" in caught.value.message
    assert "--spec FILE" in caught.value.hint


def test_the_tools_that_readers_were_offered(tmp_path: Path) -> None:
    tools = [{"name": "mark_lookup", "description": "Look up."}, {"name": "mark_fetch"}]
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(tools, indent=3), "utf-8")
    spelled = '[{"name":"mark_fetch"},{"name":"mark_lookup","description":"Look up."}]'
    digest = f"sha256-{sha256_of_text(spelled)}"
    assert told(Head(), path).tool_schemas == digest
    assert told(Head(tool_schemas=digest), path).tool_schemas == digest
    for head in (Head(lifecycle={"tool_names": ["mark_lookup"]}), Head(tool_schemas=HASH)):
        with pytest.raises(InputError, match="tool_"):
            told(head, path)


def test_result_tokens_are_of_outputs_and_errors() -> None:
    calls = (Call("x", {}, "one two"), Call("x", {}, "three", "it broke"))
    count = Tokenizer("o200k_base").count
    assert result_tokens(Trace(calls=calls)) == count("one two") + count("three\nit broke")


def test_an_attempt_that_broke_off_is_scored_by_its_trace(
    mill_folder: Path, opened: OpenedWorld, tmp_path: Path
) -> None:
    failed = replace(right_attempts()[0], error="the client stopped late")
    scored = score_attempt(failed, load_world(mill_folder)).attempt
    path = tmp_path / "r.json"
    path.write_text(report_text([scored], Head(), opened, stubs=False), "utf-8")
    read = read_report(path)
    assert (read.summary["correct"], read.summary["failures"]) == (1, 0)
    assert not read.summary["usage_complete"]
    assert read.attempts[0].error == "the client stopped late"
    assert any("the attempt broke off" in gap for gap in read.gaps)


def test_a_report_of_the_older_form_can_be_rescored(
    mill_folder: Path, opened: OpenedWorld, tmp_path: Path
) -> None:
    value = json.loads(text(mill_folder, opened, Head()))
    del value["format"], value["spec"]["scoring_version"]
    value["spec"] |= {"suite": "s", "reader_prompt_hash": HASH}
    value |= {"generated": "2026-01-01", "implementation_hashes": {"mcp": HASH}}
    head = head_of(read_report(write(tmp_path / "old.json", value)))
    path = tmp_path / "anew.json"
    path.write_text(text(mill_folder, opened, head), "utf-8")
    assert read_report(path).not_recorded == ("lifecycle",)


def test_a_report_on_one_line_in_any_order_of_keys_is_a_report(
    mill_folder: Path, opened: OpenedWorld, tmp_path: Path
) -> None:
    value = json.loads(text(mill_folder, opened, Head()))
    path = tmp_path / "r.json"
    path.write_text(json.dumps(value, sort_keys=True), "utf-8")
    source = open_attempts(str(path))
    assert source.report is not None
    assert len(source.attempts(load_world(mill_folder))) == 10
