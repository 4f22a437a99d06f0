"""Splits: the draw, the published list, restriction, parts, and every fault by field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.datasets.question_list import ListedQuestion, read_question_list
from harness.datasets.split import Part, Restriction, drawn_indices, read_split
from harness.datasets.split_draw import draw_split
from harness.errors import InputError, UsageError
from harness.storage.hashing import sha256_of_file

LIST = tuple(
    ListedQuestion(f"q{index}", "even" if index % 2 == 0 else "odd") for index in range(10)
)
# random.Random(7).sample(range(10), 4) is [5, 2, 6, 9].
DEV = [2, 5, 6, 9]


def drawn_value() -> dict[str, Any]:
    text = draw_split(LIST, seed=7, dev=4, dataset_sha256="ab").text()
    value: dict[str, Any] = json.loads(text)
    return value


def faults(path: Path, value: Any) -> list[str]:
    path.write_text(json.dumps(value))
    with pytest.raises(InputError) as caught:
        read_split(path)
    return [line.strip() for line in caught.value.message.splitlines()[1:]]


def test_the_draw_is_written_as_published(tmp_path: Path) -> None:
    split = draw_split(LIST, seed=7, dev=4, dataset_sha256="ab")
    assert json.loads(split.text()) == {
        "seed": 7,
        "drawn": 4,
        "of": 10,
        "dataset_sha256": "ab",
        "restricted_to": None,
        "dev": [
            {"index": index, "question_id": f"q{index}", "question_type": LIST[index].question_type}
            for index in DEV
        ],
    }
    path = tmp_path / "split.json"
    path.write_text(split.text())
    read = read_split(path)
    assert read.text() == split.text()
    assert read.sha256 == sha256_of_file(path)


def test_restricted_to_the_questions_there() -> None:
    present = [question for question in LIST if question.question_id not in ("q1", "q5")]
    split = draw_split(LIST, seed=7, dev=4, dataset_sha256="ab", present=present[::-1])
    assert split.restricted_to == Restriction(8, ("q1", "q5"))
    assert [question.index for question in split.dev] == [2, 6, 9]
    assert (split.drawn, split.of) == (4, 10)
    assert split.part_of("q2") is Part.DEV
    assert split.part_of("q3") is Part.TEST
    with pytest.raises(InputError, match="'q5' is not in the data"):
        split.part_of("q5")


def test_data_with_every_question_restricts_nothing() -> None:
    whole = draw_split(LIST, seed=7, dev=4, dataset_sha256="ab")
    assert draw_split(LIST, seed=7, dev=4, dataset_sha256="ab", present=LIST) == whole


def test_data_of_another_dataset_is_refused() -> None:
    other = [ListedQuestion("q2", "odd"), ListedQuestion("z", "odd")]
    with pytest.raises(InputError) as caught:
        draw_split(LIST, seed=7, dev=4, dataset_sha256="ab", present=other)
    assert "question 'q2', question_type: 'odd', the dataset's list has 'even'" in str(caught.value)
    assert "question 'z' is not in the dataset's list" in str(caught.value)


@pytest.mark.parametrize("dev", [10, 11])
def test_more_dev_questions_than_leave_a_test_are_refused(dev: int) -> None:
    with pytest.raises(UsageError, match=f"cannot draw {dev} dev questions of 10"):
        draw_split(LIST, seed=7, dev=dev, dataset_sha256="ab")


@given(seed=st.integers(0, 2**40), of=st.integers(2, 60), data=st.data())
def test_dev_and_test_divide_the_ids(seed: int, of: int, data: st.DataObject) -> None:
    listed = [ListedQuestion(f"q{index}", "t") for index in range(of)]
    dev = data.draw(st.integers(1, of - 1))
    split = draw_split(listed, seed=seed, dev=dev, dataset_sha256="ab")
    ids = [question.question_id for question in listed]
    partition = split.partition(ids)
    assert len(partition.dev) == dev
    assert sorted([*partition.dev, *partition.test]) == sorted(ids)
    assert partition.absent == ()


def test_ids_that_are_not_there_are_told() -> None:
    split = draw_split(LIST, seed=7, dev=4, dataset_sha256="ab")
    partition = split.partition(["q9", "q3", "q2"])
    assert (partition.dev, partition.test) == (("q9", "q2"), ("q3",))
    assert partition.absent == ("q5", "q6")


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["q1", "q3"], "none of its 4 dev questions is there"),
        ([f"q{index}" for index in range(11)], "11 questions, more than the 10"),
    ],
)
def test_ids_of_another_dataset_are_refused(ids: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw_split(LIST, seed=7, dev=4, dataset_sha256="ab").partition(ids)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"sed": 1}, "sed is an unknown key; did you mean 'seed'?"),
        ({"seed": "7"}, "seed is the string '7', expected a whole number"),
        ({"drawn": True}, "drawn is true, expected a whole number"),
        ({"of": -1}, "of is -1, expected 0 or more"),
        ({"of": 3}, "drawn is 4, expected 1 to of, 3"),
        ({"dataset_sha256": 5}, "dataset_sha256 is the number 5, expected a string"),
        ({"restricted_to": {"questions": 9}}, "restricted_to.missing is missing"),
        ({"dev": None}, "dev is null, expected a list"),
        ({"dev": [{"index": 2}]}, "dev[0].question_id is missing"),
        ({"dev": []}, "dev has 0 questions, drawn is 4, 0 missing"),
        ({"seed": 8}, "dev[0].index is 2, not drawn by seed 8 (4 of 10)"),
        (
            {"restricted_to": {"questions": 9, "missing": ["q2"]}},
            "restricted_to.missing names 'q2', which is in dev",
        ),
        (
            {"restricted_to": {"questions": 10, "missing": ["q3"]}},
            "restricted_to.questions and missing do not add up to of, 10",
        ),
    ],
)
def test_a_fault_names_its_field(tmp_path: Path, changes: dict[str, Any], fault: str) -> None:
    found = faults(tmp_path / "split.json", drawn_value() | changes)
    assert any(line.startswith(fault) for line in found), found


def test_an_edited_dev_list_is_refused(tmp_path: Path) -> None:
    value = drawn_value()
    value["dev"][1] = {"index": 3, "question_id": "q3", "question_type": "odd"}
    value["dev"][2], value["dev"][3] = value["dev"][3], value["dev"][3]
    assert faults(tmp_path / "split.json", value) == [
        "dev[3].index is 9, expected more than 9",
        "dev[3].question_id is 'q9', as before it",
        "dev[1].index is 3, not drawn by seed 7 (4 of 10)",
    ]


@pytest.mark.parametrize("text", ["", "[]", "{", "nothing"])
def test_what_is_no_split_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "split.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"split\.json"):
        read_split(path)


def test_the_committed_split_is_drawn_from_the_official_list(checkout: Path) -> None:
    split = read_split(checkout / "datasets" / "splits" / "longmemeval-s.json")
    questions = read_question_list(checkout / "datasets" / "longmemeval-s.questions.jsonl")
    assert (split.seed, split.drawn, split.of, split.restricted_to) == (20261003, 100, 500, None)
    assert [question.index for question in split.dev] == drawn_indices(20261003, 100, 500)
    assert [(question.question_id, question.question_type) for question in split.dev] == [
        (questions[question.index].question_id, questions[question.index].question_type)
        for question in split.dev
    ]


@pytest.mark.shared
def test_the_committed_split_is_the_published_one(checkout: Path, shared: Path) -> None:
    published = read_split(shared / "data" / "splits" / "v1_5_dev_questions.json")
    ours = read_split(checkout / "datasets" / "splits" / "longmemeval-s.json")
    assert published.dataset_sha256 is None
    assert published.dev == ours.dev
