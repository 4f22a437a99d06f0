"""Reading fields of a JSON object with faults collected under their paths."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from harness.errors import Faults, nearest

LARGEST_WHOLE_NUMBER = 2**31 - 1


class ObjectReader:
    """One JSON object of a line: each getter returns a value of the asked type, or a stand-in after
    noting a fault under the field's path."""

    def __init__(
        self,
        value: Any,
        path: str,
        faults: Faults,
        required: Iterable[str],
        optional: Iterable[str],
    ) -> None:
        self._faults = faults
        self._path = path
        self._value: Mapping[str, Any] = value if isinstance(value, dict) else {}
        if not isinstance(value, dict):
            self.fault("", f"is {kind_of(value)}, expected an object")
            return
        required, known = list(required), [*required, *optional]
        for key in value:
            if key not in known:
                self.fault(key, f"is an unknown key{nearest(key, known)}")
        for key in required:
            if key not in value:
                self.fault(key, "is missing")

    @property
    def path(self) -> str:
        return self._path

    def fault(self, key: str, message: str) -> None:
        self._faults.add(f"{self.where(key)} {message}")

    def where(self, key: str) -> str:
        return ".".join(part for part in (self._path, key) if part) or "the line"

    def has(self, key: str) -> bool:
        return key in self._value

    def raw(self, key: str) -> Any:
        return self._value.get(key)

    def text(self, key: str, *, empty: bool = True) -> str:
        value = self._value.get(key)
        if key not in self._value:
            return ""
        if not isinstance(value, str):
            self.fault(key, f"is {kind_of(value)}, expected a string")
            return ""
        if not value and not empty:
            self.fault(key, "is empty")
        if not is_unicode(value):
            self.fault(key, _LONE_SURROGATE)
        return value

    def text_or_null(self, key: str) -> str | None:
        return None if self._value.get(key) is None else self.text(key)

    def date_or_null(self, key: str) -> str | None:
        value = self.text_or_null(key)
        if value is not None:
            try:
                datetime.fromisoformat(value)
            except ValueError:
                self.fault(key, f"is {value!r}, expected a date in ISO 8601")
        return value

    def boolean(self, key: str) -> bool:
        value = self._value.get(key, False)
        if not isinstance(value, bool):
            self.fault(key, f"is {kind_of(value)}, expected true or false")
            return False
        return value

    def whole_number(self, key: str) -> int:
        value = self._value.get(key, 0)
        if not isinstance(value, int) or isinstance(value, bool):
            self.fault(key, f"is {kind_of(value)}, expected a whole number")
            return 0
        if abs(value) > LARGEST_WHOLE_NUMBER:
            self.fault(key, "is a number of more than 32 bits")
            return 0
        return value

    def finite_number(self, key: str) -> float:
        value = self._value.get(key, 0.0)
        if not is_finite_number(value):
            self.fault(key, f"is {kind_of(value)}, expected a finite number")
            return 0.0
        return float(value)

    def json(self, key: str) -> Any:
        """Return any JSON value; a number in it that is not finite, or text with a lone surrogate,
        is a fault of its own path."""
        value = self._value.get(key)
        for path, fault in _json_faults(value, self.where(key)):
            self._faults.add(f"{path} {fault}")
        return value

    def items(self, key: str) -> Iterator[tuple[str, Any]]:
        """Yield the path and value of each entry of a list; nothing for a missing list."""
        value = self._value.get(key, [])
        if not isinstance(value, list):
            self.fault(key, f"is {kind_of(value)}, expected a list")
            return
        for index, entry in enumerate(value):
            yield f"{self.where(key)}[{index}]", entry

    def texts(self, key: str) -> tuple[str, ...]:
        found = []
        for path, entry in self.items(key):
            if not isinstance(entry, str):
                self._faults.add(f"{path} is {kind_of(entry)}, expected a string")
            elif not is_unicode(entry):
                self._faults.add(f"{path} {_LONE_SURROGATE}")
            else:
                found.append(entry)
        return tuple(found)


def schema_fault(value: Any, expected: str) -> str | None:
    """Return what is wrong with the schema that an object names, or None."""
    if value == expected:
        return None
    name, version = expected.rsplit("/", maxsplit=1)
    start, _, other = value.rpartition("/") if isinstance(value, str) else ("", "", "")
    if start == name and other.isdecimal() and int(other) > int(version):
        return f"is {value!r}, newer than {expected!r}: a newer harness reads it"
    return f"is {kind_of(value)}, expected {expected!r}"


def is_finite_number(value: Any) -> bool:
    """Return whether a JSON value is a number that a double can hold."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _json_faults(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, entry in value.items():
            if not is_unicode(key):
                yield path, f"has the key {key!r}, which {_LONE_SURROGATE}"
            yield from _json_faults(entry, f"{path}.{key}")
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _json_faults(entry, f"{path}[{index}]")
    elif isinstance(value, str) and not is_unicode(value):
        yield path, _LONE_SURROGATE
    elif isinstance(value, float) and not math.isfinite(value):
        yield path, f"is {value}, which JSON does not have"


_LONE_SURROGATE = "holds a lone surrogate, which is not Unicode text"


def kind_of(value: Any) -> str:
    """Return a JSON value as messages name it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return f"the number {_shortened(str(value))}"
    if isinstance(value, str):
        return f"the string {_shortened(value)!r}"
    return "a list" if isinstance(value, list) else "an object"


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"


def is_unicode(text: str) -> bool:
    """Return whether `text` has no lone surrogate, so that UTF-8 can hold it."""
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def lenient(value: Any, path: str, faults: Faults, required: Sequence[str] = ()) -> ObjectReader:
    """Return a reader of an object that ignores other keys."""
    return ObjectReader(value, path, faults, required, value if isinstance(value, dict) else ())


def count_or_none(fields: ObjectReader, key: str, *, least: int = 0) -> int | None:
    """Return a whole number of at least `least`; None where the key is absent, null or faulty."""
    raw = fields.raw(key)
    if raw is None:
        return None
    value = fields.whole_number(key)
    if type(raw) is not int or value != raw:
        return None  # the fault is noted
    if value < least:
        fields.fault(key, f"is {value}, expected {least} or more")
        return None
    return value


def text_or_none(fields: ObjectReader, key: str) -> str | None:
    """Return a text that is not empty; None where the key is absent, null or faulty."""
    if fields.raw(key) is None:
        return None
    return fields.text(key, empty=False) or None
