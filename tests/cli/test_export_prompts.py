"""`harness export prompts`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.evidence.prompt import DEFAULT_TEMPLATE
from harness.replay.run import Run

from ..make.cases import CAT, LYON
from ..make.recordings import small_run

CONTEXT_OF_Q2 = (
    "Conversation memories:\n\n"
    f"[2023-05-01T10:00:00+00:00]\n{LYON}\n\n"
    f"[2023-05-02T10:00:00+00:00]\n{CAT}\n"
)


@pytest.fixture(scope="module")
def folder() -> Path:
    return small_run()


def export(*arguments: str) -> int:
    return run(["export", "prompts", *arguments])


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_line_a_question_in_case_order(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(str(folder), "--point", "items") == 0
    found = lines(capsys.readouterr().out)
    assert [line["question_id"] for line in found] == ["q1", "q2", "q3"]
    assert list(found[1]) == ["question_id", "question_type", "prompt", "context_sha256"]
    assert [line["question_type"] for line in found] == ["single", "multi", None]
    prompt = DEFAULT_TEMPLATE.text.replace("{context}", CONTEXT_OF_Q2)
    prompt = prompt.replace("{date}", "2023-06-01T00:00:00+00:00")
    assert found[1]["prompt"] == prompt.replace("{question}", "Who lives in Lyon?")
    digest = hashlib.sha256(CONTEXT_OF_Q2.encode("utf-8")).hexdigest()
    assert found[1]["context_sha256"] == digest
    assert "Today's date: unknown" in found[2]["prompt"]


def test_the_gold_answer_is_added_where_it_is_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = str(Run.open(folder).manifest.content["recording"]["folder"])
    assert export(str(folder), "--point", "items", "--with-gold", "--recording", recording) == 0
    found = lines(capsys.readouterr().out)
    assert [line["gold_answer"] for line in found] == ["Lyon", "Lyon", None]
    assert all("Lyon" not in line["prompt"].split("Question:")[-1] for line in found[:1])
    assert export(str(folder), "--point", "items", "--recording", recording) == 2
    assert "give both" in capsys.readouterr().err
    other = ["--with-gold", "--recording", str(folder.parent)]
    assert export(str(folder), "--point", "items", *other) == 2
    assert "the recording of" in capsys.readouterr().err


def test_a_file_is_not_replaced_unasked(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "prompts.jsonl"
    call = (str(folder), "--point", "items", "--out", str(out))
    assert export(*call) == 0
    assert capsys.readouterr().err == f"{out}: 3 prompts of items\n"
    first = out.read_bytes()
    assert export(*call, "-q") == 0  # the same again
    out.write_text("mine", encoding="utf-8")
    assert export(*call) == 2
    assert "--force" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == "mine"
    assert export(*call, "--force", "-q") == 0
    assert out.read_bytes() == first
    assert capsys.readouterr().err == ""


def test_one_point_of_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = small_run("--point", "quote-curve")
    assert export(str(folder), "--point", "2.6.5a1(budget=2800)") == 2
    assert "no point 2.6.5a1(budget=2800)" in capsys.readouterr().err
    assert export(str(folder), "--point", "quote-curve") == 2
    assert "--point quote-curve means 3 points" in capsys.readouterr().err


def test_the_template_is_that_of_the_run(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    template = tmp_path / "short.txt"
    template.write_text("{context}Q: {question}", encoding="utf-8")
    call = ("--point", "items", "--prompt-template", str(template))
    assert export(str(folder), *call) == 2
    assert "were counted with the template of sha256" in capsys.readouterr().err

    own = small_run("--prompt-template", str(template))
    assert export(str(own), *call) == 0
    expected = f"{CONTEXT_OF_Q2}Q: Who lives in Lyon?"
    assert lines(capsys.readouterr().out)[1]["prompt"] == expected
    assert export(str(own), "--point", "items") == 2
    assert "the bundled template has sha256" in capsys.readouterr().err


def test_a_run_without_token_counts_takes_any_template(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    template = tmp_path / "short.txt"
    template.write_text("{question} {context}", encoding="utf-8")
    folder = small_run("--no-tokens")
    capsys.readouterr()
    assert export(str(folder), "--point", "items", "--prompt-template", str(template)) == 0
    assert lines(capsys.readouterr().out)[1]["prompt"] == f"Who lives in Lyon? {CONTEXT_OF_Q2}"
