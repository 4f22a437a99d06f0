"""The two real logs of the official evaluation, against the raw files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.trial.grade import Counts
from harness.trial.grades import Grades

pytestmark = pytest.mark.shared

LOGS = ("rag_con", "rag_con_timefiltered")
SPLIT = "datasets/splits/longmemeval-s.json"


def raw_rows(shared: Path, name: str) -> dict[str, Any]:
    path = shared / "data" / "grades" / f"{name}.eval-results-gpt-4o-mini"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {row["question_id"]: row for row in rows}


def published_dev(shared: Path) -> list[str]:
    split = json.loads((shared / "data" / "splits" / "v1_5_dev_questions.json").read_text())
    return [entry["question_id"] for entry in split["dev"]]


def imported(shared: Path, checkout: Path, name: str, out: Path, *more: str) -> Grades:
    command = ["grades", "import", f"{shared}/data/grades/{name}.eval-results-gpt-4o-mini"]
    command += ["--format", "longmemeval-eval", "--point", f"external(name={name})"]
    command += ["--split", str(checkout / SPLIT), "--out", str(out), "-q", *more]
    assert run(command) == 0
    return Grades.open(out)


@pytest.mark.parametrize("name", LOGS)
def test_all_500_are_graded_with_what_the_api_reported(
    shared: Path, checkout: Path, name: str, tmp_path: Path
) -> None:
    grades = imported(shared, checkout, name, tmp_path / "grades", "--exploratory")
    raw = raw_rows(shared, name)
    assert grades.counts == Counts(500, 500, 0, 0, 0, 0, {})
    assert (grades.judges, grades.passes) == (("gpt-4o-mini-2024-07-18",), (1,))
    found: Mapping[str, Any] = {row.question_id: row for row in grades.rows()}
    assert {key: (row.prompt_tokens_api, row.completion_tokens) for key, row in found.items()} == {
        key: (row["tokens"]["prompt_tokens"], row["tokens"]["completion_tokens"])
        for key, row in raw.items()
    }
    listed = (shared / "data" / "longmemeval" / "longmemeval_questions_500.jsonl").read_text()
    ids = [json.loads(line)["question_id"] for line in listed.splitlines()]
    assert list(grades.expected_ids) == ids


@pytest.mark.parametrize("name", LOGS)
def test_the_dev_accuracy_is_that_of_the_raw_file(
    shared: Path,
    checkout: Path,
    name: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    grades = imported(shared, checkout, name, tmp_path / "grades", "--part", "dev")
    raw, dev = raw_rows(shared, name), published_dev(shared)
    right = {key: raw[key]["autoeval_label"]["label"] for key in dev}
    assert {one.question_id: one.correct for one in grades.outcomes()} == right
    assert run(["grades", "show", str(grades.folder), "--json"]) == 0
    (shown,) = json.loads(capsys.readouterr().out)
    assert shown["correct"] == sum(right.values())
    assert shown["accuracy"] == sum(right.values()) / 100
    tokens = [raw[key]["tokens"]["prompt_tokens"] for key in dev]
    assert shown["prompt_tokens_api"] == pytest.approx(sum(tokens) / 100, rel=1e-15)
    assert shown["prompt_tokens_api_known"] == 100


def test_the_published_split_gives_the_same_parts(
    shared: Path, checkout: Path, tmp_path: Path
) -> None:
    published = str(shared / "data" / "splits" / "v1_5_dev_questions.json")
    ours = imported(shared, checkout, LOGS[0], tmp_path / "ours", "--part", "dev")
    theirs = imported(
        shared, checkout, LOGS[0], tmp_path / "theirs", "--part", "dev", "--split", published
    )
    assert ours.expected_ids == theirs.expected_ids == tuple(published_dev(shared))
    assert ours.outcomes() == theirs.outcomes()


def test_the_agreement_of_dev_is_that_of_the_raw_files(
    shared: Path, checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [
        imported(shared, checkout, name, tmp_path / name, "--part", "dev").folder for name in LOGS
    ]
    first, second = (raw_rows(shared, name) for name in LOGS)
    pairs = [
        (first[key]["autoeval_label"]["label"], second[key]["autoeval_label"]["label"])
        for key in published_dev(shared)
    ]
    assert run(["grades", "agree", *map(str, folders), "--json", "-q"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["compared"] == 100
    assert row["agreement"] == sum(one == two for one, two in pairs) / 100
    assert row["first_only"] == pairs.count((True, False))
    assert row["second_only"] == pairs.count((False, True))


def test_test_questions_are_sealed(
    shared: Path,
    checkout: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options = ("--part", "test", "--exploratory")
    folders = [imported(shared, checkout, name, tmp_path / name, *options).folder for name in LOGS]
    monkeypatch.setattr(Grades, "exploratory", False)  # as if they were of a registration
    assert run(["grades", "show", str(folders[0]), "--json"]) == 0
    (shown,) = json.loads(capsys.readouterr().out)
    assert (shown["graded"], shown["sealed"]) == (400, True)
    assert (shown["correct"], shown["accuracy"]) == (None, None)
    assert run(["grades", "agree", *map(str, folders), "--json", "-q"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["compared"], row["sealed"], row["agreement"]) == (400, True, None)
