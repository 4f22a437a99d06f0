"""The loader: values, the facts of the real data, and every fault by question id and field."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.datasets.layout import Question, Session, Turn, read_questions
from harness.datasets.layouts.longmemeval_faults import session_timestamp
from harness.errors import InputError

Make = Callable[..., dict[str, Any]]


def load(path: Path, *objects: Any) -> list[Question]:
    path.write_text(json.dumps(objects), encoding="utf-8")
    return list(read_questions(path))


def faults(path: Path) -> list[str]:
    """The lines of the error under its heading."""
    with pytest.raises(InputError) as caught:
        list(read_questions(path))
    heading, *lines = caught.value.message.splitlines()
    assert heading == f"{path}: {len(lines)} fault{'s' if len(lines) > 1 else ''}"
    return [line.strip() for line in lines]


def faults_of(path: Path, *objects: Any) -> list[str]:
    path.write_text(json.dumps(objects), encoding="utf-8")
    return faults(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.json"


def test_a_question_as_values(path: Path, question: Make) -> None:
    assert load(path, question()) == [
        Question(
            question_id="q1",
            question_type="multi-session",
            question="Where did the kettle go?",
            answer="to the shed",
            question_date="2023/05/30 (Tue) 23:40",
            sessions=(
                Session(
                    "s1",
                    "2023/05/20 (Sat) 02:21",
                    (Turn("user", "Rain again."), Turn("assistant", "")),
                    "2023-05-20T02:21:00+00:00",
                ),
                Session(
                    "answer_1",
                    "2023/05/21 (Sun) 10:00",
                    (Turn("user", "The kettle is in the shed.", True),),
                    "2023-05-21T10:00:00+00:00",
                ),
            ),
            answer_session_ids=("answer_1",),
            timestamp="2023-05-30T23:40:00+00:00",
        )
    ]


def test_what_the_real_data_has_is_accepted(path: Path, question: Make) -> None:
    (loaded,) = load(
        path,
        question(
            question_id="q1_abs",
            question_type="a type of another variant",
            answer=7,
            haystack_session_ids=["answer_1", "answer_1"],
            haystack_dates=["2023/06/21 (Wed) 10:00", "2023/05/20 (Sat) 02:21"],
            haystack_sessions=[[{"role": "assistant", "content": "", "has_answer": False}], []],
            another_key={"of": ["a", "variant"]},
        ),
    )
    assert loaded.abstention
    assert loaded.answer == 7
    assert [session.session_id for session in loaded.sessions] == ["answer_1", "answer_1"]
    assert [len(session.turns) for session in loaded.sessions] == [1, 0]


@pytest.mark.parametrize(
    ("date", "timestamp"),
    [
        ("2023/05/20 (Sat) 02:21", "2023-05-20T02:21:00+00:00"),
        ("2023/05/20 (Mon) 02:21", "2023-05-20T02:21:00+00:00"),
        ("2023/5/9 (火) 2:21:07", "2023-05-09T02:21:07+00:00"),
        ("2024/02/29 23:59", "2024-02-29T23:59:00+00:00"),
    ],
)
def test_session_timestamp(date: str, timestamp: str) -> None:
    assert session_timestamp(date) == timestamp


@pytest.mark.parametrize("date", ["", "2023/02/29 02:21", "2023/05/20", "2023-05-20T02:21:00Z"])
def test_other_dates_are_refused(date: str) -> None:
    with pytest.raises(InputError, match="is not a date"):
        session_timestamp(date)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"question_id": ""}, "object 1, question_id: is empty"),
        ({"question_id": 5}, "object 1, question_id: is the number 5, expected a string"),
        ({"answer": None}, "answer: is null, expected a string or an integer"),
        ({"answer": True}, "answer: is true, expected a string or an integer"),
        ({"answer": 1.5}, "answer: is the number 1.5, expected a string or an integer"),
        ({"answer": float("nan")}, "answer: is nan, which JSON does not have"),
        ({"question": "a\ud800b"}, "question: holds a lone surrogate, which is not Unicode"),
        ({"question_date": "soon"}, "question_date: 'soon' is not a date"),
        (
            {"haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/13/01 (Sat) 02:21"]},
            "haystack_dates[1]: '2023/13/01 (Sat) 02:21' is not a date: month must be in 1..12",
        ),
        (
            {"haystack_session_ids": ["answer_1"]},
            "haystack_sessions: lengths differ: haystack_dates has 2, haystack_session_ids has 1 "
            "and haystack_sessions has 2",
        ),
        ({"haystack_sessions": "s"}, "haystack_sessions: is the string 's', expected a list"),
        ({"haystack_sessions": [[], {}]}, "haystack_sessions[1]: is an object, expected a list"),
        (
            {"haystack_sessions": [[], [{"role": "bot", "content": "x"}]]},
            "haystack_sessions[1][0].role: is 'bot', expected one of user, assistant and system",
        ),
        ({"haystack_sessions": [[], [{"role": "user"}]]}, "[1][0].content: is missing"),
        (
            {"haystack_sessions": [[], [{"role": "user", "content": "x", "has_answer": 1}]]},
            "haystack_sessions[1][0].has_answer: is the number 1, expected true or false",
        ),
        (
            {"haystack_sessions": [], "haystack_dates": [], "haystack_session_ids": []},
            "haystack_sessions: is empty; a question needs a haystack",
        ),
        (
            {"answer_session_ids": ["answer_1", "answer_9"]},
            "answer_session_ids[1]: 'answer_9' is not in haystack_session_ids",
        ),
    ],
)
def test_a_fault_names_question_and_field(
    path: Path, question: Make, changes: dict[str, Any], fault: str
) -> None:
    found = faults_of(path, question(**changes))
    named = "question_id" in changes
    assert any(fault in line for line in found), found
    assert all(
        line.startswith("object 1" if named else "question 'q1' (object 1)") for line in found
    )


def test_all_faults_of_a_file_are_reported_together(path: Path, question: Make) -> None:
    bare = question(question_id="q2")
    del bare["haystack_sessions"]
    objects = [question(), bare, question(question_id="q3", answer=[], question=None), question()]
    assert faults_of(path, *objects) == [
        "question 'q2' (object 2), haystack_sessions: is missing",
        "question 'q3' (object 3), question: is null, expected a string",
        "question 'q3' (object 3), answer: is a list, expected a string or an integer",
        "question 'q1' (object 4), question_id: is also the id of object 1",
    ]


def test_no_question_after_the_first_fault(path: Path, question: Make) -> None:
    path.write_text(json.dumps([question(), question(question_id="q2", answer=None), question()]))
    questions = read_questions(path)
    assert next(questions).question_id == "q1"
    with pytest.raises(InputError, match="2 faults"):
        next(questions)


def test_lines_that_are_no_questions_are_named(tmp_path: Path, question: Make) -> None:
    path = tmp_path / "data.jsonl"
    whole = json.dumps(question())
    path.write_text(f'{whole}\n\nnot JSON\n[1]\n{{"a": tru}}\n{whole[:-1]}')
    path.write_bytes(path.read_bytes().replace(b"Rain again", b"Rain ag\xffin", 1))
    assert faults(path) == [
        f"question 'q1' (line 1): is not UTF-8 (byte {whole.index('Rain again') + 8}: "
        "invalid start byte)",
        "line 3: is not JSON (at character 1: Expecting value)",
        "line 4: is a list, expected an object",
        "line 5: is not JSON (at character 7: Expecting value)",
        f"line 6: is not JSON (at character {len(whole)}: Expecting ',' delimiter)",
    ]


def test_where_the_file_stops_is_one_more_fault(path: Path, question: Make) -> None:
    path.write_text(json.dumps([question(answer=None), question(question_id="q2")])[:-3])
    first, second = faults(path)
    assert first.startswith("question 'q1' (object 1), answer:")
    assert f"ends at byte {path.stat().st_size:,} inside the list, after 1 whole objects" in second


@pytest.mark.parametrize("text", ["[]", " [ \n ] "])
def test_a_file_without_questions_is_refused(path: Path, text: str) -> None:
    path.write_text(text)
    assert faults(path) == ["holds no question"]


@pytest.mark.shared
def test_the_real_subset_equals_plain_json(shared: Path) -> None:
    path = shared / "data" / "longmemeval" / "longmemeval_s_subset35.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for question, line in zip(read_questions(path), lines, strict=True):
            assert as_published(question) == json.loads(line)


@pytest.mark.shared
def test_the_real_subset_has_every_type(shared: Path) -> None:
    path = shared / "data" / "longmemeval" / "longmemeval_s_subset35.jsonl.gz"
    questions = list(read_questions(path))
    assert len(Counter(question.question_type for question in questions)) == 6
    assert sum(question.abstention for question in questions) == 5


def as_published(question: Question) -> dict[str, Any]:
    return {
        "question_id": question.question_id,
        "question_type": question.question_type,
        "question": question.question,
        "question_date": question.question_date,
        "answer": question.answer,
        "answer_session_ids": list(question.answer_session_ids),
        "haystack_dates": [session.date for session in question.sessions],
        "haystack_session_ids": [session.session_id for session in question.sessions],
        "haystack_sessions": [
            [turn_as_published(turn) for turn in session.turns] for session in question.sessions
        ],
    }


def turn_as_published(turn: Turn) -> dict[str, Any]:
    label = {} if turn.has_answer is None else {"has_answer": turn.has_answer}
    return {"role": turn.role, "content": turn.content} | label


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            '"question":',
            '"question": "Who?", "question":',
            "has the key 'question' twice",
        ),
        (
            '"question":',
            '"note": 1, "note": 2, "question":',
            "has the key 'note' twice",
        ),
        ('"question":', r'"a\\": 1, "a\\": 2, "question":', r"the object: has the key 'a\\' twice"),
        ('"question":', '"a": {"b": 1, "b": 1}, "question":', "a: has the key 'b' twice"),
        (
            '"role":',
            '"role": "user", "role"\t:',
            "haystack_sessions[0][0]: has the key 'role' twice",
        ),
        ('"question": "', '"answer" : 1, "question" : ": ', "has the key 'answer' twice"),
        ('"question": "', r'"question": ":) \": \\\": ', None),
        ('"question":', '"question"  :', None),
        ('"question":', '"note": ["a", {":": ": :"}], "question":', None),
    ],
)
@pytest.mark.parametrize("name", ["data.json", "data.jsonl"])
def test_a_key_that_is_there_twice_is_found(
    tmp_path: Path, question: Make, old: str, new: str, fault: str | None, name: str
) -> None:
    one, two, three = (json.dumps(question(question_id=f"q{number}")) for number in (1, 2, 3))
    objects = [one, two.replace(old, new, 1), three]
    assert objects[1] != two
    text = "\n".join(objects) if name.endswith("l") else f"[{', '.join(objects)}]"
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    if fault is None:
        assert [each.question_id for each in read_questions(path)] == ["q1", "q2", "q3"]
    else:
        (line,) = faults(path)
        assert line.startswith("question 'q2'")
        assert line.endswith(fault)
