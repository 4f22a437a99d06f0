"""Reading the rules of a plan."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from harness.errors import HarnessError, nearest
from harness.points import parse_point
from harness.statistics.rules import parse_rule

from .cost_cap import parse_cost_cap
from .plan import IdOrder, MethodName, RegisteredRule, RuleRole
from .plan_table import PlanTable, one_line

KEYS = (
    "name",
    "role",
    "against",
    "interval",
    "level",
    "met_when",
    "cost",
    "seed",
    "id_order",
)
MC_COMPAT_LEVEL = "0.95"
"""The published studies' resampling takes fixed elements of the sorted resamples: no other level
is defined."""

_UNITS = ("points", "point")


def read_rules(
    root: PlanTable, controls: Collection[str] | None, test_ids: Sequence[str]
) -> tuple[RegisteredRule, ...]:
    """The rules without a fault. `controls`: their spellings, None when those are not known."""
    tables = root.tables("rule", KEYS)
    names: list[str] = []
    read = [_rule(table, controls, names, test_ids) for table in tables]
    rules = tuple(rule for rule in read if rule is not None)
    whole = bool(tables) and len(rules) == len(tables)
    if whole and all(rule.role is not RuleRole.PRIMARY for rule in rules):
        root.fault("rule", 'no rule has role = "primary": nothing decides the question')
    return rules


def _rule(
    table: PlanTable,
    controls: Collection[str] | None,
    names: list[str],
    test_ids: Sequence[str],
) -> RegisteredRule | None:
    """One `[[rule]]`; None when something is wrong with it. Its name is added to `names`."""
    name = table.text("name", example='"better at the same cost"')
    if name is not None and name in names:
        table.fault("name", f"{name!r} is the name of another rule too")
    names += [] if name is None else [name]
    role = table.choice("role", RuleRole)
    against = table.parsed("against", spelled_point, example='"count-curve(k=4)"')
    if against is not None and controls is not None and against not in controls:
        table.fault(
            "against",
            f"{against!r} is no control of the plan{nearest(against, controls)}; "
            f"add it under [[control]], or name one of {', '.join(dict.fromkeys(controls))}",
        )
        against = None
    interval = table.choice("interval", MethodName)
    level = table.fraction("level", example="0.95")
    met_when = table.parsed("met_when", _with_unit, example='"lower > 0 points"')
    cost = table.parsed("cost", parse_cost_cap, example=_CAP_EXAMPLE, required=False)
    seed, id_order = _resampling(table, interval, level)
    if id_order is IdOrder.INTEGER:
        words = [test_id for test_id in test_ids if not test_id.isdecimal()]
        if words:
            table.fault("id_order", f'the id {words[0]!r} is no integer; write "text"')
    if not (name and role and against and interval and level and met_when):
        return None
    return RegisteredRule(name, role, against, interval, level, met_when, cost, seed, id_order)


_CAP_EXAMPLE = '"prompt_tokens_api <= 1000"'


def spelled_point(text: str) -> str:
    """The canonical spelling of a point; raises `ValueError` with what is wrong."""
    try:
        return str(parse_point(text))
    except HarnessError as error:
        raise ValueError(one_line(error)) from error


def _resampling(
    table: PlanTable, interval: MethodName | None, level: str | None
) -> tuple[int | None, IdOrder | None]:
    """`seed` and `id_order`: needed by `mc-compat`, refused elsewhere."""
    if interval is MethodName.MC_COMPAT:
        if level is not None and float(level) != float(MC_COMPAT_LEVEL):
            table.fault("level", f"mc-compat is defined at {MC_COMPAT_LEVEL} alone, not {level}")
        seed = table.integer("seed", example="20261003")
        return seed, table.choice("id_order", IdOrder)
    if interval is not None:
        for name in ("seed", "id_order"):
            if table.has(name):
                table.fault(
                    name, f'only interval = "mc-compat" has one; {interval.value} draws nothing'
                )
    return None, None


def _with_unit(text: str) -> str:
    """A decision rule whose margin names its unit, zero too; raises `ValueError`."""
    try:
        rule = parse_rule(text)
    except HarnessError as error:
        raise ValueError(one_line(error)) from error
    if not text.rstrip().endswith(_UNITS):
        raise ValueError(f"{text!r}: the margin has no unit; write {str(rule)!r}")
    return " ".join(text.split())
