"""A gate for people and for tools: a table, a comment in Markdown for a pull request, JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from harness.escapes import terminal
from harness.evidence import Metric
from harness.measure.gating import Gate, GateCheck, GateSide, GateState
from harness.words import (
    Code,
    Kind,
    Strong,
    Text,
    counted,
    kind_of_unit,
    markdown_of,
    percent,
    plain_of,
)

from .evidence_tables import in_words
from .printing import OutputFormat, cell_text, print_as
from .table import Column, OfKind, Table, WithLimits

_UNDECIDED = (
    "Undecided is not failed: the questions are too few to tell whether the loss stays within the "
    "margin. More questions, or a wider margin, can decide it."
)


def gate_table(gate: Gate) -> Table:
    """Return a row per check."""
    columns = (
        Column("check", "check"),
        Column("value", "point", Kind.RATIO, cell=lambda row: _of(row, row["value"])),
        Column(
            "against_value", "against", Kind.RATIO, cell=lambda row: _of(row, row["against_value"])
        ),
        Column("difference", "difference", Kind.RATIO, cell=_difference),
        Column("wanted", "passes with"),
        Column("state", "state", cell=lambda row: _marked(row["state"])),
    )
    return Table(columns, [_row(gate, check) for check in gate.checks])


def gate_lines(gate: Gate) -> Iterator[Text]:
    """Yield the sentences below the table."""
    for check in gate.checks:
        if check.reason:
            yield f"{_title(check.metric)}: {check.reason}."
    if any(check.state is GateState.UNDECIDED and check.difference for check in gate.checks):
        yield _UNDECIDED
    yield (
        f"Differences are in points (hundredths), with the {percent(float(gate.level.value))} "
        f"percentile bootstrap interval of {counted(gate.questions, 'question')}; costs are means "
        "in tokens. Definitions: docs/metrics.md; the gate: docs/ci.md."
    )


def gate_heading(gate: Gate) -> Text:
    """Return what was compared, and what came of it."""
    return (
        "Evidence gate: ",
        Strong(gate.state.value),
        ". ",
        *_side(gate.side),
        " against ",
        *_side(gate.base),
        "." if gate.side.run.folder == gate.base.run.folder else " of another run.",
    )


def gate_comment(gate: Gate) -> str:
    """Return a comment for a pull request, in Markdown."""
    table = print_as(gate_table(gate), OutputFormat.MARKDOWN)
    parts = [markdown_of(gate_heading(gate)), table, *map(markdown_of, gate_lines(gate))]
    return "\n\n".join(parts) + "\n"


def gate_junit(gate: Gate) -> str:
    """Return JUnit XML with a test case per check: one that failed is a failure, and one that is
    undecided an error."""
    tags = {GateState.FAILED: "failure", GateState.UNDECIDED: "error"}
    states = [check.state for check in gate.checks]
    suite = ElementTree.Element(
        "testsuite",
        name="harness gate",
        tests=str(len(states)),
        failures=str(states.count(GateState.FAILED)),
        errors=str(states.count(GateState.UNDECIDED)),
    )
    for check in gate.checks:
        case = ElementTree.SubElement(
            suite, "testcase", classname=_plain(str(gate.side.point)), name=_name(check)
        )
        if check.state in tags:
            message = f"{_found(check)}; passes with {check.wanted}"
            fault = ElementTree.SubElement(
                case, tags[check.state], type=check.state.value, message=_plain(message)
            )
            fault.text = _plain(plain_of(gate_heading(gate)))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suites, "unicode")}\n'


def _row(gate: Gate, check: GateCheck) -> dict[str, Any]:
    found = check.difference
    return {
        "check": _title(check.metric),
        "metric": check.metric.name,
        "point": str(gate.side.point),
        "against": str(gate.base.point),
        "value": check.value,
        "against_value": check.against,
        "difference": None if found is None else found.difference,
        "lower": None if found is None else found.lower,
        "upper": None if found is None else found.upper,
        "level": float(gate.level.value),
        "pairs": None if found is None else found.pairs,
        "wins": None if found is None else found.wins,
        "losses": None if found is None else found.losses,
        "warnings": [] if found is None else list(found.warnings),
        "wanted": check.wanted,
        "state": check.state.value,
        "reason": check.reason,
        "gate": gate.state.value,
    }


def _of(row: dict[str, Any], value: float | None) -> OfKind:
    return OfKind(value, _kind(row))


def _kind(row: dict[str, Any]) -> Kind:
    return Kind.TOKENS if row["pairs"] is None else Kind.SHARE


def _difference(row: dict[str, Any]) -> OfKind | None:
    if row["pairs"] is None:
        return None
    few = bool(row["warnings"])
    cell = WithLimits(row["difference"], row["lower"], row["upper"], row["level"], doubtful=few)
    return OfKind(cell, Kind.SHARE_POINTS)


def _marked(state: str) -> Text:
    return state if state == GateState.PASSED.value else Strong(state)


def _title(metric: Metric) -> str:
    unit = kind_of_unit(metric.unit).unit
    return f"{in_words(metric.name)} ({unit})" if unit else in_words(metric.name)


def _name(check: GateCheck) -> str:
    return (
        check.metric.name
        if check.difference is not None
        else f"{check.metric.name}: {check.wanted}"
    )


def _found(check: GateCheck) -> str:
    """Say what a check found, in one line."""
    if check.reason:
        return check.reason
    if check.difference is None:
        return f"mean {plain_of(cell_text(check.value, Kind.TOKENS))} tokens"
    few = WithLimits(check.difference.difference, check.difference.lower, check.difference.upper)
    return f"difference {plain_of(cell_text(few, Kind.SHARE_POINTS))} points"


def _side(side: GateSide) -> tuple[str, ...]:
    return (Code(str(side.point)),)


def _plain(text: str) -> str:
    """Return text that XML can hold: what steers a terminal as escapes."""
    return terminal(text)
