"""A few short prompts through the small language model that `make local-reader` serves."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from harness.readers.reader import read_reader
from harness.readers.reply import Prompt, ReaderError, Reply

from ..make.local_reader import local_reader, needed, reader_file

pytestmark = pytest.mark.reader
PROMPTS = ("What is the capital of France?", "My dog is called Biscuit. What is my dog called?")


def replies(checkout: Path, folder: Path) -> list[Reply]:
    """What a server that is started for it replies, to each prompt twice."""
    with local_reader(checkout) as port:
        reader = read_reader(str(reader_file(checkout, folder, port))).connect()
        try:
            return [reader.ask(Prompt(text)) for text in (*PROMPTS, *PROMPTS)]
        finally:
            reader.close()


def test_replies_are_the_same_again_and_after_a_restart(checkout: Path, tmp_path: Path) -> None:
    first, second = replies(checkout, tmp_path), replies(checkout, tmp_path)
    said = [reply.text for reply in first]
    assert said[:2] == said[2:] == [reply.text for reply in second][:2]
    assert all(text.strip() for text in said)
    for reply in first:
        assert reply.model == "SmolLM2-135M-Instruct"
        assert reply.finish_reason in ("stop", "length")
        assert reply.usage.input is not None
        assert reply.usage.output is not None
        assert 10 < reply.usage.input < 100
        assert 0 < reply.usage.output <= 24


def test_a_prompt_that_is_too_long_is_an_error(checkout: Path, tmp_path: Path) -> None:
    with local_reader(checkout) as port:
        reader = read_reader(str(reader_file(checkout, tmp_path, port))).connect()
        with pytest.raises(ReaderError) as raised:
            reader.ask(Prompt("word " * 20_000))
        assert not raised.value.momentary
        assert reader.ask(Prompt(PROMPTS[0])).text
        reader.close()


def test_it_ends_with_whoever_started_it(checkout: Path) -> None:
    needed()
    words = [sys.executable, str(checkout / "examples/local_reader.py"), "--port", "0"]
    process = subprocess.Popen(
        [*words, "--with-parent"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    port = int(process.stdout.readline().split(":")[2].split("/")[0])
    process.stdin.close()
    assert process.wait(30) == 0
    with socket.socket() as connection:
        assert connection.connect_ex(("127.0.0.1", port)) != 0


def test_ctrl_c_and_sigterm_end_it(checkout: Path) -> None:
    with local_reader(checkout) as port:
        assert port > 0
    # the block's end waits for the process, which would hang if the server were taken apart


def test_what_is_missing_is_named(checkout: Path, tmp_path: Path) -> None:
    """Without its packages it says how to get them."""
    script = checkout / "examples/local_reader.py"
    finished = subprocess.run(
        [sys.executable, "-S", "-E", str(script)], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 1
    assert finished.stderr == "xllamacpp is not installed. Set it up with: make local-reader\n"
