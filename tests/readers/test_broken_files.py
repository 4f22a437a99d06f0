"""Whatever a file, a service or a program holds, it ends in a message."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.errors import HarnessError
from harness.readers.chat import reply_of, said
from harness.readers.command import answer_of
from harness.readers.entry import AnswerEntry, AnswerKey
from harness.readers.reader import read_reader
from harness.readers.reply import Prompt, ReaderError, Reply
from harness.readers.store import FILE, AnswerStore

from ..boundaries.fuzz import mutated
from .faulty_server import MODEL, completion

TIMES = 150
PROMPT = Prompt("Who lives in Lyon?")


def broken(data: bytes, name: str, times: int = TIMES) -> Iterator[bytes]:
    for number in range(times):
        yield mutated(data, random.Random(number), name)


def refused(call: Callable[[], object]) -> bool:
    """Whether the call ended in a message; nothing else may be raised."""
    try:
        call()
    except HarnessError as error:
        return bool(str(error))
    return False


@pytest.mark.parametrize("example", ["openai.toml", "local-reader.toml"])
def test_a_reader_s_file(example: str, checkout: Path, tmp_path: Path) -> None:
    path = tmp_path / "reader.toml"
    whole = (checkout / "examples" / example).read_bytes()
    ended = []
    for data in broken(whole, path.name):
        path.write_bytes(data)
        ended.append(refused(lambda: read_reader(str(path)).connect().close()))
    assert any(ended)
    assert not all(ended)


def test_a_file_of_answers(tmp_path: Path) -> None:
    path = tmp_path / "reader.toml"
    path.write_text('kind = "recorded"\nmodel = "m"\nanswers = "answers.jsonl"\n')
    lines = [{"prompt": f"question {number}", "answer": "so"} for number in range(3)]
    whole = "".join(json.dumps(line) + "\n" for line in lines).encode()
    ended = []
    for data in broken(whole, "answers.jsonl"):
        (tmp_path / "answers.jsonl").write_bytes(data)
        ended.append(refused(lambda: read_reader(str(path)).connect()))
    assert any(ended)


def test_a_response() -> None:
    whole = json.dumps(completion(PROMPT.text)).encode()
    answered = 0
    for data in broken(whole, "response.json", 1500):
        with contextlib.suppress(ReaderError):
            reply = reply_of(data, MODEL, None)
            assert isinstance(reply, Reply)
            assert reply.text.strip()
            answered += 1
        assert isinstance(said(data), str)
    assert 0 < answered < 1500


def test_a_line_of_a_program() -> None:
    line = {"answer": "so", "usage": {"input": 3}, "prompt_sha256": PROMPT.sha256}
    for data in broken(json.dumps(line).encode(), "line.json"):
        with contextlib.suppress(ReaderError):
            assert answer_of(data, PROMPT).answer != ""


def test_a_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with AnswerStore(tmp_path / "whole") as store:
        store.register("ab" * 32, {"model": "m"})
        for number in range(20):
            key = AnswerKey("ab" * 32, Prompt(f"question {number}").sha256)
            store.put(key, AnswerEntry(answer="so" * 50, time="2026-01-01"))
    whole = (tmp_path / "whole" / FILE).read_bytes()
    codes = set()
    for number, data in enumerate(broken(whole, FILE.replace(".sqlite", ".db"), 40)):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / FILE).write_bytes(data)
        codes.add(run(["answers", "export", str(folder)]))
        assert "Traceback" not in capsys.readouterr().err
    assert codes == {0, 2}
