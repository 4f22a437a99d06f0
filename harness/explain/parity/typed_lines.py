"""Lines of one declared kind: each checked against its declaration, every faulty line named.

A kind is a `msgspec.Struct`; its fields, types and bounds are the format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec

from harness.decode.fields import kind_of
from harness.decode.json_lines import JsonLines
from harness.errors import Faults, InputError, nearest

Kind = TypeVar("Kind", bound=msgspec.Struct)
Value = TypeVar("Value")

_AT = re.compile(r"(?P<what>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)
_STEP = re.compile(r"\.(?P<key>[^.\[\]]+)|\[(?P<index>\d+)\]")
_EXPECTED = re.compile(r"Expected `(?P<kind>[^`]*)`(?P<rest>.*?)(?:, got .*)?", re.DOTALL)
_FIELD = re.compile(r"Object (?P<is>missing required|contains unknown) field `(?P<name>[^`]*)`")
_WORDS = {
    "int": "a whole number",
    "str": "a string",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def typed(value: Any, kind: type[Kind], faults: Faults) -> Kind | None:
    """A decoded line as its kind; None after adding what is wrong with it to `faults`."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        faults.add(_fault(str(error), value, kind))
        return None


def checked_lines(
    lines: JsonLines,
    read: Callable[[Any, int, Faults], Value | None],
    identity: Callable[[Value], str],
    hint: str,
) -> Iterator[Value]:
    """What `read` makes of each line, given its value and number, one at a time.

    After a faulty line the rest is read for faults alone, and one `InputError` names them all. Two
    lines of the same `identity`, which is how messages name it, are a fault.
    """
    first_lines: dict[str, int] = {}
    faults = Faults()
    for line in lines:
        found = Faults()
        value = None
        if line.fault is not None:
            found.add(line.fault)
        else:
            value = read(line.value, line.number, found)
        if value is not None and not len(found):
            first = first_lines.setdefault(identity(value), line.number)
            if first != line.number:
                found.add(f"{identity(value)} stands in line {first} already")
        for message in found:
            faults.add(f"line {line.number}: {message}")
        if value is not None and not len(faults):
            yield value
    faults.raise_if_any(lines.name, hint)
    if not first_lines:
        raise InputError(f"{lines.name} holds no line", hint)


def _fault(message: str, value: Any, kind: type[msgspec.Struct]) -> str:
    """What msgspec says, with the value seen and in the words of our other messages."""
    at = _AT.fullmatch(message)
    what, path = (message, "") if at is None else (at["what"], at["path"] or "")
    where = path.removeprefix(".")
    field = _FIELD.fullmatch(what)
    if field is not None:
        name = ".".join(part for part in (where, field["name"]) if part)
        if field["is"] == "missing required":
            return f"{name} is missing"
        known = kind.__struct_encode_fields__
        return f"{name} is an unknown key{'' if where else nearest(field['name'], known)}"
    return f"{where or 'the line'} is {_seen(_value_at(value, path))}, {_wanted(what)}"


def _wanted(what: str) -> str:
    expected = _EXPECTED.fullmatch(what)
    if expected is None:
        return what[:1].lower() + what[1:].replace("`", "")
    kinds = [_WORDS.get(name.strip(), name.strip()) for name in expected["kind"].split("|")]
    return f"expected {' or '.join(kinds)}{expected['rest']}"


def _seen(value: Any) -> str:
    return f"a list of {len(value)}" if isinstance(value, list) else kind_of(value)


def _value_at(value: Any, path: str) -> Any:
    for step in _STEP.finditer(path):
        key = step["key"] if step["index"] is None else int(step["index"])
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value
