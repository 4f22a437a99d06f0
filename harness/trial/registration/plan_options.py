"""Reading the tables of a plan that have one key, or may be left out."""

from __future__ import annotations

from collections.abc import Callable

from .cost_cap import measure_fault
from .plan import COST_MEASURES, Correction, ExclusionRule, SameCost
from .plan_table import PlanTable, shown


def read_exclude(root: PlanTable) -> tuple[ExclusionRule, ...]:
    """The rules under `[cohort]` by which questions leave."""
    table = root.table("cohort", ("exclude",), required=False)
    if table is None:
        return ()
    names = [rule.value for rule in ExclusionRule]
    found = []
    for entry in table.entries("exclude"):
        if entry not in names:
            table.fault("exclude", f"{shown(entry)} is no rule; the rules are {', '.join(names)}")
        elif (rule := ExclusionRule(entry)) in found:
            table.fault("exclude", f"{rule.value!r} is there twice")
        else:
            found.append(rule)
    return tuple(found)


def read_recording(root: PlanTable) -> str | None:
    """The recording's hash."""
    table = root.table("recording", ("sha256",), required=False)
    return None if table is None else table.sha256("sha256")


def read_same_cost(root: PlanTable) -> SameCost | None:
    """The same-cost check."""
    table = root.table("same_cost", ("measure", "within"), required=False)
    if table is None:
        return None
    measure = table.parsed("measure", _measure, example='"context_tokens"')
    within = table.fraction("within", example="0.05")
    return SameCost(measure, within) if measure and within else None


def _measure(text: str) -> str:
    if text not in COST_MEASURES:
        raise ValueError(measure_fault(text))
    return text


def read_correction(root: PlanTable) -> Correction:
    """How the family is corrected; not at all without the table."""
    table = root.table("family", ("correction",), required=False)
    found = None if table is None else table.choice("correction", Correction)
    return found or Correction.NONE


def read_discordance(root: PlanTable) -> str | None:
    """The discordance that is assumed, a fraction."""
    table = root.table("power", ("discordance",), required=False)
    return None if table is None else table.fraction("discordance", example="0.12")


def read_one(
    root: PlanTable,
    name: str,
    key: str,
    *,
    required: bool = False,
    parse: Callable[[str], str] = str,
) -> str | None:
    """The only key of the table `name`."""
    table = root.table(name, (key,), required=required)
    if table is None:
        return None
    example = {"spec": '"2.6.5a1(budget=2800)"', "model": '"gpt-4.1-mini-2025-04-14"'}
    return table.parsed(key, parse, example=example.get(key, '"One run. …"'))
