"""What a plan is warned of, and how that is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli.main import run
from harness.errors import UsageError
from harness.show.registration_page import registration_page
from harness.trial.plan_warnings import PlanWarning
from harness.trial.registering import accepted_registration, prepare_registration
from harness.trial.registration import Registration

from ...make.study import PLAN, Study, changed, register_of, verdicts, write_plan

DISCORDANT = ("discordance = 0.12", "discordance = 0.95")
"""At 0.95, eight questions find a difference."""

SECOND = """
[[rule]]
name = "second"
role = "{role}"
against = "{against}"
level = 0.95
met_when = "{met_when}"
{cost}
[family]
"""


def with_rule(
    role: str = "secondary",
    against: str = "count-curve(k=4)",
    met_when: str = "lower > 0 points",
    cost: str = "",
) -> tuple[str, str]:
    made = SECOND.format(role=role, against=against, met_when=met_when, cost=cost)
    return "[family]\n", made.lstrip("\n")


def warned(study: Study, *replacements: tuple[str, str]) -> list[str]:
    """The names of all warnings, in the order in which they are recorded."""
    path = write_plan(study, changed(DISCORDANT, *replacements))
    every = [warning.value for warning in PlanWarning]
    return list(accepted_registration(path, register_of(study), accept=every).accepted_warnings)


def test_a_plan_without_a_warning_keeps_its_bytes(study: Study) -> None:
    path = write_plan(study, changed(DISCORDANT))
    plain = prepare_registration(path, register_of(study)).text()
    accepted = accepted_registration(path, register_of(study), accept=["low-power"])
    assert accepted.text() == plain
    assert "accepted_warnings" not in plain


QUESTION = '"At no more than 1,000 Context Tokens, does 2.6.5a1 answer better than four items?"'
NO_CAP = ('cost = "prompt_tokens_api <= 1000"\n', "")


@pytest.mark.parametrize(
    ("replacements", "names"),
    [
        ([], []),
        ([("[power]\ndiscordance = 0.95\n", "")], ["no-discordance"]),
        ([("discordance = 0.95", "discordance = 0.12")], ["low-power"]),
        ([("level = 0.95", "level = 0.79")], ["low-level"]),
        ([("level = 0.95", "level = 0.8")], []),
        ([with_rule("primary", met_when="lower > -90 points")], ["uncorrected"]),
        ([with_rule(cost='cost = "prompt_tokens_api <= 1000.0"')], ["same-hypothesis"]),
        ([with_rule(met_when="lower > 1 points")], []),
        ([with_rule()], []),
        ([NO_CAP, with_rule(met_when="lower >= 0.0 points")], ["same-hypothesis"]),
        ([(QUESTION, '"At equal  cost, better?"')], []),
        ([(QUESTION, '"At equal  cost, better?"'), NO_CAP], ["no-cost-cap"]),
        ([(QUESTION, '"Better at the Same-Cost?"'), NO_CAP], ["no-cost-cap"]),
        ([(QUESTION, '"同じコストで良いか"'), NO_CAP], ["no-cost-cap"]),
        ([(QUESTION, '"Is it the same costume?"'), NO_CAP], []),
    ],
)
def test_each_warning(study: Study, replacements: list[tuple[str, str]], names: list[str]) -> None:
    assert warned(study, *replacements) == names


def test_a_point_and_a_control_that_are_one_policy(study: Study) -> None:
    """`items` is every item at full quotes, by another name."""
    point = ('spec = "2.6.5a1( budget = 2800 )"', 'spec = "items"')
    assert warned(study, point) == ["same-policy"]


def test_pinned_controls_of_another_reader_and_judge(study: Study) -> None:
    log = study.log("log.jsonl", verdicts(study.test))
    four = ("--point", "count-curve(k=4)", "--part", "test", "--exploratory")
    study.imported([log], *four, "--reader", "b-reader", out="four")
    control = ('spec = "count-curve(k=4)"', 'spec = "count-curve(k=4)"\ngrades = "four"')
    assert warned(study, control) == ["other-reader"]
    assert warned(study, control, ('"a-judge"', '"b-judge"')) == ["other-reader", "other-judge"]
    assert warned(study, control, ('"a-reader"', '"b-reader"')) == []


def test_what_is_not_accepted_is_refused_with_its_option(study: Study) -> None:
    path = write_plan(study, changed(("level = 0.95", "level = 0.5")))
    with pytest.raises(UsageError, match="2 warnings") as caught:
        accepted_registration(path, register_of(study))
    assert "low-power: 'better at the same cost': With 8 test questions" in caught.value.message
    assert "low-level: 'better at the same cost' is at level 0.5" in caught.value.message
    assert "--accept-warning low-power --accept-warning low-level" in caught.value.hint
    with pytest.raises(UsageError, match="1 warning\n  low-level"):
        accepted_registration(path, register_of(study), accept=["low-power", "uncorrected"])


def test_the_verb_records_what_it_accepted(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    write_plan(study, PLAN)
    command = ["register", "plan.toml", "--register", "register.toml", "--out", "made.json", "-q"]
    assert run(command) == 2
    assert "--accept-warning low-power" in capsys.readouterr().err
    assert not Path("made.json").exists()
    assert run([*command, "--accept-warning", "low-powr"]) == 2
    assert run([*command, "--accept-warning", "low-power"]) == 0
    registration = Registration.read(Path("made.json"))
    assert registration.accepted_warnings == ("low-power",)
    assert "- `low-power`: a primary rule would be missed more" in registration_page(registration)
