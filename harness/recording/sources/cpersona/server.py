"""The published package, run as a server of its own over standard input and output.

It is a black box: a process of this interpreter that is told its settings by its own environment,
and answers the tools that its documentation names. Needs the extra `parity`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, TypeVar

from harness.errors import HarnessError, InputError, UsageError

PACKAGE = "cpersona"
ANSWER_SECONDS = 300
_LOG_SHOWN = 3
_PASSED_ON = ("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "SYSTEMROOT")
# A server that calibrates, builds blocks or looks for updates answers differently while it does.
_STEADY = {
    "CPERSONA_UPDATE_CHECK": "false",
    "CPERSONA_AUTO_CALIBRATE": "false",
    "CPERSONA_CALIBRATE_ON_MODEL_CHANGE": "false",
}

Call = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]
"""Calls a tool by name with its arguments; gives the JSON object that it answers."""

Result = TypeVar("Result")


def require_package() -> None:
    """Raise `UsageError` unless the published package is installed beside the harness."""
    missing = [name for name in (PACKAGE, "mcp") if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the published package is asked, but {missing[0]} is not installed",
            "Install the extra: pip install 'evidence-harness[parity]'.",
        )


def run_server(
    store: Path, settings: Mapping[str, str], work: Callable[[Call], Awaitable[Result]]
) -> Result:
    """Run a server on the file `store` with these settings, and `work` with it; give its result.

    Raises `HarnessError` when the server does not start, ends early or refuses a call, and what
    `work` raises of that kind.
    """
    require_package()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        outcome = asyncio.run(_run(store, settings, work, log))
        if isinstance(outcome, HarnessError):
            raise outcome
        if isinstance(outcome, _Failure):
            raise InputError(f"the server of {store.name} {outcome.what}{_last_lines(log)}")
    return outcome


class _Failure:
    """What went wrong between the harness and the server."""

    def __init__(self, what: str) -> None:
        self.what = what


async def _run(
    store: Path,
    settings: Mapping[str, str],
    work: Callable[[Call], Awaitable[Result]],
    log: IO[str],
) -> Result | HarnessError | _Failure:
    """Return errors too: raised in here they would come out wrapped in groups."""
    from mcp import ClientSession, McpError, StdioServerParameters
    from mcp.client.stdio import stdio_client

    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    process = StdioServerParameters(
        command=sys.executable,
        args=["-m", PACKAGE],
        env={**passed_on, **_STEADY, **settings, "CPERSONA_DB_PATH": str(store.absolute())},
    )
    async with (
        stdio_client(process, errlog=log) as streams,
        ClientSession(*streams, read_timeout_seconds=timedelta(seconds=ANSWER_SECONDS)) as session,
    ):

        async def call(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
            answer = await session.call_tool(tool, dict(arguments))
            return _decoded(tool, "".join(part.text for part in answer.content))

        try:
            await session.initialize()
            return await work(call)
        except HarnessError as error:
            return error
        except McpError as error:
            return _Failure(f"does not answer ({error})")


def _decoded(tool: str, text: str) -> dict[str, Any]:
    try:
        answer = json.loads(text)
    except ValueError:
        answer = {"error": text}
    if not isinstance(answer, dict) or answer.get("ok") is False or "error" in answer:
        raise InputError(f"the server refused {tool}: {text[:200]}")
    return answer


def _last_lines(log: IO[str]) -> str:
    log.seek(0)
    lines = [line.rstrip() for line in log if line.strip()]
    return "".join(f"\n  {line}" for line in lines[-_LOG_SHOWN:])
