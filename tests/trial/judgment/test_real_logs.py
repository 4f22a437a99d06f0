"""The two official evaluation logs, imported, split by the published list, registered and judged;
every expected number is counted from the logs themselves."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run

from .test_verdict_numbers import exact_interval

PLAIN, FILTERED = "rag_con", "rag_con_timefiltered"
SPLIT = "datasets/splits/longmemeval-s.json"
PLAN = """
question = "Does filtering by time answer better than not filtering?"
contexts = "external"
[dataset]
name = "longmemeval-s"
sha256 = "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442"
[split]
file = "datasets/splits/longmemeval-s.json"
part = "test"
[point]
spec = "external(name=rag_con_timefiltered)"
[[control]]
spec = "external(name=rag_con)"
[judge]
model = "gpt-4o-mini-2024-07-18"
[[rule]]
name = "better"
role = "primary"
against = "external(name=rag_con)"
interval = "exact"
level = 0.95
met_when = "lower > 0 points"
cost = "prompt_tokens_api <= 2500"
[[rule]]
name = "within two points"
role = "secondary"
against = "external(name=rag_con)"
interval = "exact"
level = 0.95
met_when = "lower >= -2.0 points"
[power]
discordance = 0.1
[stop]
text = "One run."
"""


def _log(shared: Path, name: str) -> Path:
    return shared / f"data/grades/{name}.eval-results-gpt-4o-mini"


def _rows(shared: Path, name: str) -> dict[str, Any]:
    lines = _log(shared, name).read_text(encoding="utf-8").splitlines()
    return {row["question_id"]: row for row in map(json.loads, lines)}


@pytest.fixture
def verdict(
    shared: Path, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
    """The verdict of the flow as a user runs it, in a git checkout of its own."""
    monkeypatch.chdir(tmp_path)
    copy_datasets(checkout)
    return judged(shared, PLAN)


def copy_datasets(checkout: Path) -> None:
    Path("datasets/splits").mkdir(parents=True)
    for name in ("register.toml", "longmemeval-s.questions.jsonl", "splits/longmemeval-s.json"):
        shutil.copy(checkout / "datasets" / name, Path("datasets") / name)


def judged(shared: Path, plan: str, *options: str) -> dict[str, Any]:
    """Register the plan, import both logs, and judge."""
    Path("plan.toml").write_text(plan)
    registration = "registrations/rag.json"
    Path("registrations").mkdir()
    assert run(["register", "plan.toml", "--out", registration, "-q"]) == 0
    made = ["-c", "user.name=made", "-c", "user.email=made@example.org"]
    for arguments in (["init", "-q"], ["add", "."], [*made, "commit", "-q", "-m", "registered"]):
        subprocess.run(["git", *arguments], check=True, capture_output=True)
    for name in (PLAIN, FILTERED):
        what = ["--format", "longmemeval-eval", "--point", f"external(name={name})"]
        where = ["--split", SPLIT, "--part", "test", "--registration", registration]
        source, out = str(_log(shared, name)), f"grades/{name}"
        assert run(["grades", "import", source, *what, *where, "--out", out, "-q"]) == 0
    grades = ["--grades", f"grades/{PLAIN}", f"grades/{FILTERED}"]
    assert run(["judge", registration, *grades, "-q", *options]) == 0
    found: dict[str, Any] = json.loads(Path("registrations/rag.verdict.json").read_text())
    return found


@pytest.mark.shared
def test_the_real_logs_judged(shared: Path, verdict: dict[str, Any]) -> None:
    published = json.loads((shared / "data/splits/v1_5_dev_questions.json").read_text())
    dev = {question["question_id"] for question in published["dev"]}
    plain, filtered = _rows(shared, PLAIN), _rows(shared, FILTERED)
    test_ids = [name for name in plain if name not in dev]
    right = {
        name: (plain[name]["autoeval_label"]["label"], filtered[name]["autoeval_label"]["label"])
        for name in test_ids
    }
    wins = sum(pair == (False, True) for pair in right.values())
    losses = sum(pair == (True, False) for pair in right.values())
    assert (len(test_ids), wins, losses) == (400, 4, 16)
    accuracies = [sum(pair[place] for pair in right.values()) / 400 for place in (1, 0)]
    assert accuracies == [195 / 400, 207 / 400]

    assert verdict["stamp"] == "registered (contexts not checked)"
    assert verdict["cohort"]["judged"] == 400
    lower, upper = exact_interval(wins, losses, 400, Fraction(1, 40))
    for rule in verdict["rules"]:
        counts = (rule["wins"], rule["losses"], rule["ties"], rule["n"])
        assert counts == (wins, losses, 380, 400)
        assert [rule["accuracy"], rule["control_accuracy"]] == accuracies
        assert rule["difference"] == (wins - losses) / 400 == -0.03
        assert (rule["lower"], rule["upper"]) == (lower, upper) == (-0.0525, -0.01)
        # both rules ask for a lower limit of -2 points or more
        assert rule["state"] == "NOT MET"
    tokens = sum(filtered[name]["usage"]["prompt_tokens"] for name in test_ids)
    cost = verdict["rules"][0]["cost"]
    assert (cost["mean"], cost["held"]) == (tokens / 400, True)
    assert sum(row["wins"] for row in verdict["rules"][0]["by_question_type"]) == wins


@pytest.mark.shared
def test_the_clusters_of_the_real_questions(
    shared: Path, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the 499 questions at hand 399 are test; two pairs of these share an answer session."""
    monkeypatch.chdir(tmp_path)
    copy_datasets(checkout)
    data = str(shared / "data/longmemeval/longmemeval_s_cleaned.499of500.json.xz")
    drawn = ["--seed", "20261003", "--dev", "100", "--data", data, "--out", SPLIT, "--force", "-q"]
    assert run(["dataset", "split", "longmemeval-s", *drawn]) == 0
    sha256 = json.loads(Path(SPLIT).read_text())["dataset_sha256"]
    assert sha256 == "b6060898fa74a1ce207fcf5ef81085a8b7b17fc35d7782b516d1c5fd8ff2f320"
    plan = re.sub(r'sha256 = "\w+"', f'sha256 = "{sha256}"', PLAN)
    (found,) = judged(shared, plan, "--data", data)["not_registered"]
    assert found["clusters"] == 397
    assert (found["wins"] + found["losses"], found["cluster_note"]) == (20, None)
    # the joined questions differ in nothing, so hardly anything moves
    assert found["cluster_lower"] == pytest.approx(-0.0525, abs=0.0026)
    assert found["cluster_upper"] == pytest.approx(-0.01, abs=0.0026)
