"""Recalls by name, from the entry points of every installed package."""

from __future__ import annotations

from harness.registry import Registry, lacks

from .protocol import Recall

RECALLS: Registry[Recall] = Registry(
    "harness.recalls",
    lacks(Recall, "name", "needs_user_turn_vectors", "fingerprint", "window"),
    "recall",
    wanted="an object as harness.recalls.Recall describes",
)


def recall_names() -> list[str]:
    """List the names of the installed recalls, sorted; import nothing."""
    return RECALLS.names()


def load_recall(name: str) -> Recall:
    """Load the recall of that name; raises `UsageError` with the nearest name and the list."""
    return RECALLS.load(name)
