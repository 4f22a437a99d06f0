"""Declared values as JSON: the same keys, in the order in which the fields are declared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from harness.points import Point
from harness.statistics.counts import Level
from harness.statistics.rules import Rule

from .plan import ABSENT, CostCap


def json_text(value: Any, schema: str | None = None) -> str:
    """Return the whole file of a value; floats have their shortest exact spelling."""
    tree = json_value(value)
    if schema is not None:
        tree = {"schema": schema, **tree}
    return json.dumps(tree, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def json_value(value: Any) -> Any:
    """Return the JSON value of a declared value, as `harness.decode` reads it back."""
    if isinstance(value, Rule):
        return value.text  # as the plan spells it
    if isinstance(value, Point | Level | CostCap):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        spelled = getattr(value, "__pydantic_config__", {}).get("alias_generator", str)
        return {
            spelled(f.name): json_value(getattr(value, f.name))
            for f in fields(value)
            if f.metadata != ABSENT or getattr(value, f.name) is not None
        }
    if isinstance(value, Mapping):
        return {key: json_value(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [json_value(entry) for entry in value]
    return value
