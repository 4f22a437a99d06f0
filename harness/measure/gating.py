"""A gate for changes: does a point show no less than another, at no higher cost, within margins?

Each metric is a share whose mean over the questions is compared, question by question. It passes
where the lower limit of the paired difference (better less worse) is at or above the margin's loss,
fails where the upper limit is below it, and is undecided in between. Where fewer than ten questions
differ, the percentile interval misleads; a question loses the whole at most, so the loss is then
bounded by the exact upper limit of the share of questions that are worse
(`harness.statistics.clopper_pearson`). Points that show the same on every question pass.

Costs are means over all questions, compared as they are. A gate is as bad as its worst check.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa

from harness.decode import (
    Check,
    Example,
    FieldError,
    Format,
    NotNull,
    Parsed,
    Via,
    decode_toml,
    keys,
    named,
)
from harness.errors import InputError, UsageError
from harness.evidence import (
    COST_METRICS,
    EVIDENCE_METRICS,
    SESSION_PRECISION,
    Aggregation,
    Better,
    Bootstrap,
    CohortCounts,
    Metric,
    cohort_of,
    metric_named,
    metric_values,
    paired_differences,
)
from harness.points import Point
from harness.replay.run import Run
from harness.statistics.clopper_pearson import upper_limit
from harness.statistics.counts import Interval, Level
from harness.statistics.difference import PairedDifference
from harness.statistics.exact_number import exact_number
from harness.statistics.rules import Rule
from harness.words import counted, percent

from .sessions import with_sessions_shown
from .subject import recording_of

_HINT = "docs/ci.md has a whole file to start from."
_POINT, _AGAINST = "point", "against"
GATED = tuple(
    metric
    for metric in (*EVIDENCE_METRICS, SESSION_PRECISION)
    if metric.unit.startswith("fraction")
)
"""The metrics that a gate can have: shares, whose margins are points."""
_FIRST = f'name = "{GATED[0].name}"'


class GateState(Enum):
    """What a check came to."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


def _number(wanted: str, holds: Callable[[Fraction], bool]) -> Via:
    """Return a number that is meant as it is written, and that `holds`."""

    def read(value: Any) -> Fraction:
        is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
        number = exact_number(value) if is_number else None
        if number is None or not holds(number):
            raise FieldError("", f"is {named(value)}, expected {wanted}")
        return number

    return Via(Any, read)


_NotNegative = Annotated[Fraction, _number("a number from 0", lambda number: number >= 0)]


@dataclass(frozen=True, slots=True)
class GateMetric:
    """A share that may not be lost; `margin_points` is the loss that is accepted, in hundredths."""

    __pydantic_config__ = keys(metric="name")

    metric: Annotated[Metric, Parsed(lambda name: metric_named(name, GATED)), Example(_FIRST)]
    margin_points: Annotated[
        Fraction,
        _number("0 to under 100 points", lambda points: 0 <= points < 100),
        Example("margin_points = 1.0"),
    ]


@dataclass(frozen=True, slots=True)
class GateCost:
    """What the point may cost: `within` a share above the other's mean, and tokens `at_most`."""

    measure: Annotated[Metric, Parsed(lambda name: metric_named(name, COST_METRICS))] = (
        COST_METRICS[0]
    )
    within: _NotNegative = Fraction("0.05")
    at_most: Annotated[_NotNegative | None, NotNull()] = None


@dataclass(frozen=True, slots=True)
class GateConfig:
    """A gate's file: its metrics, its costs and the level of the intervals."""

    __pydantic_config__ = keys(metrics="metric")

    metrics: Annotated[tuple[GateMetric, ...], Check(lambda given: None if given else "is empty")]
    cost: GateCost = field(default_factory=GateCost)
    level: Annotated[
        Fraction, _number("a fraction between 0 and 1", lambda level: 0 < level < 1)
    ] = Fraction("0.95")


_GATE = Format("gate", GateConfig, hint=_HINT)


def read_gate(path: Path) -> GateConfig:
    """Read a gate's TOML file; raises `InputError` naming every fault by its key."""
    return decode_toml(_GATE, path.read_bytes(), place=str(path))


@dataclass(frozen=True, slots=True)
class GateSide:
    """A point of a run."""

    run: Run
    point: Point


@dataclass(frozen=True, slots=True)
class GateCheck:
    """One check. `value` and `against` are the means at both sides, `wanted` what passes in words,
    `reason` why it did not, or how it did where that is not plain."""

    metric: Metric
    value: float | None
    against: float | None
    difference: PairedDifference | None
    wanted: str
    state: GateState
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Gate:
    """What a gate came to, over the questions of both sides."""

    side: GateSide
    base: GateSide
    questions: int
    level: Level
    checks: tuple[GateCheck, ...]

    @property
    def state(self) -> GateState:
        """Failed if a check is, else undecided if one is."""
        states = {check.state for check in self.checks}
        for worst in (GateState.FAILED, GateState.UNDECIDED):
            if worst in states:
                return worst
        return GateState.PASSED


