"""The curves: a measure against its cost along the points of an arm, each beside every item.

The count curve shows fewer items at full quotes, the quote curve every item at shorter quotes; both
end at the full point, which shows every item at full quotes. Every other point has its paired
difference to the full point, over the same questions, with

- its own interval at level 0.95: of an accuracy the exact percentile bootstrap
  (`harness.statistics.exact_bootstrap`), of an evidence metric the percentile bootstrap of the
  questions (`harness.statistics.paired_bootstrap`);
- a band that holds for all points of all curves at once (`harness.statistics.bands`), where at
  least ten questions differ: with fewer it is too narrow.

A point holds a margin of -2.0 points where a lower limit is at or above it: of right and wrong that
of Tango's score interval, which knows of losses that were never seen; of shares that of the point's
own interval, as there is no score interval of these. The rule of the published curves, `lower >=
-2.0 points` of the percentile interval, is reported with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.errors import UsageError
from harness.evidence import Bootstrap, Metric
from harness.model import Role
from harness.points import Point, point_with, role_points
from harness.replay.run import Run
from harness.statistics.bands import printed_bands
from harness.statistics.counts import Interval, PairedCounts
from harness.statistics.difference import PairedDifference
from harness.statistics.exact_bootstrap import exact_interval
from harness.statistics.paired_bootstrap import Ratios, paired_bootstrap
from harness.statistics.rules import Rule, parse_rule
from harness.statistics.tango import tango_interval
from harness.statistics.warnings import resampling_warnings
from harness.words import counted

from .measured import ACCURACY, MeasuredValues, Values

DEFAULT_MARGIN = "-2.0 points"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of a curve. `difference`, `band` and the two that hold are to the full point.

    They are None at the full point itself, and at a point that is the same policy (`is_full`).
    `band` and `band_holds`, whether the band's lower limit holds the margin for all at once, are
    also None for a point that differs in fewer than ten questions. `tango` is the score interval
    of right and wrong, None of shares. `holds_by_percentile`: the published rule, whether the lower
    limit of `difference` holds the margin. `too_close`: the limit that decides cannot be told from
    the margin, which counts as not holding it.
    """

    point: Point
    cost: float
    value: float
    is_full: bool
    difference: PairedDifference | None
    band: Interval | None
    holds: bool | None
    band_holds: bool | None
    tango: Interval | None = None
    holds_by_percentile: bool | None = None
    too_close: bool = False


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of an arm, from the cheapest to the most expensive."""

    arm: str
    points: tuple[CurvePoint, ...]

    @property
    def smallest(self) -> CurvePoint | None:
        """Cheapest point that holds the margin; the full point holds any."""
        return next((point for point in self.points if point.is_full or point.holds), None)

    @property
    def smallest_by_band(self) -> CurvePoint | None:
        """Cheapest point whose band holds the margin."""
        return next((point for point in self.points if point.is_full or point.band_holds), None)

    @property
    def smallest_by_percentile(self) -> CurvePoint | None:
        """Cheapest point that holds the margin by the published rule."""
        return next(
            (point for point in self.points if point.is_full or point.holds_by_percentile), None
        )

    @property
    def costlier_that_fail(self) -> tuple[CurvePoint, ...]:
        """Points more expensive than the smallest that do not hold the margin."""
        smallest = self.smallest
        if smallest is None:
            return ()
        dearer = self.points[self.points.index(smallest) + 1 :]
        return tuple(point for point in dearer if not point.is_full and not point.holds)


@dataclass(frozen=True, slots=True)
class Curves:
    """Curves of one measure over the same questions: `questions` of them have a cost, `scored` a
    value. `margin` is the rule's spelling, `caveats` what goes with the numbers of a point."""

    measure: Metric
    cost: str
    full: Point
    margin: Rule
    curves: tuple[Curve, ...]
    questions: int
    scored: int
    denominator: str
    band_points: int
    caveats: Mapping[Point, tuple[str, ...]]

    def of(self, arm: str) -> Curve | None:
        return next((curve for curve in self.curves if curve.arm == arm), None)


def margin_rule(text: str) -> Rule:
    """Return the rule `lower >= TEXT`; raises `UsageError` for a margin without a unit, or above
    0."""
    rule = parse_rule(f"lower >= {text}")
    if rule.threshold > 0:
        raise UsageError(
            f"--margin {text!r} asks each point to be better than every item",
            f"A margin is how much may be lost, such as {DEFAULT_MARGIN!r}.",
        )
    return rule


def full_point(run: Run, spelling: str | None = None) -> Point:
    """Return the point of every item at full quotes: the one that is spelled, else the run's own.

    Raises `UsageError` where the run has none.
    """
    if spelling is not None:
        named = run.chosen([spelling])
        if len(named) != 1:
            names = ", ".join(str(point) for point in named)
            raise UsageError(
                f"--full {spelling} means {counted(len(named), 'point')}: {names}",
                "Name one of them.",
            )
        return named[0]
    full = point_with(Role.EVERY_ITEM, run.points)
    if full is None:
        known = [str(point) for point in role_points(Role.EVERY_ITEM)]
        raise UsageError(
            f"the run {run.folder} has no point of every item ({' or '.join(known)})",
            f"Add it: harness replay RECORDING --out {run.folder} --point {known[0]}"
            if known
            else "Name one with --full.",
        )
    return full


