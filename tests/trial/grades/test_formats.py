"""What each format is read into, and that every faulty field is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.datasets.question_list import question_hash
from harness.trial.grade import Grade, Outcome, Status, TokenTotals

from ...make.splits import json_lines
from ...make.study import IDS, Study, log_row


def faults(capsys: pytest.CaptureFixture[str], command: list[str]) -> list[str]:
    """The faults of a refused import, each without its indent."""
    capsys.readouterr()
    assert run(command) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("error: these grades cannot be imported: ")
    assert lines[0].endswith(f"{len(lines) - 2} fault{'s' if len(lines) > 3 else ''}")
    return [line.strip() for line in lines[1:-1]]


def by_id(grades: tuple[Grade, ...]) -> dict[str, Grade]:
    return {grade.question_id: grade for grade in grades}


def test_the_log_takes_what_the_api_reported_for_the_reader(study: Study) -> None:
    one, two, three, four = study.dev
    usage = {"prompt_tokens": 700, "completion_tokens": 7}
    rows: list[dict[str, Any]] = [
        log_row(one, True) | {"usage": usage},
        log_row(two, False) | {"usage": {"completion_tokens": 9}},
        log_row(three, True) | {"tokens": {"eval_prompt_tokens": 300}},
        {key: value for key, value in log_row(four, True).items() if key != "tokens"}
        | {"autoeval_label": {"label": True}},
    ]
    log = study.write("log.jsonl", json_lines(rows))
    found = by_id(study.imported([log], "--part", "dev", "--reader", "a-reader").rows())
    assert [
        (found[name].prompt_tokens, found[name].completion_tokens, found[name].tokens_source)
        for name in study.dev
    ] == [(700, 7, "api"), (1000, 20, "api"), (None, None, None), (None, None, None)]
    assert [found[name].judge for name in study.dev] == ["a-judge"] * 3 + [None]
    assert {grade.reader for grade in found.values()} == {"a-reader"}


def test_every_fault_of_a_log_is_named(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    usage = {"prompt_tokens": -3, "completion_tokens": 1.5}
    lines = [
        json.dumps(log_row("q0", "true")),
        json.dumps(log_row("q1", True, tokens=float("nan"))),
        json.dumps(log_row("q2", True) | {"usage": usage}),
        json.dumps(log_row("q3", True, tokens=0)),
        json.dumps({"question_id": "q4", "hypothesis": "x"}),
        '{"question_id": "q5"',
        '["q6"]',
        json.dumps(log_row("", True) | {"autoeval_label": True, "tokens": 7}),
        json.dumps(log_row("q3", True) | {"question_id": 4}),
        json.dumps(log_row("q1", True, tokens="1000")),
    ]
    log = study.write("log.jsonl", "\n".join(lines))
    found = faults(capsys, study.command([log], "--part", "dev"))
    messages = [fault.removeprefix(f"{log}, ") for fault in found]
    for message in (
        "line 1: autoeval_label.label is the string 'true', expected true or false",
        "line 2: tokens.prompt_tokens is nan, which JSON does not have",
        "line 3: usage.prompt_tokens is -3, expected 1 or more",
        "line 3: usage.completion_tokens is the number 1.5, expected a whole number",
        "line 4: tokens.prompt_tokens is 0, expected 1 or more",
        "line 5: autoeval_label is missing",
        "line 7: is a list, expected an object",
        "line 8: autoeval_label is true, expected an object",
        "line 8: tokens is the number 7, expected an object",
        "line 8: question_id is empty",
        "line 9: question_id is the number 4, expected a string",
        "line 10: tokens.prompt_tokens is the string '1000', expected a whole number",
    ):
        assert message in messages
    assert any(message.startswith("line 6: is not JSON") for message in messages)


PLAIN: list[dict[str, Any]] = [
    {"question_id": "A", "correct": True, "prompt_tokens": 900, "completion_tokens": 0},
    {"question_id": "B", "correct": False, "prompt_tokens_estimated": 800, "judge": "j"},
    {"question_id": "C", "correct": None, "context_sha256": "0" * 64, "context_tokens": 70},
    {"question_id": "A", "correct": False, "pass": 2, "reader": "r"},
]
CELLS = (
    "question_id,correct,prompt_tokens,prompt_tokens_estimated,completion_tokens,judge,"
    "context_sha256,context_tokens,pass,reader\n"
    "A,TRUE,900,,0,,,,,\n"
    '"B",0,,800,,j,,,,\n'
    f"C,,,,,,{'0' * 64},70,,\n\n"
    "A,false,,,,,,,2,r\n"
)


def as_json_lines(study: Study, names: dict[str, str]) -> Path:
    rows = [row | {"question_id": names[row["question_id"]]} for row in PLAIN]
    return study.write("plain.jsonl", json_lines(rows))


def as_csv(study: Study, names: dict[str, str]) -> Path:
    text = CELLS
    for letter, name in names.items():
        text = text.replace(f"\n{letter},", f"\n{name},").replace(f'"{letter}"', f'"{name}"')
    return study.write("plain.csv", "\ufeff" + text)


@pytest.mark.parametrize(
    ("form", "write", "rows"),
    [("jsonl", as_json_lines, (1, 2, 3, 4)), ("csv", as_csv, (2, 3, 4, 6))],
)
def test_plain_grades_are_the_same_in_json_lines_and_csv(
    study: Study,
    form: str,
    write: Callable[[Study, dict[str, str]], Path],
    rows: tuple[int, ...],
) -> None:
    one, two, three, four = study.dev
    file = write(study, {"A": one, "B": two, "C": three})
    grades = study.imported([file], "--format", form, "--part", "dev")
    sha256 = grades.sources[0].sha256
    shared: dict[str, Any] = {"source_sha256": sha256, "reader": "r"}
    assert grades.passes == (1, 2)
    assert grades.rows()[:4] == (
        Grade(one, 1, Status.GRADED, None, sha256, rows[0], None, None, 900, 0, "api"),
        Grade(two, 1, Status.GRADED, None, sha256, rows[1], None, "j", 800, None, "estimated"),
        Grade(
            three,
            1,
            Status.ERROR,
            "no verdict",
            sha256,
            rows[2],
            context_tokens=70,
            context_sha256="0" * 64,
        ),
        Grade(four, 1, Status.MISSING, "no row"),
    )
    assert grades.rows()[4] == Grade(one, 2, Status.GRADED, row=rows[3], **shared)
    assert grades.reader == "r"
    assert grades.outcomes() == (
        Outcome(one, 1, True),
        Outcome(two, 1, False),
        Outcome(one, 2, False),
    )


FAILURES: list[tuple[dict[str, Any], str | None]] = [
    ({"autoeval_error": "RuntimeError: outage"}, "autoeval_error"),
    ({"error": {"stage": "answer", "message": "timeout"}}, "error"),
    ({"error": 0.5}, "error"),
    ({"status": "failed"}, "status failed"),
    ({"status": "timed out", "error": ""}, "status timed out"),
    ({"status": 500}, "status 500"),
    ({"error": "", "autoeval_error": None, "status": "Success"}, None),
    ({"error": False, "status": "ok"}, None),
    ({"error": {}, "autoeval_error": [], "status": None}, None),
]


@pytest.mark.parametrize(("markers", "reason"), FAILURES)
@pytest.mark.parametrize("form", ["longmemeval-eval", "jsonl"])
@pytest.mark.parametrize("label", [True, False])
def test_a_row_that_failed_is_an_error_whatever_its_verdict(
    study: Study, form: str, label: bool, markers: dict[str, Any], reason: str | None
) -> None:
    first = study.dev[0]
    row = {"question_id": first, "correct": label} if form == "jsonl" else log_row(first, label)
    file = study.write("rows.jsonl", json_lines([row | markers]))
    grades = study.imported([file], "--format", form, "--part", "dev")
    found = by_id(grades.rows())[first]
    assert found.reason == reason
    assert found.status is (Status.GRADED if reason is None else Status.ERROR)
    assert [outcome.correct for outcome in grades.outcomes()] == ([] if reason else [label])


def test_a_label_that_says_that_its_judge_failed_is_an_error(study: Study) -> None:
    row = log_row(study.dev[0], label=False)
    row["autoeval_label"] = {"model": "m", "label": False, "error": "boom"}
    grades = study.imported([study.write("rows.jsonl", json_lines([row]))], "--part", "dev")
    assert grades.counts.reasons["error"] == {"error": 1}
    assert grades.outcomes() == ()


def test_cells_of_csv_may_say_what_failed(study: Study) -> None:
    one, two, three, four = study.dev
    text = f"question_id,correct,status,error\n{one},0,failed,\n{two},1,,timeout\n{three},1,ok,\n"
    grades = study.imported([study.write("f.csv", text)], "--format", "csv", "--part", "dev")
    found = by_id(grades.rows())
    assert [found[name].reason for name in (one, two, three, four)] == [
        "status failed",
        "error",
        None,
        "no row",
    ]


def test_a_log_row_that_failed_needs_no_label(study: Study) -> None:
    row = {"question_id": study.dev[0], "autoeval_error": "no answer"}
    file = study.write("rows.jsonl", json_lines([row]))
    grades = study.imported([file], "--part", "dev")
    assert grades.counts.reasons["error"] == {"autoeval_error": 1}


def test_a_pass_may_stand_in_several_files(study: Study) -> None:
    files = [
        study.write(f"{name}.jsonl", json_lines([{"question_id": name, "correct": True}]))
        for name in study.dev
    ]
    grades = study.imported(files, "--format", "jsonl", "--part", "dev")
    assert grades.counts.graded == 4
    assert grades.passes == (1,)


def test_every_fault_of_plain_rows_is_named(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    rows: list[dict[str, Any]] = [
        {"question_id": "q0", "correct": 2},
        {"question_id": "q1", "correct": True, "promt_tokens": 3},
        {"question_id": "q2", "correct": True, "prompt_tokens": 5, "prompt_tokens_estimated": 6},
        {"question_id": "q3", "correct": True, "pass": 0, "context_sha256": "abc"},
        {"correct": True, "prompt_tokens": 1e300, "completion_tokens": 2**40},
    ]
    log = study.write("plain.jsonl", json_lines(rows))
    found = faults(capsys, study.command([log], "--format", "jsonl", "--part", "dev"))
    assert {fault.removeprefix(f"{log}, ") for fault in found} == {
        "line 1: correct is the number 2, expected true or false",
        "line 2: promt_tokens is an unknown key; did you mean 'prompt_tokens'?",
        "line 3: prompt_tokens_estimated stands next to prompt_tokens; give one of them",
        "line 4: pass is 0, expected 1 or more",
        "line 4: context_sha256 is 'abc', expected 64 lower-case hexadecimal digits",
        "line 5: question_id is missing",
        "line 5: prompt_tokens is the number 1e+300, expected a whole number",
        "line 5: completion_tokens is a number of more than 32 bits",
    }


def test_numbers_as_pandas_writes_them_are_whole_numbers_and_truth_values(study: Study) -> None:
    """A column of a frame with gaps holds floats."""
    plain = "question_id,correct,prompt_tokens,pass\nq0,1.0,1001.0,1.0\nq1,0.0,,1\nq2,True,7,1.0\n"
    numbers = {"usage": {"prompt_tokens": 1001.0}, "autoeval_label": {"label": 1.0}}
    log = [{"question_id": "q0", **numbers}, {"question_id": "q1", "autoeval_label": {"label": 0}}]
    lines = [
        {"question_id": "q0", "correct": 1.0, "prompt_tokens": 1001.0},
        {"question_id": "q1", "correct": 0},
    ]
    entries = judged({"judgment_1": 1.0}, {"judgment_1": 0.0})
    entries["lme_exper_user_lme1_0"]["nlp_metrics"] = {"context_tokens": 1001.0}
    texts = {
        "csv": plain,
        "jsonl": json_lines(lines),
        "longmemeval-eval": json_lines(log),
        "omnimemeval": json.dumps(entries),
    }
    for form, text in texts.items():
        file = study.write(f"pandas-{form}", text)
        options = ("--format", form, "--part", "all", "--exploratory")
        grades = study.imported([file], *options, out=form)
        right = {one.question_id: one.correct for one in grades.outcomes()}
        assert (right["q0"], right["q1"]) == (True, False)
        first = grades.rows()[0]
        assert 1001 in (first.prompt_tokens, first.context_tokens)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("1001.5", "prompt_tokens is the number 1001.5, expected a whole number"),
        ("9007199254740993.0", "prompt_tokens is the number 9007199254740992.0, expected a whole"),
        ("1e300", "expected a whole number"),
    ],
)
def test_a_number_that_would_lose_something_is_refused(
    study: Study, value: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    csv = study.write("lossy.csv", f"question_id,correct,prompt_tokens\nq0,1,{value}\n")
    line = f'{{"question_id": "q0", "correct": 0.5, "prompt_tokens": {value}}}\n'
    log = study.write("lossy.jsonl", line)
    assert message in faults(capsys, study.command([csv], "--format", "csv", "--part", "dev"))[0]
    found = faults(capsys, study.command([log], "--format", "jsonl", "--part", "dev"))
    assert "correct is the number 0.5, expected true or false" in found[0]
    assert message in found[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "question_id,correct,prompt_tokens\nq0,yes,nan\nq1,1\nq2,1,12.5\n,1,-4\n",
            [
                "line 2: correct is the string 'yes', expected true or false",
                "line 2: prompt_tokens is the string 'nan', expected a whole number",
                "line 3: has 2 cells, expected 3",
                "line 4: prompt_tokens is the number 12.5, expected a whole number",
                "line 5: prompt_tokens is -4, expected 1 or more",
                "line 5: question_id is null, expected a string",
            ],
        ),
        (
            "question,correct,judge,judge\nq0,1,,\n",
            [
                "line 1: has the unknown column 'question'; did you mean 'question_id'?",
                "line 1: has the column 'judge' 2 times",
            ],
        ),
        ('question_id,correct\nq0,1\n"q1', ["line 3: is not CSV (unexpected end of data)"]),
    ],
)
def test_every_fault_of_a_csv_is_named(
    study: Study, text: str, expected: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    file = study.write("plain.csv", text)
    found = faults(capsys, study.command([file], "--format", "csv", "--part", "dev"))
    assert sorted(fault.removeprefix(f"{file}, ") for fault in found) == sorted(expected)


def judged(*judgments: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A judged file: the user of place i is of question i of the dataset's list."""
    types = ("single", "multi")
    return {
        f"lme_exper_user_lme1_{place}": {
            "category": types[place % 2],
            "answer": "It is so.",
            "llm_judgments": verdict,
            "nlp_metrics": {"context_tokens": 100 + place},
            "status": "success",
        }
        | changes
        for place, verdict in enumerate(judgments)
    }


