"""Reading a plan: its values as they are meant, and every fault by its key in one run."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest

from harness.datasets.split import read_split
from harness.errors import InputError
from harness.points import parse_point
from harness.statistics.methods import METHODS, McCompat
from harness.statistics.rules import parse_rule
from harness.trial.plan import (
    Control,
    Correction,
    CostCap,
    ExclusionRule,
    RuleRole,
    SameCost,
)
from harness.trial.plan_file import CheckedPlan, read_plan

from ...make.study import PLAN, POINT, SHA256, Study, changed, register_of, verdicts, write_plan


def read(study: Study, text: str = PLAN) -> CheckedPlan:
    return read_plan(write_plan(study, text), register_of(study))


def faults(study: Study, text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(study, text)
    first, *lines = caught.value.message.splitlines()
    assert first == f"plan.toml: {len(lines)} fault{'s' if len(lines) > 1 else ''}"
    return [line.strip() for line in lines]


def test_the_whole_plan_is_read(study: Study) -> None:
    checked = read(study)
    plan = checked.plan
    assert str(plan.point.spec) == "2.6.5a1(budget=2800)"
    assert (plan.dataset.name, plan.dataset.sha256) == ("made", SHA256)
    assert (plan.split.file, plan.split.part) == ("split.json", "test")
    assert plan.split.sha256 == read_split(study.split).sha256
    four, full = parse_point("count-curve(k=4)"), parse_point("count-curve(k=full)")
    assert plan.controls == (Control(four), Control(full))
    assert plan.recording.sha256 == "b" * 64
    assert (plan.reader.model, plan.judge.model) == ("a-reader", "a-judge")
    assert plan.same_cost == SameCost("context_tokens", "0.05")
    assert plan.same_cost.tolerance == Fraction(1, 20)
    first, second = plan.rules
    assert first.cost == CostCap("prompt_tokens_api", "1000")
    assert (first.role, first.method, first.level.text) == (
        RuleRole.PRIMARY,
        METHODS["exact"],
        "0.95",
    )
    assert (second.role, second.met_when.text, second.cost) == (
        RuleRole.SECONDARY,
        "lower >= -2.0 points",
        None,
    )
    assert second.met_when == parse_rule("lower >= -2 points")
    assert plan.family.correction is Correction.NONE
    assert (plan.power.discordance, plan.stop.text) == ("0.12", "One run.")
    assert sorted(checked.test_ids) == sorted(study.test)


def test_what_is_optional_may_be_left_out(study: Study) -> None:
    short = PLAN
    for table in ("cohort", "recording", "reader", "judge", "same_cost", "family", "power"):
        start = short.index(f"[{table}]")
        short = short[:start] + short[short.index("\n[", start) + 1 :]
    plan = read(study, short.replace('cost = "prompt_tokens_api <= 1000"\n', "")).plan
    assert (plan.cohort.exclude, plan.recording.sha256, plan.same_cost) == ((), None, None)
    assert (plan.family.correction, plan.power.discordance) == (Correction.NONE, None)


def test_a_plan_with_ten_mistakes_gets_ten_messages(study: Study) -> None:
    mistakes = changed(
        ("question =", "qestion = 1\nquestion ="),
        (f'sha256 = "{SHA256}"', 'sha256 = "abc"'),
        ('part = "test"', 'part = "dev"'),
        ("exclude = []", 'exclude = ["abstension"]'),
        ("budget = 2800", "bugdet = 2800"),
        ('measure = "context_tokens"', 'measure = "tokens"'),
        ("within = 0.05", "within = 5"),
        ('role = "primary"', 'role = "main"'),
        ("lower > 0 points", "lower > 0"),
        ("level = 0.95", "level = 95"),
    )
    messages = faults(study, mistakes)
    assert [re.split("[: ]", message)[0] for message in messages] == [
        "dataset.sha256",
        "split.part",
        "cohort.exclude[0]",
        "point.spec",
        "same_cost.measure",
        "same_cost.within",
        "rule[0].role",
        "rule[0].level",
        "rule[0].met_when",
        "qestion",
    ]


def test_faults_of_types_and_of_files_come_together(study: Study) -> None:
    messages = faults(
        study,
        changed(
            ("split.json", "splat.json"),
            ("level = 0.95", "level = 95"),
            ('against = "count-curve(k=full)"', 'against = "items"'),
            ("within = 0.05", "within = true"),
        ),
    )
    keys = {re.split("[: ]", message)[0] for message in messages}
    assert keys == {"same_cost.within", "rule[0].level", "split.file", "rule[1].against"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("question =", "qestion = 1\nquestion =", "did you mean 'question'?"),
        ("[stop]\n", "[stop]\nwhen = 1\n", "stop.when is an unknown key"),
        ('[stop]\ntext = "One run."\n', "", "stop is missing; write [stop] with text"),
        ('question = "At', 'question = ""\n# "At', "question is '', which says nothing"),
        ('name = "made"', 'name = "mode"', "did you mean 'made'?"),
        ("split.json", "/x/split.json", "split.file: '/x/split.json' is an absolute path"),
        ("split.json", "splat.json", "split.file: cannot read splat.json"),
        (
            f'sha256 = "{SHA256}"',
            f'sha256 = "{"c" * 64}"',
            f"drawn for a dataset of sha256 {SHA256}, dataset.sha256 is ccc",
        ),
        ("budget = 2800", "bugdet = 2800", "Did you mean '2.6.5a1(budget=2800)'?"),
        ("count-curve(k=full)", "count-curve( k = 4 )", "control[1].spec: 'count-curve(k=4)' is"),
        ("count-curve(k=full)", "2.6.5a1(budget=2800)", "'2.6.5a1(budget=2800)' is the point"),
        (
            'against = "count-curve(k=4)"',
            'against = "count-curve(k=5)"',
            "did you mean 'count-curve(k=4)'?",
        ),
        ("better at the same cost", "holds every item's accuracy", "the name of another rule too"),
        ("lower > 0 points", "lower > 0", "the margin has no unit; write 'lower > 0 points'"),
        ("lower >= -2.0 points", "lower >= -2.0", "rule[1].met_when: 'lower >= -2.0': the margin"),
        ("lower > 0 points", "lower > 0 percent", "'percent' is not a unit"),
        ("lower > 0 points", "lower >= -margin", "names a margin, but none is passed"),
        (
            "level = 0.95",
            "level = 1.0",
            "rule[0].level is the number 1.0, expected a decimal",
        ),
        ("level = 0.95", 'level = "95%"', "rule[0].level is the string '95%', expected a decimal"),
        ("level = 0.95", "level = true", "rule[0].level is true, expected a decimal"),
        ("level = 0.95", "level = nan", "rule[0].level is NaN, expected a finite number"),
        ("prompt_tokens_api <= 1000", "prompt_tokens <= 1000", "did you mean 'prompt_tokens_api'?"),
        ("prompt_tokens_api <= 1000", "prompt_tokens_api < 1000", "written with <=, not <"),
        ("prompt_tokens_api <= 1000", "prompt_tokens_api <= 1k", "'1k' is not a number of tokens"),
        (
            'interval = "exact"',
            'interval = "wald"',
            "rule[0].interval is 'wald', expected one of",
        ),
        ('interval = "exact"', 'interval = "mc-compat"', "rule[0].seed is missing"),
        ('interval = "exact"', 'interval = "mc-compat"', "rule[0].id_order is missing"),
        (
            'interval = "exact"',
            'interval = "exact"\nseed = 1',
            'seed belongs to interval = "mc-compat"',
        ),
        ("discordance = 0.12", 'discordance = "12%"', "power.discordance is the string '12%'"),
        ('correction = "none"', 'correction = "bonferroni"', "family.correction is 'bonferroni'"),
        ('role = "primary"', 'role = "secondary"', 'rule: no rule has role = "primary"'),
        ("[[control]]", "[[controls]]", "did you mean 'control'?"),
    ],
)
def test_each_mistake_is_named_by_its_key(study: Study, old: str, new: str, message: str) -> None:
    assert any(message in fault for fault in faults(study, changed((old, new))))


def test_a_method_that_is_left_out_is_resolved(study: Study) -> None:
    text = PLAN.replace('interval = "exact"\n', "")
    assert [rule.interval for rule in read(study, text).plan.rules] == ["exact", "tango"]
    text = text.replace("lower > 0 points", "lower > 0 percent")
    assert ["'percent' is not a unit" in fault for fault in faults(study, text)] == [True]


def test_a_decimal_is_kept_as_it_is_written(study: Study) -> None:
    text = changed(("level = 0.95", "level = 0.9500000001"), ("0.12", '"0.125"'))
    plan = read(study, text).plan
    assert (plan.rules[0].level.text, plan.power.discordance) == ("0.9500000001", "0.125")


def test_resampling_needs_ids_that_its_order_can_sort(study: Study) -> None:
    resampled = 'interval = "mc-compat"\nseed = 7\nid_order = "{}"'
    text = changed(('interval = "exact"', resampled.format("text")))
    assert read(study, text).plan.rules[0].method == McCompat(7, "text")
    text = changed(('interval = "exact"', resampled.format("integer")))
    assert "rule[0].id_order: case id 'q0' is not a whole number" in faults(study, text)[0]


def test_a_split_of_other_questions_is_refused(study: Study) -> None:
    value = json.loads(study.split.read_text(encoding="utf-8"))
    value["dev"][0]["question_id"] = "somebody-elses"
    study.write("split.json", json.dumps(value))
    assert "1 of its 4 dev questions are not at their place" in faults(study, PLAN)[0]


def test_a_split_that_names_no_data_is_taken_for_the_registered_data_alone(study: Study) -> None:
    value = json.loads(study.split.read_text(encoding="utf-8"))
    for key in ("dataset_sha256", "restricted_to"):
        del value[key]
    study.write("split.json", json.dumps(value))
    assert sorted(read(study).test_ids) == sorted(study.test)
    other = changed((f'sha256 = "{SHA256}"', f'sha256 = "{"c" * 64}"'))
    assert "does not say for which data" in faults(study, other)[0]


def test_grades_of_a_control_are_pinned_and_must_be_its_test_grades(study: Study) -> None:
    log = study.log("log.jsonl", verdicts(study.dev + study.test))
    four = ("--point", "count-curve(k=4)", "--exploratory")
    pinned = study.imported([log], *four, "--part", "test", out="four")
    study.imported([log], "--point", "count-curve(k=4)", "--part", "dev", out="dev")
    study.imported([log], "--point", POINT, "--part", "test", "--exploratory", out="new")

    def with_grades(folder: str) -> str:
        control = 'spec = "count-curve(k=4)"'
        return changed((control, f'{control}\ngrades = "{folder}"'))

    control = read(study, with_grades("four")).plan.controls[0]
    assert (control.grades, control.grades_sha256) == ("four", pinned.sha256)
    assert "has the grades of external(name=new)" in faults(study, with_grades("new"))[0]
    assert "control[0].grades: gone is not a folder" in faults(study, with_grades("gone"))[0]
    assert "dev has the grades of dev questions" in faults(study, with_grades("dev"))[0]


def test_the_exclusions_are_rules(study: Study) -> None:
    text = changed(("exclude = []", 'exclude = ["abstention", "no-answer-in-evidence"]'))
    assert read(study, text).plan.cohort.exclude == tuple(ExclusionRule)


@pytest.mark.parametrize("text", ["question = ", "\udcff"])
def test_what_is_no_toml_is_one_message(study: Study, text: str) -> None:
    path = study.folder / "plan.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=r"plan\.toml is not (TOML|UTF-8)"):
        read_plan(path, register_of(study))
