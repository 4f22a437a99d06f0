"""A stamp says what was checked: every way to a confirmatory verdict that should not be one."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.storage.hashing import sha256_of_text
from harness.trial.clearance import FirstCommit, committed
from harness.trial.grades import Grades

from ...make.project import CONTROL_RIGHT, POINT_RIGHT, TEST_IDS
from ...make.study import log_row
from ...make.trial import FULL, ITEMS, ONE, TWO, Trial, make_trial

WIDER = 'cost = "context_tokens <= 100000"'


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trial:
    folder = tmp_path / "trial"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return make_trial(folder)


def test_an_honest_trial_is_confirmatory(trial: Trial) -> None:
    verdict = trial.opened()
    assert (verdict["schema"], verdict["stamp"]) == ("harness.verdict/2", "confirmatory")
    assert list(verdict)[:4] == ["schema", "stamp", "not_checked", "stamp_reasons"]
    assert (verdict["not_checked"], verdict["stamp_reasons"]) == ([], [])
    (line,) = trial.project.openings()
    assert (line["kind"], line["schema"]) == ("opening", "harness.opening/2")
    assert line["questions"] == sorted(TEST_IDS)
    assert verdict["fixed"]["sets"] == line["sets"]
    sha256 = json.loads(Path("run/manifest.json").read_text())["content_sha256"]
    assert verdict["fixed"]["run_sha256"] == line["run_sha256"] == sha256


# the contexts of its own point


def test_answers_to_the_contexts_of_another_point_are_refused(
    trial: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    trial.register("made")
    grades = [trial.grade("new", TWO, contexts_of=ONE), trial.grade("old", ONE, CONTROL_RIGHT)]
    assert trial.judge(grades) == 2
    assert "20 answered contexts are not those of the run" in capsys.readouterr().err
    assert trial.project.openings() == []


@pytest.mark.parametrize("form", ["longmemeval-eval", "omnimemeval"])
def test_every_format_keeps_the_context_of_an_answer(trial: Trial, form: str) -> None:
    digests = trial.contexts[ONE]
    ids = json.loads(Path("split.json").read_text())["of"]
    assert ids == 24
    if form == "longmemeval-eval":
        rows = [{**log_row(name, True), "context_sha256": digests[name]} for name in TEST_IDS]
        text = "".join(json.dumps(row) + "\n" for row in rows)
    else:
        entries = {
            f"user_{int(name[1:3])}": {
                "category": ("even", "odd")[int(name[1:3]) % 2],
                "llm_judgments": {"judgment_1": True},
                "context_sha256": digests[name],
            }
            for name in TEST_IDS
        }
        text = json.dumps(entries)
    Path("log").write_text(text)
    trial.register("made")
    what = ["--format", form, "--point", TWO, "--split", "split.json", "--part", "test"]
    how = ["--registration", "registrations/made.json", "--out", "grades/log", "-q"]
    assert run(["grades", "import", "log", *what, *how]) == 0
    found = {row.question_id: row.context_sha256 for row in Grades.open(Path("grades/log")).rows()}
    assert found == digests
    assert trial.judge(["log", trial.grade("old", ONE, CONTROL_RIGHT)]) == 2


@pytest.mark.parametrize("unknown", ["point", "control"])
def test_unknown_contexts_are_not_confirmatory(trial: Trial, unknown: str) -> None:
    trial.register("made")
    grades = [
        trial.grade("new", TWO, known=unknown != "point"),
        trial.grade("old", ONE, CONTROL_RIGHT, known=unknown != "control"),
    ]
    verdict = trial.judged(grades)
    assert (verdict["stamp"], verdict["stamp_reasons"]) == ("registered", [])
    (line,) = verdict["not_checked"]
    assert line.startswith(f"which contexts the answers of the {unknown} ")
    assert line.endswith("the grades do not say it for 20 of 20 questions")


def test_without_a_run_nothing_of_the_contexts_is_checked(trial: Trial) -> None:
    trial.register("made")
    verdict = trial.judged(trial.grade_both(), run_of=None)
    assert verdict["stamp"] == "registered"
    assert verdict["not_checked"] == [
        "which contexts were answered: no run was given to compare them with"
    ]


def test_a_plan_may_declare_its_contexts_external(
    trial: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    trial.register("made", head='contexts = "external"')
    registration = json.loads(Path("registrations/made.json").read_text())
    assert registration["plan"]["contexts"] == "external"
    grades = trial.grade_both(known=False)
    capsys.readouterr()
    verdict = trial.judged(grades, run_of=None)
    assert verdict["stamp"] == "registered (contexts not checked)"
    assert capsys.readouterr().out.startswith("Stamp: registered (contexts not checked).\n")
    trial.register("other", point=ITEMS)
    assert "contexts" not in json.loads(Path("registrations/other.json").read_text())["plan"]


def test_prompts_give_a_log_its_contexts(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    trial.register("made")
    for point, name in ((TWO, "two"), (ONE, "one")):
        out = ["--out", f"{name}.prompts.jsonl", "-q"]
        assert run(["export", "prompts", "run", "--point", point, *out]) == 0
    given = ["--registration", "registrations/made.json", "--prompts"]
    rows = trial.rows(TWO, POINT_RIGHT, known=False)
    trial.project.grade("new", TWO, rows, *given, "two.prompts.jsonl")
    rows = trial.rows(ONE, CONTROL_RIGHT, known=False)
    trial.project.grade("old", ONE, rows, *given, "one.prompts.jsonl")
    assert trial.judged(["new", "old"])["stamp"] == "confirmatory"
    rows = [*trial.rows(ONE, [], contexts_of=TWO)]
    trial.project.grade("other", ONE, rows, *given, "one.prompts.jsonl", expect=2)
    assert "context_sha256 is not that of the prompt in one.prompts.jsonl" in (
        capsys.readouterr().err
    )


# the point was not seen before


def again_stamped(trial: Trial) -> dict[str, Any]:
    """The verdict of the same question under a second registration."""
    trial.register("second", rule_keys=WIDER)
    return trial.judged(trial.grade_both("second", "-2"), "second")


def test_a_line_break_makes_no_new_answers(trial: Trial) -> None:
    trial.opened()
    trial.register("second", rule_keys=WIDER)
    new, old = trial.grade_both("second", "-2")
    source = Path("new.jsonl")
    source.write_text(source.read_text() + "\n")
    verdict = trial.judged([new, old], "second")
    assert verdict["stamp"] == "exploratory"
    assert (
        "were opened before, for made.json (line 1 of ledger.jsonl): 20 of the 20"
        in (verdict["stamp_reasons"][0])
    )


def test_other_answers_at_an_opened_point_are_not_new(trial: Trial) -> None:
    trial.opened()
    trial.register("second", rule_keys=WIDER)
    grades = [
        trial.grade("better", TWO, TEST_IDS, "second"),
        trial.grade("old-2", ONE, CONTROL_RIGHT, "second"),
    ]
    assert trial.judged(grades, "second")["stamp"] == "exploratory"


def test_two_names_of_one_policy_are_one(trial: Trial) -> None:
    trial.register("made", point=ITEMS)
    old = trial.grade("old", ONE, CONTROL_RIGHT)
    trial.judged([trial.grade("new", ITEMS), old])
    trial.register("second", point=FULL, control=TWO)
    grades = [
        trial.grade("full", FULL, POINT_RIGHT, "second"),
        trial.grade("two", TWO, CONTROL_RIGHT, "second"),
    ]
    verdict = trial.judged(grades, "second")
    assert verdict["stamp"] == "exploratory"
    assert str(FULL) in verdict["stamp_reasons"][0]


def test_another_split_file_makes_no_new_test(trial: Trial) -> None:
    trial.opened()
    split = Path("split.json")
    split.write_text(split.read_text() + "\n")
    assert again_stamped(trial)["stamp"] == "exploratory"


def test_an_exploratory_set_is_opened_by_showing_it(
    trial: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    trial.grade("looked", TWO, POINT_RIGHT, None)
    assert run(["grades", "show", "grades/looked", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["sealed"], row["opening"], row["correct"]) == (False, 1, 12)
    assert run(["grades", "show", "grades/looked"]) == 0  # the second look adds nothing
    (line,) = trial.project.openings()
    assert (line["kind"], line["registration"], line["stamp"]) == ("exploratory", None, None)
    assert line["questions"] == sorted(TEST_IDS)
    verdict = trial.opened()
    assert verdict["stamp"] == "exploratory"
    assert "a look at exploratory grades (line 1 of" in verdict["stamp_reasons"][0]


@pytest.mark.parametrize(
    "command",
    [
        ["grades", "agree", "grades/looked", "grades/other"],
        ["instrument", "evidence", "run", "--grades", "grades/looked"],
        ["report", "run", "--out", "shown", "--grades", "grades/looked", "-q"],
    ],
)
def test_every_verb_that_shows_outcomes_opens_them(trial: Trial, command: list[str]) -> None:
    trial.grade("looked", TWO, POINT_RIGHT, None)
    trial.grade("other", TWO, CONTROL_RIGHT, None)
    assert run(command) == 0
    assert trial.project.openings()[0]["kind"] == "exploratory"
    assert trial.opened()["stamp"] == "exploratory"


def test_a_set_is_shown_only_after_an_opening_that_holds_it(
    trial: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    trial.opened()
    trial.register("second", rule_keys=WIDER)
    trial.grade("unopened", TWO, TEST_IDS[:3], "second")
    for name, is_sealed in (("new", False), ("unopened", True)):
        capsys.readouterr()
        assert run(["grades", "show", f"grades/{name}", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)[0]["sealed"] is is_sealed
    trial.grade("copy", TWO, POINT_RIGHT, "made", reader="somebody")
    assert run(["grades", "show", "grades/copy", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["sealed"] is False  # the same outcomes
    assert len(trial.project.openings()) == 1


def test_a_control_that_was_seen_counts_unless_it_is_pinned(trial: Trial) -> None:
    trial.grade("kept", ONE, CONTROL_RIGHT, None)
    assert run(["grades", "show", "grades/kept"]) == 0
    trial.register("pinned", control_keys='grades = "grades/kept"')
    new = trial.grade("new", TWO, POINT_RIGHT, "pinned")
    assert trial.judged([new], "pinned")["stamp"] == "confirmatory"
    trial.register("unpinned", point=FULL)
    grades = [
        trial.grade("full", FULL, POINT_RIGHT, "unpinned"),
        trial.grade("old", ONE, CONTROL_RIGHT, "unpinned"),
    ]
    verdict = trial.judged(grades, "unpinned")
    assert verdict["stamp"] == "exploratory"
    assert f"the answers of the control {ONE} were opened before" in verdict["stamp_reasons"][0]


def test_answers_seen_at_a_point_of_equal_contexts_are_counted(trial: Trial) -> None:
    """Three items are every item, under another policy."""
    three = "count-curve(k=3)"
    assert run(["replay", "recording", "--out", "run", "-q", "--point", three]) == 0
    trial.contexts[three] = trial.contexts[FULL]
    trial.register("made", point=FULL)
    old = trial.grade("old", ONE, CONTROL_RIGHT)
    assert trial.judged([trial.grade("new", FULL), old])["seen_at_other_points"] == 0
    trial.register("second", point=three, control=TWO)
    grades = [
        trial.grade("three", three, POINT_RIGHT, "second"),
        trial.grade("two", TWO, CONTROL_RIGHT, "second"),
    ]
    verdict = trial.judged(grades, "second")
    assert (verdict["stamp"], verdict["seen_at_other_points"]) == ("confirmatory", 20)


def other_run_of(trial: Trial, *points: str) -> str:
    """A run of the same recording at these points alone; returns its folder."""
    specs = [part for point in points for part in ("--point", point)]
    assert run(["replay", "recording", "--out", "other-run", "-q", *specs]) == 0
    return "other-run"


THREE = "count-curve(k=3)"


@pytest.mark.parametrize(
    ("run_of", "kept", "counted"),
    [
        ("other-run", True, 20),
        (None, True, 20),
        ("other-run", False, 0),
    ],
    ids=["a run without the point", "no run", "grades that are gone"],
)
def test_equal_contexts_are_known_from_opened_grades_too(
    trial: Trial, run_of: str | None, kept: bool, counted: int
) -> None:
    """Of every item, whose contexts are those of three items; the given run does not have it."""
    trial.contexts[THREE] = trial.contexts[FULL]
    trial.register("made", point=FULL)
    grades = [trial.grade("new", FULL), trial.grade("old", ONE, CONTROL_RIGHT)]
    trial.judged(grades)
    other_run_of(trial, THREE, TWO)
    if not kept:
        shutil.move("grades/new", "../elsewhere")
    trial.register("second", point=THREE, control=TWO)
    again = [
        trial.grade("three", THREE, POINT_RIGHT, "second"),
        trial.grade("two", TWO, CONTROL_RIGHT, "second"),
    ]
    verdict = trial.judged(again, "second", run_of=run_of)
    assert verdict["seen_at_other_points"] == counted
    assert verdict["stamp"] == ("registered" if run_of is None else "confirmatory")


def test_grades_that_were_not_opened_are_not_seen(trial: Trial) -> None:
    """Answers at every item lie there sealed, under another registration."""
    trial.contexts[THREE] = trial.contexts[FULL]
    trial.register("sealed", point=FULL)
    trial.grade("sealed", FULL, POINT_RIGHT, "sealed")
    other_run_of(trial, THREE, TWO)
    trial.register("made", point=THREE, control=TWO)
    grades = [trial.grade("three", THREE), trial.grade("two", TWO, CONTROL_RIGHT)]
    assert trial.judged(grades, run_of="other-run")["seen_at_other_points"] == 0


def test_contexts_that_are_not_known_are_not_counted(trial: Trial) -> None:
    trial.register("made")
    assert trial.judged(trial.grade_both(known=False), run_of=None)["seen_at_other_points"] is None


# costs are the run's counts


@pytest.mark.parametrize("measure", ["context_tokens", "prompt_tokens_estimated"])
def test_a_claimed_cost_that_differs_is_refused(
    trial: Trial, capsys: pytest.CaptureFixture[str], measure: str
) -> None:
    trial.register("made", rule_keys=f'cost = "{measure} <= 3"')
    grades = [
        trial.grade("new", TWO, POINT_RIGHT, "made", **{measure: 1}),
        trial.grade("old", ONE, CONTROL_RIGHT),
    ]
    assert trial.judge(grades) == 2
    message = capsys.readouterr().err
    assert f"the grades claim other {measure} than the run counts for 20 questions" in message
    assert trial.project.openings() == []
    verdict = trial.judged([trial.grade("true", TWO), "old"])
    assert verdict["rules"][0]["cost"]["held"] is False
    assert verdict["rules"][0]["state"] == "NOT MET"


def test_a_claimed_cost_without_a_run_is_said(trial: Trial) -> None:
    trial.register("made", rule_keys=WIDER)
    grades = [
        trial.grade("new", TWO, context_tokens=1),
        trial.grade("old", ONE, CONTROL_RIGHT),
    ]
    verdict = trial.judged(grades, run_of=None)
    assert verdict["stamp"] == "registered"
    assert (
        f"context_tokens of the point {TWO}: the grades claim it, and no run counts it"
        in (verdict["not_checked"])
    )


# what the opening fixed


def test_judging_again_says_that_it_is_done(
    trial: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    trial.opened()
    path = Path("registrations/made.verdict.json")
    ledger, verdict = trial.ledger.read_bytes(), path.read_bytes()
    arguments = ["judge", "registrations/made.json", "--grades", "grades/new", "grades/old"]
    capsys.readouterr()
    assert run([*arguments, "--run", "run"]) == 0
    assert "done already, by line 1 of registrations/ledger.jsonl" in capsys.readouterr().err
    assert (trial.ledger.read_bytes(), path.read_bytes()) == (ledger, verdict)
    path.unlink()
    assert run([*arguments, "--run", "run", "-q"]) == 0
    assert (trial.ledger.read_bytes(), path.read_bytes()) == (ledger, verdict)


@pytest.mark.parametrize("known", [True, False])
def test_another_run_is_refused(
    trial: Trial, capsys: pytest.CaptureFixture[str], known: bool
) -> None:
    trial.register("made", rule_keys='cost = "context_tokens <= 1"')
    grades = trial.grade_both(known=known)
    assert trial.judged(grades)["rules"][0]["state"] == "NOT MET"
    Path("registrations/made.verdict.json").unlink()
    assert trial.judge(grades, run_of=trial.another_run()) == 2
    if not known:
        message = capsys.readouterr().err
        assert "registrations/ledger.jsonl, line 1: this registration was judged" in message
        assert "\n  run: fixed " in message
    assert trial.judge(grades, run_of=None) == 2
    assert not Path("registrations/made.verdict.json").exists()


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"right": TEST_IDS}, "outcomes of the point count-curve(k=2): fixed"),
        ({"prompt_tokens": 5}, "reported tokens of the point count-curve(k=2): fixed"),
    ],
)
def test_other_outcomes_and_reported_tokens_are_refused(
    trial: Trial, capsys: pytest.CaptureFixture[str], changed: dict[str, Any], named: str
) -> None:
    trial.opened()
    right = changed.pop("right", POINT_RIGHT)
    trial.grade("changed", TWO, right, "made", **changed)
    assert trial.judge(["changed", "old"]) == 2
    assert named in capsys.readouterr().err


def test_the_same_outcomes_from_other_files_are_the_same(trial: Trial) -> None:
    trial.opened()
    rows = trial.rows(TWO, POINT_RIGHT)
    trial.project.grade("turned", TWO, rows[::-1], "--registration", "registrations/made.json")
    assert trial.judge(["turned", "old"]) == 0
    assert len(trial.project.openings()) == 1


# the ledger has only grown


def second_stamp(trial: Trial) -> dict[str, Any]:
    """The verdict of another point, of which nothing was seen."""
    trial.register("second", ["same-policy"], point=FULL, control=ITEMS)
    grades = [
        trial.grade("full", FULL, POINT_RIGHT, "second"),
        trial.grade("items", ITEMS, CONTROL_RIGHT, "second"),
    ]
    return trial.judged(grades, "second")


@pytest.mark.parametrize("cut", ["removed", "cut", "emptied and restored"])
def test_a_committed_ledger_that_lost_a_line(trial: Trial, cut: str) -> None:
    trial.opened()
    trial.commit_ledger()
    kept = trial.ledger.read_text()
    if cut == "removed":
        trial.project.git("rm", "-q", "registrations/ledger.jsonl")
        trial.project.git("commit", "-q", "-m", "removed")
    else:
        trial.ledger.write_text("")
        trial.commit_ledger()
    if cut == "emptied and restored":
        trial.ledger.write_text(kept)
        trial.commit_ledger()
    Path("registrations/made.verdict.json").unlink()
    verdict = second_stamp(trial)
    assert verdict["stamp"] == "registered"
    assert "does not keep the lines that its parent" in verdict["not_checked"][0]
    verdict = again_stamped_elsewhere(trial)
    assert verdict["stamp"] == "exploratory"


def again_stamped_elsewhere(trial: Trial) -> dict[str, Any]:
    """The verdict of the point that was opened under `made`, under a third registration."""
    trial.register("third", rule_keys=WIDER)
    return trial.judged(trial.grade_both("third", "-3"), "third")


def test_a_merge_that_dropped_the_lines_of_one_side(trial: Trial) -> None:
    trial.project.git("checkout", "-q", "-b", "side")
    trial.opened()
    trial.commit_ledger()
    trial.project.git("checkout", "-q", "-")
    trial.project.git("commit", "-q", "--allow-empty", "-m", "meanwhile")
    trial.project.git("merge", "-q", "-s", "ours", "-m", "merged", "side")
    Path("registrations/made.verdict.json").unlink()
    assert "does not keep the lines" in second_stamp(trial)["not_checked"][0]
    assert again_stamped_elsewhere(trial)["stamp"] == "exploratory"


@pytest.mark.parametrize("name", ["made.verdict.json", "made.verdict.opening-1.json", "x.json"])
def test_a_ledger_that_was_never_committed_is_missed_by_its_verdict(
    trial: Trial, name: str
) -> None:
    trial.opened()
    trial.ledger.unlink()
    Path("registrations/made.verdict.json").rename(Path("registrations") / name)
    verdict = second_stamp(trial)
    assert verdict["stamp"] == "registered"
    assert verdict["not_checked"] == [
        f"the history of the ledger: no ledger has the line that {name} names"
    ]
    assert again_stamped_elsewhere(trial)["stamp"] == "exploratory"


def cloned(trial: Trial, folder: Path, *how: str) -> Path:
    """A clone of the trial, with what is not in git brought along, but not its verdicts."""
    source = f"file://{trial.folder}"
    subprocess.run(["git", "clone", "-q", *how, source, str(folder)], check=True)
    for name in ("grades", "run"):
        shutil.copytree(trial.folder / name, folder / name)
    return folder


@pytest.mark.parametrize(
    ("how", "named"),
    [
        (("--depth", "1"), "this is a shallow clone"),
        (("--filter=blob:none",), "this is a partial clone"),
        (("--filter=tree:0",), "this is a partial clone"),
    ],
)
def test_a_clone_of_a_part_shows_no_history(
    trial: Trial,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    how: tuple[str, ...],
    named: str,
) -> None:
    trial.register("made")
    grades = trial.grade_both()
    trial.project.git("config", "uploadpack.allowFilter", "true")
    monkeypatch.chdir(cloned(trial, tmp_path / "clone", *how))
    assert trial.judge(grades) == 0
    verdict = json.loads(Path("registrations/made.verdict.json").read_text())
    assert verdict["stamp"] == "registered"
    assert f"the history of the ledger: {named}" in verdict["not_checked"]
    assert verdict["committed"]["commit"] is None
    assert named in verdict["committed"]["statement"]


def test_a_whole_clone_shows_the_whole_history(
    trial: Trial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial.register("made")
    grades = trial.grade_both()
    monkeypatch.chdir(cloned(trial, tmp_path / "clone"))
    assert trial.judge(grades) == 0
    verdict = json.loads(Path("registrations/made.verdict.json").read_text())
    assert (verdict["stamp"], verdict["not_checked"]) == ("confirmatory", [])


@pytest.mark.parametrize("how", ["replace", "info/grafts"])
def test_a_graft_that_hides_an_opening(trial: Trial, how: str) -> None:
    """The commit that had the ledger is gone from the history that git shows by itself; what was
    committed is looked at all the same."""
    root = trial.project.git_output("rev-list", "--max-parents=0", "HEAD")
    trial.opened()
    trial.commit_ledger()
    trial.project.git("rm", "-q", "registrations/ledger.jsonl")
    trial.project.git("commit", "-q", "-m", "removed")
    Path("registrations/made.verdict.json").unlink()
    head = trial.project.git_output("rev-parse", "HEAD")
    if how == "replace":
        trial.project.git("replace", "--graft", head, root)
    else:
        Path(".git/info").mkdir(exist_ok=True)
        Path(".git/info/grafts").write_text(f"{head} {root}\n")
    assert trial.project.git_output("rev-list", "--count", "HEAD") == "2"
    verdict = second_stamp(trial)
    assert verdict["stamp"] == "registered"
    assert any("take the place of what was committed" in line for line in verdict["not_checked"])
    if how == "replace":
        assert again_stamped_elsewhere(trial)["stamp"] == "exploratory"
    else:
        assert again_stamped_elsewhere(trial)["stamp"] != "confirmatory"


def test_a_graft_cannot_make_an_edited_registration_an_unmodified_one(trial: Trial) -> None:
    trial.register("made")
    root = trial.project.git_output("rev-list", "--max-parents=0", "HEAD")
    path = Path("registrations/made.json")
    path.write_text(path.read_text().replace("old", "elder"))
    trial.project.git("commit", "-q", "-a", "-m", "edited")
    first = trial.project.git_output("rev-parse", "HEAD~1")
    trial.project.git("replace", "--graft", "HEAD", root)
    found = committed(path)
    assert found == FirstCommit(first, modified=True)


# there is one ledger


def test_no_other_ledger_can_be_named(trial: Trial, capsys: pytest.CaptureFixture[str]) -> None:
    trial.register("made")
    grades = trial.grade_both()
    assert trial.judge(grades, "made", "--ledger", "peek.jsonl") == 2
    assert "No such option" in capsys.readouterr().err
    assert run(["grades", "show", "grades/new", "--ledger", "peek.jsonl"]) == 2


def test_the_ledger_is_that_of_the_repository_wherever_the_command_runs(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial.opened()
    Path("below").mkdir()
    monkeypatch.chdir("below")
    assert run(["grades", "show", "../grades/new"]) == 0
    assert not Path("registrations").exists()


# the registration came first


def test_grades_that_were_imported_before_the_commit(trial: Trial) -> None:
    """They were imported where no git could show what came first."""
    trial.project.register("made", commit=False, head="# made", point=TWO, control=ONE)
    shutil.move(".git", "../hidden")
    grades = trial.grade_both()
    shutil.move("../hidden", ".git")
    trial.project.commit("made.toml", "registrations/made.json")
    verdict = trial.judged(grades)
    assert verdict["stamp"] == "registered"
    assert len(verdict["not_checked"]) == 2
    assert all("they were imported where git did not" in line for line in verdict["not_checked"])


# a demonstration


def test_only_the_sample_without_a_reader_is_a_demonstration(
    trial: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    trial.register("made")
    grades = trial.grade_both()
    assert trial.judge(grades, "made", "--demonstration", "--out", "shown/verdict.json") == 2
    message = capsys.readouterr().err
    assert "--demonstration is for the bundled sample, and the plan is of made" in message
    assert f"grades/new (point {TWO}): --demonstration is for grades of harness grades" in message
    assert not Path("shown").exists()


def test_the_terminal_says_the_stamp_first(
    trial: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    trial.register("made")
    grades = trial.grade_both(known=False)
    capsys.readouterr()
    trial.judged(grades)
    first, second = capsys.readouterr().out.splitlines()[:2]
    assert first == "Stamp: registered, not confirmatory, for what follows was not checked."
    assert second.startswith("  - Not checked: which contexts the answers of the point")
    assert (
        sha256_of_text(trial.ledger.read_text().rstrip("\n"))
        == (trial.verdict()["opening"]["line_sha256"])
    )
