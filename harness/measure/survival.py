"""Whether a ranking of settings survives another recording of the same questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from harness.evidence import Better

from .ranking import RankedSetting, Ranking


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """How far two recordings rank the settings alike that are ranked on both.

    `tau` is Kendall's tau-b of the metric's values: 1 for the same order, -1 for the opposite one,
    ties allowed for. None where fewer than two settings are ranked on both, or all tie on one.
    """

    one: str
    other: str
    settings: int
    tau: float | None


@dataclass(frozen=True, slots=True)
class Standing:
    """A winner as it stands on one recording.

    `behind` is by how much its value is worse than that of the recording's own winner, in the
    metric's unit: 0 for the best, negative where it is better but over the cap.
    """

    recording: str
    setting: RankedSetting
    behind: float | None


@dataclass(frozen=True, slots=True)
class Winner:
    """A setting that wins on some recordings, and how it stands on every one."""

    point: str
    won_on: tuple[str, ...]
    standings: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class Survival:
    """`survivors` are the settings that nothing beats on any recording, though others may tie with
    them; `winners` in the order of the recordings; `agreements` of every two recordings."""

    survivors: tuple[str, ...]
    winners: tuple[Winner, ...]
    agreements: tuple[RankAgreement, ...]


def survival_of(rankings: Sequence[Ranking]) -> Survival:
    """Compare the rankings of one sweep: the same settings, metric, cap and questions."""
    points = dict.fromkeys(ranking.winner.point for ranking in rankings)
    winners = [
        Winner(
            point,
            tuple(ranking.name for ranking in rankings if ranking.winner.point == point),
            tuple(_standing(ranking, point) for ranking in rankings),
        )
        for point in points
    ]
    survivors = [
        setting.point
        for setting in rankings[0].settings
        if all(ranking.of(setting.point).rank == 1 for ranking in rankings)
    ]
    agreements = [_agreement(one, other) for one, other in combinations(rankings, 2)]
    return Survival(tuple(survivors), tuple(winners), tuple(agreements))


def _standing(ranking: Ranking, point: str) -> Standing:
    setting = ranking.of(point)
    best, value = ranking.winner.value.value, setting.value.value
    behind = None
    if best is not None and value is not None:
        behind = value - best if ranking.metric.better is Better.LOWER else best - value
    return Standing(ranking.name, setting, behind)


def _agreement(one: Ranking, other: Ranking) -> RankAgreement:
    from scipy.stats import kendalltau

    theirs = {
        setting.point: setting.value.value for setting in other.settings if setting.rank is not None
    }
    pairs = [
        (setting.value.value, theirs[setting.point])
        for setting in one.settings
        if setting.rank is not None and setting.point in theirs
    ]
    tau = None
    if pairs and all(len(set(side)) > 1 for side in zip(*pairs, strict=True)):
        tau = round(float(kendalltau(*zip(*pairs, strict=True)).statistic), 12)
    return RankAgreement(one.name, other.name, len(pairs), tau)
