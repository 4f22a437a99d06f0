"""`tasks.json`: the questions of a world. What is not known is refused by name."""

from __future__ import annotations

import math
from typing import Any

from harness.decode.fields import ObjectReader, kind_of
from harness.errors import Faults, listed, nearest
from harness.model import Json

from .model import Task

FIELD_TYPES = ("string", "number", "boolean", "array of strings")


def read_tasks(value: Any, name: str, faults: Faults) -> tuple[Task, ...]:
    """The tasks in file order; everything wrong with them is noted in `faults`."""
    if not isinstance(value, list):
        faults.add(f"{name} is {kind_of(value)}, expected a list of tasks")
        return ()
    tasks = [_task(entry, place, name, faults) for place, entry in enumerate(value)]
    ids = [task.task_id for task in tasks]
    for task_id in sorted({each for each in ids if each and ids.count(each) > 1}):
        faults.add(f"{name} has {ids.count(task_id)} tasks with the id {task_id!r}")
    unscoped = [task.task_id for task in tasks if task.scope is None]
    if 0 < len(unscoped) < len(tasks):
        faults.add(
            f"{name}: {listed([repr(each) for each in unscoped])} of {len(tasks)} tasks have no "
            "scope; expected all or none to have one"
        )
    return tuple(tasks)


def type_fault(value: Json, field_type: str) -> str | None:
    """What is wrong with a value of an answer, or None."""
    right = {
        "string": isinstance(value, str),
        "number": _is_number(value),
        "boolean": isinstance(value, bool),
        "array of strings": isinstance(value, list) and all(isinstance(v, str) for v in value),
    }
    # an unknown type is a fault of the task already
    return None if right.get(field_type, True) else f"is {kind_of(value)}, expected {field_type}"


def _task(value: Any, place: int, name: str, faults: Faults) -> Task:
    task_id = value.get("id") if isinstance(value, dict) else None
    where = f"{name} task {task_id!r}" if isinstance(task_id, str) else f"{name}[{place}]"
    fields = ObjectReader(
        value, where, faults, ("id", "category", "question", "fields"), ("scope",)
    )
    scope = fields.text("scope") if fields.has("scope") else None
    if scope is not None and (not scope.startswith("/") or ".." in scope.split("/")):
        fields.fault("scope", f"is {scope!r}, expected one like '/folder'")
    return Task(
        fields.text("id", empty=False),
        fields.text("category", empty=False),
        fields.text("question", empty=False),
        _types(fields, faults),
        scope,
    )


def _types(fields: ObjectReader, faults: Faults) -> dict[str, str]:
    value = fields.json("fields")
    if not isinstance(value, dict):
        if fields.has("fields"):
            fields.fault("fields", f"is {kind_of(value)}, expected an object")
        return {}
    if not value:
        fields.fault("fields", "is empty: an answer needs a field")
    reader = ObjectReader(value, fields.where("fields"), faults, (), value)
    types = {field: reader.text(field) for field in value}
    for field, field_type in types.items():
        if isinstance(value[field], str) and field_type not in FIELD_TYPES:
            known = ", ".join(FIELD_TYPES)
            reader.fault(
                field,
                f"is {field_type!r}, expected one of {known}{nearest(field_type, FIELD_TYPES)}",
            )
    return types


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