USAGE = {
    "timestamp": "2026-01-01",
    "modules": {
        "ANSWER": {
            "model": "a-reader",
            "call_count": 12,
            "prompt_tokens": 12_000,
            "usage_reported_call_count": 12,
        }
    },
}


def test_judgments_are_passes_and_totals_stay_totals(study: Study) -> None:
    both = [{"judgment_1": place > 5, "judgment_2": place % 2 == 0} for place in range(12)]
    value = judged(*both)
    value["lme_exper_user_lme1_0"] = [value["lme_exper_user_lme1_0"]]
    first = study.write("judged.json", json.dumps(value))
    again = study.write("again.json", json.dumps(judged(*[{"judgment_1": True}] * 12)))
    usage = study.write("token_usage_answer.json", json.dumps(USAGE))
    judge = {"modules": {"JUDGE": {"model": "a-judge", "prompt_tokens": 3}}}
    judge_usage = study.write("token_usage_judge.json", json.dumps(judge))
    files = [usage, first, again, judge_usage]
    grades = study.imported(files, "--format", "omnimemeval", "--part", "all", "--exploratory")
    assert grades.passes == (1, 2, 3)
    assert [source.passes for source in grades.sources] == [(), (), (1, 2), (3,)]
    assert (grades.reader, grades.judges) == ("a-reader", ("a-judge",))
    expected = {
        **{(name, 1): place > 5 for place, name in enumerate(IDS)},
        **{(name, 2): place % 2 == 0 for place, name in enumerate(IDS)},
        **{(name, 3): True for name in IDS},
    }
    found = {(one.question_id, one.pass_number): one.correct for one in grades.outcomes()}
    assert found == expected
    assert {row.prompt_tokens for row in grades.rows()} == {None}
    assert grades.rows()[3].context_tokens == 103
    answering, judging = grades.token_totals
    assert answering == TokenTotals(
        answering.source_sha256,
        "ANSWER",
        "a-reader",
        call_count=12,
        usage_reported_call_count=12,
        prompt_tokens=12_000,
    )
    assert (judging.module, judging.prompt_tokens) == ("JUDGE", 3)


