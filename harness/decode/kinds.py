"""What a field of a format may hold beyond its type, said in `Annotated`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from harness.errors import HarnessError

from .tree import odd_places
from .words import FieldError, quoted

LARGEST_WHOLE_NUMBER = 2**31 - 1
"""Whole numbers of files are columns of 32 bits in what is made from them."""


@dataclass(frozen=True, slots=True)
class Check:
    """A condition: `wrong` says what is wrong with a value of the field's type, or None.

    The words follow the field's path, as in ``is empty``.
    """

    wrong: Callable[[Any], str | None]

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        from pydantic_core import core_schema

        def checked(value: Any) -> Any:
            message = self.wrong(value)
            if message is not None:
                raise FieldError("", message)
            return value

        return core_schema.no_info_after_validator_function(checked, handler(source))


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text that `parse` reads into the field's type; its `ValueError` or `HarnessError` is the
    fault. `str` of the value is the text again, where a value is written."""

    parse: Callable[[str], Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        from pydantic_core import core_schema

        def parsed(text: str) -> Any:
            try:
                return self.parse(text)
            except HarnessError as error:
                line = ". ".join(filter(None, (error.message, error.hint)))
                raise ValueError(" ".join(line.split())) from error

        return core_schema.no_info_after_validator_function(
            parsed,
            core_schema.str_schema(),
            serialization=core_schema.to_string_ser_schema(),
        )


@dataclass(frozen=True, slots=True)
class Via:
    """A field that a file spells as another type: `make` turns a value of `kind` into the field's;
    its `ValueError` is the fault."""

    kind: Any
    make: Callable[[Any], Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        schema = handler.generate_schema(self.kind)
        return core_schema.no_info_after_validator_function(self.make, schema)


@dataclass(frozen=True, slots=True)
class AsGiven:
    """A field that keeps the tree as it stands in the file, once it is a value of `kind`."""

    kind: Any

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        def kept(tree: Any, check: Callable[[Any], Any]) -> Any:
            check(tree)
            return tree

        schema = handler.generate_schema(self.kind)
        return core_schema.no_info_wrap_validator_function(kept, schema)


@dataclass(frozen=True, slots=True)
class Example:
    """What to write, for the message that a value is missing or of another type."""

    text: str

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        schema = handler(source)
        schema["metadata"] = {**schema.get("metadata", {}), "example": self.text}
        return schema


@dataclass(frozen=True, slots=True)
class NullIs:
    """Null in the place of a value counts as what `make` returns, as an absent key does."""

    make: Callable[[], Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(
            lambda value: self.make() if value is None else value,
            core_schema.nullable_schema(handler(source)),
        )


class NotNull:
    """A key that may be absent, which is None, but not null: `Annotated[X | None, NotNull()]`."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(source)["schema"]  # what `| None` is wrapped around


def keys(**spelled: str) -> Any:
    """Return the keys of a type's fields where they are not the fields' names; the value of its
    attribute `__pydantic_config__`: ``__pydantic_config__ = keys(pass_number="pass")``."""
    return {"alias_generator": lambda name: spelled.get(name, name)}


def _empty(value: str) -> str | None:
    return None if value else "is empty"


def _too_wide(value: int) -> str | None:
    return "is a number of more than 32 bits" if abs(value) > LARGEST_WHOLE_NUMBER else None


def at_least(least: int) -> Check:
    """Return the condition that a number is not below `least`."""
    return Check(lambda value: None if value >= least else f"is {value}, expected {least} or more")


def matching(pattern: str, wanted: str) -> Check:
    """Return the condition that a text matches all of `pattern`; `wanted` says what it must be in
    words."""
    whole = re.compile(pattern)

    def wrong(text: str) -> str | None:
        if whole.fullmatch(text):
            return None
        return f"is {quoted(text)}, expected {wanted}" if text else "is empty"

    return Check(wrong)


def _no_date(text: str) -> str | None:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return f"is {quoted(text)}, expected a date in ISO 8601"
    return None


def _odd_json(value: Any) -> str | None:
    faults = list(odd_places([value]))
    if faults:
        raise FieldError(faults=[(path[1:], message) for path, message in faults])
    return None


Text = Annotated[str, Check(_empty)]
"""A string that is not empty."""

Whole = Annotated[int, Check(_too_wide)]
"""A whole number of at most 32 bits."""

NotNegative = Annotated[float, at_least(0)]
Count = Annotated[Whole, at_least(0)]
Positive = Annotated[Whole, at_least(1)]

Finite = float
"""A number, never NaN or an infinity; every `float` of a format is."""

IsoDate = Annotated[str, Check(_no_date)]
"""A date, or date and time, in ISO 8601; kept as it is written."""

Sha256 = Annotated[str, matching(r"[0-9a-f]{64}", "64 lower-case hexadecimal digits")]

Json = Annotated[Any, Check(_odd_json)]
"""Any value of JSON."""

JsonObject = Annotated[Mapping[str, Any], Check(_odd_json)]
"""Any object of JSON."""
