"""Every command that the documentation shows is one that the command line understands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import click
import pytest

from harness.cli.main import cli, run

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def pages(checkout: Path) -> list[Path]:
    return [
        checkout / "README.md",
        checkout / "CONTRIBUTING.md",
        *sorted((checkout / "docs").rglob("*.md")),
        *sorted((checkout / "examples").rglob("*.md")),
        *sorted((checkout / "datasets").rglob("README.md")),
    ]


def commands(page: Path) -> Iterator[list[str]]:
    """The words after `harness` of each command in the code blocks of a page."""
    for language, block in BLOCK.findall(page.read_text("utf-8")):
        if language not in ("", "sh"):
            continue
        for line in block.replace("\\\n", " ").splitlines():
            for part in re.split(r"\s\|\s(?!\w+\])", line.removeprefix("$ ")):
                if part.startswith("harness "):
                    yield shlex.split(part, comments=True)[1:]


def faults(words: list[str]) -> Iterator[str]:
    command: click.Command = cli
    context = click.Context(cli)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        inner = command.get_command(context, words[0])
        if inner is None:
            yield f"no verb {words[0]}"
            return
        command, words = inner, words[1:]
    known = {
        name: parameter
        for parameter in command.get_params(context)
        for name in (*parameter.opts, *parameter.secondary_opts)
    }
    for word in words:
        if word.startswith("-") and word != "-" and word not in known:
            yield f"no option {word}"
    for option, value in pairwise(words):
        choices = getattr(getattr(known.get(option), "type", None), "choices", None)
        if choices and value not in choices and value.lower() == value and value.isascii():
            yield f"{option} does not take {value}"


@pytest.mark.parametrize("name", ["README.md", "docs", "examples", "datasets"])
def test_documented_commands_are_understood(name: str, checkout: Path) -> None:
    wrong = [
        f"{page.relative_to(checkout)}: harness {' '.join(words)}: {fault}"
        for page in pages(checkout)
        if page.relative_to(checkout).parts[0] == name
        for words in commands(page)
        for fault in faults(words)
    ]
    assert wrong == []


def test_commands_are_looked_at(checkout: Path) -> None:
    shown = [words for page in pages(checkout) for words in commands(page)]
    assert len(shown) > 70
    assert list(faults(["replay", "REC", "--outt", "RUN"])) == ["no option --outt"]
    assert list(faults(["grades", "import", "F", "--format", "cvs"])) == [
        "--format does not take cvs"
    ]
    assert list(faults(["replya"])) == ["no verb replya"]


def test_the_readme_shows_what_is_printed(
    checkout: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The first block of the README: a command, and its output up to where it is cut."""
    _, block = BLOCK.findall((checkout / "README.md").read_text("utf-8"))[0]
    command, _, output = block.replace("\\\n", " ").partition("\n")
    words = shlex.split(command)[2:]
    points = [value for option, value in pairwise(words) if option == "-p"]
    monkeypatch.chdir(tmp_path)
    spelled = [part for point in points for part in ("-p", point)]
    sample = str(checkout / "datasets/sample/recording")
    assert run(["replay", sample, "--out", "build/run", "--quiet", *spelled]) == 0
    capsys.readouterr()
    assert run(words) == 0
    assert capsys.readouterr().out.startswith(output.removesuffix("…\n"))
