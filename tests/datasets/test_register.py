"""The register and the question lists: the committed ones, and every fault of a bad one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from harness.datasets.question_list import question_hash, read_question_list
from harness.datasets.register import find_register, read_register
from harness.errors import InputError, UsageError
from harness.storage.hashing import sha256_of_file

OFFICIAL_SHA256 = "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442"


def test_the_official_file_is_registered(checkout: Path) -> None:
    register = read_register(checkout / "datasets" / "register.toml")
    official = register.find("longmemeval-s")
    assert (official.size, official.sha256) == (277_383_467, OFFICIAL_SHA256)
    assert official.file_name == "longmemeval_s_cleaned.json"
    assert register.matching(277_383_467, OFFICIAL_SHA256) is official
    assert register.matching(277_383_466, OFFICIAL_SHA256) is None


def test_the_official_questions_are_listed(checkout: Path) -> None:
    questions = read_question_list(checkout / "datasets" / "longmemeval-s.questions.jsonl")
    assert Counter(question.question_type for question in questions) == {
        "multi-session": 133,
        "temporal-reasoning": 133,
        "knowledge-update": 78,
        "single-session-user": 70,
        "single-session-assistant": 56,
        "single-session-preference": 30,
    }
    assert sum(question.question_id.endswith("_abs") for question in questions) == 30


@pytest.mark.shared
def test_the_list_is_the_official_one(checkout: Path, shared: Path) -> None:
    published = shared / "data" / "longmemeval" / "longmemeval_questions_500.jsonl"
    rows = [json.loads(line) for line in published.read_text(encoding="utf-8").splitlines()]
    questions = read_question_list(checkout / "datasets" / "longmemeval-s.questions.jsonl")
    assert [
        (question.question_id, question.question_type, question.question_sha256)
        for question in questions
    ] == [
        (row["question_id"], row["question_type"], question_hash(row["question"])) for row in rows
    ]


def test_the_register_is_found_in_the_folder_then_in_the_checkout(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_register(None) == checkout / "datasets" / "register.toml"
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "register.toml").touch()
    assert find_register(None) == Path("datasets/register.toml")
    assert find_register(Path("other.toml")) == Path("other.toml")


def test_an_unknown_name_gives_the_nearest(checkout: Path) -> None:
    register = read_register(checkout / "datasets" / "register.toml")
    with pytest.raises(UsageError, match="did you mean 'longmemeval-s'"):
        register.find("longmemeval")


def test_every_fault_of_a_register_is_named(tmp_path: Path) -> None:
    path = tmp_path / "register.toml"
    path.write_text(
        """
        [[dataset]]
        name = "a"
        url = "http://127.0.0.1/a.json"
        path = "a.json"
        size = true
        sha256 = "ABC"
        licence = ""
        citation = "c"
        questions = "q"
        [[dataset]]
        name = "a"
        licenze = "MIT"
        """
    )
    with pytest.raises(InputError) as caught:
        read_register(path)
    assert caught.value.message.splitlines()[1:] == [
        "  dataset[0].size is true, expected a whole number",
        "  dataset[0].sha256 is 'ABC', expected 64 lower-case hexadecimal digits",
        "  dataset[0].licence is empty",
        "  dataset[1].size is missing",
        "  dataset[1].sha256 is missing",
        "  dataset[1].citation is missing",
        "  dataset[1].questions is missing",
        "  dataset[1].licenze is an unknown key; did you mean 'licence'?",
    ]


ENTRY = """
    [[dataset]]
    name = "a"
    size = 1
    sha256 = "{sha256}"
    licence = "MIT"
    citation = "c"
    questions = "q"
    """.format(sha256="0" * 64)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (ENTRY, "dataset[0] has neither url nor path; give one of them"),
        (ENTRY + 'url = "u"\npath = "p"', "dataset[0] has both url and path; give one of them"),
        (2 * f"{ENTRY}path = 'p'\n", "2 datasets have the name 'a'"),
    ],
)
def test_what_an_entry_must_fulfil(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "register.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_register(path)
    assert caught.value.message.splitlines()[1:] == [f"  {fault}"]


@pytest.mark.parametrize("text", ["[[dataset]\n", "dataset = 5\n", "[other]\n"])
def test_what_is_no_register_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "register.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"register\.toml"):
        read_register(path)


def test_every_fault_of_a_question_list_is_named(tmp_path: Path) -> None:
    path = tmp_path / "list.jsonl"
    good = '{"question_id": "a", "question_type": "t"}'
    path.write_text(f'{good}\n{good}\n{{"question_id": 5, "question_typ": "t"}}\n[]\nx\n')
    with pytest.raises(InputError) as caught:
        read_question_list(path)
    assert caught.value.message.splitlines()[1:] == [
        "  line 2: question 'a' is already in line 1",
        "  line 3: question_id is the number 5, expected a string",
        "  line 3: question_typ is an unknown key; did you mean 'question_type'?",
        "  line 4: is a list, expected an object",
        "  line 5: is not JSON (at character 1: Expecting value)",
    ]
    path.write_text("")
    with pytest.raises(InputError, match="holds no question"):
        read_question_list(path)


def test_bundled_files_are_as_registered(checkout: Path) -> None:
    register = read_register(checkout / "datasets" / "register.toml")
    bundled = [dataset for dataset in register.datasets if dataset.path is not None]
    assert [dataset.name for dataset in bundled] == ["sample"]
    for dataset in bundled:
        assert dataset.path is not None
        assert dataset.path.stat().st_size == dataset.size
        assert sha256_of_file(dataset.path) == dataset.sha256
