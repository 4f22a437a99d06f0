"""First lookups: from a world's tasks, from given queries, or from the traces of real readers.

Nothing of the rubric is read here: a `FirstLookup` has what was asked and what was printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.decode import KEEP, Format, Json, JsonObject, SourceLines, Text, Whole, decode, typed
from harness.errors import Faults, nearest
from harness.model import Document, Lookup, relations_of, same_authority
from harness.worlds import Task, World
from harness.worlds.assembly import in_row_order
from harness.worlds.table import render_result, rows_of

from .lookup_ranking import Match, search

LOOKUP_TOOL = "mark_lookup"
_EXPANSION = re.compile(r"\n>>> ")


@dataclass(frozen=True, slots=True)
class FirstLookup:
    """One recorded first lookup. `task_id` names the task that it was made for."""

    case_id: str
    task_id: str
    category: str
    query: str
    lookup: Lookup


@dataclass(frozen=True, slots=True)
class LookupQuery:
    """A query to be looked up."""

    case_id: str
    task: Task
    query: str
    scope: str
    match: Match


def asked_of_tasks(world: World, match: Match) -> list[LookupQuery]:
    """Return every task's question in its scope."""
    return [
        LookupQuery(task.task_id, task, task.question, task.folder, match) for task in world.tasks
    ]


def asked_of_file(world: World, source: str, match: Match) -> list[LookupQuery]:
    """Return the queries of a JSON Lines file `{case_id, query, scope?, match?}`; a case is a task.

    Raises `InputError` naming every faulty line.
    """
    lines, faults = SourceLines(source), Faults()
    queries: dict[str, LookupQuery] = {}
    for number, line in lines:
        noted = Faults()
        asked = _asked(world, line, match, noted)
        if asked is not None and queries.setdefault(asked.case_id, asked) is not asked:
            noted.add(f"case_id {asked.case_id!r} was given before")
        for message in noted:
            faults.add(f"line {number}: {message}")
    faults.raise_if_any(lines.name, "Each line is {case_id, query, scope?, match?}.")
    return list(queries.values())


def look_up(world: World, asked: LookupQuery) -> FirstLookup:
    """Return the table that a lookup prints for a query."""
    documents = documents_in(world, asked.scope)
    hits, matches = search(documents, asked.query, asked.match)
    envelope = (
        ("status", "ok"),
        ("matches", str(matches)),
        ("match", asked.match),
        ("complete", "true" if matches <= len(hits) else "false"),
    )
    rows = [hit.row for hit in hits]
    body = asked.match == "body"
    table = render_result(envelope, asked.query, asked.scope, rows, snippets=body)
    task = asked.task
    lookup = lookup_of_table(world, asked.scope, table)
    return FirstLookup(asked.case_id, task.task_id, task.category, asked.query, lookup)


def traced_lookups(world: World, source: str) -> tuple[list[FirstLookup], int]:
    """Return the first lookup of each attempt of a file of traces, and how many attempts had none.

    A lookup is a call whose name ends in `mark_lookup`; its table is what it printed before the
    first block. Raises `InputError` naming every faulty line.
    """
    lines, faults = SourceLines(source), Faults()
    lookups: dict[str, FirstLookup] = {}
    without = 0
    for number, line in lines:
        noted = Faults()
        traced = _traced(world, line, noted)
        without += traced is None and not len(noted)
        if traced is not None and lookups.setdefault(traced.case_id, traced) is not traced:
            noted.add(f"the attempt {traced.case_id} was given before")
        for message in noted:
            faults.add(f"line {number}: {message}")
    hint = "Each line is {task, category, repeat, trace: {calls: [{name, input, output, error}]}}."
    faults.raise_if_any(lines.name, hint)
    return list(lookups.values()), without


