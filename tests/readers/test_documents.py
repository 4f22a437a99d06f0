"""What `docs/formats/readers.md` says is what the code does, and the examples can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from harness.grading.answer_set import AnswerSet, PromptedQuestion
from harness.readers.command import CommandFile, ProgramAnswer
from harness.readers.entry import AnswerEntry
from harness.readers.openai import OpenAiFile
from harness.readers.reader import Price, ReaderFile, ReaderLimits, ReaderParameters, read_reader
from harness.readers.recorded import RecordedAnswer, RecordedFile


@pytest.fixture
def page(checkout: Path) -> str:
    return (checkout / "docs" / "formats" / "readers.md").read_text("utf-8")


def section(page: str, heading: str) -> str:
    return page.split(f"\n{heading}\n", 1)[1].split("\n## ")[0].split("\n### ")[0]


def keys(text: str) -> Iterator[tuple[str, str]]:
    """Each key of the tables of a section, with the last cell of its row."""
    for row in re.findall(r"^\| `.*\|$", text, re.MULTILINE):
        first, *_, last = (cell.strip() for cell in row.strip("|").split("|"))
        yield from ((key, last) for key in re.findall(r"`(\w+)`", first))


def own(kind: type[Any]) -> set[str]:
    """The keys that a kind adds to those of every reader's file."""
    return {each.name for each in fields(kind)} - {each.name for each in fields(ReaderFile)}


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("### `parameters`", ReaderParameters),
        ("### `limits`", ReaderLimits),
        ("### `price`", Price),
    ],
)
def test_tables_of_a_reader_s_file(heading: str, kind: type[Any], page: str) -> None:
    described = dict(keys(section(page, heading)))
    assert set(described) == {each.name for each in fields(kind)}
    for each in fields(kind):
        if isinstance(each.default, int | float):
            assert described[each.name] == f"{each.default:g}".replace("4.1943e+06", "4194304")
        elif each.default is MISSING and each.default_factory is MISSING:
            assert described[each.name] == "required"


def test_keys_of_a_reader_s_file(page: str) -> None:
    described = {key for key, _ in keys(section(page, "## A reader's file"))}
    assert described == {each.name for each in fields(ReaderFile)} - {
        "parameters",
        "limits",
        "price",
    }
    assert {key for key, _ in keys(section(page, "## `openai`"))} == own(OpenAiFile)
    for heading, kind in (("## `command`", CommandFile), ("## `recorded`", RecordedFile)):
        (name,) = own(kind)
        assert f"`{name}` is " in section(page, heading)


def test_keys_of_lines(page: str) -> None:
    command = section(page, "## `command`")
    printed = command[command.index("| key of the line it prints") :]
    assert {key for key, _ in keys(printed)} == {each.name for each in fields(ProgramAnswer)}
    recorded = {key for key, _ in keys(section(page, "## `recorded`"))}
    assert recorded == {each.name for each in fields(RecordedAnswer)}


def test_keys_of_a_store_and_a_set(page: str) -> None:
    place = {"reader", "prompt_sha256", "repeat"}
    entry = {key for key, _ in keys(section(page, "## The store of answers"))}
    assert entry == place | {each.name for each in fields(AnswerEntry)}
    of_set = section(page, "## A set of answers: `harness.answers/1`")
    described = {key for key, _ in keys(of_set)}
    assert described == {each.name for each in fields(AnswerSet)} - {"path"}
    assert [each.name for each in fields(PromptedQuestion) if f"`{each.name}`" not in of_set] == []


def test_examples_can_be_read(checkout: Path) -> None:
    readers = sorted((checkout / "examples").glob("*.toml"))
    assert {"openai.toml", "local-reader.toml"} <= {path.name for path in readers}
    for path in readers:
        assert read_reader(str(path)).file.kind == "openai"
