"""Reading fields of a JSON object with faults collected under their paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from harness.errors import Faults, nearest


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
            self.fault("", f"is {_kind(value)}, expected an object")
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

    def raw(self, key: str) -> Any:
        return self._value.get(key)

    def text(self, key: str, *, empty: bool = True) -> str:
        value = self._value.get(key)
        if key not in self._value:
            return ""
        if not isinstance(value, str):
            self.fault(key, f"is {_kind(value)}, expected a string")
            return ""
        if not value and not empty:
            self.fault(key, "is empty")
        if not _is_unicode(value):
            self.fault(key, "holds a lone surrogate, which is no Unicode text")
            return ""
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
            self.fault(key, f"is {_kind(value)}, expected true or false")
            return False
        return value

    def whole_number(self, key: str) -> int:
        value = self._value.get(key, 0)
        if not isinstance(value, int) or isinstance(value, bool):
            self.fault(key, f"is {_kind(value)}, expected a whole number")
            return 0
        return value

    def items(self, key: str) -> Iterator[tuple[str, Any]]:
        """Path and value of each entry of a list; nothing for a missing list."""
        value = self._value.get(key, [])
        if not isinstance(value, list):
            self.fault(key, f"is {_kind(value)}, expected a list")
            return
        for index, entry in enumerate(value):
            yield f"{self.where(key)}[{index}]", entry

    def texts(self, key: str) -> tuple[str, ...]:
        found = []
        for path, entry in self.items(key):
            if isinstance(entry, str) and _is_unicode(entry):
                found.append(entry)
            else:
                self._faults.add(f"{path} is {_kind(entry)}, expected a string")
        return tuple(found)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the string {value[:40]!r}"
    return "a list" if isinstance(value, list) else "an object"


def _is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
