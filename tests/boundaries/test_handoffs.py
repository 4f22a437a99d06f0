"""What passes from one hand to another keeps its meaning, or is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..make.splits import write_split
from .conftest import CASES, Harness


def test_reports_of_the_older_form_are_compared(harness: Harness) -> None:
    folder = CASES / "report-without-format"
    compared = harness("compare", folder / "before.json", folder / "after.json", "--only", "mcp")
    assert compared.code == 0
    assert "Tokens per correct answer: 1,010.0 → 910.0 (−9.9 %)" in compared.out


def test_labels_that_name_nothing_are_refused_with_the_likely_id(harness: Harness) -> None:
    cases = CASES / "gold-ids-name-nothing" / "cases.jsonl"
    refused = harness("import", "cases", cases, "--out", "R")
    assert refused.code == 2
    assert "3 of 3 answer sessions and 3 of 3 evidence ranges" in refused.err
    assert (
        "gold.sessions has 'S1'; is 'session_1' meant, the session_id of a record?" in refused.err
    )
    assert "gold.evidence has 'S1'; is 'session_1' meant, the record_id of a record?" in refused.err
    assert not Path("R").exists()


def edited(name: str, change: Callable[[int, dict[str, Any]], object]) -> Path:
    """The cases of a folder, each changed; next to where the command runs."""
    lines = (CASES / name / "cases.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    for number, case in enumerate(cases):
        change(number, case)
    out = Path("edited.jsonl")
    out.write_text("".join(json.dumps(case) + "\n" for case in cases), "utf-8")
    return out


def test_some_labels_that_name_nothing_are_counted(harness: Harness) -> None:
    def named(number: int, case: dict[str, Any]) -> None:
        if number == 0:
            case["gold"]["sessions"] = ["session_1", "session_1", "S1"]
            case["gold"]["evidence"][0]["record_id"] = "session_1"

    made = edited("gold-ids-name-nothing", named)
    imported = harness("import", "cases", made, "--out", "R")
    assert imported.code == 0
    counted = "labels that name nothing in any window: 3 of 4 answer sessions and 2 of 3 evidence"
    assert counted in imported.err
    rows = json.loads(harness("show", "R", "--json").out)
    shown = {row["property"]: row["value"] for row in rows}
    names = ("answer_sessions", "evidence_ranges")
    assert [(shown[name], shown[f"{name}_in_no_window"]) for name in names] == [(4, 3), (3, 2)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda case: [
                case["gold"].update(sessions=["kettle"]),
                *(record.pop("session_id") for record in case["records"]),
            ],
            "gold.sessions has 'kettle', but no record has a session_id.",
        ),
        (
            lambda case: [
                record.update(session_id="of " + record["record_id"]) for record in case["records"]
            ],
            "gold.sessions has 'session_1', which is the record_id of a record.",
        ),
        (
            lambda case: case["gold"]["evidence"][0].update(record_id="kettle"),
            "gold.evidence has 'kettle', the records have the record_id 'session_",
        ),
    ],
)
def test_one_kind_of_label_that_names_nothing_is_refused(
    harness: Harness, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    made = edited("cases-without-answer", lambda number, case: change(case))
    refused = harness("import", "cases", made, "--out", "R")
    assert refused.code == 2
    assert message in refused.err
    assert "3 of 3" in refused.err


def test_cases_without_an_answer_are_valid(harness: Harness) -> None:
    cases = CASES / "cases-without-answer" / "cases.jsonl"
    assert harness("import", "cases", cases, "--out", "REC").code == 0
    assert harness("replay", "REC", "--out", "RUN", "--point", "items", "--point", "sea").code == 0
    row = json.loads(harness("evidence", "RUN", "--point", "items", "--json").out)[0]
    assert (row["answer_sessions_shown"], row["evidence_turns_touched"]) == (1.0, 1.0)
    denominators = row["denominators"]
    for name in ("answer_sessions_shown", "evidence_turns_touched"):
        assert denominators[name] == {"expected": 3, "scored": 3, "excluded": {}}
    assert harness("report", "RUN", "--recording", "REC", "--out", "REPORT").code == 0
    assert "answer    –\n" in harness("show", "REC", "--case", "note-1").out
    assert harness("explain", "REC", "note-1", "--point", "items").code == 0
    exported = harness("export", "cases", "REC")
    golds = [json.loads(line)["gold"] for line in exported.out.splitlines()[1:]]
    assert [gold["answer"] for gold in golds] == [None, None, None]
    rooms = {f"note-{number}": "rooms" for number in (1, 2, 3)}
    write_split(Path("split.json"), rooms, seed=1, dev=1, dataset_sha256="0" * 64)
    of_split = ("--point", "items", "--split", "split.json", "--part", "dev")
    graded = harness("grades", "answer-in-context", "RUN", *of_split, "--out", "G")
    assert graded.code == 2
    assert "a dataset that it does not name" in graded.err
    inputs = harness("export", "omnimemeval", "RUN", "--point", "items", "--out", "O")
    assert inputs.code == 2
    assert "question 'note-1' has no answer in the recording" in inputs.err


DEV = ("--split", "datasets/splits/longmemeval-s.json", "--part", "dev")
OF = ("--point", "external(name=x)", *DEV)


def test_a_failed_judgment_is_an_error_and_never_a_wrong_answer(
    harness: Harness, checkout: Path
) -> None:
    Path("datasets").symlink_to(checkout / "datasets")
    log = CASES / "judge-error-as-false" / "log.jsonl"
    imported = harness("grades", "import", log, "--format", "longmemeval-eval", *OF, "--out", "G")
    assert imported.code == 0
    assert "90 graded of 100 questions, 10 error (10 autoeval_error)" in imported.err
    row = json.loads(harness("grades", "show", "G", "--json").out)[0]
    assert (row["graded"], row["error"], row["correct"], row["accuracy"]) == (90, 10, 45, 0.5)
    types = row["by_type"]["types"]
    assert (sum(of["n"] for of in types), sum(of["errors"] for of in types)) == (90, 10)
    assert "50.00" in harness("grades", "show", "G").out


def test_grades_with_errors_agree_beside_their_number(harness: Harness, checkout: Path) -> None:
    Path("datasets").symlink_to(checkout / "datasets")
    log = CASES / "judge-error-as-false" / "log.jsonl"
    right = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    for row in right:
        row.pop("autoeval_error", None)
    Path("whole.jsonl").write_text("".join(json.dumps(row) + "\n" for row in right), "utf-8")
    for name, file in (("A", log), ("B", "whole.jsonl")):
        command = ("grades", "import", file, "--format", "longmemeval-eval", *OF, "--out", name)
        assert harness(*command).code == 0
    (row,) = json.loads(harness("grades", "agree", "A", "B", "--json").out)
    assert (row["compared"], row["first_errors"], row["second_errors"]) == (90, 10, 0)
    assert (row["first_accuracy"], row["second_accuracy"]) == (0.5, 0.5)
    assert harness("grades", "agree", "A", "B").out.count("errors of") == 2
