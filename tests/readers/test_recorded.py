"""The kind `recorded`: answers from a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.errors import InputError
from harness.readers.reader import ReaderDefinition, read_reader
from harness.readers.reply import Prompt, ReaderError, Reply, ReportedUsage

Define = Callable[..., ReaderDefinition]


@pytest.fixture
def define(tmp_path: Path) -> Define:
    def write(*lines: Any) -> ReaderDefinition:
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / "answers.jsonl").write_text(text)
        path = tmp_path / "old.toml"
        path.write_text('kind = "recorded"\nmodel = "old-1"\nanswers = "answers.jsonl"\n')
        return read_reader(str(path))

    return write


def test_answers_by_prompt_or_hash(define: Define) -> None:
    usage = {"input": 4, "cached": None, "output": 2}
    reader = define(
        {"prompt": "Who?", "answer": "Ada", "usage": usage, "more": "is not read"},
        {"prompt_sha256": Prompt("Where?").sha256, "repeat": 2, "answer": "Lyon"},
        {"prompt": "When?", "error": "it was down"},
    ).connect()
    assert reader.ask(Prompt("Who?")) == Reply("Ada", usage=ReportedUsage(input=4, output=2))
    assert reader.ask(Prompt("Where?", 2)).text == "Lyon"
    with pytest.raises(ReaderError, match=r"has no answer to prompt [0-9a-f]{64}, repeat 1"):
        reader.ask(Prompt("Where?"))
    with pytest.raises(ReaderError, match="it was down"):
        reader.ask(Prompt("When?"))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"answer": "Ada"}, "line 2: prompt or prompt_sha256 must be there, and not both"),
        ({"prompt": "a"}, "line 2: answer or error must be there, and not both"),
        ({"prompt": "a", "answer": ""}, "line 2: answer is empty"),
        ({"prompt": "Who?", "answer": "Bea"}, "line 2: repeat 1 of its prompt is there already"),
        ({"prompt": "a", "answer": "b", "repeat": 0}, "line 2: repeat is 0, expected 1 or more"),
    ],
)
def test_a_file_that_is_wrong(line: dict[str, Any], says: str, define: Define) -> None:
    with pytest.raises(InputError, match=r"answers\.jsonl: 1 fault") as raised:
        define({"prompt": "Who?", "answer": "Ada"}, line).connect()
    assert says in str(raised.value)


def test_other_answers_are_another_reader(define: Define) -> None:
    first = define({"prompt": "Who?", "answer": "Ada"}).identity
    assert define({"prompt": "Who?", "answer": "Bea"}).identity != first


def test_a_file_that_is_not_there(define: Define, tmp_path: Path) -> None:
    path = define({"prompt": "Who?", "answer": "Ada"}).path
    (tmp_path / "answers.jsonl").unlink()
    with pytest.raises(InputError, match=r"cannot read .*answers\.jsonl"):
        read_reader(str(path))
