"""`harness arms`: which selection policies there are, and what one of them does."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

import click

from harness.show.printing import OutputFormat, table_text
from harness.show.table import Column, Table
from harness.words import Kind, counted

from .options import quiet_option, table_options
from .output import chosen_format, note, print_table

if TYPE_CHECKING:
    from harness.model import Arm, Parameter
    from harness.points import Point

_WIDTH = 96
_GROWS = "a larger {0} never removes anything shown"
_NO_GROWTH = "not promised: a larger setting may remove something; a replay counts where it does"

_ARM_COLUMNS = [
    Column("arm", "arm"),
    Column("default_points", "points", Kind.COUNT),
    Column("summary", "summary"),
]
_PARAMETER_COLUMNS = [
    Column("parameter", "parameter"),
    Column("default", "default"),
    Column("accepts", "accepts", width=32),
    Column("meaning", "meaning", width=40),
]
_POINT_COLUMN = Column("point", "default point")
_ALIAS_COLUMN = Column("same_as", "same policy as", Kind.CODE)


@click.command()
@click.argument("name", required=False)
@table_options
@quiet_option
def arms(name: str | None, as_json: bool, as_csv: bool, quiet: bool) -> None:
    """List the selection policies, or explain the one named NAME.

    An arm with all its settings is a point, spelled like 2.6.5a1(budget=2800); a bare arm name
    means the arm's default points. An installed package may bring arms of its own.

    \b
      harness arms
      harness arms 2.6.5a1
      harness arms 2.6.5a1 --json      everything that the arm declares
      harness arms 2.6.5a1 --csv       its parameters as a table
    """
    from harness.points import load_arm

    form = chosen_format(as_json, as_csv)
    if name is None:
        _list(form, quiet)
        return
    arm = load_arm(name)
    if form is OutputFormat.JSON:
        click.echo(json.dumps(_declaration(arm), indent=1, ensure_ascii=False))
    elif form is OutputFormat.CSV:
        print_table(Table(_PARAMETER_COLUMNS, _parameter_rows(arm)), form)
    else:
        click.echo(_explained(arm))


def _list(form: OutputFormat, quiet: bool) -> None:
    from harness.points import load_arms

    rows: list[dict[str, Any]] = [
        {
            "arm": arm.name,
            "summary": arm.summary,
            "default_points": len(arm.default_points),
            "parameters": [parameter.name for parameter in arm.parameters],
            "promises_growth": arm.promises_growth,
            "source": arm.source,
        }
        for arm in load_arms()
    ]
    print_table(Table(_ARM_COLUMNS, rows), form)
    if form is OutputFormat.TEXT:
        points = sum(row["default_points"] for row in rows)
        note(
            f"\n{counted(len(rows), 'arm')}, {counted(points, 'default point')}; "
            f"explain one: harness arms NAME",
            quiet,
        )


def _explained(arm: Arm) -> str:
    from harness.points import roles_in_words

    sections = [f"{arm.name}: {arm.summary}", arm.explanation.strip()]
    fields = [_field("Source", arm.source), _field("Growth", _growth(arm))]
    if roles := roles_in_words(arm):
        fields.append(_field("Roles", "; ".join(roles)))
    if arm.reads:
        fields.append(_field("Signals", ", ".join(signal.name for signal in arm.reads)))
    sections.append("\n".join(fields))
    if arm.parameters:
        rows = _parameter_rows(arm)
        sections.append(table_text(Table(_PARAMETER_COLUMNS, rows)))
    else:
        sections.append("No parameters.")
    points = _point_rows(arm)
    if points:
        has_aliases = any(row["same_as"] for row in points)
        sections.append(table_text(Table([_POINT_COLUMN, *[_ALIAS_COLUMN] * has_aliases], points)))
    return "\n\n".join(sections)


def _field(name: str, text: str) -> str:
    return textwrap.fill(f"{name}: {text}", _WIDTH, subsequent_indent="  ")


def _growth(arm: Arm) -> str:
    growing = [parameter.name for parameter in arm.parameters if parameter.grows]
    if not arm.promises_growth:
        return _NO_GROWTH
    return _GROWS.format(" or ".join(growing)) if growing else "no setting to raise"


def _declaration(arm: Arm) -> dict[str, Any]:
    """Return everything that an arm declares, as JSON has it."""
    from harness.points import roles_in_words

    return {
        "arm": arm.name,
        "summary": arm.summary,
        "explanation": arm.explanation,
        "source": arm.source,
        "promises_growth": arm.promises_growth,
        "parameters": _parameter_rows(arm),
        "default_points": _point_rows(arm),
        "roles": roles_in_words(arm),
        "reads": [
            {"signal": signal.name, "absent_if": [each.value for each in signal.needs]}
            for signal in arm.reads
        ],
    }


def _parameter_rows(arm: Arm) -> list[dict[str, Any]]:
    return [_parameter_row(parameter) for parameter in arm.parameters]


def _parameter_row(parameter: Parameter) -> dict[str, Any]:
    from harness.model import spell

    default = parameter.default
    return {
        "parameter": parameter.name,
        "type": parameter.kind.__name__,
        "default": None if default is None else spell(default),
        "accepts": parameter.accepted,
        "minimum": parameter.minimum,
        "maximum": parameter.maximum,
        "words": list(parameter.words),
        "choices": [spell(choice) for choice in parameter.choices],
        "unit": parameter.unit or None,
        "grows": parameter.grows,
        "meaning": parameter.meaning,
    }


def _point_rows(arm: Arm) -> list[dict[str, Any]]:
    """Return the arm's default points, each with the default points of other arms that equal it."""
    from harness.points import default_points

    same_as = _aliases()
    return [
        {
            "point": str(point),
            "settings": dict(point.settings),
            "same_as": [str(other) for other in same_as[point] if other != point],
        }
        for point in default_points([arm])
    ]


def _aliases() -> dict[Point, tuple[Point, ...]]:
    from harness.points import default_points, group_by_policy

    groups = group_by_policy(default_points())
    return {point: group for group in groups for point in group}
