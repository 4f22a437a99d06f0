"""The stand-in for a reader: what is right, what is excluded, and what it is made from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.model import Case, Item, Query, Record
from harness.replay.run import Run
from harness.storage.hashing import sha256_of_file
from harness.trial.grade import Counts, Grade, Status
from harness.trial.grades import Grades

from ...make import recordings
from ...make.questions import question, turn
from ...make.splits import write_list, write_split

KETTLE = "Where did the kettle go?"
NOISE = [turn("user", "Where did it go? Where did the kettle go? Where did the kettle go?")]


def told(text: str) -> list[dict[str, Any]]:
    """A session with this evidence."""
    return [turn("user", text, has_answer=True), turn("assistant", "Noted.")]


QUESTIONS = [
    question("right", [told("The kettle went to the SHED.")], answer="the shed"),
    question("wide", [told("ＴＷＯ  old\nkettles")], answer="two old kettles"),
    question("number", [told("The kettle cost 7 coins.")], answer=7),
    # at its first item the noise is shown alone
    question("behind", [told("To the attic."), NOISE], answer="the attic"),
    question("part", [told("The kettle is in 17 pieces."), NOISE], answer=7),
    # the date of every session has a 10 in it, and nobody said one
    question("dated", [told("The kettle went at noon.")], answer=10),
    question(
        "elsewhere", [told("The kettle left."), [turn("user", "The shed.")]], answer="the shed"
    ),
    question("none_abs", [NOISE], answer="the shed"),
]
IDS = tuple(str(one["question_id"]) for one in QUESTIONS)
EXCLUDED = {
    "part": "no-answer-in-evidence",
    "dated": "no-answer-in-evidence",
    "elsewhere": "no-answer-in-evidence",
    "none_abs": "abstention",
}
FIRST, ALL = "count-curve(k=1)", "count-curve(k=full)"


@dataclass(frozen=True)
class StandIn:
    """A replayed recording of `QUESTIONS`, the register that has their file, and a split."""

    folder: Path

    @property
    def data(self) -> Path:
        return self.folder / "data.json"

    def command(self, *more: str, point: str = ALL, out: str = "grades") -> list[str]:
        given = {
            "--point": point,
            "--split": str(self.folder / "split.json"),
            "--register": str(self.folder / "register.toml"),
            "--out": str(self.folder / out),
        }
        options = [part for pair in given.items() for part in pair if pair[0] not in more]
        return ["grades", "answer-in-context", str(self.folder / "run"), *options, "-q", *more]

    def graded(self, *more: str, point: str = ALL, out: str = "grades") -> Grades:
        assert run(self.command("--exploratory", *more, point=point, out=out)) == 0
        return Grades.open(self.folder / out)


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> StandIn:
    folder = tmp_path_factory.mktemp("stand-in")
    recording = recordings.recording_of_questions(QUESTIONS)
    recordings.replayed(recording, folder, (FIRST, ALL, "items"))
    types = {one["question_id"]: one["question_type"] for one in QUESTIONS}
    write_list(folder / "questions.jsonl", types)
    data = folder / "data.json"
    (folder / "register.toml").write_text(
        f'[[dataset]]\nname = "kettles"\npath = "data.json"\nsize = {data.stat().st_size}\n'
        f'sha256 = "{sha256_of_file(data)}"\nlicence = "MIT"\ncitation = "none"\n'
        'questions = "questions.jsonl"\n',
        encoding="utf-8",
    )
    write_split(folder / "split.json", types, seed=1, dev=3, dataset_sha256="0" * 64)
    return StandIn(folder)


@pytest.fixture
def stand_in(replayed: StandIn, tmp_path: Path) -> StandIn:
    """The same with a folder of its own to write to."""
    for entry in replayed.folder.iterdir():
        (tmp_path / entry.name).symlink_to(entry)
    return StandIn(tmp_path)


def outcomes(grades: Grades) -> dict[str, bool]:
    return {one.question_id: one.correct for one in grades.outcomes()}


def refused(capsys: pytest.CaptureFixture[str], command: list[str]) -> str:
    capsys.readouterr()
    assert run(command) == 2
    return capsys.readouterr().err


def test_right_is_what_the_context_holds(stand_in: StandIn) -> None:
    every = stand_in.graded(point=ALL, out="all")
    first = stand_in.graded(point=FIRST, out="first")
    assert outcomes(every) == {"right": True, "wide": True, "number": True, "behind": True}
    assert outcomes(first) == {"right": True, "wide": True, "number": True, "behind": False}
    assert outcomes(stand_in.graded(point="items", out="items")) == outcomes(every)


def test_exclusions_are_by_rule_and_the_same_at_every_point(stand_in: StandIn) -> None:
    for place, point in enumerate((ALL, FIRST)):
        grades = stand_in.graded(point=point, out=f"grades{place}")
        found = {row.question_id: row.reason for row in grades.rows() if row.reason is not None}
        assert found == EXCLUDED
        reasons = {"excluded": {"abstention": 1, "no-answer-in-evidence": 3}}
        assert grades.counts == Counts(8, 4, 0, 0, 0, 4, reasons)
        assert grades.counts.complete


def test_it_is_labelled_and_has_the_costs_of_the_run(stand_in: StandIn) -> None:
    grades = stand_in.graded()
    run_folder = Run.open(stand_in.folder / "run")
    table = run_folder.table("selections").to_pylist()
    wanted = {row["case_id"]: row for row in table if row["point"] == run_folder.computed_as[ALL]}
    assert grades.expected_ids == IDS
    for place, row in enumerate(grades.rows(), 1):
        selection = wanted[row.question_id]
        assert row == Grade(
            row.question_id,
            1,
            Status.EXCLUDED if row.question_id in EXCLUDED else Status.GRADED,
            EXCLUDED.get(row.question_id),
            source_sha256=run_folder.manifest.content_sha256,
            row=place,
            reader="none (answer-in-context)",
            judge="answer-in-context/1",
            prompt_tokens=selection["prompt_tokens_estimated"],
            tokens_source="estimated",
            context_tokens=selection["context_tokens"],
            context_sha256=selection["context_sha256"],
        )
    assert grades.reader == "none (answer-in-context)"
    assert grades.judges == ("answer-in-context/1",)
    assert grades.content.format == "answer-in-context"
    assert (grades.exploratory, grades.registration) == (True, None)


def test_parts_and_clearance_are_as_for_an_import(
    stand_in: StandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "holds test questions" in refused(capsys, stand_in.command())
    assert run(stand_in.command("--part", "dev")) == 0
    grades = Grades.open(stand_in.folder / "grades")
    assert len(grades.expected_ids) == 3
    assert grades.manifest.content["left_out"] == {"other part of the split": 5}
    assert run(stand_in.command("--part", "dev")) == 0
    other = refused(capsys, stand_in.command("--part", "dev", point=FIRST))
    assert "holds other finished work (point" in other


def test_the_dataset_is_found_by_its_hash_or_given(
    stand_in: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = stand_in.graded("--data", str(stand_in.data), out="given")
    assert outcomes(given) == outcomes(stand_in.graded(out="found"))
    assert given.manifest.content["cohort"]["source"] == f"data {stand_in.data.as_posix()}"
    register = tmp_path / "register.toml"
    text = register.read_text().replace('path = "data.json"', 'url = "https://example.org/d"')
    register.unlink()
    register.write_text(text)
    message = refused(capsys, stand_in.command("--exploratory", out="more"))
    assert "Name its file with --data DATA" in message
    other = tmp_path / "other.json"
    other.write_text(json.dumps(QUESTIONS[1:]))
    message = refused(capsys, stand_in.command("--exploratory", "--data", str(other), out="more"))
    assert "the run was recorded from" in message
    assert not (tmp_path / "more").exists()


def test_a_point_must_be_in_the_run(stand_in: StandIn, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, stand_in.command("--exploratory", point="count-curve(k=2)"))
    assert "has no point count-curve(k=2); did you mean 'count-curve(k=1)'?" in message


def test_a_question_that_was_not_replayed_is_missing_unless_it_is_excluded(
    stand_in: StandIn, tmp_path: Path
) -> None:
    some = tmp_path / "some"
    options = ("--split", str(tmp_path / "split.json"), "--part", "dev", "--point", ALL, "-q")
    recording = str(tmp_path / "recording")
    assert run(["replay", recording, "--out", str(some), *options]) == 0
    command = stand_in.command("--exploratory")
    command[2] = str(some)
    assert run(command) == 0
    grades = Grades.open(tmp_path / "grades")
    shown = {row["case_id"] for row in Run.open(some).cases().to_pylist()}
    assert {row.question_id for row in grades.rows() if row.status is Status.MISSING} == {
        name for name in IDS if name not in shown and name not in EXCLUDED
    }
    assert grades.counts.excluded == 4
    assert grades.counts.reasons["missing"] == {"not in the run": grades.counts.missing}


def test_a_run_that_names_no_dataset_needs_one_of_its_questions(
    stand_in: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = Record("r", "It went to the shed.")
    command = stand_in.command("--exploratory", point="items")
    for name, text in (("same", KETTLE), ("another", "What went to the shed?")):
        case = Case("right", Query(text), (record,), (Item("r"),), "multi-session")
        recording = recordings.recording_of([case], dataset_sha256=None)
        command[2] = str(recordings.run_of(recording, ("items",)))
        assert "from a dataset that it does not name" in refused(capsys, command)
        with_data = [*command, "--data", str(stand_in.data)]
        if name == "same":
            assert run(with_data) == 0
            assert outcomes(Grades.open(tmp_path / "grades")) == {"right": True}
        else:
            assert "case 'right' asks another question than" in refused(
                capsys, [*with_data, "--force"]
            )
