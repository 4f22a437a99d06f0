"""Axes of a chart: round limits and ticks, and where a value stands."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10

_ROUND_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Axis:
    """Values from `low` to `high` along pixels from `start` to `end`; ticks are round numbers."""

    low: float
    high: float
    step: float
    start: float
    end: float

    def position(self, value: float) -> float:
        """Return the pixel of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    @property
    def ticks(self) -> tuple[float, ...]:
        count = round((self.high - self.low) / self.step)
        return tuple(self.low + place * self.step for place in range(count + 1))


def fitted_axis(low: float, high: float, pixels: tuple[float, float], about: int = 5) -> Axis:
    """Return an axis that holds `low` to `high` between round limits, with about so many steps."""
    if high <= low:
        high = low + 1.0
    rough = (high - low) / about
    magnitude = 10.0 ** floor(log10(rough))
    step = next(factor * magnitude for factor in _ROUND_STEPS if factor * magnitude >= rough)
    first, last = floor(low / step), ceil(high / step)
    return Axis(first * step, last * step, step, *pixels)
