"""Keys of services: read from the environment variable that a file or an option names, and never
written."""

from __future__ import annotations

import os

from harness.errors import UsageError


def key_of(variable: str, otherwise: str) -> str:
    """Return the key in an environment variable; `otherwise` says what to do without one.

    Raises `UsageError` where it is not set, or holds what no header can.
    """
    key = os.environ.get(variable)
    if not key:
        raise UsageError(
            f"the environment variable {variable}, which should hold the key, is not set",
            f"Set it, or {otherwise}.",
        )
    if not key.isascii() or not key.isprintable():
        raise UsageError(f"the key in {variable} is not printable ASCII", "Set it again.")
    return key


def is_set(variable: str) -> bool:
    """Return whether an environment variable holds something."""
    return bool(os.environ.get(variable))
