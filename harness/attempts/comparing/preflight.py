"""Checking an arm before readers are paid: three things that have wasted arms before.

The tools look the same to a reader; every header of a block reads as a section that exists; and the
first lookups hold no fewer required passages under a citable header.

Tools are compared byte by byte: a description is part of what a reader is told, so one that changed
makes two arms incomparable.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from harness.attempts.scoring.observation import HeadedText, headed_texts
from harness.decode import KEEP, AsGiven, FieldError, Format, quoted, read_json_file, typed
from harness.errors import Faults, InputError
from harness.model import Document, PrintedBlock
from harness.storage.hashing import sha256_of_text
from harness.words import counted
from harness.worlds import World, anchored_section
from harness.worlds.citable import citable_fields, fields_with_evidence, fold

from .shown_lookups import LookupSide, ShownLookups


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


def schema_hash(tools: Mapping[str, Any]) -> str:
    """Return the hash of the tools' JSON, as a report carries it."""
    return f"sha256-{sha256_of_text(_spelled(list(tools.values())))}"


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


_Tools = tuple[Mapping[str, Any], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class PreflightCheck:
    """One check: `passed` is None where it was not made. `details`: what is wrong, line by line."""

    what: str
    passed: bool | None
    before: str
    after: str
    details: tuple[str, ...] = ()


def preflight(
    before: LookupSide, after: LookupSide, world: World, tools: _Tools | None, *, stubs: bool
) -> list[PreflightCheck]:
    """Return the checks, in order. `stubs`: whether a stub counts as the text that it names."""
    return [
        _schema_check(tools),
        _cohort_check(before, after),
        _header_check(before, after, world),
        _citable_check(before, after, world, stubs),
    ]


def header_fault(text: HeadedText, world: World) -> str | None:
    """Return what keeps a block's header from naming a section of an existing version; a block
    without an anchor names only the version, and cannot be cited."""
    place = text.location
    if place is None:
        return "reads as no location"
    if place.version is None:
        return "names no version"
    document = world.document(place.path, place.version)
    if document is None:
        stored = (world.documents or {}).get(place.path)
        return "names no document of the world" if stored is None else "names no existing version"
    if place.anchor is not None and anchored_section(document.sections, place.anchor) is None:
        return "names no section of that version"
    return None


def citable_in(output: str, task: str, world: World, *, stubs: bool) -> list[str]:
    """Return the fields of a task all of whose required passages can be cited from a lookup's
    blocks."""
    documents: list[Document] = []
    blocks: list[PrintedBlock] = []
    for text in headed_texts(output):
        block = _block(text, world, documents)
        if block is not None:
            blocks.append(block)
    return citable_fields(world.rubric[task].gold, blocks, tuple(documents), stubs=stubs)


def _block(text: HeadedText, world: World, documents: list[Document]) -> PrintedBlock | None:
    """Return a block of a section that is printed whole, or a stub of it; its document is added."""
    place = text.location
    if place is None or place.version is None or place.anchor is None:
        return None
    document = world.document(place.path, place.version)
    if document is None:
        return None
    section = anchored_section(document.sections, place.anchor)
    if section is None:
        return None
    whole = fold(text.text) == fold(document.body[section.start : section.end])
    if not whole and text.same_as is None:
        return None
    documents.append(document)
    return PrintedBlock(
        record=len(documents) - 1,
        location=text.header,
        related=False,
        form="section" if whole else "stub",
        start=section.start,
        end=section.end,
        anchor=section.anchor,
        size=len(text.text.encode("utf-8")),
        same_as=text.same_as,
    )


def _schema_check(tools: _Tools | None) -> PreflightCheck:
    what = "tool schemas are equal"
    if tools is None:
        return PreflightCheck(
            what, None, "–", "–", ("not checked: give --schemas BEFORE.json AFTER.json",)
        )
    differences = tuple(schema_differences(*tools))
    sizes = [counted(schema_bytes(side), "byte") for side in tools]
    return PreflightCheck(what, not differences, sizes[0], sizes[1], differences)


def _cohort_check(before: LookupSide, after: LookupSide) -> PreflightCheck:
    left, right = ({lookup.case for lookup in side.lookups} for side in (before, after))
    details = [f"{case} only in before" for case in sorted(left - right)]
    details += [f"{case} only in after" for case in sorted(right - left)]
    counts = [counted(len(side.lookups), "lookup") for side in (before, after)]
    what = "both arms hold the same lookups"
    return PreflightCheck(what, not details, counts[0], counts[1], tuple(details))


def _header_check(before: LookupSide, after: LookupSide, world: World) -> PreflightCheck:
    details: list[str] = []
    counts = []
    for name, side in (("before", before), ("after", after)):
        blocks = [
            (each, text)
            for each in side.lookups
            for output in each.outputs
            for text in headed_texts(output)
            if text.is_block
        ]
        faults = [
            f"{name}, {each.case}: {text.header!r} {fault}"
            for each, text in blocks
            if (fault := header_fault(text, world)) is not None
        ]
        counts.append(f"{len(blocks) - len(faults):,} of {len(blocks):,}")
        details += faults
        if name == "after" and not blocks:
            details.append("after: no lookup printed a block, so nothing can be cited")
    what = "every header names an existing version and section"
    return PreflightCheck(what, not details, counts[0], counts[1], tuple(details))


def _citable_check(
    before: LookupSide, after: LookupSide, world: World, stubs: bool
) -> PreflightCheck:
    left, right = (_citable(side.lookups, world, stubs) for side in (before, after))
    fields = [
        sum(len(fields_with_evidence(world.rubric[lookup.task].gold)) for lookup in side.lookups)
        for side in (before, after)
    ]
    lost = tuple(f"{case}: {field} was citable" for case, field in sorted(left - right))
    counts = [
        f"{len(citable):,} of {of:,}" for citable, of in zip((left, right), fields, strict=True)
    ]
    what = "required passages under a citable header are not fewer"
    return PreflightCheck(what, len(right) >= len(left), counts[0], counts[1], lost)


def _citable(lookups: Sequence[ShownLookups], world: World, stubs: bool) -> set[tuple[str, str]]:
    return {(lookup.case, field) for lookup in lookups for field in _fields(lookup, world, stubs)}


def _fields(lookup: ShownLookups, world: World, stubs: bool) -> Iterator[str]:
    """Read the fields of the first lookup only: what a reader does next depends on it."""
    for output in lookup.outputs[:1]:
        yield from citable_in(output, lookup.task, world, stubs=stubs)
