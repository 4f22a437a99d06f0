"""What `interval`, `test` and `power` share: requests from options or JSON Lines, and answers.

One reading serves both: options are an object whose keys are spelled as options. All faults of a
call are reported together, each with its line, field, value and what is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

import click

from harness.decode.fields import ObjectReader, kind_of
from harness.errors import Faults, HarnessError, InputError, listed
from harness.show.printing import OutputFormat, json_text
from harness.show.table import Table
from harness.statistics.counts import DEFAULT_LEVEL, Level
from harness.statistics.exact_number import exact_number

from .output import print_table

Request = TypeVar("Request")


@dataclass(frozen=True, slots=True)
class RequestForm(Generic[Request]):
    """A verb's request: the keys that it has, the keys of answers and reference rows that are
    passed over, how its fields are read, and an example."""

    verb: str
    keys: tuple[str, ...]
    passed_over: tuple[str, ...]
    read: Callable[[ObjectReader], Request | None]
    example: str


class _OptionFields(ObjectReader):
    """Fields that were given as options, named as such in messages."""

    def where(self, key: str) -> str:
        return f"--{key.replace('_', '-')}" if key else "the call"


def request_of_options(form: RequestForm[Request], options: Mapping[str, Any]) -> Request:
    """The request that options make; `InputError` names every one that is missing or wrong."""
    faults = Faults()
    fields = _OptionFields(_given(options), "", faults, (), form.keys)
    request = form.read(fields)
    faults.raise_if_any(f"harness {form.verb}", f"Examples: harness {form.verb} --help")
    if request is None:
        raise RuntimeError("a request that cannot be read has a fault")
    return request


def requests_of_lines(
    form: RequestForm[Request], source: str, options: Mapping[str, Any]
) -> list[tuple[int, Request]]:
    """The line number and request of every line of a file or of `-`; options stand in for keys
    that a line lacks. `InputError` names every fault of every line."""
    from harness.decode.json_lines import JsonLines

    lines = JsonLines(source)
    faults = Faults()
    found: list[tuple[int, Request]] = []
    for line in lines:
        here = Faults()
        request = None
        if line.fault is not None:
            here.add(f"the line {line.fault}")
        else:
            value = line.value
            if isinstance(value, dict):
                value = _given(options) | _given(value)
            fields = ObjectReader(value, "", here, (), (*form.keys, *form.passed_over))
            request = form.read(fields) if isinstance(value, dict) else None
        for message in here:
            faults.add(f"line {line.number}: {message}")
        if request is not None:
            found.append((line.number, request))
    faults.raise_if_any(lines.name, f"A line is an object such as {form.example}")
    if not found:
        raise InputError(f"{lines.name} holds no line", f"Give lines such as {form.example}")
    return found


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without the keys that are null, which stand for nothing given."""
    return {key: value for key, value in values.items() if value is not None}


def whole_number(fields: ObjectReader, key: str, smallest: int, largest: int) -> int | None:
    """A whole number within bounds; None, with a fault, where it is missing or something else."""
    value = fields.raw(key)
    wanted = f"a whole number from {smallest} to {largest:,}"
    if not fields.has(key):
        fields.fault(key, f"is missing; give {wanted}")
    elif isinstance(value, int) and not isinstance(value, bool) and smallest <= value <= largest:
        return value
    else:
        fields.fault(key, f"is {kind_of(value)}, expected {wanted}")
    return None


def decimal(
    fields: ObjectReader, key: str, smallest: Fraction | int = 0, largest: Fraction | int = 1
) -> Fraction | None:
    """Decimal text or a number, meant exactly, within bounds; None, with a fault, where it is
    missing or something else."""
    value = fields.raw(key)
    wanted = f"a decimal number from {_plain(smallest)} to {_plain(largest)}"
    if not fields.has(key):
        fields.fault(key, f"is missing; give {wanted}")
        return None
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        fields.fault(key, f"is {kind_of(value)}, expected {wanted}")
        return None
    try:
        number = exact_number(value)
    except ValueError as error:
        fields.fault(key, f"is wrong: {error}; expected {wanted}")
        return None
    if not smallest <= number <= largest:
        fields.fault(key, f"is {kind_of(value)}, expected {wanted}")
        return None
    return number


def level_of(fields: ObjectReader) -> Level | None:
    """The level, 0.95 where none is given; None, with a fault, for what is none."""
    value = fields.raw("level") if fields.has("level") else DEFAULT_LEVEL
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        fields.fault("level", f'is {kind_of(value)}, expected a decimal such as "0.95"')
        return None
    try:
        return Level.of(value)
    except HarnessError as error:
        fields.fault("level", wrong(error))
        return None


def wrong(error: HarnessError) -> str:
    """What is wrong with a field and how to mend it, on one line."""
    mark = "" if error.message.endswith("?") else "."
    return f"is wrong: {error.message}{mark} {error.hint}"


def check_convention(fields: ObjectReader, known: Collection[str]) -> None:
    """A fault for a row that follows another definition than the verb's."""
    value = fields.raw("convention")
    if fields.has("convention") and value not in known:
        wanted = " or ".join(repr(name) for name in known)
        fields.fault("convention", f"is {kind_of(value)}, expected {wanted}, or leave it out")


def print_answers(rows: Iterable[Mapping[str, Any]], form: OutputFormat) -> None:
    """An object per line, or a CSV table; a number is spelled shortest, and reads back the same."""
    if form is OutputFormat.CSV:
        print_table(Table((), list(rows)), form)
        return
    for row in rows:
        click.echo(json_text(row))


def lines_noted(numbers: Sequence[int]) -> str:
    """`line 3` or `lines 3, 4 and 9`, the first few of many."""
    shown = [str(number) for number in numbers[:5]]
    if len(numbers) > len(shown):
        return f"lines {', '.join(shown)} and {len(numbers) - len(shown)} more"
    return f"line{'s' if len(shown) > 1 else ''} {listed(shown)}"


def _plain(bound: Fraction | int) -> str:
    return f"{float(bound):g}"
