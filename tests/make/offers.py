"""What installed packages would offer by entry point, for tests of plug-ins."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import TypeVar

import pytest

from harness.registry import Registry

Entry = TypeVar("Entry")


def offer(patch: pytest.MonkeyPatch, registry: Registry[Entry], **values: str | Entry) -> None:
    """Install more entries until the test ends: under each name the entry point `module:object`,
    or an entry itself, as if it were loaded already."""
    registry.names()
    offers = dict(registry._offers or {})
    loaded = dict(registry._loaded)
    for name, value in values.items():
        spelled = value if isinstance(value, str) else f"tests:{name}"
        offers[name] = EntryPoint(name, spelled, registry.group)
        if not isinstance(value, str):
            loaded[name] = value
    patch.setattr(registry, "_offers", offers)
    patch.setattr(registry, "_loaded", loaded)
