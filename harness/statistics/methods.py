"""The interval methods by the name that plans and the command line use, each with what it needs.

Most need the counts of a comparison alone. `mc-compat` draws questions by a seed, in an order of
their ids, and so holds both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from harness.errors import UsageError, nearest

from .bonett_price import bonett_price_interval, bonett_price_limits
from .counts import Interval, Level, LevelLike, PairedCounts
from .decisions import Run, RunsOf, exact_runs, interval_runs, limit_runs, tango_runs
from .exact_bootstrap import exact_interval
from .implied_p import ImpliedP, PValueOf, bonett_price_p, exact_p, tango_p
from .mc_compat import IdOrder, mc_compat_interval, ordered_ids
from .rules import Rule
from .tango import tango_interval
from .wald import wald_interval, wald_limits

Pairs = Mapping[str, int]
"""The paired difference of each question by id: 1, 0 or -1."""


@dataclass(frozen=True, slots=True)
class IntervalMethod:
    """A method that counts suffice for: its name, what a plan's page calls it, the versioned name
    of its definition, and the function that computes it.

    `about` is a line of help. `percentile`: it draws from what was seen, and so cannot draw what
    was not. `runs` says, for power, of which outcomes a rule holds; without it the interval is
    computed for every one of them. `p` is the p-value that the interval implies for a rule
    (`harness.statistics.implied_p`), which a method of plans has. `in_plans` is False for one that
    is there to compare with and decides no registered rule.
    """

    name: str
    words: str
    convention: str
    interval: Callable[[PairedCounts, LevelLike], Interval]
    about: str
    percentile: bool = False
    in_plans: bool = True
    runs: RunsOf | None = None
    p: PValueOf | None = None

    @property
    def of_counts(self) -> IntervalMethod:
        """Method whose power is used for this one's."""
        return self

    def interval_of(self, pairs: Pairs, level: Level) -> Interval:
        """Compute the interval of the mean difference of the pairs."""
        return self.interval(PairedCounts.of_differences(pairs.values()), level)

    def p_of(self, rule: Rule, pairs: Pairs) -> ImpliedP | None:
        """Compute the smallest 1 - level at which the interval of the pairs meets `rule`."""
        return None if self.p is None else self.p(rule, PairedCounts.of_differences(pairs.values()))

    def holding_runs(self, rule: Rule, n: int, level: Level, losses: range) -> Iterable[Run]:
        """Find the outcomes of n pairs of which `rule` holds (`harness.statistics.decisions`)."""
        return (self.runs or interval_runs(self.interval))(rule, n, level, losses)

    def check_ids(self, ids: Collection[str]) -> None:
        """Accept any ids: they are not looked at."""


METHODS: dict[str, IntervalMethod] = {
    method.name: method
    for method in (
        IntervalMethod(
            "exact",
            "exact percentile",
            "exact-percentile/1",
            exact_interval,
            "percentile bootstrap from the distribution itself: no resampling, no seed",
            percentile=True,
            runs=exact_runs,
            p=exact_p,
        ),
        IntervalMethod(
            "tango",
            "Tango score",
            "tango-score/1",
            tango_interval,
            "score interval; the one to read where few pairs are discordant",
            runs=tango_runs,
            p=tango_p,
        ),
        IntervalMethod(
            "bonett-price",
            "Bonett–Price",
            "bonett-price-adjusted-wald/1",
            bonett_price_interval,
            "adjusted Wald interval",
            runs=limit_runs(bonett_price_limits),
            p=bonett_price_p,
        ),
        IntervalMethod(
            "wald",
            "Wald",
            "wald-paired/1",
            wald_interval,
            "plain Wald interval, to compare with",
            in_plans=False,
            runs=limit_runs(wald_limits),
        ),
    )
}


@dataclass(frozen=True, slots=True)
class McCompat:
    """The seeded resampling of the published studies (`harness.statistics.mc_compat`)."""

    seed: int
    id_order: IdOrder

    name: ClassVar[str] = "mc-compat"
    words: ClassVar[str] = "resampled percentile"
    level: ClassVar[Level] = Level.of("0.95")
    """It takes fixed elements of the sorted resamples, so no other level is defined."""

    @property
    def of_counts(self) -> IntervalMethod:
        """Exact interval, which this one approaches with ever more resamples."""
        return METHODS["exact"]

    def interval_of(self, pairs: Pairs, level: Level) -> Interval | None:
        """Resample the pairs; None at another level than its own."""
        if level.value != self.level.value:
            return None
        return mc_compat_interval(pairs, seed=self.seed, id_order=self.id_order)

    def p_of(self, rule: Rule, pairs: Pairs) -> ImpliedP | None:
        """Return None: it has one level."""
        return None

    def check_ids(self, ids: Collection[str]) -> None:
        """Raise `InputError` for ids that cannot be ordered as asked."""
        ordered_ids(dict.fromkeys(ids, 0), self.id_order)


PlanMethod = IntervalMethod | McCompat
"""What a registered rule decides by."""

PERCENTILE_METHODS = (
    *(method.name for method in METHODS.values() if method.percentile),
    McCompat.name,
)
"""Methods that resample what was seen, and so cannot draw what was not."""


def default_method(rule: Rule) -> str:
    """Return the method of a rule that names none: Tango's score interval where a margin allows a
    loss, since a percentile interval cannot draw a loss that was never seen; else `exact`."""
    return "exact" if rule.is_superiority else "tango"


PLAN_METHODS = (*(method.name for method in METHODS.values() if method.in_plans), McCompat.name)
"""The names that a plan may use."""


def method_named(name: str) -> IntervalMethod:
    """Return the method of counts called `name`; `UsageError` names the nearest where there is
    none."""
    if name not in METHODS:
        raise UsageError(
            f"no interval method {name!r}{nearest(name, METHODS)}",
            f"Methods: {', '.join(METHODS)}.",
        )
    return METHODS[name]
