"""The kind `command`: a program of one's own, a line of JSON in and a line out."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.errors import InputError, UsageError
from harness.readers.reader import Reader, ReaderDefinition, read_reader
from harness.readers.reply import Prompt, ReaderError, Reply, ReportedUsage

PROGRAM = """
import json, os, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    prompt = asked["prompt"]
    answer = {"answer": f"{prompt}, repeat {asked['repeat']}", "model": asked["model"],
              "usage": {"input": 3, "output": 1}}
    if prompt == "pid":
        answer = {"answer": str(os.getpid())}
    if prompt == "parameters":
        answer = {"answer": json.dumps(asked["parameters"])}
    if prompt == "die":
        print("out of memory", file=sys.stderr)
        sys.exit(3)
    if prompt == "sleep":
        time.sleep(20)
    if prompt == "long":
        answer = {"answer": "x" * 3000}
    if prompt == "busy":
        answer = {"error": "too busy", "momentary": True}
    if prompt == "no":
        answer = {"error": "not today"}
    if prompt == "both":
        answer = {"answer": "a", "error": "b"}
    if prompt == "text":
        print("hello", flush=True)
        continue
    if prompt == "another":
        answer["prompt_sha256"] = "0" * 64
    if prompt == "this":
        answer["prompt_sha256"] = asked["prompt_sha256"]
    if prompt == "two":
        print("{}")
    print(json.dumps(answer), flush=True)
    if prompt == "twice":
        time.sleep(0.02)
        print(json.dumps({"answer": "to what was asked before"}), flush=True)
    if prompt == "late":
        time.sleep(0.3)
        print(json.dumps({"answer": "to what was asked before"}), flush=True)
    if prompt == "once":
        break
"""

Define = Callable[..., ReaderDefinition]


@pytest.fixture
def define(tmp_path: Path) -> Define:
    def write(command: list[str] | None = None, parameters: str = "") -> ReaderDefinition:
        (tmp_path / "answer.py").write_text(PROGRAM)
        words = command or [sys.executable, "answer.py"]
        (tmp_path / "mine.toml").write_text(
            f'kind = "command"\nmodel = "mine-1"\ncommand = {json.dumps(words)}\n'
            f"[limits]\ndeadline_seconds = 10\nlargest_answer_bytes = 2000\n"
            f"[parameters]\n{parameters}\n"
        )
        return read_reader(str(tmp_path / "mine.toml"))

    return write


@contextmanager
def connected(definition: ReaderDefinition) -> Iterator[Reader]:
    reader = definition.connect()
    try:
        yield reader
    finally:
        reader.close()


def test_an_answer(define: Define) -> None:
    with connected(define(parameters='temperature = 0.5\nsystem = "Be brief."')) as reader:
        reply = reader.ask(Prompt("Whose is it?", 2))
        usage = ReportedUsage(input=3, output=1)
        assert reply == Reply("Whose is it?, repeat 2", None, "mine-1", usage)
        parameters = json.loads(reader.ask(Prompt("parameters")).text)
        assert parameters == {"temperature": 0.5, "system": "Be brief."}


def test_a_program_answers_many_and_is_ended(define: Define) -> None:
    with connected(define()) as reader:
        first, second = (int(reader.ask(Prompt("pid")).text) for _ in range(2))
        assert first == second
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


@pytest.mark.parametrize(
    ("prompt", "says", "momentary"),
    [
        ("die", "ended with exit code 3: out of memory", True),
        ("long", "printed a line of more than 2,000 bytes", False),
        ("text", "printed no answer: is not JSON (at character 1: Expecting value): hello", False),
        ("both", "printed no answer: answer or error must be there, and not both", False),
        ("two", "printed", False),
        ("twice", "printed more than one line", False),
        ("another", "printed an answer to another prompt", True),
        ("busy", ": too busy", True),
        ("no", ": not today", False),
    ],
)
def test_no_answer(prompt: str, says: str, momentary: bool, define: Define) -> None:
    with connected(define()) as reader:
        with pytest.raises(ReaderError) as raised:
            reader.ask(Prompt(prompt))
        assert raised.value.message.startswith("the reader's command ")
        assert says in raised.value.message
        assert raised.value.momentary is momentary
        # whatever it was, the next prompt has a program again
        assert reader.ask(Prompt("And now?")).text == "And now?, repeat 1"


def test_a_program_that_answers_once(define: Define) -> None:
    with connected(define()) as reader:
        assert reader.ask(Prompt("once")).text == "once, repeat 1"
        time.sleep(0.3)  # it ends after its answer, perhaps after the next prompt is written
        assert reader.ask(Prompt("once", 2)).text == "once, repeat 2"


def test_what_is_printed_after_an_answer_is_of_no_other_prompt(define: Define) -> None:
    with connected(define()) as reader:
        assert reader.ask(Prompt("late")).text == "late, repeat 1"
        time.sleep(1.5)
        assert reader.ask(Prompt("this")).text == "this, repeat 1"


def test_a_deadline(define: Define) -> None:
    definition = define()
    path = definition.path
    path.write_text(path.read_text().replace("deadline_seconds = 10", "deadline_seconds = 0.2"))
    with (
        connected(read_reader(str(path))) as reader,
        pytest.raises(ReaderError, match=r"took more than 0\.2 seconds") as raised,
    ):
        reader.ask(Prompt("sleep"))
    assert raised.value.momentary


def test_a_prompt_longer_than_a_pipe(define: Define) -> None:
    """The program reads it all before it answers, and what it prints is longer than is read."""
    with (
        connected(define()) as reader,
        pytest.raises(ReaderError, match="a line of more than 2,000 bytes"),
    ):
        reader.ask(Prompt("x" * 500_000))


def test_a_command_that_cannot_be_started(define: Define) -> None:
    with pytest.raises(UsageError, match=r"'\./nothing' cannot be started") as raised:
        define(["./nothing"]).connect()
    assert "it is run in the folder of that file" in raised.value.hint


def test_an_empty_command(define: Define) -> None:
    path = define().path
    words = json.dumps([sys.executable, "answer.py"])
    path.write_text(path.read_text().replace(words, "[]"))
    with pytest.raises(InputError, match="command is empty"):
        read_reader(str(path))


def test_the_identity_is_of_the_words_and_writes_none_of_them(define: Define) -> None:
    first = define([sys.executable, "answer.py", "--key=secret"])
    assert "secret" not in json.dumps(first.about)
    assert first.identity != define([sys.executable, "answer.py"]).identity
