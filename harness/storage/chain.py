"""An append-only file of JSON Lines in which each line holds the hash of the one before.

A line says its `number` (from 1), `previous` (the SHA-256 of the text of the line before, without
its line end; null in the first) and `sha256` (of its own canonical JSON without that key). So a
line that was edited, removed from the middle, added in between or moved breaks the chain at that
place. Lines removed from the end leave a whole chain: what points at them from outside, such as a
verdict or a commit of the file, shows that.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.decode import read_json
from harness.errors import Faults, InputError

from .atomic import atomic_path, storage_error
from .hashing import sha256_of_json, sha256_of_text

_OWN_KEYS = ("number", "previous", "sha256")


@dataclass(frozen=True, slots=True)
class ChainLine:
    """A line: its `number` from 1, its fields without those of the chain, its text's hash."""

    number: int
    value: Mapping[str, Any]
    text_sha256: str


class BrokenChainError(InputError):
    """A line that is not the one that was appended."""

    def __init__(self, path: Path, number: int, problem: str, hint: str = "") -> None:
        restore = "Lines are only ever appended. Restore the file from its last commit or a copy."
        super().__init__(f"{path}, line {number}: {problem}", hint or restore)
        self.number = number


def read_chain(path: Path) -> tuple[ChainLine, ...]:
    """Read the lines of the file, checked; none if it does not exist. Raises `BrokenChainError`."""
    return _lines(path, _data(path))


class Chain:
    """A chain that this process holds alone: its lines so far, and `append`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._data = _data(path)
        self.lines = _lines(path, self._data)

    def append(self, value: Mapping[str, Any]) -> ChainLine:
        """Append a line; it is on the disk when this returns.

        The file is written again as a whole: half a line would lock it for whoever comes next.
        """
        number = len(self.lines) + 1
        fields = {
            "kind": value["kind"],
            "number": number,
            **value,
            "previous": self.lines[-1].text_sha256 if self.lines else None,
        }
        text = _text({**fields, "sha256": sha256_of_json(fields)})
        data = self._data + text.encode("utf-8") + b"\n"
        place = self.path.resolve()  # a link stays one
        with atomic_path(place) as temporary:
            if place.exists():
                shutil.copymode(place, temporary)
            temporary.write_bytes(data)
        line = ChainLine(number, dict(value), sha256_of_text(text))
        self._data, self.lines = data, (*self.lines, line)
        return line


@contextmanager
def locked_chain(path: Path) -> Iterator[Chain]:
    """Open the chain in `path` for this process alone while the block runs; none if it is missing.

    Another process that asks for a chain of the same folder waits. The lock is the operating
    system's, on the folder, so a process that dies leaves none behind. Raises `BrokenChainError`.
    """
    try:
        place = path.resolve().parent
        place.mkdir(parents=True, exist_ok=True)
        folder = os.open(place, os.O_RDONLY)
    except OSError as error:
        raise storage_error(error, path) from error
    try:
        # before the lines are read: whoever waited must see what the other appended
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield Chain(path)
    finally:
        os.close(folder)


def _data(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _lines(path: Path, data: bytes) -> tuple[ChainLine, ...]:
    if not data:
        return ()
    if not data.endswith(b"\n"):
        number = data.count(b"\n") + 1
        raise BrokenChainError(
            path,
            number,
            "has no line end: it was cut, or its writing was interrupted",
            "If it is the rest of an interrupted writing, nothing followed from it yet: remove it.",
        )
    lines: list[ChainLine] = []
    for number, raw in enumerate(data[:-1].split(b"\n"), 1):
        lines.append(_line(path, number, raw, lines[-1] if lines else None))
    return tuple(lines)


def _line(path: Path, number: int, raw: bytes, before: ChainLine | None) -> ChainLine:
    faults = Faults()
    fields = read_json(raw, faults)
    if len(faults):
        raise BrokenChainError(path, number, "; ".join(faults))
    missing = [
        key for key in ("kind", *_OWN_KEYS) if not isinstance(fields, dict) or key not in fields
    ]
    if missing:
        raise BrokenChainError(path, number, f"has no {missing[0]}")
    if fields["number"] != number:
        raise BrokenChainError(path, number, f"says that it is line {fields['number']}")
    wanted = before.text_sha256 if before else None
    if fields["previous"] != wanted:
        raise BrokenChainError(
            path,
            number,
            f"follows a line with sha256 {fields['previous']}; the one before has {wanted}",
        )
    stated = fields.pop("sha256")
    actual = sha256_of_json(fields)
    if stated != actual:
        raise BrokenChainError(path, number, f"was edited: its sha256 is {stated}, not {actual}")
    value = {key: fields[key] for key in fields if key not in _OWN_KEYS}
    return ChainLine(number, value, sha256_of_text(raw.decode("utf-8")))


def _text(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, allow_nan=False)
