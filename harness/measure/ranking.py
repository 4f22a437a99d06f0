"""Settings ranked by a metric at a cost cap, each with its paired difference to the first.

Bands hold for all differences to the first setting at once. The interval of one setting holds for
that setting alone; the best of many is picked because its interval lies well. The bands are wide
enough for all settings together, so they hold for the best one as well, however it was picked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from harness.datasets.split import Split
from harness.errors import UsageError, listed
from harness.evidence import (
    Aggregation,
    Better,
    CohortCounts,
    Metric,
    MetricValue,
    PairedDifference,
    cohort_of,
    metric_named,
    paired_differences,
)
from harness.evidence.metric import terms_of
from harness.points import Point, group_by_policy
from harness.replay.run import Run
from harness.statistics.bands import printed_bands
from harness.statistics.counts import Interval
from harness.trial.choosing import COSTS, Choosable, DevTable, read_dev_table
from harness.trial.plan import CostCap
from harness.words import counted


@dataclass(frozen=True, slots=True)
class RankedSetting:
    """One policy of the grid; `aliases` are the grid's other spellings of it.

    `cost` is the mean over the dev questions. `rank` counts from 1 among the settings within the
    cap, equal values sharing one; None: over the cap, or without a value. `difference` is to the
    first setting (None: it is the first), and `band` the limits that hold for all settings at once
    (None: the metric has no such band, fewer than ten questions differ, or the difference is the
    same on every question).
    """

    point: str
    aliases: tuple[str, ...]
    cost: float
    affordable: bool
    value: MetricValue
    rank: int | None
    difference: PairedDifference | None
    band: Interval | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The settings of a sweep on one recording, best first, then those without a rank by cost.

    `tried` counts the grid's distinct policies, `tried_before` further ones that the run holds of
    the same questions. `absent` are dev questions that the recording does not have. `banded`:
    whether the metric has simultaneous bands.
    """

    name: str
    metric: Metric
    cap: CostCap | None
    cost_measure: str
    first: str
    settings: tuple[RankedSetting, ...]
    questions: int
    absent: int
    tried: int
    tried_before: int
    banded: bool

    @property
    def winner(self) -> RankedSetting:
        """Best setting within the cap; of equal ones the cheapest, then by spelling."""
        return self.settings[0]

    @property
    def ties(self) -> int:
        """How many other settings have the winner's value."""
        return sum(setting.rank == 1 for setting in self.settings) - 1

    def of(self, point: str) -> RankedSetting:
        """Return the setting of that spelling, which every ranking of one sweep has."""
        return next(setting for setting in self.settings if setting.point == point)


def tried_sentence(ranking: Ranking) -> str:
    """Return how many settings were tried on how many questions, and how many of them the cap
    admits."""
    scored = ranking.winner.value.scored
    settings = counted(ranking.tried, "setting")
    were = "was" if ranking.tried == 1 else "were"
    text = f"{settings} {were} tried on these {counted(ranking.questions, 'dev question')}"
    if scored < ranking.questions:
        text += f", of which {scored:,} are scored"
    if ranking.cap is not None:
        affordable = sum(setting.affordable for setting in ranking.settings)
        text += f"; {affordable:,} cost{'s' if affordable == 1 else ''} at most the cap"
    if ranking.tried_before:
        text += f". The run holds {ranking.tried_before:,} more, tried on the same questions"
    return f"{text}."


def ranking_metric(name: str) -> Metric:
    """Return the metric of that name; raises `UsageError` for one that ranks nothing."""
    metric = metric_named(name)
    if metric.better is Better.NEITHER:
        raise UsageError(f"{name} has no better direction", "Name another --metric.")
    return metric


def sweep_cap(text: str) -> CostCap:
    """Return the cap that `text` spells, of a cost that a replay knows; raises `UsageError`."""
    try:
        cap = CostCap.parse(text)
    except ValueError as error:
        raise UsageError(f"--cap {error}", "For example --cap 'context_tokens <= 1000'.") from error
    if cap.measure not in COSTS:
        raise UsageError(
            f"--cap {text!r}: {cap.measure} is known only after a reader has answered",
            f"A replay knows {listed(COSTS)}.",
        )
    return cap


