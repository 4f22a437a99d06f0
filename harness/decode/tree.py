"""JSON and TOML texts into trees of dicts and lists, with what no reader may let through."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path as FilePath
from typing import Any

from harness.errors import Faults
from harness.words import counted

from .words import LONE_SURROGATE, Path, PathFault, is_unicode, sentence

MOST_NESTED = 200
_LONGEST_NUMBER = 300
"""Digits; Python refuses to read more than some thousand, and a double holds no more."""

_MANY_DIGITS = re.compile(rf"(?<![0-9])[0-9]{{{_LONGEST_NUMBER + 1}}}")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD]")
_LONG_NUMBER = re.compile(rf"(?<![\w.\"'])[+-]?[0-9_]{{{_LONGEST_NUMBER},}}")


class _Twice(dict[str, Any]):
    """An object that says a key twice; the last value is kept."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        names = [name for name, _ in pairs]
        self.repeated = [name for name in self if names.count(name) > 1]


class _TooLong(int):
    """Stands for a whole number of more digits than anything here can hold."""

    digits = 0


def json_tree(data: str | bytes) -> tuple[Any, list[PathFault]]:
    """Return the value of a JSON text, and what is wrong with it by path.

    Raises `ValueError` saying why there is none: what is not UTF-8 or not JSON, more after the
    value, or a nesting that Python does not follow. What a faulty place holds is without meaning.
    """
    text = decoded(data) if isinstance(data, bytes) else data
    odd: list[str] = []

    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) == len(pairs):
            return value
        odd.append("twice")
        return _Twice(pairs)

    def constant(name: str) -> float:
        odd.append(name)
        return float(name)

    def whole(digits: str) -> int:
        if len(digits) <= _LONGEST_NUMBER:
            return int(digits)
        odd.append("digits")
        number = _TooLong()
        number.digits = len(digits.removeprefix("-"))
        return number

    try:
        # slower, so that it is told where the long number stands
        parse_int = whole if _MANY_DIGITS.search(text) is not None else None
        tree = json.loads(
            text, object_pairs_hook=object_of, parse_constant=constant, parse_int=parse_int
        )
    except json.JSONDecodeError as error:
        raise ValueError(_not_json(text, error)) from error
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
    holder = [tree]
    found = list(odd_places(holder)) if odd or _SURROGATE_ESCAPE.search(text) else []
    return holder[0], [(path[1:], message) for path, message in found]


def repeats_a_key(data: bytes) -> bool:
    """Tell whether an object of a JSON text says a key twice, or the text is not JSON.

    It is quicker than `json_tree`, and tells no place: for texts that are decoded by other means.
    """

    def object_of(pairs: list[tuple[str, Any]]) -> None:
        if len({name for name, _ in pairs}) < len(pairs):
            raise ValueError

    try:
        json.loads(data, object_pairs_hook=object_of)
    except (ValueError, RecursionError):
        return True
    return False


def toml_tree(data: str | bytes) -> tuple[Any, list[PathFault]]:
    """Return the table of a TOML text, its decimals as they are written, as `json_tree` does."""
    text = decoded(data) if isinstance(data, bytes) else data
    if (long := _LONG_NUMBER.search(text)) is not None:
        line = text.count("\n", 0, long.start()) + 1
        raise ValueError(f"holds a number of {counted(len(long.group()), 'digit')} in line {line}")
    try:
        holder = [tomllib.loads(text, parse_float=Decimal)]
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"is not TOML ({error})") from error
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
    return holder[0], [(path[1:], message) for path, message in odd_places(holder)]


def read_json(data: str | bytes, faults: Faults, at: str = "") -> Any:
    """Return the value of a JSON text, or None after adding what is wrong with it after `at`."""
    try:
        tree, found = json_tree(data)
    except ValueError as error:
        faults.add(sentence((), str(error), at))
        return None
    for path, message in found:
        faults.add(sentence(path, message, at))
    return None if found else tree


def read_json_file(path: FilePath, unreadable: Faults) -> Any:
    """Return the value of a JSON file, or None after noting what is wrong with it by its name."""
    text = read_text(path, unreadable)
    return None if text is None else read_json(text, unreadable, path.name)


def json_of_file(path: FilePath) -> Any:
    """Return the value of a JSON file that may be anything, to tell what it is; None for a file
    that cannot be read, is not JSON or has faults."""
    try:
        tree, found = json_tree(path.read_bytes())
    except (OSError, ValueError):
        return None
    return None if found else tree


def read_text(path: FilePath, unreadable: Faults) -> str | None:
    """Return the text of a UTF-8 file, line breaks as they are, or None after noting why not."""
    try:
        return decoded(path.read_bytes())
    except FileNotFoundError:
        unreadable.add(f"{path.name} is missing")
    except OSError as error:
        unreadable.add(f"{path.name} cannot be read ({error.strerror})")
    except ValueError as error:
        unreadable.add(f"{path.name} {error}")
    return None


def decoded(data: bytes) -> str:
    """Return UTF-8 as text; raises `ValueError` naming the byte."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 (byte {error.start + 1}: {error.reason})") from error


def odd_places(value: Any, path: Path = ()) -> Iterator[PathFault]:
    """Yield what a container holds that JSON or UTF-8 does not have, mending it in place."""
    if len(path) > MOST_NESTED:
        yield path[:2], "is nested too deeply"  # the whole path would say nothing
        value.clear()
        return
    if isinstance(value, _Twice):
        for name in value.repeated:
            yield path, f"has the key {name!r} twice"
    entries = list(value.items() if isinstance(value, dict) else enumerate(value))
    for key, entry in entries:
        if isinstance(key, str) and not is_unicode(key):
            yield path, f"has the key {key!r}, which {LONE_SURROGATE}"
            del value[key]
            continue
        place = (*path, key)
        if isinstance(entry, dict | list):
            yield from odd_places(entry, place)
        elif (fault := _odd(entry)) is not None:
            yield place, fault
            value[key] = None


def _odd(value: Any) -> str | None:
    if isinstance(value, str):
        return None if is_unicode(value) else LONE_SURROGATE
    if isinstance(value, _TooLong):
        return f"is a number of {counted(value.digits, 'digit')}, too large to be read"
    if isinstance(value, Decimal):
        return None if value.is_finite() else f"is {value}, expected a finite number"
    if isinstance(value, float) and not math.isfinite(value):
        return f"is {value}, which JSON does not have"
    return None


def _not_json(text: str, error: json.JSONDecodeError) -> str:
    in_lines = "\n" in text.strip()
    place = (
        f"line {error.lineno}, column {error.colno}" if in_lines else f"character {error.pos + 1}"
    )
    if error.msg == "Extra data":
        return f"has more after its JSON value ends (at {place})"
    return f"is not JSON (at {place}: {error.msg})"
