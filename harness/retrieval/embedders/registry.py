"""Embedders by name, from the entry points of every installed package."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points

from harness.errors import UsageError, listed, nearest

from .protocol import Embedder

GROUP = "harness.embedders"


def embedder_names() -> list[str]:
    """The names of the installed embedders, sorted; nothing is imported."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def load_embedder(name: str, options: Mapping[str, str]) -> Embedder:
    """The installed embedder of that name with these options.

    Raises `UsageError` for an unknown name or option, and when the packages it needs are missing.
    """
    known = {point.name: point for point in entry_points(group=GROUP)}
    if name not in known:
        raise UsageError(
            f"no embedder {name!r}{nearest(name, known)}",
            f"Installed: {listed(sorted(known)) or 'none'}.",
        )
    try:
        embedder = known[name].load()(options)
    except ImportError as error:
        raise UsageError(
            f"the embedder {name!r} cannot be imported ({error})",
            f"Install what {known[name].value} needs.",
        ) from error
    if not isinstance(embedder, Embedder):
        raise UsageError(
            f"the embedder {name!r} of {known[name].value} is {type(embedder).__name__}, "
            "which lacks name, dimension, licence, fingerprint or embed",
            "Its entry point must name a function that returns a harness.retrieval.embedders.Embedder.",
        )
    return embedder


def check_options(embedder: str, options: Mapping[str, str], known: Mapping[str, str]) -> None:
    """Refuse options that are not in `known` (name to meaning), all of them together."""
    unknown = [option for option in options if option not in known]
    if not unknown:
        return
    names = ", ".join(f"{option!r}{nearest(option, known)}" for option in unknown)
    meanings = "; ".join(f"{option}: {meaning}" for option, meaning in known.items())
    raise UsageError(
        f"the embedder {embedder} has no option {names}", f"It takes {meanings or 'no options'}."
    )