def run_gate(
    side: GateSide, base: GateSide, config: GateConfig, recording: Path | None = None
) -> Gate:
    """Check the point of `side` against that of `base`.

    Raises `InputError` for runs of two recordings, of other questions, or whose tokens were counted
    otherwise. `recording` is where the runs' recording is, if a metric needs it.
    """
    _check_runs(side.run, base.run)
    rows = [
        _rows(each, name, config, recording) for each, name in ((side, _POINT), (base, _AGAINST))
    ]
    cohort = cohort_of(pa.concat_tables(rows), [_POINT, _AGAINST])
    level = Level.of(float(config.level))
    checks = [_evidence_check(gated, cohort, level) for gated in config.metrics]
    return Gate(
        side, base, len(cohort.case_ids), level, (*checks, *_cost_checks(config.cost, cohort))
    )


def _check_runs(run: Run, base: Run) -> None:
    if run.manifest.work["recording"] != base.manifest.work["recording"]:
        raise InputError(
            f"{run.folder} and {base.folder} are runs of two recordings",
            "Replay one recording at both points.",
        )
    if frozenset(run.cohort.ids) != frozenset(base.cohort.ids):
        raise InputError(
            f"{run.folder} and {base.folder} are of other questions of their recording",
            "Replay the same part of it at both points.",
        )
    if run.manifest.work.get("tokens") != base.manifest.work.get("tokens"):
        raise InputError(
            f"the tokens of {run.folder} and of {base.folder} were counted in two ways",
            "Replay both with the same encoding and prompt template.",
        )


def _rows(side: GateSide, name: str, config: GateConfig, recording: Path | None) -> pa.Table:
    rows = side.run.evidence_rows([side.point])
    if any(gated.metric == SESSION_PRECISION for gated in config.metrics):
        source = recording_of(side.run, recording)
        rows = with_sessions_shown(rows, side.run, [side.point], source)
    own = {"point": pa.array([name] * len(rows), pa.string())}
    own |= {key: rows[key].cast(pa.string()) for key in ("case_id", "category")}
    for key, values in own.items():
        rows = rows.set_column(rows.column_names.index(key), key, values)
    return rows


def _evidence_check(gated: GateMetric, cohort: CohortCounts, level: Level) -> GateCheck:
    metric = gated.metric
    values = metric_values(metric, cohort)
    bootstrap = Bootstrap(level=float(level.value))
    difference = paired_differences(metric, cohort, _AGAINST, bootstrap=bootstrap)[_POINT]
    loss = -gated.margin_points / 100
    state, reason = state_of(metric, difference, loss, level)
    wanted = f"a loss of at most {float(gated.margin_points):g} points"
    return GateCheck(metric, values[0].value, values[1].value, difference, wanted, state, reason)


def state_of(
    metric: Metric, difference: PairedDifference, loss: Fraction, level: Level
) -> tuple[GateState, str]:
    """Compare the difference with the accepted loss; return what that says, and why."""
    wins, losses = difference.wins or 0, difference.losses or 0
    if difference.difference is None:
        return GateState.UNDECIDED, "no question is scored at both"
    if not wins + losses:
        return GateState.PASSED, "the same on every question"
    if not difference.warnings:
        return _decided(_gain(metric, difference.interval), loss), ""
    if metric.aggregation is Aggregation.MEAN:
        # the share of questions that are worse bounds the loss, that of better ones the gain
        bounds = [upper_limit(count, difference.pairs, level) for count in (losses, wins)]
        state = _decided(Interval(-bounds[0], bounds[1]), loss)
        worst = f"a loss of at most {100 * bounds[0]:.1f} points"
        return state, f"{counted(wins + losses, 'question')} differ, {losses} worse: {worst}"
    return GateState.UNDECIDED, "; ".join(difference.warnings)


def _gain(metric: Metric, interval: Interval) -> Interval:
    """Return the interval with better as greater."""
    if metric.better is Better.LOWER:
        return Interval(-interval.upper, -interval.lower)
    return interval


def _decided(gain: Interval, loss: Fraction) -> GateState:
    if Rule("lower", strict=False, threshold=loss).holds(gain):
        return GateState.PASSED
    if Rule("upper", strict=True, threshold=loss).holds(gain):
        return GateState.FAILED
    return GateState.UNDECIDED


def _cost_checks(cost: GateCost, cohort: CohortCounts) -> Sequence[GateCheck]:
    metric = cost.measure
    point, against = metric_values(metric, cohort)
    wanted = f"at most {percent(float(cost.within))} above the other"
    same = GateCheck(metric, point.value, against.value, None, wanted, GateState.UNDECIDED)
    if point.value is None or against.value is None:
        checks = [replace(same, reason="tokens were not counted")]
    else:
        most = (1 + float(cost.within)) * against.value
        checks = [replace(same, state=_held(point.value <= most))]
    if cost.at_most is None:
        return checks
    cap = replace(checks[0], against=None, wanted=f"at most {float(cost.at_most):,.10g} tokens")
    if point.value is not None:
        cap = replace(cap, state=_held(point.value <= float(cost.at_most)), reason="")
    return [*checks, cap]


def _held(within: bool) -> GateState:
    return GateState.PASSED if within else GateState.FAILED


def sides_of(
    run: Run, point: str, base: Run | None, against: str | None
) -> tuple[GateSide, GateSide]:
    """Find both sides by their spellings; without `against` the same point of the run `base`.

    Raises `UsageError` where neither is given, and for a point that its run does not have.
    """
    if against is None and base is None:
        raise UsageError(
            "a point is compared with another one, or with the same one of another run",
            "Add --against SPEC, or --base RUN.",
        )
    other = run if base is None else base
    one = run.one(point)
    return GateSide(run, one), GateSide(other, other.one(against or str(one), "--against"))
