"""What a reader did: its calls, its last words, what it cost, and how it was scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.model import Json
from harness.recording.sources.first_lookups import LOOKUP_TOOL

__all__ = ["FETCH_TOOL", "LOOKUP_TOOL", "Attempt", "Call", "Score", "Trace", "Usage", "phase_of"]

FETCH_TOOL = "mark_fetch"


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool. A client puts its own prefix before a tool's name.

    `input` is empty where it was not kept; `error` is empty for a call that went well.
    """

    name: str
    input: Mapping[str, Json] = field(default_factory=dict)
    output: str = ""
    error: str = ""

    def is_of(self, tool: str) -> bool:
        return self.name.endswith(tool)

    def given(self, key: str) -> str:
        """A text of the input; empty where there is none."""
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
class Trace:
    """`usage_complete`: whether the usage of every turn is known. `turns`: of the model."""

    calls: tuple[Call, ...] = ()
    final: str = ""
    usage: Usage = Usage()
    usage_complete: bool = False
    turns: int = 0
    session: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """How an attempt was scored.

    `contradictions_observed`: how many texts that it must not follow the reader was shown.
    """

    correct: bool
    answer_correct: bool = False
    evidence_sufficient: bool = False
    citations_valid: bool = False
    scope_complete: bool = False
    contradictions_observed: int = 0
    reasons: tuple[str, ...] = ()
    dimensions_recorded: bool = True


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of a reader at a task; `repeat` counts from 1.

    `latency_phase`: `cold` for the first repeat, else `warm`. What was not recorded is None.
    `tool_result_tokens`: `o200k_base` tokens of what the calls showed.
    """

    task: str
    category: str
    repeat: int
    trace: Trace
    latency_phase: str
    elapsed_ms: float | None = None
    protocol_requests: int | None = None
    tool_result_tokens: int | None = None
    score: Score | None = None
    error: str = ""

    @property
    def key(self) -> tuple[str, int]:
        return self.task, self.repeat

    @property
    def name(self) -> str:
        """How messages name it."""
        return f"{self.task} repeat {self.repeat}"


def phase_of(repeat: int) -> str:
    return "cold" if repeat == 1 else "warm"
