"""Accuracy beside evidence, on the pages of a report and on a terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from harness.cli.main import run
from harness.replay.run import Run
from harness.show.report import ReportRequest, report_pages
from harness.trial.grades import Grades

from ..make.answered import Answered, grade, make_answered, right
from ..make.project import DEV_IDS, TEST_IDS
from ..make.recordings import long_run
from ..make.splits import LONG_IDS, long_grades
from ..make.trial import ONE, TWO
from .test_report import table_under

SVG = "{http://www.w3.org/2000/svg}"
FIRST, SECOND, THIRD, _ = DEV_IDS


@pytest.fixture
def answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answered:
    """One item: half of the four answers right at 900 tokens; two items: all right."""
    monkeypatch.chdir(tmp_path)
    made = make_answered(tmp_path)
    made.store(ONE, "dev", right(DEV_IDS, FIRST, SECOND))
    made.store(TWO, "dev", right(DEV_IDS))
    assert grade("--grader", "contains") == 0
    return made


@pytest.fixture
def long() -> Run:
    return long_run()


def graded(*points: str) -> tuple[Path, ...]:
    return tuple(Path("graded") / point for point in points)


def panels(pages: Any) -> dict[str | None, ElementTree.Element]:
    drawn = ElementTree.fromstring(pages["cost-evidence.svg"])
    return {panel.get("aria-label"): panel for panel in drawn.findall(f"{SVG}g")}


def test_index_and_arm_page_have_the_graded_points(answered: Answered) -> None:
    pages = report_pages(answered.run, ReportRequest(grades=graded(ONE, TWO)))
    for page in (pages["README.md"], pages["count-curve/README.md"]):
        rows = table_under(page, "## Answers")
        assert list(rows) == [ONE, TWO]
        assert rows[ONE]["graded"] == "4 of 4"
        assert rows[ONE]["accuracy (%)"] == "50.00 (15.00, 85.00)"  # Wilson's, of 2 of 4
        assert rows[ONE]["answer sessions shown (%)"] == "0.0"
        assert rows[TWO]["answer sessions shown (%)"] == "100.0"
        assert rows[ONE]["prompt tokens (API)"] == "900.0"
        assert rows[ONE]["per right answer"] == "1,800.0"
        assert rows[TWO]["per right answer"] == "900.0"
        assert "- Reader: a-reader." in page
        assert f"- `{ONE}`, `{TWO}`: few: 4 graded answers." in page
    assert "## Answers" not in pages["items/README.md"]
    assert "--grades 'graded/count-curve(k=1)'" in pages["README.md"]


def test_the_curve_has_a_panel_of_accuracies_over_reported_tokens(answered: Answered) -> None:
    drawn = panels(report_pages(answered.run, ReportRequest(grades=graded(ONE, TWO))))
    *evidence, last = drawn
    assert last == "accuracy (%)"
    assert [path.get("class") for path in drawn[evidence[0]].iter(f"{SVG}path")].count("bar") == 0
    words = [title.text for title in drawn[last].iter(f"{SVG}title")]
    assert words == [
        f"{ONE}: 900.0 tokens, 50.0 % (15.0 to 85.0)",
        f"{TWO}: 900.0 tokens, 100.0 % (51.0 to 100.0)",
    ]
    texts = [text.text for text in drawn[last].iter(f"{SVG}text")]
    assert "mean prompt tokens, as the API reported them" in texts
    assert "4 of 24 questions graded" in texts


def test_without_reported_tokens_all_are_estimates(answered: Answered) -> None:
    answered.project.grade("old", "items", answered.project.rows([], DEV_IDS), "--part", "dev")
    request = ReportRequest(grades=(*graded(ONE), Path("grades/old")))
    panel = panels(report_pages(answered.run, request))["accuracy (%)"]
    texts = [text.text for text in panel.iter(f"{SVG}text")]
    assert "mean prompt tokens, estimated" in texts
    words = {str(title.text) for title in panel.iter(f"{SVG}title")}
    for point, said in ((ONE, "50.0 % (15.0 to 85.0)"), ("items", "0.0 % (0.0 to 49.0)")):
        counts = answered.counts(point)
        mean = sum(counts[name][1] or 0 for name in DEV_IDS) / 4
        assert f"{point}: {mean:,.1f} tokens, {said}" in words


def test_sealed_grades_are_absent_and_named(
    long: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Grades, "exploratory", False)  # as if they were of a registration
    sealed = long_grades(tmp_path, "items", LONG_IDS, part="all").folder
    pages = report_pages(long, ReportRequest(grades=(sealed,)))
    assert "- `items`: its grades are sealed, and were not read." in pages["README.md"]
    assert "accuracy" not in pages["README.md"].split("## Answers")[1].split("##")[0]
    assert "accuracy (%)" not in panels(pages)


def test_evidence_prints_answers_of_each_point_and_type(
    answered: Answered, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["evidence", "run", "--metrics", "answer_sessions_shown", "--json"]
    grades = [word for folder in graded(ONE, TWO) for word in ("--grades", str(folder))]
    capsys.readouterr()
    assert run([*command, *grades]) == 0
    rows = {row["point"]: row["answers"] for row in json.loads(capsys.readouterr().out)}
    assert rows["items"] is None
    one = rows[ONE]
    assert (one["correct"], one["accuracy"], one["prompt_tokens_api_per_correct"]) == (2, 0.5, 1800)
    assert (one["answer_sessions_shown"], one["answer_sessions_shown_scored"]) == (0.0, 4)
    assert run([*command, *grades, "--by", "category", "--point", ONE]) == 0
    assert json.loads(capsys.readouterr().out)[0]["answers"]["correct"] == 2
    assert run([*command[:-1], *grades, "--point", TWO]) == 0
    printed = capsys.readouterr().out
    assert "100.00 (51.01, 100.00)" in printed
    assert f"{TWO}: few: 4 graded answers." in printed


def test_other_questions_are_said(answered: Answered, capsys: pytest.CaptureFixture[str]) -> None:
    rows = answered.project.rows(TEST_IDS, TEST_IDS)
    answered.project.grade("all", TWO, rows, "--exploratory")
    folders = ["--grades", str(graded(ONE)[0]), "--grades", "grades/all"]
    capsys.readouterr()
    assert run(["evidence", "run", *folders]) == 0
    printed = capsys.readouterr().out
    assert "The points were not graded on the same questions." in printed
    assert "exploratory" in printed
    assert "100.00 (n=2)" in printed  # both abstention questions are right
