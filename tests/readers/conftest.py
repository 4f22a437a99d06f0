"""A faulty server, readers' files that lead to it, and prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.readers.prompts import PromptSpool
from harness.readers.reader import ReaderDefinition, read_reader

from .faulty_server import MODEL, FaultyServer, faulty_server

Define = Callable[..., ReaderDefinition]

LIMITS = """
[limits]
concurrency = 4
deadline_seconds = {deadline}
attempts = {attempts}
pause_seconds = 0.01
stop_after = {stop_after}
{more_limits}
[parameters]
temperature = 0
max_tokens = 50
{parameters}
"""


@pytest.fixture
def server() -> Iterator[FaultyServer]:
    with faulty_server() as running:
        yield running


@pytest.fixture
def define(tmp_path: Path, server: FaultyServer) -> Define:
    """Writes a reader's file for the server, and reads it."""

    def write(
        head: str = "",
        *,
        name: str = "reader",
        deadline: float = 5,
        attempts: int = 5,
        stop_after: int = 10,
        more_limits: str = "",
        parameters: str = "",
    ) -> ReaderDefinition:
        limits = LIMITS.format(
            deadline=deadline,
            attempts=attempts,
            stop_after=stop_after,
            more_limits=more_limits,
            parameters=parameters,
        )
        path = tmp_path / f"{name}.toml"
        path.write_text(
            f'kind = "openai"\nmodel = "{MODEL}"\nbase_url = "{server.url}"\n{head}\n{limits}'
        )
        return read_reader(str(path))

    return write


@pytest.fixture
def spool() -> Iterator[PromptSpool]:
    with PromptSpool() as prompts:
        yield prompts
