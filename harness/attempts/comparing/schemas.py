"""Whether two servers offer a reader the same tools, byte by byte.

A description is part of what a reader is told: one that changed makes two arms incomparable.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.decode.fields import kind_of
from harness.decode.strict_json import read_json
from harness.errors import Faults, InputError


def read_tools(path: Path) -> dict[str, Any]:
    """The tools of a list `[{name, …}]`, or of `{"tools": [{name, …}]}`, by name, sorted.

    Raises `InputError` naming every fault.
    """
    unreadable, faults = Faults(), Faults()
    value = read_json(path, unreadable)
    unreadable.raise_if_any(str(path))
    tools = value.get("tools") if isinstance(value, Mapping) else value
    if not isinstance(tools, list):
        raise InputError(
            f"{path} is no list of tools", 'Give what a server lists: [{"name": …, …}, …].'
        )
    found: dict[str, Any] = {}
    for place, tool in enumerate(tools):
        name = tool.get("name") if isinstance(tool, Mapping) else None
        if not isinstance(name, str):
            faults.add(f"tools[{place}].name is {kind_of(name)}, expected a string")
        elif found.setdefault(name, tool) is not tool:
            faults.add(f"tools[{place}].name is {name!r}, as of a tool before it")
    faults.raise_if_any(str(path))
    return dict(sorted(found.items()))


def schema_bytes(tools: Mapping[str, Any]) -> int:
    """UTF-8 bytes of the tools' JSON."""
    return len(_spelled(list(tools.values())).encode("utf-8"))


def schema_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """What differs, tool by tool; tools are joined by name, the order of keys counts."""
    for name in dict.fromkeys((*before, *after)):
        if name not in after:
            yield f"{name} is gone"
        elif name not in before:
            yield f"{name} is new"
        elif _spelled(before[name]) != _spelled(after[name]):
            yield from _in(name, before[name], after[name])


def _in(where: str, one: Any, other: Any) -> Iterator[str]:
    """The innermost places where two values differ."""
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        yield f"{where}: {_shortened(one)} → {_shortened(other)}"
        return
    for key in dict.fromkeys((*one, *other)):
        if key not in other:
            yield f"{where}.{key} is gone"
        elif key not in one:
            yield f"{where}.{key} is new"
        elif _spelled(one[key]) != _spelled(other[key]):
            yield from _in(f"{where}.{key}", one[key], other[key])
    if one == other:
        yield f"{where}: the keys are in another order"


def _spelled(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _shortened(value: Any) -> str:
    text = _spelled(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
