"""`harness register`, as a person at the terminal sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.datasets.split import read_split
from harness.show.registration_page import registration_page
from harness.trial.choice import Choice, ChoiceRow
from harness.trial.registration import Registration

from ..make.study import PLAN, Study, changed, commit, make_study

OUT = "registrations/four.json"
COMMAND = [
    *("register", "plan.toml", "--register", "register.toml", "--out", OUT),
    *("--accept-warning", "low-power"),
]


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.chdir(tmp_path)
    made = make_study(tmp_path)
    made.write("plan.toml", PLAN)
    return made


def choice(study: Study, chosen: str) -> Choice:
    return Choice(
        rule="closest-cost",
        to="count-curve(k=4)",
        at_most=None,
        metric=None,
        cost="context_tokens",
        ties="the lower cost, then the spelling",
        questions=4,
        absent=0,
        run_sha256="d" * 64,
        split_sha256=str(read_split(study.split).sha256),
        chosen=chosen,
        table=(ChoiceRow(chosen, (), 700.0, 2.5), ChoiceRow("count-curve(k=4)", (), 702.5, 0.0)),
    )


def test_the_power_is_printed_with_its_statement(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*COMMAND, "-q"]) == 0
    printed = capsys.readouterr()
    power = Registration.read(study.folder / OUT).power[0]
    assert printed.out == (
        "primary rule                    test    discordance  from             true    power"
        "    detectable\n"
        "                           questions            (%)             difference         "
        "      (points)\n"
        "                                                                  (points)\n"
        "-----------------------  -----------  -------------  -------  ------------  -------"
        "  ------------\n"
        "better at the same cost            8          12.00  assumed             –        –"
        "             –\n"
        f"\nbetter at the same cost: {power.statement}\n"
        "\nFalse MET: how often each rule is met where the truth is just at its margin\n"
        + printed.out.partition("just at its margin\n")[2]
    )
    false_met = printed.out.partition("just at its margin\n")[2]
    rows = [line.split() for line in false_met.splitlines()]
    assert [row[-1] for row in rows[-2:]] == ["0.0250", "0.0250"]
    assert "better at the same cost" in false_met
    assert "holds every item's accuracy" in false_met
    assert "THIS TEST CANNOT DECIDE THE QUESTION" in power.statement
    assert printed.err == ""


def test_json_is_the_power_section_of_the_file(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*COMMAND, "--json"]) == 0
    written = json.loads((study.folder / OUT).read_text(encoding="utf-8"))
    assert json.loads(capsys.readouterr().out) == written["power"]


def test_it_says_what_comes_next(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(COMMAND) == 0
    said = capsys.readouterr().err
    assert "Commit it before test grades are imported" in said
    assert "git init && git add registrations/four.json && git commit -m 'Register four'" in said
    assert f"--part test --registration {OUT}" in said
    commit(study.folder)
    assert run(COMMAND) == 0
    said = capsys.readouterr().err
    assert "holds this registration already" in said
    assert "git init" not in said


def test_another_registration_is_not_replaced_unasked(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*COMMAND, "-q"]) == 0
    before = (study.folder / OUT).read_bytes()
    study.write("plan.toml", changed(("level = 0.95", "level = 0.9")))
    assert run([*COMMAND, "-q"]) == 2
    assert "holds something else" in capsys.readouterr().err
    assert (study.folder / OUT).read_bytes() == before
    assert run([*COMMAND, "-q", "--force"]) == 0
    assert (study.folder / OUT).read_bytes() != before


def test_nothing_is_written_for_a_plan_with_a_mistake(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    study.write("plan.toml", changed(("lower > 0 points", "lower > 0")))
    assert run(COMMAND) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "rule[0].met_when: 'lower > 0': the margin has no unit" in printed.err
    assert not (study.folder / "registrations").exists()


def test_a_choice_is_recorded_and_shown(study: Study) -> None:
    study.write("choice.json", choice(study, "2.6.5a1(budget=2800)").text())
    assert run([*COMMAND, "-q", "--choice", "choice.json"]) == 0
    registration = Registration.read(study.folder / OUT)
    assert registration.development.choice == choice(study, "2.6.5a1(budget=2800)")
    assert registration.pinned[-1].path == "choice.json"
    page = registration_page(registration)
    assert "closest to that of count-curve(k=4)" in page
    assert "| `2.6.5a1(budget=2800)` | 700.0 | 2.5 | **yes** |" in page


def test_a_choice_of_another_point_is_refused(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    study.write("choice.json", choice(study, "2.6.5a1(budget=2000)").text())
    assert run([*COMMAND, "--choice", "choice.json"]) == 2
    assert "it chose 2.6.5a1(budget=2000)" in capsys.readouterr().err
