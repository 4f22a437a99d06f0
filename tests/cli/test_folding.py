"""Help is 80 wide, whatever the examples of a verb are."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import pytest

from harness.cli.folding import FoldingFormatter
from harness.cli.main import cli


def helps(
    command: click.Command, parent: click.Context | None, name: str
) -> Iterator[tuple[str, str]]:
    context = click.Context(command, parent, info_name=name)
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from helps(found, context, inner)


def test_no_line_of_help_is_wider_than_80(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    wide = [
        (path, line)
        for path, text in helps(cli, None, "harness")
        for line in text.split("\n")
        if len(line) > 80
    ]
    assert wide == []


def test_an_example_is_the_same_command_when_it_is_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    def commands() -> list[list[str]]:
        text = "\n".join(text for _, text in helps(cli, None, "harness"))
        joined = re.sub(r" \\\n\s*", " ", text)
        lines = [
            line.split(" #")[0] for line in joined.split("\n") if line.startswith("    harness ")
        ]
        return [shlex.split(line) for line in lines]

    monkeypatch.setenv("COLUMNS", "80")
    folded_commands = commands()
    monkeypatch.setattr(FoldingFormatter, "getvalue", click.HelpFormatter.getvalue)
    assert commands() == folded_commands
    assert len(folded_commands) > 100


def folded(text: str, width: int = 40) -> list[str]:
    formatter = FoldingFormatter(width=width)
    formatter.write(text)
    return formatter.getvalue().split("\n")


def test_a_command_goes_on_after_a_backslash_before_an_option() -> None:
    assert folded("  harness replay REC --out RUN --point 'a(b=1, c=2)' --quiet") == [
        "  harness replay REC --out RUN \\",
        "      --point 'a(b=1, c=2)' --quiet",
    ]
    assert folded("  harness x --out RUN  # where nobody would look for it") == [
        "  harness x --out RUN",
        "  # where nobody would look for it",
    ]


def test_a_second_column_and_a_numbered_line_keep_their_place() -> None:
    assert folded("  cut off    its record is quoted, and the\n             turn is not") == [
        "  cut off    its record is quoted, and",
        "             the turn is not",
    ]
    assert folded("  1. Everything that must hold is checked\n     first.") == [
        "  1. Everything that must hold is",
        "     checked first.",
    ]


def test_choices_break_after_a_bar() -> None:
    assert folded("  --warning [one-of-them|another-one|a-third]") == [
        "  --warning [one-of-them|another-one|",
        "      a-third]",
    ]
