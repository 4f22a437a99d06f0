"""Offline evaluation and replay of evidence selection.

The names of `harness.api` are names of this package too.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .api import *  # noqa: F403 (what it exports is declared there)
else:

    def __getattr__(name: str) -> object:
        api = import_module("harness.api")
        if name == "api":
            return api
        if name in api.__all__:
            return getattr(api, name)
        raise AttributeError(f"module 'harness' has no attribute {name!r}")