OUTAGE = {"stage": "eval", "type": "TimeoutError", "message": "read timed out", "timestamp": "t"}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"status": "failed"}, "status failed"),
        ({"status": "skipped", "skip_reason": "answer_failed", "error": OUTAGE}, "status skipped"),
        ({"error": OUTAGE}, "error"),
        ({"error": "RuntimeError: outage"}, "error"),
    ],
)
def test_an_answer_that_failed_is_an_error_and_never_wrong(
    study: Study, changes: dict[str, Any], reason: str
) -> None:
    """A skipped one has no judgments; whatever there is in their place does not count."""
    value = judged(*[{"judgment_1": True, "judgment_2": False}] * 12)
    failed, lacking = IDS.index(study.dev[0]), IDS.index(study.dev[1])
    value[f"lme_exper_user_lme1_{failed}"] |= changes
    if reason == "status skipped":
        del value[f"lme_exper_user_lme1_{failed}"]["llm_judgments"]
    value[f"lme_exper_user_lme1_{lacking}"]["llm_judgments"] = {"judgment_1": True}
    file = study.write("judged.json", json.dumps(value))
    grades = study.imported([file], "--format", "omnimemeval", "--part", "dev")
    assert grades.counts_of(1).reasons == {"error": {reason: 1}}
    assert grades.counts_of(2).reasons == {"error": {"no verdict": 1, reason: 1}}
    wrong = {one.question_id for one in grades.outcomes() if not one.correct}
    assert study.dev[0] not in wrong


