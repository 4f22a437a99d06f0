"""The registration's file: made of a plan, the same bytes each time, and known when edited."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.errors import InputError, UsageError
from harness.show.registration_page import registration_page
from harness.trial.registering import prepare_registration
from harness.trial.registration import DevPairs, Registration

from ...make.study import PLAN, Study, changed, register_of, verdicts, write_plan

EXCLUDING = ("exclude = []", 'exclude = ["abstention"]')


@pytest.fixture
def registration(study: Study) -> Registration:
    return prepare_registration(write_plan(study), register_of(study))


def dev_grades(study: Study, point: str, right: dict[str, bool], out: str) -> Path:
    study.imported([study.log(f"{out}.jsonl", right)], "--point", point, "--part", "dev", out=out)
    return Path(out)


def test_it_reads_back_equal_and_writes_the_same_bytes(
    study: Study, registration: Registration
) -> None:
    path = study.folder / "registration.json"
    registration.write(path)
    again = Registration.read(path)
    assert again == registration
    assert again.text().encode() == path.read_bytes()
    assert again.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert prepare_registration(write_plan(study), register_of(study)).text() == again.text()


def test_everything_named_is_pinned(study: Study) -> None:
    log = study.log("log.jsonl", verdicts(study.test))
    four = ("--point", "count-curve(k=4)", "--part", "test", "--exploratory")
    grades = study.imported([log], *four, out="four")
    control = 'spec = "count-curve(k=4)"'
    text = changed((control, f'{control}\ngrades = "four"'))
    registration = prepare_registration(write_plan(study, text), register_of(study))
    assert registration.plan_file.path == "plan.toml"
    assert registration.plan_file.sha256 == hashlib.sha256(text.encode()).hexdigest()
    split = hashlib.sha256(study.split.read_bytes()).hexdigest()
    assert [(pinned.path, pinned.sha256) for pinned in registration.pinned] == [
        ("split.json", split),
        ("four", grades.sha256),
    ]


def test_the_cohort_is_the_test_part(study: Study, registration: Registration) -> None:
    assert registration.cohort.cohort.ids == tuple(sorted(study.test))
    text = changed(EXCLUDING)
    excluding = prepare_registration(write_plan(study, text), register_of(study)).cohort
    assert excluding.cohort.ids == tuple(sorted(n for n in study.test if not n.endswith("_abs")))
    assert excluding.sha256 == registration.cohort.sha256
    assert excluding.excluded[0].count == sum(name.endswith("_abs") for name in study.test)


@pytest.mark.parametrize(
    ("old", "new"),
    [('"0.95"', '"0.90"'), ("lower > 0 points", "lower > -9 points"), ("One run", "Two runs")],
)
def test_an_edited_value_changes_the_hash(
    study: Study, registration: Registration, old: str, new: str
) -> None:
    path = study.write("registration.json", registration.text().replace(old, new, 1))
    assert Registration.read(path).sha256 != registration.sha256


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"test_questions": 8', '"test_questions": 7', "it was edited"),
        ("\n", "\r\n", "it was edited"),
        ("}\n", "}\n\n", "it was edited"),
        ("{", "", "after its JSON value ends"),
        ("harness.registration/1", "harness.registration/2", "which suffices: it was edited"),
        ("harness.registration/1", "harness.registration/3", "newer than"),
        ('"plan_file"', '"plan_fil"', "is not a registration"),
        ('"exact"', '"wald"', "is not a registration"),
    ],
)
def test_a_file_that_the_verb_does_not_write_is_refused(
    study: Study, registration: Registration, old: str, new: str, message: str
) -> None:
    text = registration.text()
    assert old in text
    path = study.folder / "registration.json"
    path.write_bytes(text.replace(old, new, 1).encode())
    with pytest.raises(InputError, match=message):
        Registration.read(path)


def test_every_fault_of_a_damaged_file_is_named(study: Study, registration: Registration) -> None:
    path = study.folder / "registration.json"
    text = registration.text()
    for old, new in (
        ('"role": "primary"', '"role": "first"'),
        ('"level": "0.95"', '"level": "1.5"'),
        ('"questions": 4', '"questions": "4"'),
        ('"power": [', '"power": [{}, '),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        Registration.read(path)
    lines = [line.split()[0] for line in caught.value.message.splitlines()[1:]]
    assert {"plan.rule[0].role", "plan.rule[0].level", "development.questions"} < set(lines)
    assert "power[0].rule" in lines


def test_a_key_that_stands_twice_is_refused(study: Study, registration: Registration) -> None:
    path = study.folder / "registration.json"
    path.write_text(registration.text().replace('"pinned"', '"plan_file": {}, "pinned"', 1))
    with pytest.raises(InputError, match="has the key 'plan_file' twice"):
        Registration.read(path)


def test_an_id_that_is_taken_out_is_noticed(study: Study, registration: Registration) -> None:
    path = study.folder / "registration.json"
    first = registration.cohort.test_ids[0]
    path.write_text(registration.text().replace(f'   "{first}",\n', "", 1), encoding="utf-8")
    with pytest.raises(InputError, match="sha256 is not of test_ids"):
        Registration.read(path)


def test_a_file_that_is_not_there_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        Registration.read(tmp_path / "registration.json")


def test_the_pairs_of_dev_are_counted(study: Study) -> None:
    first, second, third, *rest = study.dev
    same = dict.fromkeys(rest, True)
    new = {first: True, second: True, third: False} | same
    old = {first: False, second: True, third: True} | same
    folders = [
        dev_grades(study, "2.6.5a1(budget=2800)", new, "new"),
        dev_grades(study, "count-curve(k=4)", old, "old"),
    ]
    registration = prepare_registration(write_plan(study), register_of(study), dev_grades=folders)
    assert registration.power[0].dev == DevPairs(4, 1, 1)
    assert [(one.point, one.correct, one.graded) for one in registration.development.grades] == [
        ("2.6.5a1(budget=2800)", 3, 4),
        ("count-curve(k=4)", 3, 4),
    ]
    assert [pinned.path for pinned in registration.pinned] == ["split.json", "new", "old"]


def test_dev_grades_that_do_not_fit_are_reported_together(study: Study) -> None:
    lacking = dict(list(verdicts(study.dev).items())[1:])
    log = study.log("test.jsonl", verdicts(study.test))
    study.imported([log], "--part", "test", "--exploratory", out="test")
    folders = [
        dev_grades(study, "count-curve(k=4)", lacking, "lacking"),
        dev_grades(study, "count-curve(k=8)", verdicts(study.dev), "stranger"),
        Path("test"),
        Path("gone"),
    ]
    with pytest.raises(InputError) as caught:
        prepare_registration(write_plan(study), register_of(study), dev_grades=folders)
    message = caught.value.message
    assert "lacking: lacks 1 of 4 grades" in message
    assert "stranger: is of count-curve(k=8), which is not a point of the plan" in message
    assert "test: has the grades of part 'test', not of dev alone" in message
    assert "gone is not a folder" in message


def test_a_plan_outside_the_directory_is_refused(
    study: Study, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("elsewhere") / "plan.toml"
    outside.write_text(PLAN, encoding="utf-8")
    with pytest.raises(UsageError, match="outside the directory the command runs in"):
        prepare_registration(outside, register_of(study))
    inside = study.folder / write_plan(study)
    assert prepare_registration(inside, register_of(study)).plan_file.path == "plan.toml"


def test_the_page_has_the_sections_of_a_registration(registration: Registration) -> None:
    page = registration_page(registration)
    headings = [line[3:] for line in page.splitlines() if line.startswith("## ")]
    assert headings == [
        "Question",
        "Development done before",
        "Test",
        "Rules",
        "What may be said",
        "What it does not say",
        "One run",
    ]
    assert registration.plan.question in page
    assert registration.power[0].statement in page
    assert registration.sha256 in page
    assert page == registration_page(registration)
    assert page.endswith("\n")
    assert not page.endswith("\n\n")


def test_the_page_says_the_rules_in_words(registration: Registration) -> None:
    page = registration_page(registration)
    assert (
        "the lower limit of the exact percentile 95 % interval of the accuracy of "
        "`2.6.5a1(budget=2800)` minus that of `count-curve(k=4)` is above 0 points, and the "
        "point's mean `prompt_tokens_api` is at most 1000"
    ) in page
    assert "holds the accuracy of `count-curve(k=full)` to within 2 points" in page
    assert "`2.6.5a1(budget=2800)` answers better than `count-curve(k=4)`, at no more" in page


def test_the_verb_is_the_same_registration(study: Study, registration: Registration) -> None:
    out = study.folder / "registrations" / "made.json"
    write_plan(study)
    command = ["register", "plan.toml", "--register", "register.toml", "--out", str(out), "-q"]
    assert run(command) == 2
    assert not out.exists()
    assert run([*command, "--accept-warning", "low-power"]) == 0
    assert Registration.read(out) == replace(registration, accepted_warnings=("low-power",))