def rank_settings(
    name: str,
    run: Run,
    split: Split,
    points: Sequence[Point],
    *,
    metric: Metric,
    cap: CostCap | None = None,
) -> Ranking:
    """Rank `points`, all of which the run has; the first is what the others are compared with.

    The split decides which questions are dev; the run has been matched to it by question id.
    Raises `UsageError` when no setting is within the cap, or none has a value of the metric.
    """
    groups = group_by_policy(points)
    leads = [group[0] for group in groups]
    measure = COSTS[0] if cap is None else cap.measure
    by_id = replace(split, dataset_sha256=None)  # the questions are of the split, by their ids
    table = read_dev_table(run, by_id, leads, cost=measure, metric=metric.name)
    cohort = cohort_of(run.evidence_rows(leads), [str(point) for point in leads])
    first = str(leads[0])
    differences = paired_differences(metric, cohort, first)
    bands = bands_of(metric, cohort, first)
    aliases = {str(lead): tuple(map(str, others)) for lead, *others in groups}
    settings = [
        RankedSetting(
            point=candidate.point,
            aliases=aliases[candidate.point],
            cost=float(candidate.cost),
            affordable=_affordable(candidate, cap),
            value=_value(candidate),
            rank=rank,
            difference=differences.get(candidate.point),
            band=bands.get(candidate.point),
        )
        for candidate, rank in _ranked(table, metric, cap)
    ]
    if settings[0].rank is None:
        raise _nothing_ranked(run, table, metric, cap)
    return Ranking(
        name=name,
        metric=metric,
        cap=cap,
        cost_measure=measure,
        first=first,
        settings=tuple(settings),
        questions=table.questions,
        absent=table.absent,
        tried=len(groups),
        tried_before=len(set(run.computed_as.values())) - len(groups),
        banded=bool(bands),
    )


def _ranked(
    table: DevTable, metric: Metric, cap: CostCap | None
) -> list[tuple[Choosable, int | None]]:
    """Return the order of `harness choose`: by value, then cost, then spelling; the rest by
    cost."""
    ranked, others = [], []
    for candidate in table.candidates:
        value = _value(candidate).value
        if value is None or not _affordable(candidate, cap):
            others.append(candidate)
        else:
            badness = value if metric.better is Better.LOWER else -value
            ranked.append((badness, candidate.cost, candidate.point, candidate))
    ranked.sort(key=lambda entry: entry[:3])
    values = [badness for badness, *_ in ranked]
    others.sort(key=lambda candidate: (candidate.cost, candidate.point))
    placed: list[tuple[Choosable, int | None]] = [
        (candidate, values.index(badness) + 1) for badness, _, _, candidate in ranked
    ]
    return [*placed, *((candidate, None) for candidate in others)]


def _affordable(candidate: Choosable, cap: CostCap | None) -> bool:
    return cap is None or candidate.cost <= cap.limit


def _value(candidate: Choosable) -> MetricValue:
    if candidate.metric is None:
        raise TypeError(f"{candidate.point} was read without a metric")
    return candidate.metric


def _nothing_ranked(run: Run, table: DevTable, metric: Metric, cap: CostCap | None) -> UsageError:
    affordable = [candidate for candidate in table.candidates if _affordable(candidate, cap)]
    if affordable or cap is None:
        return UsageError(
            f"{metric.name} has no value at any setting: no dev question of {run.folder} is scored",
            "Name another --metric, or sweep a recording of questions with labels.",
        )
    cost, cheapest = min(
        (Fraction(candidate.cost), candidate.point) for candidate in table.candidates
    )
    return UsageError(
        f"no setting has {cap} on the dev questions of {run.folder}; the cheapest, {cheapest}, "
        f"costs {float(cost):,.1f}",
        "The run is finished: the same command with a larger --cap answers at once.",
    )


def bands_of(metric: Metric, cohort: CohortCounts, against: str) -> dict[str, Interval | None]:
    """Compute the band of each other point of `cohort`, None for one that is not printed.

    Empty for a metric whose difference is not the mean of the questions' own differences: one that
    is pooled, or that leaves out what a selection has no ratio for.
    """
    others = [place for place, point in enumerate(cohort.points) if point != against]
    terms = terms_of(metric, cohort)
    base = cohort.points.index(against)
    scored = np.flatnonzero(terms.entering[:, base])
    is_mean = metric.aggregation is Aggregation.MEAN and metric.absent is None
    if not is_mean or not others or not len(scored):
        return {}
    differences = (terms.ratios[:, others] - terms.ratios[:, [base]])[scored]
    bands = printed_bands(differences)
    return {cohort.points[place]: band for place, band in zip(others, bands, strict=True)}