@pytest.mark.parametrize("changes", [{"status": None, "error": None}, {"error": ""}, {"error": {}}])
def test_an_empty_error_and_an_absent_status_are_of_a_step_that_succeeded(
    study: Study, changes: dict[str, Any]
) -> None:
    value = judged(*[{"judgment_1": True}] * 12)
    value["lme_exper_user_lme1_0"] |= changes
    file = study.write("judged.json", json.dumps(value))
    grades = study.imported([file], "--format", "omnimemeval", "--part", "all", "--exploratory")
    assert grades.counts_of(1).graded == 12


def asked(question_id: str) -> str:
    return f"What of {question_id}?"


def list_with_texts(study: Study) -> Path:
    """A question list that knows the hash of every question's text."""
    types = ("single", "multi")
    lines = [
        {
            "question_id": name,
            "question_type": types[place % 2],
            "question_sha256": question_hash(asked(name)),
        }
        for place, name in enumerate(IDS)
    ]
    return study.write("list.jsonl", json_lines(lines))


def test_an_entry_is_of_the_question_that_it_asks(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two entries of one type have changed places: their categories cannot show it."""
    value = judged(*[{"judgment_1": True}] * 12)
    for place, name in enumerate(IDS):
        value[f"lme_exper_user_lme1_{place}"]["question"] = f" {asked(name)}\n"
    sound = study.write("sound.json", json.dumps(value))
    listed = str(list_with_texts(study))
    given = ("--format", "omnimemeval", "--questions", listed, "--part", "dev")
    assert study.imported([sound], *given).counts_of(1).graded == len(study.dev)
    first, other = (value[f"lme_exper_user_lme1_{place}"] for place in (0, 2))
    first["question"], other["question"] = other["question"], first["question"]
    swapped = study.write("swapped.json", json.dumps(value))
    found = "\n".join(faults(capsys, study.command([swapped], *given, out="other")))
    entry = "entry 1 ('lme_exper_user_lme1_0')"
    assert f"{entry}: question is ' What of q2?\\n', which question 0, 'q0', does not ask" in found
    assert "entry 3 ('lme_exper_user_lme1_2'): question is ' What of q0?" in found


@pytest.mark.parametrize("known", [True, False])
def test_an_entry_that_nothing_shows_to_be_of_its_question_is_refused(
    study: Study, known: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    value = judged(*[{"judgment_1": True}] * 12)
    del value["lme_exper_user_lme1_4"]["category"]
    value["lme_exper_user_lme1_5"]["category"] = "temporal"  # not a type of the dataset
    file = study.write("judged.json", json.dumps(value))
    more = ("--questions", str(list_with_texts(study))) if known else ()
    command = study.command([file], "--format", "omnimemeval", "--part", "dev", *more)
    found = "\n".join(faults(capsys, command))
    assert "('lme_exper_user_lme1_4'): nothing shows that it is of question 4, 'q4'," in found
    assert "--data DATA" in found
    assert "('lme_exper_user_lme1_5'): category is 'temporal', but question 5, 'q5', is" in found


def test_every_fault_of_judged_files_is_named(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    value: dict[str, Any] = judged({"judgment_1": "CORRECT"}, {"first": True}, {"judgment_1": True})
    value["lme_exper_user_lme1_2"]["category"] = "multi"
    value["somebody"] = {"llm_judgments": {"judgment_1": True}}
    value["lme_exper_user_lme1_12"] = {"llm_judgments": None}
    value["lme_exper_user_lme1_3"] = {"category": "multi", "status": "answer_failed"}
    value["lme_exper_user_lme1_5"] = {"category": "multi", "status": "success"}
    text = json.dumps(value)
    twice = text[:-1] + ', "lme_exper_user_lme1_1": {"llm_judgments": {}}}'
    file = study.write("judged.json", twice)
    usage = {"modules": {"ANSWER": {"prompt_tokens": float("nan")}}}
    totals = study.write("usage.json", json.dumps(usage))
    broken = study.write("broken.json", "{")
    listed = study.write("listed.json", "[]")
    files = [file, totals, broken, listed]
    found = faults(capsys, study.command(files, "--format", "omnimemeval", "--part", "dev"))
    text = "\n".join(found)
    for message in (
        "entry 1 ('lme_exper_user_lme1_0'): llm_judgments.judgment_1 is the string 'CORRECT'",
        f"{file}: has the key 'lme_exper_user_lme1_1' twice",
        "entry 3 ('lme_exper_user_lme1_2'): category is 'multi', but question 2, 'q2', is 'single'",
        "('somebody'): the user id does not end with the index of a question",
        "index 12 is beyond the 12 questions of the dataset",
        "('lme_exper_user_lme1_3'): status is 'answer_failed', expected 'success', ",
        "('lme_exper_user_lme1_5'): llm_judgments is missing",
        "usage.json: modules.ANSWER.prompt_tokens is nan, which JSON does not have",
        "broken.json: is not JSON",
        "listed.json is a list, expected an object by user id",
    ):
        assert message in text
