"""The interval methods that need counts alone, by the name that plans and the command line use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from harness.errors import UsageError, nearest

from .bonett_price import bonett_price_interval
from .counts import Interval, LevelLike, PairedCounts
from .exact_bootstrap import exact_interval
from .tango import tango_interval
from .wald import wald_interval


@dataclass(frozen=True, slots=True)
class IntervalMethod:
    """A method's name, what it is in a few words, the versioned name of its definition, and the
    function that computes it."""

    name: str
    title: str
    convention: str
    interval: Callable[[PairedCounts, LevelLike], Interval]


METHODS: dict[str, IntervalMethod] = {
    method.name: method
    for method in (
        IntervalMethod("exact", "exact percentile bootstrap", "exact-percentile/1", exact_interval),
        IntervalMethod("tango", "Tango score", "tango-score/1", tango_interval),
        IntervalMethod(
            "bonett-price",
            "Bonett-Price adjusted Wald",
            "bonett-price-adjusted-wald/1",
            bonett_price_interval,
        ),
        IntervalMethod("wald", "Wald", "wald-paired/1", wald_interval),
    )
}


def method_named(name: str) -> IntervalMethod:
    """The method called `name`; `UsageError` names the nearest where there is none."""
    if name not in METHODS:
        raise UsageError(
            f"no interval method {name!r}{nearest(name, METHODS)}",
            f"Methods: {', '.join(METHODS)}.",
        )
    return METHODS[name]
