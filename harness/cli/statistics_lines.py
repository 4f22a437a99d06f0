"""What `interval`, `test` and `power` share: requests from options or JSON Lines, and answers.

One reading serves both: options are an object whose keys are spelled as options. All faults of a
call are reported together, each with its line, field, value and what is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Annotated, Any, Generic, TypeVar, cast

import click

from harness.decode import (
    Check,
    Example,
    FieldError,
    Format,
    SourceLines,
    Via,
    named,
    read_json,
    typed,
)
from harness.errors import Faults, HarnessError, InputError, listed, nearest
from harness.show.printing import OutputFormat, json_text
from harness.show.table import Table
from harness.statistics.counts import DEFAULT_LEVEL, Level
from harness.statistics.exact_number import exact_number

from .output import print_table

Request = TypeVar("Request")
Part = TypeVar("Part")


class Fields:
    """The object of a request, read part by part, so that the faults of all parts come together.

    A part is a frozen type that declares its keys; keys of no part are refused by `refuse_others`.
    Options are an object whose keys are spelled as options.
    """

    def __init__(self, tree: Mapping[str, Any], faults: Faults, *, of_options: bool) -> None:
        self.tree = {key: value for key, value in tree.items() if value is not None}
        self.faults = faults
        self._of_options = of_options
        self._known: list[str] = []

    def part(self, kind: type[Part]) -> Part | None:
        """Read a part; None after adding its faults."""
        names = [field.name for field in fields(cast(Any, kind))]
        self._known += names
        faults = Faults()
        own = {name: self.tree[name] for name in names if name in self.tree}
        value = typed(Format("a request", kind), own, faults)
        for message in faults:
            self.add(message)
        return value

    def has(self, key: str) -> bool:
        return key in self.tree

    def name(self, key: str) -> str:
        """Spell a key as whoever gave it does."""
        return f"--{key.replace('_', '-')}" if self._of_options else key

    def add(self, message: str) -> None:
        """Add a fault that begins with its key, or is of the whole object."""
        key = re.match(r"\w*", message)
        known = key is not None and key[0] in (*self._known, *self.tree)
        if key is not None and known:
            message = self.name(key[0]) + message[key.end() :]
        elif self._of_options:
            message = f"the call {message}"
        self.faults.add(message)

    def refuse_others(self, passed_over: Collection[str]) -> None:
        """Refuse keys that are of no part, but for those of answers and reference rows."""
        for key in self.tree:
            if key not in self._known and key not in passed_over:
                self.faults.add(f"{key} is an unknown key{nearest(key, self._known)}")


@dataclass(frozen=True, slots=True)
class RequestForm(Generic[Request]):
    """A verb's request: how its parts are read, the keys of answers and reference rows that are
    skipped, and an example."""

    verb: str
    read: Callable[[Fields], Request | None]
    passed_over: tuple[str, ...]
    example: str


def request_of_options(form: RequestForm[Request], options: Mapping[str, Any]) -> Request:
    """Read the request that options make; `InputError` names every one that is missing or wrong."""
    faults = Faults()
    request = form.read(Fields(options, faults, of_options=True))
    faults.raise_if_any(f"harness {form.verb}", f"Examples: harness {form.verb} --help")
    if request is None:
        raise RuntimeError("a request that cannot be read has a fault")
    return request


def requests_of_lines(
    form: RequestForm[Request], source: str, options: Mapping[str, Any]
) -> list[tuple[int, Request]]:
    """Read the line number and request of every line of a file or of `-`; options supply keys
    that a line lacks. `InputError` names every fault of every line."""
    lines = SourceLines(source)
    faults = Faults()
    requests: list[tuple[int, Request]] = []
    for number, line in lines:
        here = Faults()
        request = None
        tree = read_json(line, here)
        if isinstance(tree, dict):
            given = {key: value for key, value in tree.items() if value is not None}
            parts = Fields({**options, **given}, here, of_options=False)
            request = form.read(parts)
            parts.refuse_others(form.passed_over)
        elif not here:
            here.add(f"is {named(tree)}, expected an object")
        for message in here:
            faults.add(f"line {number}: {message}")
        if request is not None:
            requests.append((number, request))
    faults.raise_if_any(lines.name, f"A line is an object such as {form.example}")
    if not requests:
        raise InputError(f"{lines.name} holds no line", f"Write lines such as {form.example}")
    return requests


def whole_number(smallest: int, largest: int) -> tuple[Check, Example]:
    """Declare a whole number within bounds, with what to write."""
    wanted = f"a whole number from {smallest} to {largest:,}"
    return (
        Check(
            lambda value: (
                None if smallest <= value <= largest else f"is {named(value)}, expected {wanted}"
            )
        ),
        Example(wanted),
    )


def exact_decimal(value: Any) -> Fraction:
    """Read decimal text or a number, meant exactly; raises `ValueError`."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise FieldError("", f"is {named(value)}, expected a decimal number")
    try:
        return exact_number(value)
    except ValueError as error:
        raise FieldError("", f"is wrong: {error}") from error


def _share(value: Any) -> Fraction:
    number = exact_decimal(value)
    if not 0 <= number <= 1:
        raise FieldError("", f"is {named(value)}, expected a decimal number from 0 to 1")
    return number


def _level(value: Any) -> Level:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise FieldError("", f'is {named(value)}, expected a decimal such as "0.95"')
    try:
        return Level.of(value)
    except HarnessError as error:
        raise FieldError("", wrong(error)) from error


Share = Annotated[Fraction, Via(Any, _share), Example("a decimal number from 0 to 1")]
ConfidenceLevel = Annotated[Level, Via(Any, _level)]
DEFAULT = Level.of(DEFAULT_LEVEL)


def wrong(error: HarnessError) -> str:
    """Say what is wrong with a field and how to fix it, on one line."""
    mark = "" if error.message.endswith("?") else "."
    return f"is wrong: {error.message}{mark} {error.hint}"


def check_convention(convention: str | None, known: Collection[str]) -> None:
    """Raise a fault for a row that follows another definition than the verb's."""
    if convention is not None and convention not in known:
        wanted = " or ".join(repr(name) for name in known)
        message = f"is {named(convention)}, expected {wanted}, or leave it out"
        raise FieldError("convention", message)


def print_answers(rows: Iterable[Mapping[str, Any]], form: OutputFormat) -> None:
    """Print an object per line, or a CSV table; a number has its shortest spelling, and reads back
    the same."""
    if form is OutputFormat.CSV:
        print_table(Table((), list(rows)), form)
        return
    for row in rows:
        click.echo(json_text(row))


def lines_noted(numbers: Sequence[int]) -> str:
    """Return `line 3` or `lines 3, 4 and 9`, the first few of many."""
    shown = [str(number) for number in numbers[:5]]
    if len(numbers) > len(shown):
        return f"lines {', '.join(shown)} and {len(numbers) - len(shown)} more"
    return f"line{'s' if len(shown) > 1 else ''} {listed(shown)}"
