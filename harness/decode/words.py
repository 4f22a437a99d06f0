"""How messages name a value and its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MOST_SHOWN = 60
NO_NAME = "''"
"""How the empty key is spelled."""
LONE_SURROGATE = "holds a lone surrogate, which is not Unicode text"

Path = tuple[str | int, ...]
PathFault = tuple[Path, str]
"""Where, and what is wrong there: the words that follow the path."""


class FieldError(ValueError):
    """What is wrong with an object, by key; raised where its type checks itself.

    `FieldError(key, message)` for one fault, `FieldError(faults=…)` for several. The message
    follows the key: ``end is 3, expected more than 5``. An empty key is the object itself.
    """

    def __init__(
        self, key: str = "", message: str = "", *, faults: Sequence[PathFault] = ()
    ) -> None:
        own: PathFault = ((key,) if key else (), message)
        self.faults: tuple[PathFault, ...] = tuple(faults) or (own,)
        super().__init__("; ".join(sentence(*fault) for fault in self.faults))


def sentence(path: Path, message: str, at: str = "") -> str:
    """Return `message` after its path, such as ``records[0].text is missing``; `at` comes first."""
    place = spelled(path, at)
    if message.startswith(":"):  # a sentence of its own
        return f"{place}{message}" if place else message[1:].lstrip()
    return f"{place} {message}".lstrip()


def spelled(path: Path, at: str = "") -> str:
    """Return a path as messages spell it, such as ``records[0].text``, after the place `at`."""
    place = at
    for step in path:
        if isinstance(step, int):
            place += f"[{step}]"
        else:
            place += f".{step or NO_NAME}" if place else step or NO_NAME
    return place


def named(value: Any) -> str:
    """Return a value of JSON or TOML as messages quote it, shortened where it is long."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"the string {quoted(value)}"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    if hasattr(value, "isoformat"):  # of TOML
        return f"the date {value.isoformat()}"
    if isinstance(value, int) and value.bit_length() > 1024:
        return "a number of more than 1,024 bits"  # maybe of more digits than Python prints
    return f"the number {_shortened(str(value))}"


def quoted(text: str) -> str:
    """Return a text in quotes, shortened: for messages on a value of the right type."""
    return repr(_shortened(text))


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 1]}…"


def is_unicode(text: str) -> bool:
    """Tell whether `text` has no lone surrogate, so that UTF-8 can hold it."""
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
