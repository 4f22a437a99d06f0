"""What a reader did: its calls, its last words, what it cost, and how it was scored.

The types declare an attempt of a report, and a line of a file of attempts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from harness.decode import (
    Count,
    FieldError,
    Format,
    Json,
    JsonObject,
    NotNegative,
    NullIs,
    Positive,
    SourceLines,
    Text,
    Via,
    decode,
    quoted,
)
from harness.errors import Faults, nearest
from harness.recording.sources.first_lookups import LOOKUP_TOOL
from harness.worlds import World

__all__ = [
    "FETCH_TOOL",
    "LOOKUP_TOOL",
    "Attempt",
    "Call",
    "Score",
    "Trace",
    "Usage",
    "check_tasks",
    "phase_of",
    "read_attempts",
]

FETCH_TOOL = "mark_fetch"

_Empty = Annotated[str, NullIs(str)]
_Count = Annotated[Count, NullIs(int)]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool. A client puts its own prefix before a tool's name.

    `input` is empty where it was not kept; `error` is empty for a call that went well.
    """

    name: Text
    input: Annotated[JsonObject, NullIs(dict)] = field(default_factory=dict)
    output: _Empty = ""
    error: _Empty = ""

    def is_of(self, tool: str) -> bool:
        return self.name.endswith(tool)

    def given(self, key: str) -> str:
        """Return a text of the input; empty where there is none."""
        value = self.input.get(key)
        return value if isinstance(value, str) else ""

    @property
    def result(self) -> str:
        """What the reader was shown: the output, and the error on a line of its own."""
        return f"{self.output}\n{self.error}" if self.error else self.output


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a model, by kind."""

    input: int = 0
    output: int = 0
    reasoning: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def total(self) -> int:
        """Uncached input, cache reads and writes, visible output and reasoning."""
        return self.input + self.output + self.reasoning + self.cache_read + self.cache_write

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.reasoning + other.reasoning,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )


@dataclass(frozen=True, slots=True)
class _Cache:
    read: _Count = 0
    write: _Count = 0


@dataclass(frozen=True, slots=True)
class _UsageObject:
    """Tokens as a file spells them."""

    input: _Count
    output: _Count
    reasoning: _Count = 0
    cache: Annotated[_Cache, NullIs(_Cache)] = _Cache()
    total: Count | None = None

    def __post_init__(self) -> None:
        parts = self.usage().total
        if self.total not in (None, parts):
            raise FieldError("total", f"is {self.total}, but its parts give {parts}")

    def usage(self) -> Usage:
        return Usage(self.input, self.output, self.reasoning, self.cache.read, self.cache.write)


_NO_USAGE = Usage()
"""Where none is given; a usage of nothing that is given equals it, but is not it."""


@dataclass(frozen=True, slots=True)
class Trace:
    """`usage_complete`: whether the usage of every turn is known. `turns`: of the model. `errors`:
    what the client noted; nothing is computed from it."""

    calls: Annotated[tuple[Call, ...], NullIs(tuple)]
    final: _Empty = ""
    usage: Annotated[Usage, Via(_UsageObject, _UsageObject.usage), NullIs(lambda: _NO_USAGE)] = (
        _NO_USAGE
    )
    usage_complete: bool = False
    turns: _Count = 0
    session: _Empty = ""
    errors: Json = None

    def __post_init__(self) -> None:
        if self.usage_complete and self.usage is _NO_USAGE:
            raise FieldError("usage", "is missing, but usage_complete is true")


def _observed(value: tuple[str, ...] | bool | int) -> int:
    return len(value) if isinstance(value, tuple) else int(value)


@dataclass(frozen=True, slots=True)
class Score:
    """How an attempt was scored.

    `contradictions_observed`: how many texts that it must not follow the reader was shown; a file
    may list them, or say whether there was one. `dimensions_recorded`: whether more is known than
    `correct`.
    """

    correct: bool
    answer_correct: bool = False
    evidence_sufficient: bool = False
    citations_valid: bool = False
    scope_complete: bool = False
    contradictions_observed: Annotated[
        int, Via(tuple[str, ...] | bool | Count, _observed), NullIs(int)
    ] = 0
    reasons: Annotated[tuple[str, ...], NullIs(tuple)] = ()
    dimensions_recorded: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of a reader at a task; `repeat` counts from 1.

    `latency_phase`: `cold` for the first repeat, else `warm`. What was not recorded is None.
    `tool_result_tokens`: `o200k_base` tokens of what the calls showed.
    """

    task: Text
    category: Text
    repeat: Positive
    trace: Trace
    latency_phase: _Empty = ""
    elapsed_ms: NotNegative | None = None
    protocol_requests: Count | None = None
    tool_result_tokens: Count | None = None
    score: Score | None = None
    error: _Empty = ""

    def __post_init__(self) -> None:
        phase = phase_of(self.repeat)
        if self.latency_phase not in ("", phase):
            raise FieldError(
                "latency_phase", f"is {quoted(self.latency_phase)}, expected {phase!r}"
            )
        object.__setattr__(self, "latency_phase", phase)

    @property
    def key(self) -> tuple[str, int]:
        return self.task, self.repeat

    @property
    def usage_complete(self) -> bool:
        """Whether what it cost is known: of one that broke off it is not."""
        return self.trace.usage_complete and not self.error

    @property
    def failed_calls(self) -> int:
        return sum(bool(call.error) for call in self.trace.calls)

    @property
    def name(self) -> str:
        """How messages name it."""
        return f"{self.task} repeat {self.repeat}"


def phase_of(repeat: int) -> str:
    return "cold" if repeat == 1 else "warm"


ATTEMPT = Format(
    "attempt",
    Attempt,
    hint="Each line is {task, category, repeat, trace: {calls: [{name, input, output, error}], "
    "final, usage, usage_complete, turns}}.",
    of_others=True,
)


def read_attempts(source: str, world: World) -> tuple[Attempt, ...]:
    """Return the attempts of JSON Lines, all at tasks of the world.

    Raises `InputError` naming every faulty line.
    """
    lines, faults = SourceLines(source), Faults()
    attempts: dict[tuple[str, int], Attempt] = {}
    for number, line in lines:
        noted = Faults()
        attempt = decode(ATTEMPT, line, faults=noted)
        if attempt is not None:
            _check_task(attempt, world, noted)
            if not len(noted) and attempts.setdefault(attempt.key, attempt) is not attempt:
                noted.add(f"the attempt {attempt.name} was given before")
        for message in noted:
            faults.add(f"line {number}: {message}")
    if not attempts and not len(faults):
        faults.add("there is no attempt")
    faults.raise_if_any(lines.name, ATTEMPT.hint)
    return tuple(attempts.values())


def check_tasks(attempts: tuple[Attempt, ...], world: World, where: str) -> None:
    """Refuse attempts at tasks that the world does not have."""
    faults = Faults()
    for place, attempt in enumerate(attempts):
        noted = Faults()
        _check_task(attempt, world, noted)
        for message in noted:
            faults.add(f"attempts[{place}].{message}")
    faults.raise_if_any(where, f"Its world is another one than {world.folder}.")


def _check_task(attempt: Attempt, world: World, faults: Faults) -> None:
    task = world.task(attempt.task)
    if task is None or attempt.task not in world.rubric:
        known = [task.task_id for task in world.tasks]
        near = nearest(attempt.task, known)
        faults.add(f"task is {attempt.task!r}, which is not a task of the world{near}")
    elif attempt.category != task.category:
        faults.add(f"category is {attempt.category!r}, but that of the task is {task.category!r}")
