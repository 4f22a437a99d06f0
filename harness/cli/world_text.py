"""How `harness world` prints what it found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from harness.errors import UsageError, nearest
from harness.model import RELATION_PREFIX
from harness.show.printing import OutputFormat
from harness.show.table import Column, Table
from harness.words import Kind, counted
from harness.worlds.difference import CorpusDifference
from harness.worlds.identity import CheckResult, identity_checks
from harness.worlds.lint import findings
from harness.worlds.model import World
from harness.worlds.opening import OpenedWorld
from harness.worlds.repinning import Repinning, Stay

from .output import print_table

_VERSION = re.compile(r"(?P<path>.+\.md)/v(?P<number>[1-9][0-9]*)")


def _count(value: int) -> str:
    return f"{value:,}"


_CHECKS = (Column("check", "check"), Column("result", "result"), Column("detail", "detail"))
_BREAKS = (
    Column("kind", "kind"),
    Column("path", "path"),
    Column("version", "version", Kind.COUNT),
    Column("anchor", "anchor"),
    Column("task", "task"),
    Column("field", "field"),
    Column("change", "change"),
)
_PROPERTIES = (Column("property", "property"), Column("value", "value"))
_TASKS = (
    Column("task", "task"),
    Column("category", "category"),
    Column("outcome", "outcome"),
    Column("scope", "scope"),
    Column("fields", "fields", Kind.COUNT),
    Column("passages", "passages", Kind.COUNT),
    Column("question", "question"),
)
_DOCUMENTS = (
    Column("path", "path"),
    Column("versions", "versions", Kind.COUNT),
    Column("current", "current", Kind.COUNT),
    Column("bytes", "bytes", Kind.COUNT),
    Column("sections", "sections", Kind.COUNT),
    Column("relations", "relations", Kind.COUNT),
    Column("archived", "archived"),
    Column("title", "title"),
)
_SECTIONS = (
    Column("anchor", "anchor"),
    Column("level", "level", Kind.COUNT),
    Column("start", "start", Kind.COUNT),
    Column("end", "end", Kind.COUNT),
    Column("lines", "lines", Kind.COUNT),
    Column("title", "title"),
)


def verification_rows(
    opened: OpenedWorld, repinning: Repinning | None
) -> tuple[list[dict[str, Any]], bool]:
    """Return every check as a row, and whether all of them are well."""
    checks = identity_checks(opened)
    rows = [_row(check.what, check.verdict.value, check.detail) for check in checks]
    sound = all(check.verdict is not CheckResult.DIFFERENT for check in checks)
    faults = findings(opened)
    result = "faulty" if faults else "proven"
    rows.append(_row(_proof(opened), result, f"{len(faults)} found" if faults else ""))
    rows += [_row("finding", "faulty", each) for each in faults]
    if repinning is None:
        return rows, sound and not faults
    rows += [_row(f"OLD {each}", CheckResult.DIFFERENT.value, "") for each in repinning.faults]
    rows += [_row(part.name, part.stay.value, part.detail) for part in repinning.parts]
    rows += [
        _row(f"moved: {each.what}", "moved", f"was {_value(each.before)}, is {_value(each.after)}")
        for each in repinning.moved
    ]
    return rows, sound and not faults and repinning.proven


def print_verification(
    opened: OpenedWorld, rows: Sequence[dict[str, Any]], form: OutputFormat
) -> None:
    """Print the checks as a table, below what the world is."""
    if form is OutputFormat.TEXT:
        source = f", {opened.world.source}" if opened.world.source else ""
        click.echo(f"{opened.world.world_id}: {opened.world.form.value}{source}")
        click.echo(f"{size_of(opened.world)}")
        if any(row["result"] == CheckResult.COMPUTED.value for row in rows):
            click.echo("hashes: none recorded (the computed ones are below)")
        click.echo()
    print_table(Table(_CHECKS, rows), form)
    parts = {row["check"]: row["result"] for row in rows}
    if form is OutputFormat.TEXT and "corpus" in parts:
        stays = [parts[name] == Stay.UNCHANGED.value for name in ("corpus", "tasks", "rubric")]
        moved = sum(row["result"] == "moved" for row in rows)
        ending = "unchanged" if all(stays) else "not proven unchanged"
        click.echo(f"\ncorpus, tasks and rubric: {ending}; {counted(moved, 'value')} moved")


def print_findings(folder: Path, found: Sequence[str], form: OutputFormat) -> None:
    """Print one line per finding."""
    if form is not OutputFormat.TEXT:
        rows = [{"finding": each} for each in found]
        print_table(Table((Column("finding", "finding"),), rows), form)
        return
    click.echo(f"{folder}: {counted(len(found), 'finding') if found else 'nothing found'}")
    for each in found:
        click.echo(f"  {each}")


def print_breaks(difference: CorpusDifference, form: OutputFormat) -> None:
    """Print one row for each thing that is broken."""
    print_table(Table(_BREAKS, [asdict(broken) for broken in difference.breaks]), form)


def print_properties(world: World, form: OutputFormat) -> None:
    """Print counts of everything in the world."""
    rows = [{"property": name, "value": value} for name, value in _properties(world)]
    print_table(Table(_PROPERTIES, rows), form)


def print_tasks(world: World, form: OutputFormat) -> None:
    """Print one row per task."""
    rows = []
    for task in world.tasks:
        marking = world.rubric[task.task_id]
        rows.append(
            {
                "task": task.task_id,
                "category": task.category,
                "outcome": marking.outcome.value,
                "scope": task.scope,
                "fields": len(task.fields),
                "passages": sum(len(passages) for passages in marking.evidence.values()),
                "question": task.question,
            }
        )
    print_table(Table(_TASKS, rows), form)


def print_documents(world: World, form: OutputFormat) -> None:
    """Print one row per document; bytes, sections and relations are of its current version."""
    rows = []
    for path, stored in (world.documents or {}).items():
        current = stored.current_version
        rows.append(
            {
                "path": path,
                "versions": len(stored.versions),
                "current": stored.current,
                "bytes": len(current.body.encode("utf-8")),
                "sections": len(current.outline.sections),
                "relations": sum(
                    key.startswith(RELATION_PREFIX) and key != RELATION_PREFIX
                    for key in current.metadata
                ),
                "archived": stored.archived,
                "title": current.metadata.get("title"),
            }
        )
    print_table(Table(_DOCUMENTS, rows), form)


def print_document(world: World, name: str, form: OutputFormat) -> None:
    """Print the sections of one version; raises `UsageError` if it does not exist."""
    spelled = _VERSION.fullmatch(name)
    path, number = (spelled["path"], int(spelled["number"])) if spelled else (name, None)
    stored = (world.documents or {}).get(path)
    if stored is None:
        raise UsageError(
            f"no document {path!r}{nearest(path, world.documents or ())}",
            "List them: harness world show WORLD --documents",
        )
    document = stored.document(number)
    if document is None:
        numbers = ", ".join(str(version.number) for version in stored.versions)
        raise UsageError(f"{path} has no version {number}", f"Its versions are {numbers}.")
    if form is OutputFormat.TEXT:
        click.echo(f"{path} v{document.version}, {counted(len(document.body), 'character')}")
        for key, value in document.metadata.items():
            click.echo(f"  {key}: {value}")
        click.echo()
    print_table(Table(_SECTIONS, [asdict(section) for section in document.sections]), form)


def size_of(world: World) -> str:
    """Return `50 documents (61 versions), 16 tasks, 20 passages`."""
    passages = sum(
        len(passages) for marking in world.rubric.values() for passages in marking.evidence.values()
    )
    rest = f"{counted(len(world.tasks), 'task')}, {counted(passages, 'passage')}"
    if world.documents is None:
        return f"no document bodies, {rest}"
    versions = sum(len(stored.versions) for stored in world.documents.values())
    return f"{counted(len(world.documents), 'document')} ({counted(versions, 'version')}), {rest}"


def _properties(world: World) -> list[tuple[str, Any]]:
    properties: list[tuple[str, Any]] = [
        ("id", world.world_id),
        ("form", world.form.value),
        ("source", world.source),
    ]
    if world.documents is not None:
        stored = world.documents.values()
        current = [each.current_version for each in stored]
        properties += [
            ("documents", len(stored)),
            ("archived documents", sum(each.archived for each in stored)),
            ("versions", sum(len(each.versions) for each in stored)),
            ("bytes of current bodies", sum(len(each.body.encode("utf-8")) for each in current)),
            ("sections of current bodies", sum(len(each.outline.sections) for each in current)),
        ]
    passages = [
        len(each) for marking in world.rubric.values() for each in marking.evidence.values()
    ]
    properties += [
        ("tasks", len(world.tasks)),
        ("fields with evidence", sum(count > 0 for count in passages)),
        ("passages", sum(passages)),
    ]
    categories = list(dict.fromkeys(task.category for task in world.tasks))
    properties += [
        (f"tasks: {name}", sum(task.category == name for task in world.tasks))
        for name in categories
    ]
    return properties


def _proof(opened: OpenedWorld) -> str:
    bodies = opened.world.documents is not None
    return "structure and quotes" if bodies else "structure (quotes need the bodies)"


def _row(check: str, result: str, detail: str) -> dict[str, Any]:
    return {"check": check, "result": result, "detail": detail}


def _value(value: Any) -> str:
    return "–" if value is None else str(value)
