"""Result folders of OmniMemEval that gave another figure, or a traceback, without a word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.evidence.tokens import Tokenizer

from .conftest import CASES, Finished, Harness


def imported(harness: Harness, case: str, folder: str, records: str, dataset: str) -> Finished:
    where = CASES / case
    arguments = ("--records", where / records, "--dataset", where / dataset, "--out", "RUN")
    return harness("import", "omnimemeval", where / folder, *arguments, "--exit-code", "--json")


def evidence_of_the_run(harness: Harness) -> Any:
    (row,) = json.loads(harness("evidence", "RUN", "--json").out)
    return row


def check_counts(finished: Finished) -> dict[str, int]:
    return {each["check"]: each["count"] for each in json.loads(finished.out)}


@pytest.mark.parametrize(
    ("records", "difference"),
    [
        (
            "reordered.json",
            "question 'q0': session 0 is 'answer_0' of 2023/05/21 (Sun) 02:57 in reordered.json, "
            "'f0a' of 2023/05/20 (Sat) 02:21 in the dataset",
        ),
        (
            "reordered.db",
            "question 'q0': the store has mem:1 as session 1, but it has no text that this session "
            "alone has, and not its time: it is 'user: Notes about subject number 1.",
        ),
    ],
)
def test_sessions_in_another_order_are_refused(
    records: str, difference: str, harness: Harness
) -> None:
    case = "omni-sessions-in-another-order"
    finished = imported(harness, case, "mylib-v1", records, "data.json")
    assert (finished.code, finished.out) == (2, "")
    assert difference in finished.err
    assert not Path("RUN").exists()


@pytest.mark.parametrize(
    ("records", "dataset", "difference"),
    [
        ("data.json", "oracle.json", "'q0': data.json has 3 sessions, the dataset 1 session"),
        ("oracle.json", "data.json", "'q0': oracle.json has 1 session, the dataset 3 sessions"),
    ],
)
def test_fewer_sessions_are_refused(
    records: str, dataset: str, difference: str, harness: Harness
) -> None:
    finished = imported(harness, "omni-fewer-sessions", "mylib-v1", records, dataset)
    assert (finished.code, finished.out) == (2, "")
    assert difference in finished.err
    assert not Path("RUN").exists()


@pytest.mark.parametrize("folder", ["error-object/mylib-v1", "no-error/mylib-v1"])
def test_a_skipped_search_is_a_failed_one(folder: str, harness: Harness) -> None:
    finished = imported(harness, "omni-skipped", folder, "data.json", "data.json")
    assert finished.code == 0
    assert "4 questions at" in finished.err
    assert "failed searches: 1, in every mean with an empty context" in finished.err
    assert check_counts(finished)["empty_contexts"] == 0
    row = evidence_of_the_run(harness)
    assert row["answer_sessions_shown"] == 0.75
    assert row["denominators"]["answer_sessions_shown"]["scored"] == 4


def test_evidence_texts_may_be_null(harness: Harness) -> None:
    finished = imported(harness, "omni-evidences-null", "mylib-v1", "data.json", "data.json")
    assert finished.code == 0
    assert "4 questions at" in finished.err
    assert evidence_of_the_run(harness)["answer_sessions_shown"] == 1.0


def test_contexts_of_other_libraries_are_taken_with_their_tokens(harness: Harness) -> None:
    """Nothing of these stands in the sessions, so nothing of it is located."""
    finished = imported(harness, "omni-other-libraries", "mem0-v1", "data.json", "data.json")
    assert finished.code == 1  # --exit-code: not every quote was located
    assert "4 contexts have no dated headers" in finished.err
    assert "8 of 8 lines or runs of lines were not located" in finished.err
    counts = check_counts(finished)
    assert (counts["contexts_undated"], counts["parts_located"]) == (4, 0)
    row = evidence_of_the_run(harness)
    text = "Conversation memories:\n\n- fact one about hens\n- fact two"  # every context is this
    assert row["context_tokens"] == Tokenizer("cl100k_base").count(text)
    assert row["denominators"]["context_tokens"]["scored"] == 4
    assert row["answer_sessions_shown"] == 0.0


def test_help_says_first_which_contexts_are_imported(harness: Harness) -> None:
    shown = " ".join(harness("import", "omnimemeval", "--help").out.split())
    first = shown.index("Contexts of every library are imported")
    assert (
        first < shown.index("Lost is what is not located") < shown.index("DIR is a result folder")
    )