def lookup_of_table(world: World, scope: str, table: str) -> Lookup:
    """Return the printed table with the documents that its rows name, and those that relations of
    these lead to, as far as they are in the scope."""
    rows = rows_of(table)
    bare = Lookup(scope, table, len(table.encode("utf-8")), rows)
    named = [_current(world, bare, path) for path in dict.fromkeys(row.path for row in rows)]
    shown = [document for document in named if document is not None]
    paths = {document.path: document for document in shown}
    for document in shown:
        for relation in relations_of(document):
            if relation.target not in paths and same_authority(document.path, relation.target):
                target = _current(world, bare, relation.target)
                if target is not None:
                    paths[target.path] = target
    documents = in_row_order(rows, list(paths.values()))
    return Lookup(scope, table, bare.spent_bytes, rows, documents)


def documents_in(world: World, scope: str) -> list[Document]:
    """Return the current documents of a scope, by path; archived ones cannot be found."""
    within = Lookup(scope, "", 0)
    stored = (world.documents or {}).values()
    documents = [
        entry.document()
        for entry in stored
        if not entry.archived and within.within_scope(entry.path)
    ]
    return [document for document in documents if document is not None]


def _current(world: World, lookup: Lookup, path: str) -> Document | None:
    stored = (world.documents or {}).get(path)
    if stored is None or stored.archived or not lookup.within_scope(path):
        return None
    return stored.document()


@dataclass(frozen=True, slots=True)
class _QueryLine:
    """A query as a line of a file spells it."""

    case_id: Text
    query: str
    scope: str | None = None
    match: Match | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _AttemptLine:
    """An attempt of a report; keys that say nothing of its lookups may hold anything."""

    task: Text
    repeat: Whole
    trace: JsonObject
    category: Json = None
    latency_phase: Json = None
    elapsed_ms: Json = None
    protocol_requests: Json = None
    tool_result_tokens: Json = None
    score: Json = None
    error: Json = None


@dataclass(frozen=True, slots=True)
class _Trace:
    calls: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class _LookupInput:
    query: str
    url: str | None = None


@dataclass(frozen=True, slots=True)
class _LookupCall:
    input: _LookupInput
    output: str


_QUERY = Format("query", _QueryLine)
_ATTEMPT = Format("attempt", _AttemptLine, of_others=True)
_TRACE = Format("trace", _Trace, KEEP)
_CALL = Format("call of a lookup", _LookupCall, KEEP)


def _asked(world: World, line: bytes, match: Match, faults: Faults) -> LookupQuery | None:
    asked = decode(_QUERY, line, faults=faults)
    task = None if asked is None else _task(world, asked.case_id, "case_id", faults)
    if asked is None or task is None:
        return None
    scope = asked.scope or task.folder
    return LookupQuery(task.task_id, task, asked.query, scope, asked.match or match)


def _task(world: World, task_id: str, key: str, faults: Faults) -> Task | None:
    task = world.task(task_id)
    if task is None:
        near = nearest(task_id, [task.task_id for task in world.tasks])
        faults.add(f"{key} {task_id!r} is not a task of the world{near}")
    return task


def _traced(world: World, line: bytes, faults: Faults) -> FirstLookup | None:
    attempt = decode(_ATTEMPT, line, faults=faults)
    if attempt is None:
        return None
    task = _task(world, attempt.task, "task", faults)
    trace = typed(_TRACE, attempt.trace, faults, "trace")
    if task is None or trace is None:
        return None
    place, value = next(_lookup_calls(trace.calls), (0, None))
    if value is None:
        return None
    call = typed(_CALL, value, faults, f"trace.calls[{place}]")
    if call is None:
        return None
    scope = call.input.url
    folder = scope if scope is not None and scope.startswith("/") else task.folder
    table = _EXPANSION.split(call.output, maxsplit=1)[0]
    lookup = lookup_of_table(world, folder, table)
    case_id = f"{task.task_id}#{attempt.repeat}"
    return FirstLookup(case_id, task.task_id, task.category, call.input.query, lookup)


def _lookup_calls(calls: Sequence[Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for place, call in enumerate(calls):
        if isinstance(call, Mapping) and str(call.get("name", "")).endswith(LOOKUP_TOOL):
            yield place, call
