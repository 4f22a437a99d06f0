"""Cost clauses, same cost and token reports; noise checks; departures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.show.verdict_page import verdict_page
from harness.statistics.counts import PairedCounts
from harness.statistics.tango import tango_interval
from harness.trial.grade import TokenTotals
from harness.trial.grades import Grades
from harness.trial.verdict import read_verdict

from ...make.project import CONTROL_RIGHT, POINT_RIGHT, TEST_IDS, Project
from ...make.study import CONTROL, POINT

CAP = 'cost = "prompt_tokens_api <= 1000"'
MET = TEST_IDS[:18]


def _rows(project: Project, right: Any, tokens: list[int]) -> list[dict[str, Any]]:
    rows = project.rows(right)
    return [{**row, "prompt_tokens": count} for row, count in zip(rows, tokens, strict=True)]


def _judged(project: Project, tokens: list[int], **keys: Any) -> dict[str, Any]:
    """A verdict in which the interval meets the rule, and the point costs `tokens`."""
    project.register(**keys)
    project.grade("new", POINT, _rows(project, MET, tokens))
    project.grade("old", CONTROL, _rows(project, TEST_IDS[:4], [1000] * 20))
    return project.judged()


def test_a_mean_at_the_cap_is_within_it(project: Project) -> None:
    (rule,) = _judged(project, [999, 1001] * 10, rule_keys=CAP)["rules"]
    assert rule["state"] == "MET"
    assert (rule["cost"]["mean"], rule["cost"]["held"]) == (1000.0, True)


def test_a_mean_above_the_cap_is_not_met(project: Project) -> None:
    (rule,) = _judged(project, [1000] * 19 + [1001], rule_keys=CAP)["rules"]
    assert rule["lower"] > 0
    assert rule["state"] == "NOT MET"
    assert rule["reason"].startswith("prompt_tokens_api 1,000.05 is above the cap of 1000")


@pytest.mark.parametrize(("tokens", "held"), [(950, True), (949, False), (1050, True)])
def test_same_cost_is_a_share_of_the_control_s(project: Project, tokens: int, held: bool) -> None:
    table = '[same_cost]\nmeasure = "prompt_tokens_api"\nwithin = 0.05'
    (rule,) = _judged(project, [tokens] * 20, tail=table)["rules"]
    check = rule["same_cost"]
    assert (check["ratio"], check["held"]) == (tokens / 1000, held)
    assert rule["state"] == "MET"  # reported beside the rule, which does not name it
    assert any("do not cost the same" in warning for warning in rule["warnings"]) is not held


def test_fewer_api_reports_than_questions(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.register(rule_keys=CAP)
    rows = _rows(project, POINT_RIGHT, [900] * 20)
    del rows[3]["prompt_tokens"]
    project.grade("new", POINT, rows)
    project.grade("old", CONTROL, project.rows(CONTROL_RIGHT))
    assert project.judge() == 2
    message = capsys.readouterr().err
    assert "the API reported prompt tokens of 19 questions, and 20 are judged" in message
    assert project.openings() == []


def test_estimated_tokens_make_the_rule_cannot_say(project: Project) -> None:
    project.register(rule_keys=CAP)
    rows = _rows(project, MET, [900] * 20)
    rows[0]["prompt_tokens_estimated"] = rows[0].pop("prompt_tokens")
    project.grade("new", POINT, rows)
    project.grade("old", CONTROL, project.rows(TEST_IDS[:4]))
    (rule,) = project.judged()["rules"]
    assert rule["state"] == "CANNOT SAY"
    assert "prompt_tokens_api <= 1000" in rule["reason"]
    assert "those of 1 are estimated" in rule["reason"]
    assert rule["cost"]["mean"] is None


def test_nan_tokens_are_not_imported(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.register(rule_keys=CAP)
    rows = _rows(project, POINT_RIGHT, [900] * 20)
    rows[6]["prompt_tokens"] = float("nan")
    project.grade("new", POINT, rows, expect=2)
    assert "new.jsonl, line 7" in capsys.readouterr().err
    assert not (project.folder / "grades/new").exists()


@pytest.mark.parametrize(
    ("calls", "estimated", "state"),
    [(20, 0, "MET"), (20, 1, "CANNOT SAY"), (19, 0, None), (24, 0, None)],
)
def test_totals_count_when_there_is_a_report_for_each_question(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    calls: int,
    estimated: int,
    state: str | None,
) -> None:
    """Formats with sums alone: 20 judged questions, 18,000 tokens."""
    project.register(rule_keys=CAP)
    project.grade("new", POINT, project.rows(MET))
    project.grade("old", CONTROL, project.rows(TEST_IDS[:4]))
    totals = TokenTotals(
        source_sha256="0" * 64,
        module="ANSWER",
        usage_reported_call_count=calls,
        prompt_tokens=18_000,
        estimated_prompt_call_count=estimated,
    )
    monkeypatch.setattr(Grades, "token_totals", (totals,))
    if state is None:
        assert project.judge() == 2
        assert project.openings() == []
        return
    (rule,) = project.judged()["rules"]
    assert rule["state"] == state
    assert rule["cost"]["mean"] == (900.0 if state == "MET" else None)


def test_context_tokens_of_an_external_point_are_not_known(project: Project) -> None:
    project.register(rule_keys='cost = "context_tokens <= 500"')
    project.grade_both()
    (rule,) = project.judged()["rules"]
    assert rule["state"] == "CANNOT SAY"
    assert "context_tokens is known of 0 of 20 questions" in rule["reason"]


def test_two_passes_of_a_control_are_compared(project: Project) -> None:
    """The second pass of the control differs in 1 of 20: 5 points, more than 2."""
    project.register()
    project.grade("new", POINT, project.rows(MET))
    first = project.rows(TEST_IDS[:4])
    second = [{**row, "pass": 2} for row in project.rows(TEST_IDS[:5])]
    project.grade("old", CONTROL, [*first, *second])
    verdict = project.judged()
    (check,) = verdict["noise_checks"]
    assert (check["questions"], check["agreement"], check["difference"]) == (20, 19 / 20, 0.05)
    assert check["void"] is True
    assert (check["first_only"], check["second_only"]) == (0, 1)
    score = tango_interval(PairedCounts(1, 0, 19), "0.95")
    assert (check["lower"], check["upper"]) == (score.lower, score.upper)
    (rule,) = verdict["rules"]
    assert rule["state"] == "CANNOT SAY"
    assert "two passes of external(name=old) differ by +5.00 points" in rule["reason"]
    assert rule["wins"] == 14  # pass 1 judges
    figures = verdict["points"][1]
    assert figures["judged_pass"] == "pass 1 of old"
    assert figures["other_passes"] == [
        {"name": "pass 2 of old", "n": 20, "correct": 5, "accuracy": 0.25, "errors": 0}
    ]


def test_an_error_of_a_further_pass_is_printed_with_its_accuracy(project: Project) -> None:
    project.register()
    project.grade("new", POINT, project.rows(MET))
    first = project.rows(TEST_IDS[:4])
    second = [{**row, "pass": 2} for row in first]
    second[0] |= {"correct": False, "error": "the judge was out of reach"}
    project.grade("old", CONTROL, [*first, *second])
    verdict = project.judged()
    assert [figures["errors"] for figures in verdict["points"]] == [0, 0]
    (other,) = verdict["points"][1]["other_passes"]
    assert (other["n"], other["correct"], other["errors"]) == (19, 3, 1)
    page = verdict_page(read_verdict(project.verdict_file))
    assert "pass 2 of old: 3 of 19, 15.79 %; 1 error." in page


def test_an_error_of_the_judged_pass_is_refused(project: Project) -> None:
    project.register()
    rows = project.rows(MET)
    project.grade("new", POINT, [rows[0] | {"status": "failed"}, *rows[1:]])
    project.grade("old", CONTROL, project.rows(TEST_IDS[:4]))
    assert project.judge(grades=("new", "old")) == 2


def test_two_folders_of_a_point_that_agree(project: Project) -> None:
    project.register()
    project.grade("new", POINT, project.rows(MET))
    project.grade("new-2", POINT, project.rows([*MET[1:], TEST_IDS[19]]))
    project.grade("old", CONTROL, project.rows(TEST_IDS[:4]))
    assert project.judge(grades=("new", "new-2", "old")) == 0
    verdict = project.verdict()
    (check,) = verdict["noise_checks"]
    assert (check["agreement"], check["difference"], check["void"]) == (18 / 20, 0.0, False)
    assert verdict["rules"][0]["state"] == "MET"
    assert any("has 2 passes: pass 1 of new judges" in note for note in verdict["notes"])


def test_another_reader_or_judge_is_a_departure(project: Project) -> None:
    project.register(tail='[reader]\nmodel = "a"\n[judge]\nmodel = "b"')
    project.grade("new", POINT, project.rows(POINT_RIGHT), "--reader", "a", "--judge", "c")
    project.grade("old", CONTROL, project.rows(CONTROL_RIGHT), "--judge", "b")
    assert project.judged()["departures"] == [
        "The registered judge is b; the grades of the point external(name=new) have: c.",
        "The registered reader is a; the grades of the control external(name=old) have: not said.",
        "Not all were graded by the same judge: external(name=new): c; external(name=old): b.",
    ]


def test_an_edited_plan_is_a_departure(ready: Project) -> None:
    path = ready.folder / "made.toml"
    path.write_text(path.read_text() + "\n# later\n")
    (departure,) = ready.judged()["departures"]
    assert departure.startswith("The plan made.toml was edited after it was registered.")


def test_a_run_that_is_needed_is_asked_for(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.register(point="items", rule_keys='cost = "context_tokens <= 500"')
    project.grade("new", "items", project.rows(POINT_RIGHT))
    project.grade("old", CONTROL, project.rows(CONTROL_RIGHT))
    assert project.judge() == 2
    assert "give --run" in capsys.readouterr().err


def test_the_verdict_file_is_plain_json(ready: Project) -> None:
    ready.judged()
    text = ready.verdict_file.read_text()
    assert json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n" == text
    assert str(Path.cwd()) not in text
