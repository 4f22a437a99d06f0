"""Recalls by name, from the entry points of every installed package."""

from __future__ import annotations

from importlib.metadata import entry_points

from harness.errors import UsageError, listed, nearest

from .protocol import Recall

GROUP = "harness.recalls"


def recall_names() -> list[str]:
    """The names of the installed recalls, sorted; nothing is imported."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def load_recall(name: str) -> Recall:
    """The installed recall of that name; raises `UsageError` with the nearest name and the list."""
    known = {point.name: point for point in entry_points(group=GROUP)}
    if name not in known:
        raise UsageError(
            f"no recall {name!r}{nearest(name, known)}",
            f"Installed: {listed(sorted(known)) or 'none'}.",
        )
    try:
        recall = known[name].load()
    except ImportError as error:
        raise UsageError(
            f"the recall {name!r} cannot be imported ({error})",
            f"Install what {known[name].value} needs.",
        ) from error
    if not isinstance(recall, Recall):
        raise UsageError(
            f"the recall {name!r} of {known[name].value} is {type(recall).__name__}, "
            "which lacks name, needs_user_turn_vectors, fingerprint or window",
            "Its entry point must name an object as harness.retrieval.recalls.Recall describes.",
        )
    return recall
