"""Splits of worlds, and verbs that look at one part of a world's tasks."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run

from ..make.attempts import right_attempts, write_attempts, write_mill


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The mill, split by task (two dev tasks of five), and two arms of two repeats."""
    monkeypatch.chdir(tmp_path)
    write_mill(tmp_path / "mill")
    for name, tokens in (("before", 100), ("after", 80)):
        made = [*right_attempts(tokens=tokens), *right_attempts(2, tokens=tokens)]
        write_attempts(tmp_path / f"{name}.jsonl", *made)
    split = ["dataset", "split", "mill", "--seed", "3", "--dev", "2", "--out", "split.json"]
    assert run([*split, "-q"]) == 0
    return tmp_path


def split_of(name: str = "split.json") -> dict[str, Any]:
    value: dict[str, Any] = json.loads(Path(name).read_text("utf-8"))
    return value


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def ledger() -> list[dict[str, Any]]:
    path = Path("registrations/ledger.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_split_by_task(folder: Path) -> None:
    value = split_of()
    assert (value["drawn"], value["of"], len(value["dev"])) == (2, 5, 2)
    assert [each["question_type"] for each in value["questions"]] == [
        "direct",
        "absent",
        "broken",
        "direct",
        "direct",
    ]
    assert "categories" not in value


def test_a_split_by_category(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["dataset", "split", "mill", "--by", "category", "--seed", "1"]
    assert run([*command, "--dev", "2", "--out", "by.json"]) == 0
    value = split_of("by.json")
    assert f"dev categories: {', '.join(value['categories'])}\n" in capsys.readouterr().err
    dev = {each["question_id"] for each in value["dev"]}
    assert dev == {
        each["question_id"]
        for each in value["questions"]
        if each["question_type"] in value["categories"]
    }
    assert run([*command, "--dev", "3", "--out", "no.json"]) == 2
    assert "cannot draw 3 dev categories of 3" in capsys.readouterr().err
    value["categories"] = value["categories"][:1]
    Path("edited.json").write_text(json.dumps(value), "utf-8")
    assert run(["score", "mill", "before.jsonl", "--split", "edited.json"]) == 2
    error = capsys.readouterr().err
    assert "dev is not the" in error or "categories is" in error


def test_what_dev_and_test_tasks_share(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rubric = json.loads(Path("mill/rubric.json").read_text("utf-8"))
    rubric["race"]["supplemental"] = {}
    passage = rubric["wheel"]["evidence"]["wood"][0]
    rubric["grease"]["evidence"]["when"] = [passage]
    Path("mill/rubric.json").write_text(json.dumps(rubric), "utf-8")
    command = ["dataset", "split", "mill", "--seed", "3", "--dev", "1", "--out", "other.json"]
    assert run(command) == 0
    assert "document to cite in common" in capsys.readouterr().err


def test_own_cases_have_no_categories_to_draw(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["record", "lookups", "mill", "--out", "rec", "-q"]) == 0
    command = ["dataset", "split", "rec", "--by", "category", "--seed", "1", "--dev", "1"]
    assert run([*command, "--out", "x.json"]) == 2
    assert "--by category is of a world" in capsys.readouterr().err


def test_scores_of_a_part(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dev = {each["question_id"] for each in split_of()["dev"]}
    part = ["--split", "split.json", "--part", "dev"]
    rows = printed(capsys, "score", "mill", "before.jsonl", *part, "--out", "dev.json")
    assert {row["task"] for row in rows} == dev
    assert json.loads(Path("dev.json").read_text("utf-8"))["spec"]["expected_attempts"] == 4
    assert ledger() == []  # dev tasks are no secret
    assert run(["score", "mill", "before.jsonl", "--part", "dev"]) == 2
    assert "--part dev is of a split" in capsys.readouterr().err


def test_a_look_at_test_tasks_is_a_line_of_the_ledger(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("before", "after"):
        assert run(["score", "mill", f"{name}.jsonl", "--out", f"{name}.json", "-q"]) == 0
    compare = ["compare", "before.json", "after.json", "--split", "split.json"]
    found = printed(capsys, *compare, "--part", "dev")
    assert (found["state"], len(found["tasks"])) == ("improved", 2)
    assert found["before"]["summary"]["attempts"] == 4
    assert ledger() == []
    assert run([*compare, "--part", "test"]) == 0
    assert "line 1: a look at attempts on test tasks" in capsys.readouterr().err
    (line,) = ledger()
    test = [each["question_id"] for each in split_of()["questions"]]
    dev = {each["question_id"] for each in split_of()["dev"]}
    assert (line["kind"], line["part"]) == ("exploratory", "test")
    assert line["questions"] == sorted({*test} - dev)
    assert [(each["kind"], each["point"], each["role"]) for each in line["sets"]] == [
        ("attempts", "before", "shown"),
        ("attempts", "after", "shown"),
    ]
    assert run([*compare, "--part", "test", "-q"]) == 0  # a second look adds nothing
    assert run([*compare, "-q"]) == 0
    assert len(ledger()) == 1
    capsys.readouterr()
    assert run(["ledger", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["points"] == ["before", "after"]
    assert run(["ledger", "--verify"]) == 0


def test_lookups_of_a_part(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["record", "lookups", "mill", "--traces", "before.jsonl", "--out", "rec", "-q"]) == 0
    points = ["--point", "lookup-before", "--point", "lookup-table"]
    assert run(["replay", "rec", "--out", "run", "-q", *points]) == 0
    everything = printed(capsys, "lookups", "run")
    parts = [
        printed(capsys, "lookups", "run", "--split", "split.json", "--part", part)
        for part in ("dev", "test")
        if _has_lookups(part)
    ]
    assert sum(rows[0]["lookups"] for rows in parts) == everything[0]["lookups"]
    assert run(["lookups", "run", "--needed", "--split", "split.json"]) == 2


def _has_lookups(part: str) -> bool:
    dev = {each["question_id"] for each in split_of()["dev"]}
    return ("eels" in dev) is (part == "dev")


def test_a_split_of_something_else(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    published = {"seed": 1, "drawn": 1, "of": 5, "dev": []}
    index = random.Random(1).sample(range(5), 1)[0]
    published["dev"] = [{"index": index, "question_id": "q", "question_type": "t"}]
    Path("published.json").write_text(json.dumps(published), "utf-8")
    assert run(["score", "mill", "before.jsonl", "--split", "published.json"]) == 2
    assert "so it is not one of a world" in capsys.readouterr().err
    text = Path("split.json").read_text("utf-8").replace('"wheel"', '"wheels"')
    Path("other.json").write_text(text, "utf-8")
    assert run(["score", "mill", "before.jsonl", "--split", "other.json"]) == 2
    assert "'wheel' is not in the list of the split; did you mean 'wheels'?" in (
        capsys.readouterr().err
    )
