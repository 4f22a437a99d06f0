"""`harness grades` at the terminal: what is printed, and what stays sealed."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.trial.grades import Grades

from ..make.manifests import edit_manifest
from ..make.study import IDS, TYPES, Study, commit, make_study, verdicts
from ..trial.grades.test_seal import open_grades


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """Grades of dev in `dev`, two passes of which the second differs once, and of test in `test`;
    all of it in the current folder."""
    monkeypatch.chdir(tmp_path)
    made = make_study(tmp_path)
    first = verdicts(IDS)
    made.log("1.jsonl", first)
    made.log("2.jsonl", first | {made.dev[1]: not first[made.dev[1]]})
    files = [Path("1.jsonl"), Path("2.jsonl")]
    made.imported(files, "--part", "dev", "--split", "split.json", "--out", "dev", out="dev")
    options = ("--part", "test", "--exploratory", "--split", "split.json")
    made.imported(files[:1], *options, out="test")
    return made


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    capsys.readouterr()
    assert run(["grades", *arguments]) == code
    return capsys.readouterr().out


def test_importing_says_what_was_found(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    rows = {name: True for name in IDS if name != study.dev[0]}
    study.log("some.jsonl", rows)
    command = study.command([Path("some.jsonl")], "--part", "dev", "--out", "some")
    command.remove("-q")
    capsys.readouterr()
    assert run(command) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "some: 3 graded of 4 questions, 1 missing (1 no row)\n"
        "left out: 8 rows, other part of the split\n"
        "A verdict needs a grade for every question that no rule excludes.\n"
        "Next: harness grades show some\n"
    )


def test_show_prints_origin_counts_and_dev_accuracy(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = printed(capsys, "show", "dev")
    digests = [json.loads(Path("dev/manifest.json").read_text())["content_sha256"]]
    sources = json.loads(Path("dev/manifest.json").read_text())["content"]["sources"]
    digests += [source["sha256"] for source in sources]
    assert shown.partition("\n\n  pass  type ")[0] == (
        "point        external(name=new)\n"
        "questions    part dev of split.json (4 questions of the register made)\n"
        "reader       not named\n"
        "judge        a-judge\n"
        "format       longmemeval-eval\n"
        f"source       1.jsonl, 12 rows, sha256 {digests[1][:12]}…\n"
        f"source       2.jsonl, 12 rows, sha256 {digests[2][:12]}…\n"
        "left out     16 rows, other part of the split\n"
        f"sha256       {digests[0]}\n"
        "\n"
        "  pass    expected    graded    missing    duplicate    error    excluded"
        "    prompt    accuracy\n"
        "                                                                         "
        "    tokens         (%)\n"
        "                                                                         "
        "     (API)\n"
        "------  ----------  --------  ---------  -----------  -------  ----------"
        "  --------  ----------\n"
        "     1           4         4          0            0        0           0"
        "   1,000.0       75.00\n"
        "     2           4         4          0            0        0           0"
        "   1,000.0       50.00"
    )
    assert shown.endswith("\nThe accuracy of dev questions is free.\n")


def _as_if_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Grades, "exploratory", False)


def test_show_says_sealed_until_the_ledger_has_an_opening(
    study: Study, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        _as_if_registered(patch)
        shown = printed(capsys, "show", "test")
        assert "      sealed\n" in shown
        assert "Sealed: registrations/ledger.jsonl has no opening that holds these" in shown
        (row,) = json.loads(printed(capsys, "show", "test", "--json"))
        hidden = (row["sealed"], row["accuracy"], row["correct"], row["opening"])
        assert hidden == (True, None, None, None)
        (cells,) = csv.DictReader(io.StringIO(printed(capsys, "show", "test", "--csv")))
        assert (cells["graded"], cells["sealed"], cells["accuracy"]) == ("8", "True", "")
    open_grades(Grades.open(Path("test")))
    (row,) = json.loads(printed(capsys, "show", "test", "--json"))
    right = [verdicts(IDS)[name] for name in study.test]
    assert (row["sealed"], row["opening"], row["correct"]) == (False, 1, sum(right))
    assert row["accuracy"] == sum(right) / 8
    shown = printed(capsys, "show", "test")
    assert "graded as    exploratory\n" in shown
    assert "Opened by line 1 of registrations/ledger.jsonl." in shown


def test_showing_exploratory_grades_says_that_they_are_open_now(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = printed(capsys, "show", "test")
    assert "Opened as exploratory by line 1 of registrations/ledger.jsonl" in shown


def test_agreement_of_passes(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "agree", "dev", "dev") == (
        "A  dev: external(name=new), part dev\n"
        "B  dev: external(name=new), part dev\n"
        "\n"
        "  pass of A    pass of B    expected    compared    contexts    agreement    only A    "
        "only B    accuracy    errors of    accuracy    errors of       B − A  noise\n"
        "                                                      differ          (%)     right     "
        "right    of A (%)            A    of B (%)            B    (points)  check\n"
        "-----------  -----------  ----------  ----------  ----------  -----------  --------  "
        "--------  ----------  -----------  ----------  -----------  ----------  -------\n"
        "          1            2           4           4           –        75.00         1   "
        "      0       75.00            0       50.00            0      −25.00  VOID\n"
        "\n"
        "for 4 of 4 compared questions the contexts are not known on both sides.\n"
    )
    (row,) = json.loads(printed(capsys, "agree", "dev", "dev", "--json", "--void-above", "25"))
    assert (row["agreement"], row["difference"], row["noise_check"]) == (0.75, -0.25, "holds")
    printed(capsys, "agree", "dev", "dev", "--exit-code", code=1)
    printed(capsys, "agree", "dev", "dev", "--exit-code", "--void-above", "25")


def test_agreement_is_sealed_while_either_is(
    study: Study, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--part", "test", "--exploratory", "--point", "external(name=old)")
    study.imported([Path("2.jsonl")], *options, out="old")
    _as_if_registered(monkeypatch)
    (row,) = json.loads(printed(capsys, "agree", "test", "old", "--json"))
    assert (row["compared"], row["sealed"]) == (8, True)
    hidden: tuple[str, ...] = ("agreement", "both_right", "first_only", "second_only", "neither")
    hidden += ("difference", "first_accuracy", "second_accuracy", "noise_check")
    assert {row[key] for key in hidden} == {None}
    assert printed(capsys, "agree", "test", "old").count("sealed") == 7
    printed(capsys, "agree", "test", "old", "--exit-code", code=1)
    open_grades(Grades.open(Path("test")))
    (row,) = json.loads(printed(capsys, "agree", "test", "old", "--json"))
    assert row["sealed"]
    open_grades(Grades.open(Path("old")))
    (row,) = json.loads(printed(capsys, "agree", "test", "old", "--json"))
    assert not row["sealed"]
    assert row["both_right"] + row["neither"] + row["first_only"] + row["second_only"] == 8


@pytest.mark.parametrize("verb", ["import", "answer-in-context", "show", "agree"])
def test_help_shows_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, verb, "--help")
    assert "Example:" in text
    assert f"harness grades {verb} " in text


def test_the_stand_in_says_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert "reader: none (answer-in-context)" in " ".join(
        printed(capsys, "answer-in-context", "--help").split()
    )


def test_a_folder_that_holds_no_grades_is_refused(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    for verb in (["show", "absent"], ["agree", "dev", "."]):
        capsys.readouterr()
        assert run(["grades", *verb]) == 2
        assert capsys.readouterr().err.startswith("error: ")


def test_cases_name_the_questions_of_what_is_open(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = json.loads(printed(capsys, "show", "dev", "--cases", "--json"))
    first = verdicts(IDS)
    assert [(row["question_id"], row["pass"]) for row in rows] == [
        (name, number) for number in (1, 2) for name in study.dev
    ]
    assert [row["correct"] for row in rows[:4]] == [first[name] for name in study.dev]
    assert {row["status"] for row in rows} == {"graded"}
    (differing,) = json.loads(printed(capsys, "agree", "dev", "dev", "--cases", "--json", "-q"))
    assert differing == {
        "question_id": study.dev[1],
        "question_type": TYPES[IDS.index(study.dev[1]) % 2],
        "first_pass": 1,
        "second_pass": 2,
        "right": "A" if first[study.dev[1]] else "B",
    }
    text = printed(capsys, "agree", "dev", "dev", "--cases", "-q")
    assert "Questions that one side alone answered right" in text


def test_cases_of_sealed_questions_have_no_outcome(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    registration = study.register_plan()
    commit(study.folder, registration)
    given = ("--part", "test", "--registration", str(registration), "--split", "split.json")
    study.imported([Path("1.jsonl")], *given, out="sealed")
    rows = json.loads(printed(capsys, "show", "sealed", "--cases", "--json"))
    assert {(row["sealed"], row["correct"]) for row in rows} == {(True, None)}
    (row,) = json.loads(printed(capsys, "show", "sealed", "--json"))
    assert row["by_type"] is None


@pytest.mark.parametrize("listed", ["register", "list"])
def test_accuracy_by_type_of_the_list_that_was_read(
    study: Study, capsys: pytest.CaptureFixture[str], listed: str
) -> None:
    """No registered list has these questions when they are shown."""
    options = ["--part", "dev", "--split", "split.json", "--out", "typed"]
    if listed == "list":
        options += ["--questions", "questions.jsonl"]
    study.imported([Path("1.jsonl")], *options, out="typed")
    assert_types(study, json.loads(printed(capsys, "show", "typed", "--json"))[0]["by_type"])
    (cells,) = csv.DictReader(io.StringIO(printed(capsys, "show", "typed", "--csv")))
    assert_types(study, json.loads(cells["by_type"]))
    assert "mean over types" in printed(capsys, "show", "typed")


def assert_types(study: Study, found: dict[str, Any]) -> None:
    first = verdicts(IDS)
    types = {name: TYPES[place % 2] for place, name in enumerate(IDS)}
    shares = []
    for row in found["types"]:
        names = [name for name in study.dev if types[name] == row["question_type"]]
        assert (row["n"], row["correct"]) == (len(names), sum(first[name] for name in names))
        shares.append(row["accuracy"])
    assert len(shares) == 2
    assert found["mean_over_types"] == pytest.approx(sum(shares) / len(shares), rel=1e-15)


def test_grades_of_before_have_the_types_of_a_register(
    study: Study, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    edit_manifest(Path("dev"), lambda manifest: manifest["content"].pop("question_types"))
    assert json.loads(printed(capsys, "show", "dev", "--json"))[0]["by_type"]["types"] == []
    monkeypatch.setattr(
        "harness.trial.by_type.find_register", lambda _: study.folder / "register.toml"
    )
    assert_types(study, json.loads(printed(capsys, "show", "dev", "--json"))[0]["by_type"])
