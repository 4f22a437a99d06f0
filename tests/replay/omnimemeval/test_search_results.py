"""The types of a result folder's files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.errors import Faults, InputError, UsageError
from harness.replay.sources.omnimemeval.search_results import (
    SearchResult,
    check_responses,
    encoded,
    find_search_results,
    read_search_results,
)

from ...make.results import CONTEXT, QUESTIONS, row, write_results


def read(folder: Path, *rows: dict[str, Any]) -> tuple[SearchResult, ...]:
    return read_search_results(find_search_results(write_results(folder, rows))).rows


def test_a_row_by_user_id(tmp_path: Path) -> None:
    first, second = read(
        tmp_path,
        row(QUESTIONS[0], search_duration_ms=3),
        row(QUESTIONS[1], None, status="failed", extra=[1]),
    )
    assert first.user_id == "lme_exper_user_lme1_0"
    assert (first.duration_ms, first.failed, first.context[:12]) == (3.0, False, "Conversation")
    assert (second.failed, second.context, second.fields["extra"]) == (True, "", [1])


OUTAGE = {"stage": "search", "type": "TimeoutError", "message": "read timed out", "timestamp": "t"}


@pytest.mark.parametrize(
    ("changes", "failed", "status"),
    [
        ({"error": "timed out"}, True, "success"),
        ({"error": OUTAGE}, True, "success"),
        ({"status": "failed", "error": OUTAGE}, True, "failed"),
        ({"status": "skipped"}, True, "skipped"),
        ({"status": "success_empty"}, False, "success_empty"),
        ({"status": "success", "error": None}, False, "success"),
        ({"status": None, "error": ""}, False, "success"),
        ({"error": {}}, False, "success"),
    ],
)
def test_what_makes_a_failed_search(
    tmp_path: Path, changes: dict[str, Any], failed: bool, status: str
) -> None:
    (only,) = read(tmp_path, row(QUESTIONS[0], "", **changes))
    assert (only.failed, only.status) == (failed, status)


@pytest.mark.parametrize(
    ("changes", "context"),
    [
        ({"status": "failed"}, ""),  # no reader is asked
        ({"status": "skipped", "error": OUTAGE}, ""),
        ({"status": "success", "error": "a reranker failed"}, CONTEXT),  # a reader was given it
    ],
)
def test_the_context_of_a_failed_search_is_what_a_reader_was_given(
    tmp_path: Path, changes: dict[str, Any], context: str
) -> None:
    (only,) = read(tmp_path, row(QUESTIONS[0], CONTEXT, **changes))
    assert only.failed
    assert only.context == context


def test_what_may_be_null_or_a_float_that_is_whole(tmp_path: Path) -> None:
    nulls = dict.fromkeys(("category", "date", "answer_evidences", "reflect_answer", "status"))
    first, second = read(
        tmp_path,
        row(QUESTIONS[0], golden_answer=3.0, **nulls),
        row(QUESTIONS[1], golden_answer=None),
    )
    assert (first.status, first.fields["golden_answer"], second.failed) == ("success", 3, False)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"search_duration_ms": "12.5"},
            "search_duration_ms is the string '12.5', expected a finite",
        ),
        ({"search_duration_ms": True}, "search_duration_ms is true, expected a finite number"),
        ({"search_duration_ms": None}, "search_duration_ms is null, expected a finite number"),
        ({"search_duration_ms": -1}, "search_duration_ms is -1.0, expected 0 or more"),
        ({"search_context": None}, "search_context is null, expected a string"),
        ({"search_context": ["x"]}, "search_context is a list, expected a string"),
        (
            {"status": 1},
            "status is the number 1, expected 'success', 'success_empty', 'failed' or 'skipped'",
        ),
        (
            {"status": "skiped"},
            "status is 'skiped', expected 'success', 'success_empty', 'failed' or 'skipped'; did "
            "you mean 'skipped'?",
        ),
        ({"status": "search_failed"}, "status is 'search_failed', expected 'success'"),
        ({"error": ["x"]}, "error is a list, expected a string or an object"),
        ({"error": {"message": 3}}, "error.message is the number 3, expected a string"),
        ({"golden_answer": 1.5}, "golden_answer is the number 1.5, expected a string"),
        ({"answer_evidences": "x"}, "answer_evidences is the string 'x', expected a list"),
        ({"score": float("nan")}, "score is nan, which JSON does not have"),
    ],
)
def test_a_wrong_type_is_refused_on_reading_and_on_writing(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    faulty = row(QUESTIONS[0], **changes)
    with pytest.raises(InputError, match="lme1_0") as read_error:
        read(tmp_path, faulty)
    assert message in str(read_error.value)
    with pytest.raises(InputError) as written_error:
        encoded([SearchResult("lme_exper_user_lme1_0", faulty)])
    assert message in str(written_error.value)


def test_all_faults_together(tmp_path: Path) -> None:
    missing = row(QUESTIONS[1])
    del missing["search_context"]
    with pytest.raises(InputError) as error:
        read(tmp_path, row(QUESTIONS[0], search_duration_ms="1"), missing)
    assert "2 faults" in str(error.value)
    assert "lme_exper_user_lme1_1[0].search_context is missing" in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "is a list, expected an object"),
        ("{", "is not JSON"),
        ("{}", "holds no question"),
        ('{"u_0": {}}', "u_0 is an object, expected a list"),
        ('{"u_0": []}', "u_0[0] is missing"),
        ('{"u_0": [], "u_0": []}', "has the key 'u_0' twice"),
    ],
)
def test_a_file_of_another_shape_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "memo_lme_search_results.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_search_results(path)
    assert message in str(error.value)


def test_which_file_of_the_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file named"):
        find_search_results(tmp_path)
    write_results(tmp_path, [row(QUESTIONS[0])], "a")
    write_results(tmp_path, [row(QUESTIONS[0])], "b")
    with pytest.raises(InputError, match="results of a and b"):
        find_search_results(tmp_path)
    assert find_search_results(tmp_path, "b").name == "b_lme_search_results.json"
    with pytest.raises(UsageError, match="has no c_lme_search_results"):
        find_search_results(tmp_path, "c")


def test_the_types_of_responses(tmp_path: Path) -> None:
    folder = write_results(tmp_path, [row(QUESTIONS[0])])
    results = read_search_results(find_search_results(folder))
    entry = {
        "question": QUESTIONS[0]["question"],
        "answer": "the shed",
        "search_duration_ms": 12.5,
        "response_duration_ms": 900,
        "status": "success",
    }
    responses = folder / "memo_lme_responses.json"
    sound = Faults()
    check_responses(results, sound)  # there are none
    responses.write_text(json.dumps({"lme_exper_user_lme1_0": entry}), encoding="utf-8")
    check_responses(results, sound)
    assert list(sound) == []
    wrong = {
        "lme_exper_user_lme1_0": {**entry, "search_duration_ms": "12.5"},
        "lme_exper_user_lme1_7": entry,
    }
    other = {
        "lme_exper_user_lme1_0": {**entry, "question": "Who?"},
        "lme_exper_user_lme1_7": [entry],
    }
    for status in (None, "skipped"):
        skipped = {**entry, "status": status, "answer": "", "error": None, "skip_reason": "x"}
        responses.write_text(json.dumps({"lme_exper_user_lme1_0": skipped}), encoding="utf-8")
        check_responses(results, sound)
    assert list(sound) == []
    responses.write_text(json.dumps(wrong), encoding="utf-8")
    faults = Faults()
    check_responses(results, faults)
    assert [message.partition(": ")[2] for message in faults] == [
        "lme_exper_user_lme1_0.search_duration_ms is the string '12.5', expected a finite number",
    ]
    responses.write_text(json.dumps(other), encoding="utf-8")
    check_responses(results, faults)
    assert [message.partition(": ")[2] for message in faults][1:] == [
        "lme_exper_user_lme1_0.question is 'Who?', the search results ask "
        "'Where did the kettle go?'",
        "lme_exper_user_lme1_7: the search results have no such user id",
    ]
