"""A sweep in words and cells: what the terminal and the page of a sweep both say.

Nothing is said of the best setting without saying how many were tried to find it.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.errors import listed
from harness.evidence import Bootstrap, Metric, metric_named
from harness.measure.sweeping import Ranking, Survival, Winner, tried_sentence
from harness.measure.sweeping.ranking import Band, RankedSetting
from harness.trial.choosing import TIES

from .numbers import MINUS, MISSING, difference_text, is_share, signed_text, value_text

OVER = "over the cap"
NOT_SCORED = "not scored"
ROUNDING = 1e-12
"""A limit this near zero is zero: the precision of resampled means."""


def rank_text(setting: RankedSetting) -> str:
    """`1`, or why the setting has no rank."""
    if setting.rank is not None:
        return f"{setting.rank:,}"
    return NOT_SCORED if setting.affordable else OVER


def cost_text(ranking: Ranking, setting: RankedSetting) -> str:
    """The mean cost of a setting."""
    return value_text(metric_named(ranking.cost_measure), setting.cost)


def band_text(metric: Metric, band: Band | None) -> str:
    """`(−1.2, +5.0)`, or a dash."""
    if band is None:
        return MISSING
    return f"({signed_text(metric, band[0])}, {signed_text(metric, band[1])})"


def unit_of_differences(metric: Metric) -> str:
    """What differences of the metric are counted in."""
    return "points (hundredths)" if is_share(metric) else metric.unit


def _best(ranking: Ranking) -> str:
    """The winner with its value and cost, and who ties with it."""
    winner = ranking.winner
    share = " %" if is_share(ranking.metric) else ""
    within = "" if ranking.cap is None else f" with {ranking.cap}"
    text = (
        f"Best{within}: {winner.point}, {ranking.metric.name} "
        f"{value_text(ranking.metric, winner.value.value)}{share} at "
        f"{cost_text(ranking, winner)} {ranking.cost_measure}."
    )
    if ranking.ties:
        others = f"{ranking.ties:,} other setting{'s tie' if ranking.ties > 1 else ' ties'}"
        text += f" {others} with it; ties go to {TIES}."
    return text


def _first(ranking: Ranking) -> str:
    """The setting that the others are compared with, with its value and cost."""
    first = ranking.of(ranking.first)
    share = " %" if is_share(ranking.metric) else ""
    text = (
        f"First: {first.point}, {value_text(ranking.metric, first.value.value)}{share} at "
        f"{cost_text(ranking, first)} {ranking.cost_measure}"
    )
    if not first.affordable:
        text += ", over the cap: what is compared with it is not at the same cost"
    return f"{text}."


def ranking_sentences(ranking: Ranking) -> list[str]:
    """The winner, what it is compared with, how many settings were tried, and what that means."""
    found = [_best(ranking), tried_sentence(ranking)]
    if ranking.cap is None:
        found.append("There is no cost cap: a setting may be best because it costs more.")
    difference = ranking.winner.difference
    if difference is None:
        others = "no other one" if ranking.cap is None else "no other one within the cap"
        found.append(f"It is the first setting: {others} is better on these questions.")
        return found
    found.insert(1, _first(ranking))
    shown = difference_text(ranking.metric, difference)
    found.append(
        f"The best of many looks better than it is. Its difference to the first setting, {shown}, "
        f"has an interval for one setting alone, not corrected for the choice among "
        f"{ranking.tried:,}."
    )
    found += [f"That interval may mislead: {warning}." for warning in difference.warnings]
    found.append(_band_sentence(ranking))
    return found


def _band_sentence(ranking: Ranking) -> str:
    if not ranking.banded:
        return (
            f"No band corrects for it: the difference in {ranking.metric.name} is not a mean over "
            "the same questions."
        )
    band = ranking.winner.band
    if band is None:
        return "It differs from the first setting by the same amount everywhere, so it has no band."
    excludes = band[0] > ROUNDING or band[1] < -ROUNDING
    verdict = "zero is outside it" if excludes else "zero is inside it, so chance may have done it"
    return (
        f"The band that holds for all settings at once is {band_text(ranking.metric, band)}: "
        f"{verdict}."
    )


def interval_sentence() -> str:
    """How the intervals and the bands were made."""
    made = Bootstrap()
    return (
        f"Intervals: {made.level:.0%}, percentile bootstrap of the paired differences; bands: "
        f"{made.level:.0%} over all settings at once, maximum of studentised deviations; "
        f"both {made.resamples:,} resamples of the questions, seed {made.seed}."
    )


def survival_sentences(survival: Survival, rankings: Sequence[Ranking]) -> list[str]:
    """Whether the best setting and the order of the settings survive, for each other recording."""
    names = [ranking.name for ranking in rankings]
    if survival.survivors:
        first = f"{listed(survival.survivors)}: first on {listed(names)}"
        found = [f"The best setting survives. {first}."]
    else:
        each = listed([f"{winner.point} on {listed(winner.won_on)}" for winner in survival.winners])
        found = [f"The best setting does not survive: it is {each}."]
        found += [_standing_sentence(winner, rankings) for winner in survival.winners]
    for pair in survival.agreements:
        ranked = f"{pair.settings:,} setting{'' if pair.settings == 1 else 's'} ranked on both"
        found.append(
            f"Rank correlation (Kendall's tau-b) of {pair.one} and {pair.other}, {ranked}: "
            f"{tau_text(pair.tau)}."
        )
    return found


def tau_text(tau: float | None) -> str:
    """`0.83`, or a dash for a correlation without a value."""
    return MISSING if tau is None else f"{tau:.2f}".replace("-", MINUS)


def _standing_sentence(winner: Winner, rankings: Sequence[Ranking]) -> str:
    metric = rankings[0].metric
    unit = "points" if is_share(metric) else metric.unit
    parts = []
    for standing, ranking in zip(winner.standings, rankings, strict=True):
        if standing.recording in winner.won_on:
            continue
        where = f"on {standing.recording} it "
        if standing.setting.rank is None:
            parts.append(f"{where}is {rank_text(standing.setting)}")
            continue
        ranked = sum(setting.rank is not None for setting in ranking.settings)
        behind = value_text(metric, standing.behind)
        parts.append(
            f"{where}ranks {standing.setting.rank:,} of {ranked:,}, {behind} {unit} behind "
            f"{ranking.winner.point}"
        )
    return f"{winner.point} wins on {listed(winner.won_on)}; {', '.join(parts)}."
