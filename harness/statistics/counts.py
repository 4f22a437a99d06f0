"""Outcomes of n pairs, what an interval is, and the level that it is made at.

A pair is a question answered twice: right at the point alone (a win), right at the point it is
compared with alone (a loss), or the same at both (a tie). The paired difference of proportions is

    delta = (wins - losses) / n.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from harness.errors import UsageError

from .exact_number import exact_number


@dataclass(frozen=True, slots=True)
class PairedCounts:
    """How many of n pairs are wins, losses and ties.

    Raises `ValueError` for a negative count or no pair at all.
    """

    wins: int
    losses: int
    ties: int

    def __post_init__(self) -> None:
        for name in ("wins", "losses", "ties"):
            count = operator.index(getattr(self, name))  # numpy's whole numbers become Python's
            if count < 0:
                raise ValueError(f"{name} is {count}; a count is at least 0")
            object.__setattr__(self, name, count)
        if not self.n:
            raise ValueError("no pair; at least 1 is needed")

    @classmethod
    def of_total(cls, n: int, wins: int, losses: int) -> PairedCounts:
        """Return `n` pairs of which all but the wins and losses are ties."""
        if wins + losses > n:
            raise ValueError(f"{wins} wins and {losses} losses are more than {n} pairs")
        return cls(wins, losses, n - wins - losses)

    @classmethod
    def of_differences(cls, differences: Iterable[int]) -> PairedCounts:
        """Compute counts of the differences 1, -1 and 0 of the pairs."""
        tally = {1: 0, -1: 0, 0: 0}
        for difference in differences:
            if difference not in tally:
                raise ValueError(f"a paired difference is 1, 0 or -1, not {difference}")
            tally[difference] += 1
        return cls(tally[1], tally[-1], tally[0])

    @property
    def n(self) -> int:
        return self.wins + self.losses + self.ties

    @property
    def discordant(self) -> int:
        return self.wins + self.losses

    @property
    def difference(self) -> Fraction:
        """(wins - losses) / n, exactly."""
        return Fraction(self.wins - self.losses, self.n)

    @property
    def swapped(self) -> PairedCounts:
        """Same pairs with the two sides exchanged."""
        return PairedCounts(self.losses, self.wins, self.ties)


TOO_CLOSE = 1e-12
"""A limit that is not a rational number and this close to a margin cannot be told from it."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Both limits of an interval of the difference, in fractions.

    `exact` are the limits of a method whose limits are lattice values k/n. `tolerance`: how close
    to a margin a limit that is not a rational number is too close to call.
    """

    lower: float
    upper: float
    exact: tuple[Fraction, Fraction] | None = field(default=None, compare=False, repr=False)
    tolerance: float = field(default=0.0, compare=False, repr=False)

    @classmethod
    def of_lattice(cls, lower: int, upper: int, n: int) -> Interval:
        """Return the interval from `lower` / n to `upper` / n."""
        return cls(lower / n, upper / n, (Fraction(lower, n), Fraction(upper, n)))

    @property
    def width(self) -> float:
        return self.upper - self.lower


@dataclass(frozen=True, slots=True)
class Level:
    """A confidence level: decimal text meant exactly. `"0.95"` is 19/20, so its tail is 1/40."""

    text: str
    value: Fraction = field(repr=False)

    @classmethod
    def of(cls, level: LevelLike) -> Level:
        """Read a level from text, or from the shortest spelling of a number.

        Raises `UsageError` for anything but a decimal number strictly between 0 and 1.
        """
        return level if isinstance(level, Level) else _level(str(level).strip())

    @property
    def tail(self) -> Fraction:
        """Probability outside on either side, (1 - level) / 2."""
        return (1 - self.value) / 2

    def __str__(self) -> str:
        return self.text


LevelLike = Level | str | float | Decimal
"""A level, or what `Level.of` makes one of."""

DEFAULT_LEVEL = "0.95"


@lru_cache(maxsize=64)
def _level(text: str) -> Level:
    hint = "Write a fraction between 0 and 1, such as 0.95 for 95 percent."
    try:
        value = exact_number(text)
    except ValueError as error:
        raise UsageError(f"the level {error}", hint) from error
    if not 0 < value < 1:
        raise UsageError(f"the level is {text}, which is not between 0 and 1", hint)
    return Level(text, value)
