"""First lookups: from a world's tasks, from given queries, or from the traces of real readers.

Nothing of the rubric is read here: a `FirstLookup` has what was asked and what was printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.decode.fields import ObjectReader
from harness.decode.json_lines import JsonLines
from harness.errors import Faults, nearest
from harness.model import Document, Lookup, relations_of, same_authority
from harness.worlds import Task, World
from harness.worlds.assembly import in_row_order
from harness.worlds.table import render_result, rows_of

from .lookup_ranking import MATCHES, Match, search

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
    """Every task's question in its scope."""
    return [
        LookupQuery(task.task_id, task, task.question, task.folder, match) for task in world.tasks
    ]


def asked_of_file(world: World, source: str, match: Match) -> list[LookupQuery]:
    """The queries of a JSON Lines file `{case_id, query, scope?, match?}`; a case is a task.

    Raises `InputError` naming every faulty line.
    """
    lines, faults = JsonLines(source), Faults()
    found: dict[str, LookupQuery] = {}
    for line in lines:
        noted = Faults()
        if line.fault is not None:
            noted.add(line.fault)
        else:
            asked = _asked(world, line.value, match, noted)
            if asked is not None and found.setdefault(asked.case_id, asked) is not asked:
                noted.add(f"case_id {asked.case_id!r} was given before")
        for message in noted:
            faults.add(f"line {line.number}: {message}")
    faults.raise_if_any(lines.name, "Each line is {case_id, query, scope?, match?}.")
    return list(found.values())


def look_up(world: World, asked: LookupQuery) -> FirstLookup:
    """The table that a lookup prints for a query."""
    documents = documents_in(world, asked.scope)
    found, matches = search(documents, asked.query, asked.match)
    envelope = (
        ("status", "ok"),
        ("matches", str(matches)),
        ("match", asked.match),
        ("complete", "true" if matches <= len(found) else "false"),
    )
    rows = [each.row for each in found]
    body = asked.match == "body"
    table = render_result(envelope, asked.query, asked.scope, rows, snippets=body)
    task = asked.task
    lookup = lookup_of_table(world, asked.scope, table)
    return FirstLookup(asked.case_id, task.task_id, task.category, asked.query, lookup)


def traced_lookups(world: World, source: str) -> tuple[list[FirstLookup], int]:
    """The first lookup of each attempt of a file of traces, and how many attempts had none.

    A lookup is a call whose name ends in `mark_lookup`; its table is what it printed before the
    first block. Raises `InputError` naming every faulty line.
    """
    lines, faults = JsonLines(source), Faults()
    found: dict[str, FirstLookup] = {}
    without = 0
    for line in lines:
        noted = Faults()
        if line.fault is not None:
            noted.add(line.fault)
        else:
            traced = _traced(world, line.value, noted)
            without += traced is None and not len(noted)
            if traced is not None and found.setdefault(traced.case_id, traced) is not traced:
                noted.add(f"the attempt {traced.case_id} was given before")
        for message in noted:
            faults.add(f"line {line.number}: {message}")
    hint = "Each line is {task, category, repeat, trace: {calls: [{name, input, output, error}]}}."
    faults.raise_if_any(lines.name, hint)
    return list(found.values()), without


def lookup_of_table(world: World, scope: str, table: str) -> Lookup:
    """The printed table with the documents that its rows name, and those that relations of these
    lead to, as far as they are in the scope."""
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
    """The current documents of a scope, by path; archived ones cannot be found."""
    within = Lookup(scope, "", 0)
    stored = (world.documents or {}).values()
    found = [
        each.document() for each in stored if not each.archived and within.within_scope(each.path)
    ]
    return [document for document in found if document is not None]


def _current(world: World, lookup: Lookup, path: str) -> Document | None:
    stored = (world.documents or {}).get(path)
    if stored is None or stored.archived or not lookup.within_scope(path):
        return None
    return stored.document()


def _asked(world: World, value: Any, match: Match, faults: Faults) -> LookupQuery | None:
    fields = ObjectReader(
        value, "", faults, required=("case_id", "query"), optional=("scope", "match")
    )
    task = _task(world, fields, "case_id", faults)
    chosen = fields.text_or_null("match") or match
    if chosen not in MATCHES:
        fields.fault("match", f"is {chosen!r}, expected one of {', '.join(MATCHES)}")
    if task is None or len(faults):
        return None
    scope = fields.text_or_null("scope") or task.folder
    return LookupQuery(task.task_id, task, fields.text("query"), scope, _match(chosen))


def _match(name: str) -> Match:
    return "body" if name == "body" else "catalog"


def _task(world: World, fields: ObjectReader, key: str, faults: Faults) -> Task | None:
    task_id = fields.text(key, empty=False)
    task = world.task(task_id)
    if task is None and not len(faults):
        known = [each.task_id for each in world.tasks]
        fields.fault(key, f"{task_id!r} is not a task of the world{nearest(task_id, known)}")
    return task


def _traced(world: World, value: Any, faults: Faults) -> FirstLookup | None:
    fields = ObjectReader(
        value, "", faults, required=("task", "repeat", "trace"), optional=("category", *_MORE)
    )
    task = _task(world, fields, "task", faults)
    repeat = fields.whole_number("repeat")
    trace = fields.raw("trace")
    calls = trace.get("calls") if isinstance(trace, Mapping) else None
    if not isinstance(calls, list):
        fields.fault("trace.calls", "is no list of calls")
    if task is None or len(faults) or not isinstance(calls, list):
        return None
    call = next(_lookup_calls(calls), None)
    if call is None:
        return None
    said = ObjectReader(call, "trace.calls[]", faults, required=("input", "output"), optional=call)
    given = said.raw("input")
    optional = given if isinstance(given, Mapping) else ()
    asked = ObjectReader(
        given, "trace.calls[].input", faults, required=("query",), optional=optional
    )
    query, output = asked.text("query"), said.text("output")
    scope = asked.text_or_null("url")
    if len(faults):
        return None
    place = scope if scope is not None and scope.startswith("/") else task.folder
    table = _EXPANSION.split(output, maxsplit=1)[0]
    lookup = lookup_of_table(world, place, table)
    case_id = f"{task.task_id}#{repeat}"
    return FirstLookup(case_id, task.task_id, task.category, query, lookup)


_MORE = (
    "latency_phase",
    "elapsed_ms",
    "protocol_requests",
    "tool_result_tokens",
    "score",
    "error",
)
"""Further keys of an attempt in a report, which say nothing of its lookups."""


def _lookup_calls(calls: list[Any]) -> Iterator[Mapping[str, Any]]:
    for call in calls:
        if isinstance(call, Mapping) and str(call.get("name", "")).endswith(LOOKUP_TOOL):
            yield call
