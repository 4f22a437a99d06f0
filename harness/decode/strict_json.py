"""JSON that is what it says: one value, no key twice, no NaN."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from harness.errors import Faults


def decode(text: str) -> Any:
    """Return the value of a JSON text.

    Raises `ValueError` with a message that names the place: for what is not JSON, for anything
    after the value, for a key that an object has twice, and for numbers that JSON does not have.
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        if error.msg == "Extra data":
            raise ValueError(f"has more after its JSON value ends ({place})") from error
        raise ValueError(f"is not JSON ({place}: {error.msg})") from error
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error


def read_json(path: Path, unreadable: Faults) -> Any:
    """Read the value of a JSON file; None after noting in `unreadable` why it cannot be had."""
    text = read_text(path, unreadable)
    if text is None:
        return None
    try:
        return decode(text)
    except ValueError as error:
        unreadable.add(f"{path.name} {error}")
        return None


def read_text(path: Path, unreadable: Faults) -> str | None:
    """Read the text of a UTF-8 file, line breaks as they are; None after noting what is wrong."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        unreadable.add(f"{path.name} is missing")
    except OSError as error:
        unreadable.add(f"{path.name} cannot be read ({error.strerror})")
    except UnicodeDecodeError as error:
        unreadable.add(f"{path.name} is not UTF-8 (byte {error.start + 1}: {error.reason})")
    return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in value if keys.count(key) > 1)
        raise ValueError(f"has the key {twice!r} twice in one object")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"holds {name}, which JSON does not have")
