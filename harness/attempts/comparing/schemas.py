"""Whether two servers offer a reader the same tools, byte by byte.

A description is part of what a reader is told: one that changed makes two arms incomparable.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from harness.decode import KEEP, AsGiven, FieldError, Format, quoted, read_json_file, typed
from harness.errors import Faults, InputError


@dataclass(frozen=True, slots=True)
class _Tool:
    name: str


@dataclass(frozen=True, slots=True)
class _ToolList:
    tools: tuple[Annotated[Mapping[str, Any], AsGiven(_Tool)], ...]

    def __post_init__(self) -> None:
        names = [tool["name"] for tool in self.tools]
        faults = [
            (("tools", place, "name"), f"is {quoted(name)}, as of a tool before it")
            for place, name in enumerate(names)
            if name in names[:place]
        ]
        if faults:
            raise FieldError(faults=faults)


_TOOLS = Format("list of tools", _ToolList, KEEP)


def read_tools(path: Path) -> dict[str, Any]:
    """Return the tools of a list `[{name, …}]`, or of `{"tools": [{name, …}]}`, by name, sorted.

    Raises `InputError` naming every fault.
    """
    unreadable = Faults()
    value = read_json_file(path, unreadable)
    unreadable.raise_if_any(str(path))
    tools = value.get("tools") if isinstance(value, Mapping) else value
    if not isinstance(tools, list):
        raise InputError(
            f"{path} is not a list of tools", 'Give what a server lists: [{"name": …, …}, …].'
        )
    file = typed(_TOOLS, {"tools": tools}, at=str(path))
    return {tool["name"]: tool for tool in sorted(file.tools, key=lambda tool: str(tool["name"]))}


def schema_bytes(tools: Mapping[str, Any]) -> int:
    """Return UTF-8 bytes of the tools' JSON."""
    return len(_spelled(list(tools.values())).encode("utf-8"))


def schema_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Yield what differs, tool by tool; tools are joined by name, the order of keys counts."""
    for name in dict.fromkeys((*before, *after)):
        if name not in after:
            yield f"{name} is gone"
        elif name not in before:
            yield f"{name} is new"
        elif _spelled(before[name]) != _spelled(after[name]):
            yield from _in(name, before[name], after[name])


def _in(where: str, left: Any, right: Any) -> Iterator[str]:
    """Yield the innermost places where two values differ."""
    if not isinstance(left, Mapping) or not isinstance(right, Mapping):
        yield f"{where}: {_shortened(left)} → {_shortened(right)}"
        return
    for key in dict.fromkeys((*left, *right)):
        if key not in right:
            yield f"{where}.{key} is gone"
        elif key not in left:
            yield f"{where}.{key} is new"
        elif _spelled(left[key]) != _spelled(right[key]):
            yield from _in(f"{where}.{key}", left[key], right[key])
    if left == right:
        yield f"{where}: the keys are in another order"


def _spelled(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _shortened(value: Any) -> str:
    text = _spelled(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
