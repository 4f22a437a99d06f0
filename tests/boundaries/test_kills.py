"""Every command that writes is killed; a small part of that here, the whole by its own command."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence

import click
import pytest

from harness.cli.main import cli

from ..conftest import CHECKOUT
from .writing import WRITING

KILLS = 12
WRITES = {"--out", "--report", "--supersede", "--save-searches", "--yes"}
"""Options of a command that writes."""


def commands(command: click.Command, names: Sequence[str] = ()) -> Iterator[str]:
    """Every command that writes, as it is called."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, [*names, name])
    elif any(WRITES.intersection(option.opts) for option in command.params):
        yield " ".join(names)


@pytest.mark.parametrize("command", list(commands(cli)))
def test_every_command_that_writes_is_killed(command: str) -> None:
    assert any(writing.command.startswith(f"{command} ") for writing in WRITING)


def test_killed_commands_come_to_the_same_bytes() -> None:
    """In a process of its own, which forks and so may have no other threads."""
    step = str(len(WRITING) // KILLS)
    command = [sys.executable, "-m", "tests.boundaries.kills", "--count", str(KILLS)]
    finished = subprocess.run(
        [*command, "--step", step], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert f"{KILLS} kills" in finished.stdout