def points_of_curves(run: Run, arms: Sequence[str], full: Point) -> tuple[Point, ...]:
    """Return the full point, then the run's points of the arms; raises `UsageError` where an arm
    has none."""
    if not arms:
        raise UsageError("no installed arm says that its points are a curve", "Name one: --curve.")
    lacking = [arm for arm in arms if not any(point.arm == arm for point in run.points)]
    if lacking:
        raise UsageError(
            f"the run {run.folder} has no point of {' and '.join(lacking)}",
            f"Add them: harness replay RECORDING --out {run.folder} --point {lacking[0]}",
        )
    on_curves = [point for arm in arms for point in run.points if point.arm == arm]
    return tuple(dict.fromkeys([full, *on_curves]))


def curves_of(
    measured: MeasuredValues,
    computed_as: Mapping[str, str],
    arms: Sequence[str],
    full: Point,
    margin: Rule,
) -> Curves:
    """Return the curves of the arms that have measured points; `full` must be measured.

    `computed_as` is the run's: points that are one policy count once in the bands.
    """
    same = {point for point in measured.points if computed_as[str(point)] == computed_as[str(full)]}
    bands = _bands(measured, full, same, computed_as)
    curves = []
    for arm in arms:
        points = [point for point in measured.points if point.arm == arm]
        made = [_curve_point(measured, point, full, same, bands, margin) for point in points]
        if made:
            made.sort(key=lambda point: (point.cost, point.value))
            curves.append(Curve(arm, tuple(made)))
    return Curves(
        measure=measured.measure,
        cost=measured.cost,
        full=full,
        margin=margin,
        curves=tuple(curves),
        questions=len(measured.case_ids),
        scored=len(measured.scored),
        denominator=measured.denominator,
        band_points=len(
            {computed_as[str(point)] for point in measured.points if point not in same}
        ),
        caveats=measured.caveats,
    )


def difference_of(measure: Metric, left: Values, right: Values) -> PairedDifference:
    """Compute the mean of `left` less `right`, both of shape (n,), with its interval.

    Values that are all 0 or 1, of an accuracy, get the exact interval.
    """
    differences = left - right
    wins, losses = int(np.sum(differences > 0)), int(np.sum(differences < 0))
    made = Bootstrap()
    if measure == ACCURACY and bool(np.isin(differences, (-1.0, 0.0, 1.0)).all()):
        counts = PairedCounts.of_total(len(differences), wins, losses)
        interval = exact_interval(counts, made.level)
        return PairedDifference(
            float(counts.difference),
            interval.lower,
            interval.upper,
            counts.n,
            made.level,
            wins=wins,
            losses=losses,
            warnings=resampling_warnings(wins + losses, interval.width),
        )
    ones = np.ones_like(left)
    bootstrap = paired_bootstrap(
        Ratios(left, ones),
        Ratios(right, ones),
        level=made.level,
        resamples=made.resamples,
        seed=made.seed,
    )
    return bootstrap.at(0, len(differences), wins=wins, losses=losses)


def _curve_point(
    measured: MeasuredValues,
    point: Point,
    full: Point,
    same: set[Point],
    bands: dict[Point, Interval],
    margin: Rule,
) -> CurvePoint:
    place = measured.place(point)
    cost, value = measured.mean_cost(place), measured.mean_value(place)
    if point in same:
        return CurvePoint(point, cost, value, True, None, None, None, None)
    values = measured.scored
    difference = difference_of(measured.measure, values[:, place], values[:, measured.place(full)])
    wins, losses = difference.wins or 0, difference.losses or 0
    band = bands.get(point)
    tango = None
    if bool(np.isin(values, (0.0, 1.0)).all()):
        counts = PairedCounts.of_total(difference.pairs, wins, losses)
        tango = tango_interval(counts, difference.level)
    return CurvePoint(
        point=point,
        cost=cost,
        value=value,
        is_full=False,
        difference=difference,
        band=band,
        holds=margin.holds(difference.interval if tango is None else tango),
        band_holds=None if band is None else margin.holds(band),
        tango=tango,
        holds_by_percentile=margin.holds(difference.interval),
        too_close=tango is not None and margin.is_too_close(tango),
    )


def _bands(
    measured: MeasuredValues, full: Point, same: set[Point], computed_as: Mapping[str, str]
) -> dict[Point, Interval]:
    """Compute the band of every point that differs from the full one; a policy counts once."""
    by_policy: dict[str, list[Point]] = {}
    for point in measured.points:
        if point not in same:
            by_policy.setdefault(computed_as[str(point)], []).append(point)
    if not by_policy:
        return {}
    places = [measured.place(points[0]) for points in by_policy.values()]
    values = measured.scored
    bands = printed_bands(values[:, places] - values[:, [measured.place(full)]])
    return {
        point: band
        for band, points in zip(bands, by_policy.values(), strict=True)
        if band is not None
        for point in points
    }
