"""Each guard guards: what keeps a split from being opened, and nothing is opened when it does."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.trial.checks import CHECKS
from harness.trial.clearance import no_order
from harness.trial.grades import Grades

from ...make.project import CONTROL_RIGHT, DEV_IDS, POINT_RIGHT, TEST_IDS, Project, make_project
from ...make.study import CONTROL, POINT

Refused = Callable[..., str]


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Refused:
    """Judge a project and expect a refusal before any outcome is read: the message."""

    def no_outcome(grades: Grades) -> None:
        raise AssertionError(f"the outcomes of {grades.folder} were read")

    def judge(project: Project, *options: str, grades: tuple[str, ...] = ("new", "old")) -> str:
        before = len(project.openings())
        monkeypatch.setattr(Grades, "outcomes", no_outcome)
        capsys.readouterr()
        assert project.judge(*options, grades=grades) == 2
        assert len(project.openings()) == before
        return capsys.readouterr().err

    return judge


def _other_question(value: dict[str, Any]) -> None:
    value["plan"]["question"] = "Is old better?"


def test_an_edited_registration(ready: Project, refused: Refused) -> None:
    ready.edit_registration(_other_question)
    message = refused(ready)
    assert "registrations/made.json was edited and is not as committed" in message
    assert "The split was not opened, and no outcome was read." in message


def test_a_registration_that_is_not_as_it_is_written(ready: Project, refused: Refused) -> None:
    path = ready.folder / ready.registration
    path.write_text(path.read_text().replace('"level": "0.95"', '"level":  "0.9"'))
    assert "it was edited" in refused(ready)


def test_an_edit_that_was_committed_is_exploratory(ready: Project) -> None:
    ready.edit_registration(_other_question)
    ready.commit("registrations/made.json")
    verdict = ready.judged()
    assert verdict["stamp"] == "exploratory"
    assert "the registration was changed after it was committed" in verdict["stamp_reasons"]
    assert any("under another registration" in reason for reason in verdict["stamp_reasons"])


def test_an_uncommitted_registration(project: Project, refused: Refused) -> None:
    project.register(commit=False)
    project.grade("new", POINT, project.rows(POINT_RIGHT), "--exploratory")
    project.grade("old", CONTROL, project.rows(CONTROL_RIGHT), "--exploratory")
    assert "registrations/made.json is not committed in git" in refused(project)


def test_outside_git_the_order_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    project = make_project(tmp_path, checkout=False)
    project.register(commit=False)
    project.grade("new", POINT, project.rows(POINT_RIGHT), "--exploratory")
    project.grade("old", CONTROL, project.rows(CONTROL_RIGHT), "--exploratory")
    verdict = project.judged()
    assert verdict["stamp"] == "exploratory"
    assert any(line.startswith("that the registration came") for line in verdict["not_checked"])
    assert verdict["committed"]["commit"] is None
    assert "in no git checkout" in verdict["committed"]["statement"]


def test_a_test_grade_without_a_registration_is_not_imported(project: Project) -> None:
    project.register()
    (project.folder / "new.jsonl").write_text('{"question_id": "q00", "correct": true}\n')
    arguments = ["new.jsonl", "--format", "jsonl", "--point", POINT, "--split", "split.json"]
    out = ["--part", "test", "--out", "grades/new"]
    assert run(["grades", "import", *arguments, *out]) == 2
    assert not (project.folder / "grades/new").exists()


def test_a_test_grade_without_a_clearance_is_not_judged(
    ready: Project, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Grades, "registration", None)  # a folder that no import of ours makes
    assert "test grades of the point external(name=new) were imported without" in refused(ready)


def test_exploratory_grades_stamp_the_verdict(project: Project) -> None:
    project.register()
    project.grade("new", POINT, project.rows(POINT_RIGHT), "--exploratory")
    project.grade("old", CONTROL, project.rows(CONTROL_RIGHT))
    verdict = project.judged()
    assert verdict["stamp"] == "exploratory"
    assert verdict["stamp_reasons"] == [
        "the grades of the point external(name=new) were imported as exploratory"
    ]


def test_an_older_control_that_the_plan_pins_stamps_nothing(project: Project) -> None:
    project.grade("old", CONTROL, project.rows(CONTROL_RIGHT), "--exploratory")
    project.register(control_keys='grades = "grades/old"')
    project.grade("new", POINT, project.rows(POINT_RIGHT))
    assert project.judge(grades=("new",)) == 0  # the plan names the control's
    assert project.verdict()["stamp"] == "registered (contexts not checked)"


def test_a_control_that_is_not_the_pinned_one(project: Project, refused: Refused) -> None:
    project.grade("old", CONTROL, project.rows(CONTROL_RIGHT), "--exploratory")
    project.register(control_keys='grades = "grades/old"')
    project.grade("new", POINT, project.rows(POINT_RIGHT))
    project.grade("other", CONTROL, project.rows(TEST_IDS[:2]), "--exploratory")
    message = refused(project, grades=("new", "other"))
    assert "the registration pins" in message
    assert "for the control external(name=old)" in message


def test_an_exploratory_control_that_is_not_pinned(project: Project) -> None:
    project.register()
    project.grade("new", POINT, project.rows(POINT_RIGHT))
    project.grade("old", CONTROL, project.rows(CONTROL_RIGHT), "--exploratory")
    assert project.judged()["stamp"] == "exploratory"


def test_a_missing_and_a_duplicated_question(project: Project, refused: Refused) -> None:
    project.register()
    rows = project.rows(POINT_RIGHT)
    project.grade("new", POINT, [*rows[:3], *rows[4:], rows[7]])
    project.grade("old", CONTROL, project.rows(CONTROL_RIGHT))
    message = refused(project)
    assert f"grades/new (point {POINT}): 1 question missing: {TEST_IDS[3]}" in message
    assert f"grades/new (point {POINT}): 1 question graded more than once: {TEST_IDS[7]}" in message
    assert "grades/old" not in message


def test_an_ungraded_answer_is_no_smaller_cohort(project: Project, refused: Refused) -> None:
    project.register()
    rows = project.rows(POINT_RIGHT)
    rows[5]["correct"] = None
    project.grade("new", POINT, rows)
    project.grade("old", CONTROL, project.rows(CONTROL_RIGHT))
    assert f"1 question without a usable grade (error): {TEST_IDS[5]}" in refused(project)


def test_an_extra_question_is_not_imported(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.register()
    rows = project.rows(POINT_RIGHT, [*TEST_IDS, "q99"])
    project.grade("new", POINT, rows, expect=2)
    assert "'q99'" in capsys.readouterr().err


def test_an_extra_question_is_not_judged(
    ready: Project, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    rows = Grades.rows

    def one_more(grades: Grades) -> Any:
        found = rows(grades)
        return (*found, replace(found[0], question_id="q99"))

    monkeypatch.setattr(Grades, "rows", one_more)
    message = refused(ready)
    assert "1 question that the registration's test part does not have: q99" in message


def test_a_control_on_other_ids(project: Project, refused: Refused) -> None:
    project.register()
    project.grade("new", POINT, project.rows(POINT_RIGHT))
    rows = project.rows(CONTROL_RIGHT, DEV_IDS)
    project.grade("old", CONTROL, rows, "--part", "test")
    assert f"grades/old (control {CONTROL}): 20 questions missing" in refused(project)


def test_grades_of_both_parts_are_judged_on_the_test_part(project: Project) -> None:
    project.register()
    ids = [*DEV_IDS, *TEST_IDS]
    project.grade("new", POINT, project.rows([*POINT_RIGHT, *DEV_IDS], ids), "--part", "all")
    project.grade("old", CONTROL, project.rows(CONTROL_RIGHT, ids), "--part", "all")
    (rule,) = project.judged()["rules"]
    assert (rule["n"], rule["wins"], rule["losses"]) == (20, 5, 1)


def test_grades_that_were_changed(ready: Project, refused: Refused) -> None:
    (ready.folder / "grades/new/outcomes.parquet").write_bytes(b"PAR1")
    assert "outcomes.parquet" in refused(ready)


def test_another_split_under_the_same_name(ready: Project, refused: Refused) -> None:
    path = ready.folder / "split.json"
    path.write_text(path.read_text() + "\n")
    message = refused(ready)
    assert "split.json: sha256 is" in message


def test_all_problems_come_together(project: Project, refused: Refused) -> None:
    project.register()
    project.grade("new", POINT, project.rows(POINT_RIGHT)[:-1])
    project.edit_registration(_other_question)
    message = refused(project, grades=("new",))
    assert message.startswith("error: registrations/made.json cannot be judged: 3 faults\n")
    for problem in ("was edited", "1 question missing", f"no grades of the control {CONTROL}"):
        assert problem in message


def test_grades_of_a_point_that_was_not_registered(ready: Project, refused: Refused) -> None:
    rows = ready.rows(POINT_RIGHT)
    ready.grade("third", "external(name=third)", rows, "--exploratory")
    message = refused(ready, grades=("new", "old", "third"))
    assert "grades/third has the grades of external(name=third), which the registration" in message


def test_the_same_answers_under_another_registration(ready: Project) -> None:
    ready.judged()
    ready.register(name="second", head="# another", tail='[cohort]\nexclude = ["abstention"]')
    ready.registration = Path("registrations/second.json")
    ready.grade("new", POINT, ready.rows(POINT_RIGHT), "--force")
    ready.grade("old", CONTROL, ready.rows(CONTROL_RIGHT), "--force")
    assert ready.judge("--out", "second.json") == 0
    verdict = json.loads((ready.folder / "second.json").read_text())
    assert verdict["opening"]["of_split"] == 2
    assert verdict["stamp"] == "exploratory"
    assert verdict["stamp_reasons"][0].startswith(
        "the answers of the point external(name=new) were opened before, for made.json"
    )


@pytest.mark.parametrize("place", ["elsewhere/ledger.jsonl", "ignored/old-ledger.jsonl"])
def test_another_ledger_hides_no_opening(ready: Project, place: str) -> None:
    """Ledgers that earlier versions wrote may lie anywhere in the checkout."""
    assert ready.judge("--out", "first.json") == 0
    (ready.folder / place).parent.mkdir()
    ready.ledger.rename(ready.folder / place)
    assert ready.judge("--out", "second.json") == 0
    verdict = json.loads((ready.folder / "second.json").read_text())
    assert verdict["stamp"] == "exploratory"
    assert "were opened before, for" in verdict["stamp_reasons"][0]


def test_dev_grades_are_no_further_pass(ready: Project, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ready.rows(DEV_IDS[:1], DEV_IDS)
    (ready.folder / "dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ["--format", "jsonl", "--point", POINT, "--split", "split.json", "--part", "dev"]
    assert run(["grades", "import", "dev.jsonl", *options, "--out", "grades/dev", "-q"]) == 0
    assert ready.judge(grades=("new", "dev", "old")) == 2
    assert "has grades of dev questions" in capsys.readouterr().err
    assert not ready.ledger.exists()


def test_a_rewritten_history_is_seen(ready: Project) -> None:
    shutil.rmtree(ready.folder / ".git")
    ready.git("init", "-q")
    ready.commit("made.toml", "registrations/made.json")
    ready.judged()
    verdict = json.loads(ready.verdict_file.read_text())
    assert verdict["stamp"] == "exploratory"
    assert "the history was rewritten" in verdict["stamp_reasons"][0]


def test_a_shallow_clone_shows_no_order(ready: Project, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    source = f"file://{ready.folder}"
    subprocess.run(["git", "clone", "-q", "--depth", "1", source, str(clone)], check=True)
    assert no_order(clone / "registrations/made.json") == "this is a shallow clone"
    assert no_order(ready.folder / "registrations/made.json") is None


def test_every_check_has_a_name_of_its_own() -> None:
    names, functions = zip(*CHECKS, strict=True)
    assert len(set(names)) == len(set(functions)) == len(CHECKS)
