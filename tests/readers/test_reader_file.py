"""A reader's file: what it says, what is wrong with it, and what its identity is of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import HarnessError, InputError, UsageError
from harness.readers.reader import READERS, ReaderDefinition, read_reader

FILE = """
kind = "openai"
model = "made-up-1"
base_url = "http://127.0.0.1:8080/v1/"
{more}
[parameters]
temperature = {temperature}
max_tokens = 200
{parameters}
[limits]
{limits}
[price]
input = 0.4
output = 1.6
"""
Define = Callable[..., ReaderDefinition]


@pytest.fixture
def define(tmp_path: Path) -> Define:
    def write(name: str = "mine", **parts: str) -> ReaderDefinition:
        lines = {"more": "", "temperature": "0", "parameters": "", "limits": "", **parts}
        path = tmp_path / f"{name}.toml"
        path.write_text(FILE.format(**lines), encoding="utf-8")
        return read_reader(str(path))

    return write


def test_the_identity_by_hand(define: Define, tmp_path: Path) -> None:
    (tmp_path / "prompt.txt").write_text("{context} {question}")
    reader = define(more='template = "prompt.txt"')
    template = hashlib.sha256(b"{context} {question}").hexdigest()
    text = (
        '{"kind":"openai","model":"made-up-1","parameters":{"max_tokens":200,"temperature":0.0},'
        '"source":"http://127.0.0.1:8080/v1/chat/completions","template":"' + template + '",'
        '"version":1}'
    )
    assert json.loads(text) == reader.about
    assert reader.identity == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "parts",
    [
        {"name": "another name"},
        {"limits": "concurrency = 1\nrequests_per_minute = 5\ndeadline_seconds = 0.5"},
        {"more": 'key = "MINE"'},
        {"more": 'encoding = "cl100k_base"'},
        {"more": 'answers_as = "made-up-1-2025-04-14"'},
        {"more": 'proxy = "http://127.0.0.1:3128"'},
        {"temperature": "0.0"},
    ],
)
def test_what_is_no_part_of_it(parts: dict[str, str], define: Define) -> None:
    assert define(**parts).identity == define().identity


@pytest.mark.parametrize(
    "parts",
    [
        {"temperature": "0.1"},
        {"parameters": "top_p = 1"},
        {"parameters": "seed = 0"},
        {"parameters": 'system = "Be brief."'},
        {"parameters": "[parameters.more]\nlogprobs = true"},
        {"more": 'api_version = "2024-10-21"'},
    ],
)
def test_what_is_a_part_of_it(parts: dict[str, str], define: Define) -> None:
    assert define(**parts).identity != define().identity


def test_prices_are_no_part_of_it(define: Define) -> None:
    first = define()
    text = first.path.read_text()
    first.path.write_text(text[: text.index("[price]")])
    assert read_reader(str(first.path)).identity == first.identity


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"temperature": '"hot"'}, "parameters.temperature is the string 'hot', expected a number"),
        ({"parameters": "max_token = 3"}, "max_token is an unknown key; did you mean 'max_tokens'"),
        ({"limits": "concurrency = 0"}, "limits.concurrency is 0, expected 1 or more"),
        ({"limits": "deadline_seconds = 0"}, "limits.deadline_seconds is the number 0, expected"),
        ({"limits": "attempts = 1.5"}, "limits.attempts is the number 1.5, expected a whole"),
        ({"parameters": "[parameters.more]\nday = 2024-01-01"}, "which JSON does not have"),
        ({"more": "[price2]"}, "price2 is an unknown key"),
    ],
)
def test_a_file_that_is_wrong(parts: dict[str, str], says: str, define: Define) -> None:
    with pytest.raises(InputError, match="fault") as raised:
        define(**parts)
    assert says in str(raised.value)
    assert "docs/formats/readers.md" in str(raised.value)


@pytest.mark.parametrize(
    ("price", "says"),
    [
        ("-1", "price.input is the number -1, expected 0 to 1000000"),
        ("0.1234567", "with at most 6 decimals"),
        ("true", "price.input is true, expected a price per million tokens"),
    ],
)
def test_a_price_that_is_wrong(price: str, says: str, define: Define) -> None:
    path = define().path
    path.write_text(path.read_text().replace("input = 0.4", f"input = {price}"))
    with pytest.raises(InputError) as raised:
        read_reader(str(path))
    assert says in str(raised.value)


def test_a_template_that_is_not_there(define: Define) -> None:
    with pytest.raises(InputError, match=r"cannot read the template .*prompt\.txt"):
        define(more='template = "prompt.txt"')


def test_a_reader_by_name(define: Define, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "readers").mkdir()
    define().path.rename(tmp_path / "readers" / "mine.toml")
    assert read_reader("mine").name == "mine"
    with pytest.raises(UsageError, match=r"no reader 'mien'; did you mean 'mine'\?"):
        read_reader("mien")
    with pytest.raises(InputError, match=r"cannot read other\.toml"):
        read_reader("other.toml")


def test_kinds(tmp_path: Path) -> None:
    assert {"openai", "command", "recorded"} <= set(READERS.names())
    path = tmp_path / "reader.toml"
    path.write_text('kind = "opnai"\nmodel = "m"\n')
    with pytest.raises(UsageError, match=r"no kind of reader 'opnai'; did you mean 'openai'\?"):
        read_reader(str(path))
    path.write_text('model = "m"\n')
    with pytest.raises(HarnessError, match="kind is missing"):
        read_reader(str(path))
