"""Filling a new store through the published package's own server, for tests and measurements."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .server import Call

_QUEUE_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Message:
    """A memory to store: its id (unique in the agent's memory), text, ISO 8601 time and speaker."""

    message_id: str
    text: str
    timestamp: str
    speaker: str


async def store_messages(call: Call, agent_id: str, messages: Iterable[Message]) -> None:
    """Store the messages and wait until the server has built their blocks."""
    for message in messages:
        await call("store", {"agent_id": agent_id, "message": _argument(message)})
    await drained(call)


async def drained(call: Call) -> None:
    """Wait until the server has no task left."""
    while (await call("get_queue_status", {})).get("pending"):
        await asyncio.sleep(_QUEUE_SECONDS)


def _argument(message: Message) -> dict[str, Any]:
    return {
        "id": message.message_id,
        "content": message.text,
        "timestamp": message.timestamp,
        "source": {"type": "User", "id": message.speaker, "name": ""},
    }
