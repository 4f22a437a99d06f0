"""Embedders by name, from the entry points of every installed package."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.errors import UsageError, nearest
from harness.registry import Registry, lacks

from .protocol import Embedder

_FACTORY = "a function that returns a harness.embedders.Embedder"
_fault_of = lacks(Embedder, "name", "dimension", "licence", "fingerprint", "embed")

EMBEDDERS: Registry[Callable[[Mapping[str, str]], Embedder]] = Registry(
    "harness.embedders",
    lambda loaded: "" if callable(loaded) else f"is {type(loaded).__name__}, not a function",
    "embedder",
    wanted=_FACTORY,
)


def embedder_names() -> list[str]:
    """List the names of the installed embedders, sorted; import nothing."""
    return EMBEDDERS.names()


def load_embedder(name: str, options: Mapping[str, str]) -> Embedder:
    """Load the embedder of that name and create it with these options.

    Raises `UsageError` for an unknown name or option, and when the packages it needs are missing.
    """
    create = EMBEDDERS.load(name)
    where = f"the embedder {name!r} of {EMBEDDERS.source(name)}"
    try:
        embedder = create(options)
    except ImportError as error:
        raise UsageError(f"{where} cannot be made ({error})", "Install what it needs.") from error
    fault = _fault_of(embedder)
    if fault:
        raise UsageError(f"{where} {fault}", f"Its entry point must name {_FACTORY}.")
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
