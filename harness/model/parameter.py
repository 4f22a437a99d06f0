"""A parameter of an arm, declared once.

Validation, spelling, `harness arms NAME`, the documentation and the manifest all come from the
declaration.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

Value = int | float | str | bool
"""What a parameter may be set to."""

Settings = Mapping[str, Value]
"""Every parameter of an arm with its value, defaults filled in, in declared order."""

_WHOLE_NUMBER = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/+-]*")


class ParameterError(ValueError):
    """A value that its parameter does not admit; the message says what it admits."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One setting of an arm.

    `kind` is `int`, `float`, `str` or `bool`. `default` None means that it must be given.
    `words` are accepted in place of a number (`k=full`). `choices` are all that is accepted.
    `grows` promises that a larger value never takes anything away (invariant 9); a word of `words`
    counts as larger than every number, unless it gives a case the smaller budget. `later`: it came
    to an arm of which runs existed; a run lists it only where it is not the default, so that those
    are made again to the same bytes.
    """

    name: str
    meaning: str
    kind: type[int] | type[float] | type[str] | type[bool] = int
    default: Value | None = None
    minimum: float | None = None
    maximum: float | None = None
    words: tuple[str, ...] = ()
    choices: tuple[Value, ...] = ()
    unit: str = ""
    grows: bool = False
    later: bool = False

    @property
    def accepted(self) -> str:
        """What the parameter accepts, for messages and help."""
        if self.choices:
            return "one of " + ", ".join(spell(choice) for choice in self.choices)
        if self.kind is bool:
            return "yes or no"
        if self.kind is str:
            return "a word"
        noun = "a whole number" if self.kind is int else "a number"
        low, high = _bound(self.minimum), _bound(self.maximum)
        if self.minimum is not None and self.maximum is not None:
            noun += f" from {low} to {high}"
        elif self.minimum is not None:
            noun += f" of at least {low}"
        elif self.maximum is not None:
            noun += f" of at most {high}"
        if self.unit:
            noun += f" ({self.unit})"
        return " or ".join([noun, *self.words])

    def parse(self, text: str) -> Value:
        """Parse the value that `text` spells; raises `ParameterError`."""
        if text in self.words:
            return text
        if self.kind is bool and text in ("yes", "no"):
            return text == "yes"
        if self.kind is int and _WHOLE_NUMBER.fullmatch(text):
            return self.check(int(text))
        if self.kind is float and _NUMBER.fullmatch(text):
            return self.check(float(text))
        if self.kind is str and _WORD.fullmatch(text):
            return self.check(text)
        raise ParameterError(f"{self.name} takes {self.accepted}, not {text!r}")

    def check(self, value: Value) -> Value:
        """Return `value` if the parameter admits it; raises `ParameterError`."""
        if isinstance(value, str) and value in self.words:
            return value
        wrong_type = not isinstance(value, self.kind) or (
            isinstance(value, bool) and self.kind is not bool
        )
        if wrong_type or (self.choices and value not in self.choices) or self._outside(value):
            raise ParameterError(f"{self.name} takes {self.accepted}, not {spell(value)}")
        return 0.0 if isinstance(value, float) and value == 0 else value

    def _outside(self, value: Value) -> bool:
        """Return whether a value of the right type has no spelling, or lies beyond a bound."""
        if isinstance(value, bool):
            return False
        if isinstance(value, str):
            return _WORD.fullmatch(value) is None
        if not math.isfinite(value):
            return True
        below = self.minimum is not None and value < self.minimum
        above = self.maximum is not None and value > self.maximum
        return below or above


def spell(value: Value) -> str:
    """Return the canonical spelling of a value."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{value:.1f}"
    return str(value)


def _bound(value: float | None) -> str:
    return "" if value is None else f"{value:,g}" if value < 1e6 else f"{value:,.0f}"
