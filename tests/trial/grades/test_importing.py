"""Importing grades: what test questions need, and how every question is accounted for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.trial.grade import Counts, Outcome, Status
from harness.trial.grades import Grades

from ...make.splits import json_lines
from ...make.study import CONTROL, IDS, POINT, Study, commit, git, log_row, verdicts


def refused(capsys: pytest.CaptureFixture[str], command: list[str]) -> str:
    capsys.readouterr()
    assert run(command) == 2
    return capsys.readouterr().err


def test_dev_rows_are_imported_and_the_others_left_out(study: Study) -> None:
    right = verdicts(IDS)
    grades = study.imported([study.log("log.jsonl", right)], "--part", "dev")
    assert grades.expected_ids == study.dev
    assert grades.outcomes() == tuple(Outcome(name, 1, right[name]) for name in study.dev)
    assert (str(grades.point), grades.part, grades.passes) == (POINT, "dev", (1,))
    assert (grades.registration, grades.exploratory) == (None, False)
    assert (grades.reader, grades.judges) == (None, ("a-judge",))
    assert grades.counts == Counts(4, 4, 0, 0, 0, 0, {})
    assert grades.counts.complete
    assert grades.manifest.content["left_out"] == {"other part of the split": 8}
    assert [row.row for row in grades.rows()] == [IDS.index(name) + 1 for name in study.dev]
    assert {row.source_sha256 for row in grades.rows()} == {grades.sources[0].sha256}
    assert {row.prompt_tokens_api for row in grades.rows()} == {1000}


def test_every_question_is_accounted_for(study: Study) -> None:
    missing, twice, failed, *fine = study.dev
    rows = [log_row(name, True) for name in (twice, twice, *fine)] + [log_row(failed, None)]
    grades = study.imported([study.write("log.jsonl", json_lines(rows))], "--part", "dev")
    assert {row.question_id: (row.status, row.reason) for row in grades.rows()} == {
        missing: (Status.MISSING, "no row"),
        twice: (Status.DUPLICATE, "2 rows"),
        failed: (Status.ERROR, "no verdict"),
        fine[0]: (Status.GRADED, None),
    }
    reasons = {"duplicate": {"2 rows": 1}, "error": {"no verdict": 1}, "missing": {"no row": 1}}
    assert grades.counts == Counts(4, 1, 1, 1, 1, 0, reasons)
    assert not grades.counts.complete
    assert [outcome.question_id for outcome in grades.outcomes()] == fine


def test_passes_stay_apart(study: Study) -> None:
    first, second = verdicts(IDS), {name: True for name in IDS if name != study.dev[0]}
    files = [study.log("1.jsonl", first), study.log("2.jsonl", second)]
    grades = study.imported(files, "--part", "dev")
    assert grades.passes == (1, 2)
    assert [source.passes for source in grades.sources] == [(1,), (2,)]
    assert grades.counts_of(1) == Counts(4, 4, 0, 0, 0, 0, {})
    assert grades.counts_of(2) == Counts(4, 3, 1, 0, 0, 0, {"missing": {"no row": 1}})
    by_pass = {
        number: [one.correct for one in grades.outcomes() if one.pass_number == number]
        for number in grades.passes
    }
    assert by_pass == {1: [first[name] for name in study.dev], 2: [True] * 3}


def test_the_same_bytes_are_no_other_pass(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    files = [study.log(name, verdicts(IDS)) for name in ("1.jsonl", "2.jsonl")]
    message = refused(capsys, study.command(files, "--part", "dev"))
    assert "2.jsonl has the same bytes as" in message


@pytest.mark.parametrize("part", ["test", "all"])
def test_test_questions_need_a_registration_or_the_word_exploratory(
    study: Study, part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    log = study.log("log.jsonl", verdicts(IDS))
    message = refused(capsys, study.command([log], "--part", part))
    assert f"--part {part} holds test questions" in message
    assert "--registration FILE" in message
    assert not (study.folder / "grades").exists()
    grades = study.imported([log], "--part", part, "--exploratory")
    assert (grades.exploratory, grades.registration) == (True, None)
    assert set(grades.expected_ids) == set({"test": study.test, "all": IDS}[part])


def test_a_committed_registration_is_carried(study: Study) -> None:
    registration = study.register_plan()
    added = commit(study.folder, registration)
    log = study.log("log.jsonl", verdicts(IDS))
    options = ("--part", "test", "--registration", registration.name)
    for point in (POINT, CONTROL):
        grades = study.imported([log], *options, "--point", point, out=point)
        assert grades.registration is not None
        assert grades.registration.path == registration.name
        assert grades.registration.commit == added
        assert not grades.exploratory


def test_outside_a_checkout_no_commit_is_noted(study: Study) -> None:
    registration = study.register_plan()
    log = study.log("log.jsonl", verdicts(IDS))
    grades = study.imported([log], "--part", "test", "--registration", registration.name)
    assert grades.registration is not None
    assert grades.registration.commit is None


def test_a_registration_must_be_there_committed_unmodified_and_of_these_grades(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    log = study.log("log.jsonl", verdicts(IDS))
    registration = study.register_plan()
    command = study.command([log], "--part", "test", "--registration", registration.name)
    git(study.folder, "init", "-q")
    assert "registration.json is not committed in git\n" in refused(capsys, command)
    commit(study.folder, registration)
    other = [*command, "--point", "external(name=third)"]
    assert "registers external(name=new), external(name=old), not" in refused(capsys, other)
    another_split = study.write("other.json", study.split.read_text() + "\n")
    message = refused(capsys, [*command, "--split", str(another_split)])
    assert "registers another split" in message
    assert "Use --split split.json" in message
    registration.write_text(registration.read_text().replace("One run.", "Two runs."))
    assert "was changed after commit" in refused(capsys, command)
    commit(study.folder, registration)
    assert "was changed after commit" in refused(capsys, command)
    registration.write_text("{")
    assert "is not JSON" in refused(capsys, command)
    registration.write_text('{"schema": "harness.run/1"}')
    assert "expected 'harness.registration/2'" in refused(capsys, command)
    absent = study.command([log], "--part", "test", "--registration", "absent.json")
    assert "absent.json does not exist" in refused(capsys, absent)
    assert not (study.folder / "grades").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--part", "test", "--exploratory", "--registration", "r.json"), "exclude each other"),
        (("--part", "dev", "--exploratory"), "--exploratory is about test questions"),
        (("--part", "dev", "--registration", "r.json"), "--registration is about test questions"),
        (("--part", "dev", "--data", "log.jsonl", "--questions", "log.jsonl"), "Use one of them"),
        (("--part", "dev", "--point", "external"), "external needs name"),
        (("--part", "dev", "--split", "log.jsonl"), "log.jsonl"),
    ],
)
def test_options_that_do_not_go_together(
    study: Study, options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    log = study.log("log.jsonl", verdicts(IDS))
    assert message in refused(capsys, study.command([log], *options))


def test_unknown_questions_and_several_readers_are_named_together(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"question_id": "q1", "correct": True, "reader": "one"},
        {"question_id": "q33_abs", "correct": True},
        {"question_id": "q4", "correct": True, "reader": "two"},
        {"question_id": "zzz", "correct": True},
    ]
    log = study.write("log.jsonl", json_lines(rows))
    message = refused(
        capsys, study.command([log], "--format", "jsonl", "--part", "dev", "--reader", "one")
    )
    assert "log.jsonl, row 2: question_id 'q33_abs' is not a question" in message
    assert "did you mean 'q3_abs'?" in message
    assert "row 4: question_id 'zzz'" in message
    assert "several readers are named for one point: one, two" in message


def test_a_file_without_grades_is_refused(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    empty = study.write("empty.jsonl", "\n")
    assert "hold no grade" in refused(capsys, study.command([empty], "--part", "dev"))


def test_questions_may_be_a_list_that_agrees_with_the_split(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    log = study.log("log.jsonl", verdicts(IDS))
    listed = study.folder / "questions.jsonl"
    grades = study.imported([log], "--part", "dev", "--questions", str(listed))
    assert grades.expected_ids == study.dev
    lines = listed.read_text().splitlines()
    shorter = study.write("shorter.jsonl", "\n".join(lines[:-1]) + "\n")
    command = study.command([log], "--part", "dev", "--questions", str(shorter))
    assert "it has 11 questions, the split was drawn from 12" in refused(capsys, command)
    reversed_list = study.write("reversed.jsonl", "\n".join(lines[::-1]) + "\n")
    command = study.command([log], "--part", "dev", "--questions", str(reversed_list))
    assert "is not the list that the split was drawn from: question" in refused(capsys, command)
    study.write("register.toml", study.register.read_text().replace("questions.js", "absent.js"))
    message = refused(capsys, study.command([log], "--part", "dev", out="more"))
    assert "has the questions of this split" in message


def test_a_restricted_split_leaves_out_what_its_data_lacks(study: Study) -> None:
    split = json.loads(study.split.read_text())
    lacking = study.test[0]
    split["restricted_to"] = {"questions": 11, "missing": [lacking]}
    study.write("split.json", json.dumps(split))
    log = study.log("log.jsonl", verdicts(IDS))
    grades = study.imported([log], "--part", "test", "--exploratory")
    assert grades.expected_ids == study.test[1:]
    assert grades.manifest.content["left_out"] == {
        "not in the data of the split": 1,
        "other part of the split": 4,
    }


def test_the_same_import_is_left_alone_and_another_refused(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    log = study.log("log.jsonl", verdicts(IDS))
    grades = study.imported([log], "--part", "dev")
    before = (study.folder / "grades" / "graded.parquet").stat().st_mtime_ns
    assert study.imported([log], "--part", "dev") == grades
    assert (study.folder / "grades" / "graded.parquet").stat().st_mtime_ns == before
    other = study.log("other.jsonl", dict.fromkeys(IDS, True))
    command = study.command([other], "--part", "dev")
    assert "holds other finished work (sources" in refused(capsys, command)
    assert Grades.open(study.folder / "grades").sha256 == grades.sha256
    assert run([*command, "--force"]) == 0
    assert all(outcome.correct for outcome in Grades.open(study.folder / "grades").outcomes())


def test_an_interrupted_import_continues_to_the_same_bytes(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = study.log("log.jsonl", verdicts(IDS))
    whole = study.imported([log], "--part", "dev", out="whole")

    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("harness.trial.grades.file_entries", interrupt)
        assert run(study.command([log], "--part", "dev")) == 130
    folder = study.folder / "grades"
    assert (folder / "started.json").exists()
    assert not (folder / "manifest.json").exists()
    again = study.imported([log], "--part", "dev")
    assert again.sha256 == whole.sha256
    assert sorted(path.name for path in folder.iterdir()) == [
        "graded.parquet",
        "manifest.json",
        "outcomes.parquet",
    ]


def test_nothing_is_written_where_a_row_is_refused(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = study.log("log.jsonl", {"q1": True, "q2": "yes"})  # type: ignore[dict-item]
    refused(capsys, study.command([bad], "--part", "dev"))
    assert not (study.folder / "grades").exists()


def test_paths_are_kept_as_given(study: Study) -> None:
    study.log("log.jsonl", verdicts(IDS))
    grades = study.imported([Path("log.jsonl")], "--part", "dev", "--split", "split.json")
    assert grades.sources[0].name == "log.jsonl"
    assert grades.manifest.arguments["given"]["files"] == ["log.jsonl"]
    assert grades.manifest.content["split"]["file"] == "split.json"
