"""Reading one table of a plan key by key, so that every fault is reported by its key."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from typing import Any, TypeVar

from harness.errors import Faults, HarnessError, nearest

Choice = TypeVar("Choice", bound=Enum)
Parsed = TypeVar("Parsed")

_SHA256 = re.compile(r"[0-9a-f]{64}")
_DECIMAL = re.compile(r"[0-9]*\.?[0-9]+")

MOST_DECIMALS = 12
"""More decimals than this are a slip, and make exact arithmetic slow."""


class PlanTable:
    """One table of the TOML; `key` is its path, such as `rule[0]`, empty at the top.

    A key that is absent or wrong reads as None; what is wrong is added to the faults.
    """

    def __init__(self, value: object, key: str, known: Sequence[str], faults: Faults) -> None:
        self._key = key
        self._faults = faults
        self._values: Mapping[str, Any] = value if isinstance(value, dict) else {}
        if not isinstance(value, dict):
            faults.add(f"{key}: {shown(value)} is not a table")
        for name in self._values:
            if name not in known:
                self.fault(name, f"unknown key{nearest(name, known)}")

    def path(self, name: str) -> str:
        return f"{self._key}.{name}" if self._key else name

    def fault(self, name: str, message: str) -> None:
        self._faults.add(f"{self.path(name)}: {message}")

    def has(self, name: str) -> bool:
        return name in self._values

    def text(self, name: str, *, example: str, required: bool = True) -> str | None:
        """A text that says something."""
        value = self._value(name, example, required)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip():
            self.fault(name, f"{shown(value)} is not a text; write {example}")
            return None
        return value

    def parsed(
        self,
        name: str,
        parse: Callable[[str], Parsed],
        *,
        example: str,
        required: bool = True,
    ) -> Parsed | None:
        """A text that `parse` reads; its `ValueError` is the fault."""
        text = self.text(name, example=example, required=required)
        if text is None:
            return None
        try:
            return parse(text)
        except ValueError as error:
            self.fault(name, str(error))
            return None

    def choice(self, name: str, kind: type[Choice], *, default: Choice | None = None) -> Any:
        """A member of `kind` by its value; `default` where absent, required without one."""
        words = [str(member.value) for member in kind]
        text = self.text(name, example=_either(words), required=default is None)
        if text is None:
            return None if self.has(name) else default
        if text not in words:
            self.fault(name, f"{text!r} is not {_either(words)}{nearest(text, words)}")
            return None
        return kind(text)

    def integer(self, name: str, *, example: str, required: bool = True) -> int | None:
        """An integer of 0 or more."""
        value = self._value(name, example, required)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self.fault(name, f"{shown(value)} is not an integer of 0 or more; write {example}")
            return None
        return value

    def fraction(self, name: str, *, example: str, required: bool = True) -> str | None:
        """Decimal text strictly between 0 and 1, kept as it was written."""
        value = self._value(name, example, required)
        if value is None:
            return None
        number = _decimal(value)
        if number is None or not 0 < number < 1:
            self.fault(name, f"{shown(value)} is not a decimal between 0 and 1; write {example}")
            return None
        if number != round(number, MOST_DECIMALS):
            self.fault(name, f"{shown(value)} has more than {MOST_DECIMALS} decimals")
            return None
        return f"{number:f}"

    def sha256(self, name: str) -> str | None:
        """The hex SHA-256 of something, required."""
        text = self.text(name, example=f'"{"0123456789abcdef" * 4}"')
        if text is not None and not _SHA256.fullmatch(text):
            self.fault(name, f"{text!r} is not 64 lower-case hexadecimal digits")
            return None
        return text

    def table(self, name: str, known: Sequence[str], *, required: bool) -> PlanTable | None:
        """The table `[name]`; None where it is absent."""
        if name not in self._values:
            if required:
                self.fault(name, f"is missing; add [{name}] with {', '.join(known)}")
            return None
        return PlanTable(self._values[name], self.path(name), known, self._faults)

    def tables(self, name: str, known: Sequence[str]) -> list[PlanTable]:
        """The tables under `[[name]]`, of which there must be one."""
        value = self._values.get(name)
        if value is None or value == []:
            self.fault(name, f"is missing; add one [[{name}]] or more")
            return []
        if not isinstance(value, list):
            self.fault(name, f"is written [[{name}]], in double brackets")
            return []
        return [
            PlanTable(entry, f"{self.path(name)}[{place}]", known, self._faults)
            for place, entry in enumerate(value)
        ]

    def entries(self, name: str) -> Sequence[object]:
        """A list, empty where it is absent."""
        value = self._values.get(name, [])
        if not isinstance(value, list):
            self.fault(name, f"{shown(value)} is not a list")
            return []
        return value

    def _value(self, name: str, example: str, required: bool) -> Any:
        value = self._values.get(name)
        if value is None and required:
            self.fault(name, f"is missing; write {example}")
        return value


def shown(value: object) -> str:
    """A value as a message shows it: a number as it was written, a text in quotes."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (dict, list)):
        return "a table" if isinstance(value, dict) else "a list"
    return str(value) if isinstance(value, (int, Decimal)) else repr(value)


def _decimal(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, Decimal, str)):
        return None
    if isinstance(value, str) and not _DECIMAL.fullmatch(value):
        return None
    number = Decimal(value)
    return number if number.is_finite() else None


def _either(words: Sequence[str]) -> str:
    return " or ".join(f'"{word}"' for word in words)


def one_line(error: HarnessError) -> str:
    """An error's message and hint as one fault."""
    return " ".join(". ".join(filter(None, (error.message, error.hint))).split())
