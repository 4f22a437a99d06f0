"""Decision rules on an interval's end, such as `lower >= -2.0 points`.

A rule compares the lower limit (`>` or `>=`) or the upper limit (`<` or `<=`) of the paired
difference with a margin whose unit is named: `points` are hundredths of a fraction. Zero needs no
unit. The margin is meant exactly: -2.0 points are -1/50.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from harness.errors import UsageError

from .counts import Interval
from .exact_number import Exact, exact_number

End = Literal["lower", "upper"]

_RULE = re.compile(
    r"(?P<end>lower|upper)\s*(?P<comparison>>=|<=|>|<)\s*(?:(?P<sign>[-+])\s*)?"
    r"(?P<value>[0-9.]+(?:[eE][-+]?[0-9]+)?|margin)(?:\s*(?P<unit>[^\s0-9.].*))?"
)
_DIRECTIONS = {"lower": (">", ">="), "upper": ("<", "<=")}
_HINT = "Write a rule such as: lower > 0 points, lower >= -2.0 points, or upper < 0 points."


@dataclass(frozen=True, slots=True)
class Rule:
    """`end` of the interval, compared with `threshold` (a fraction, exact); `strict` is without
    equality. The lower end must be above the threshold, the upper end below it.

    `text` is the rule as it was written, which files keep; the canonical spelling is `str`.
    """

    end: End
    strict: bool
    threshold: Fraction
    text: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.text:
            object.__setattr__(self, "text", str(self))
        if abs(self.threshold) >= 1:
            raise ValueError(f"a margin is under 100 points, not {_points(self.threshold)}")

    @property
    def is_superiority(self) -> bool:
        """Whether meeting the rule shows a difference; otherwise it shows that a loss stays within
        a margin (non-inferiority), which holds where there is no difference."""
        return self.threshold >= 0 if self.end == "lower" else self.threshold <= 0

    def limit_of(self, interval: Interval) -> float:
        """Return the end of the interval that the rule looks at."""
        return interval.lower if self.end == "lower" else interval.upper

    def holds(self, interval: Interval) -> bool:
        """Return whether the interval meets the rule.

        A lattice limit k/n is compared with the margin as a fraction. A limit that is not a
        rational number does not meet it within its tolerance: that is too close to call. An end of
        which only the double is known is compared with the double of the margin: one that equals it
        as a rational is the same double, since both are rounded once.
        """
        if interval.exact is not None:
            end = interval.exact[0 if self.end == "lower" else 1]
            beyond = end - self.threshold if self.end == "lower" else self.threshold - end
            return beyond > 0 or (beyond == 0 and not self.strict)
        limit, threshold = self.limit_of(interval), float(self.threshold)
        distance = limit - threshold if self.end == "lower" else threshold - limit
        if interval.tolerance:
            return distance > interval.tolerance
        return distance > 0 or (distance == 0 and not self.strict)

    def is_too_close(self, interval: Interval) -> bool:
        """Return whether a limit that is not a rational number cannot be told from the margin."""
        if interval.exact is not None or not interval.tolerance:
            return False
        return abs(self.limit_of(interval) - float(self.threshold)) <= interval.tolerance

    def __str__(self) -> str:
        comparison = _DIRECTIONS[self.end][0 if self.strict else 1]
        return f"{self.end} {comparison} {_points(self.threshold)}"


def parse_rule(text: str, margin: Exact | None = None) -> Rule:
    """Parse the rule that `text` spells; `margin` is the fraction that the word margin in it stands
    for.

    Raises `UsageError` that says what is missing or wrong: a rule that does not parse, a comparison
    in the direction that claims nothing, a margin without a unit, a margin of 100 points or more,
    and a margin that is given and not named, or named and not given.
    """
    match = _RULE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is not a rule", _HINT)
    end, comparison = match["end"], match["comparison"]
    if comparison not in _DIRECTIONS[end]:
        wanted = " or ".join(_DIRECTIONS[end])
        raise UsageError(
            f"{text!r}: the {end} end is compared by {wanted}, not {comparison}: "
            "the other direction claims nothing",
            _HINT,
        )
    size = _named_margin(text, margin, match) if match["value"] == "margin" else _size(text, match)
    if margin is not None and match["value"] != "margin":
        raise UsageError(
            f"{text!r} does not name the margin that is given",
            f"Write {end} {comparison} -margin, or leave the margin out.",
        )
    threshold = -size if match["sign"] == "-" else size
    if abs(threshold) >= 1:
        raise UsageError(f"{text!r}: a margin is under 100 points (a fraction under 1)", _HINT)
    # a margin that is passed separately is not in the rule's text
    spelling = "" if margin is not None else " ".join(text.split())
    end_of_interval: End = "lower" if end == "lower" else "upper"
    return Rule(end_of_interval, comparison in (">", "<"), threshold, spelling)


def _size(text: str, match: re.Match[str]) -> Fraction:
    """Return the number of a rule, as a fraction."""
    value, unit = match["value"], match["unit"]
    try:
        number = exact_number(value)
    except ValueError as error:
        raise UsageError(f"{text!r}: {error}", _HINT) from error
    if unit is None and number:
        raise UsageError(
            f"{text!r}: the margin {match['sign']}{value} has no unit",
            f"Write {match['sign']}{value} points if hundredths are meant; "
            f"the fraction {match['sign']}{value} is {match['sign']}{_points(number)}.",
        )
    if unit is not None and unit not in ("points", "point"):
        raise UsageError(f"{text!r}: {unit!r} is not a unit for a margin; write points", _HINT)
    return number / 100


def _named_margin(text: str, margin: Exact | None, match: re.Match[str]) -> Fraction:
    """Return the margin that is passed with a rule, as a fraction."""
    if match["unit"] is not None:
        raise UsageError(f"{text!r}: margin is a fraction and takes no unit", _HINT)
    if margin is None:
        raise UsageError(
            f"{text!r} names a margin, but none is passed",
            "Pass margin as a fraction with the rule, or write the number: -2.0 points.",
        )
    try:
        size = exact_number(margin)
    except ValueError as error:
        raise UsageError(f"the margin {error}", "Give a fraction such as 0.02.") from error
    if size < 0:
        raise UsageError(
            f"the margin is {margin}, below 0", "Give its size, and the sign in the rule: -margin."
        )
    return size


def _points(threshold: Fraction) -> str:
    """Return a fraction in points, as a rule spells it."""
    points = 100 * threshold
    return f"{Decimal(points.numerator) / points.denominator:f} points"
