"""A sweep in tables and sentences: what its page and the terminal both say.

Nothing is said of the best setting without saying how many were tried to find it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from harness.errors import listed
from harness.evidence import Bootstrap, Metric, PairedDifference, metric_named
from harness.measure.ranking import RankedSetting, Ranking, tried_sentence
from harness.measure.survival import Survival, Winner
from harness.statistics.warnings import FEW_PAIRS
from harness.trial.choosing import TIES
from harness.words import Kind, count, counted, kind_of_unit, limits, number, percent

from .evidence_tables import (
    band_cell,
    in_words,
    interval_cell,
    metric_column,
    no_interval,
    row_interval,
)
from .printing import cell_text
from .table import Column, MeanOf, Table, WithLimits

Row = dict[str, Any]
_OF_DIFFERENCE = ("difference", "lower", "upper", "pairs", "wins", "losses", "ties", "warnings")
_OVER = "over the cap"
_NOT_SCORED = "not scored"
_ROUNDING = 1e-12
"""A limit this near zero is zero: the precision of resampled means."""


def setting_rows(ranking: Ranking, survival: Survival | None = None) -> list[Row]:
    """Return a flat row per setting, best first, shares as fractions."""
    correlations: dict[str, float | None] = {}
    for pair in () if survival is None else survival.agreements:
        if ranking.name in (pair.one, pair.other):
            other = pair.other if pair.one == ranking.name else pair.one
            correlations[other] = pair.tau
    further = {} if survival is None else {"rank_correlations": correlations}
    return [_row(ranking, setting) | further for setting in ranking.settings]


def _row(ranking: Ranking, setting: RankedSetting) -> Row:
    band, difference = setting.band, setting.difference
    return {
        "recording": ranking.name,
        "point": setting.point,
        "aliases": list(setting.aliases),
        "rank": setting.rank,
        "best": setting is ranking.winner,
        "affordable": setting.affordable,
        "settings_tried": ranking.tried,
        "settings_tried_before": ranking.tried_before,
        ranking.metric.name: setting.value.value,
        "questions": ranking.questions,
        "scored": setting.value.scored,
        "against": None if difference is None else ranking.first,
        **{
            name: None if difference is None else getattr(difference, name)
            for name in _OF_DIFFERENCE
        },
        "band_lower": None if band is None else band.lower,
        "band_upper": None if band is None else band.upper,
        f"mean_{ranking.cost_measure}": setting.cost,
    }


def settings_table(ranking: Ranking, rows: Sequence[Row]) -> Table:
    """Return every setting, best first, then those without a rank by cost."""
    aliased = any(row["aliases"] for row in rows)
    columns = (
        Column("point", "setting", Kind.CODE),
        Column("rank", "rank", Kind.COUNT, cell=_rank),
        *_measured(ranking),
        *([Column("aliases", "the same policy as", Kind.CODE)] if aliased else []),
    )
    return Table(columns, rows)


def _measured(ranking: Ranking) -> Iterator[Column]:
    """Yield value, difference, band and cost of a setting."""
    own = metric_column(ranking.metric)
    change = own.kind.of_change
    scored = {setting.value.scored for setting in ranking.settings}
    value = None if len(scored) == 1 else _with_number(own.key)
    yield Column(own.key, own.heading, own.kind, cell=value)
    yield Column("difference", "minus the first", change, cell=_to_first)
    band = band_cell if ranking.banded else None
    yield Column("band_lower", "band of all", change, cell=band)
    cost = ranking.cost_measure
    yield Column(f"mean_{cost}", in_words(cost), Kind.TOKENS)


def _rank(row: Row) -> int | str:
    if row["rank"] is not None:
        return int(row["rank"])
    return _NOT_SCORED if row["affordable"] else _OVER


def _with_number(name: str) -> Callable[[Row], MeanOf]:
    """Return the value with its own number of questions, where settings differ in that."""
    return lambda row: MeanOf(row[name], row["scored"])


def _to_first(row: Row) -> WithLimits | str:
    if row["against"] is None:
        return "the first"
    return row_interval(row)


def winners_table(survival: Survival, rankings: Sequence[Ranking]) -> Table:
    """Return each winner on every recording."""
    rows = [
        {
            **_row(ranking, standing.setting),
            "point": winner.point,
            "recording": standing.recording
            + (" (won)" if standing.recording in winner.won_on else ""),
            "behind": standing.behind,
        }
        for winner in survival.winners
        for standing, ranking in zip(winner.standings, rankings, strict=True)
    ]
    value, *further = _measured(rankings[0])
    scored = {setting.value.scored for ranking in rankings for setting in ranking.settings}
    if len(scored) > 1:
        value = Column(value.key, value.heading, value.kind, cell=_with_number(value.key))
    columns = (
        Column("point", "winner", Kind.CODE),
        Column("recording", "recording"),
        Column("rank", "rank there", Kind.COUNT, cell=_rank),
        value,
        Column("behind", "behind the best", value.kind),
        *further,
    )
    return Table(columns, rows)


def agreements_table(survival: Survival) -> Table:
    """Return the rank correlation of each two recordings."""
    columns = (
        Column("one", "recording"),
        Column("other", "and recording"),
        Column("settings", "settings ranked on both", Kind.COUNT),
        Column("tau", "Kendall's tau-b", Kind.RATIO),
    )
    return Table(columns, survival.agreements)


def misleading(rankings: Sequence[Ranking]) -> str:
    """Say what the mark beside differences means; perhaps empty."""
    return no_interval(
        setting.difference
        for ranking in rankings
        for setting in ranking.settings
        if setting.difference is not None
    )


def unit_of_differences(metric: Metric) -> str:
    """Return what differences of the metric are counted in."""
    return "points (hundredths)" if _is_share(metric) else metric.unit


def interval_sentence() -> str:
    """Return how the intervals and the bands were made."""
    made = Bootstrap()
    return (
        f"Intervals: {percent(made.level)}, percentile bootstrap of the paired differences; bands: "
        f"{percent(made.level)} over all settings at once, maximum of studentised deviations; "
        f"both {count(made.resamples)} resamples of the questions, seed {made.seed}."
    )


def ranking_sentences(ranking: Ranking) -> list[str]:
    """Return the winner, what it is compared with, how many settings were tried, and what that
    means."""
    sentences = [_best(ranking), tried_sentence(ranking)]
    if ranking.cap is None:
        sentences.append("There is no cost cap: a setting may be best because it costs more.")
    difference = ranking.winner.difference
    if difference is None:
        others = "no other one" if ranking.cap is None else "no other one within the cap"
        sentences.append(f"It is the first setting: {others} is better on these questions.")
        return sentences
    sentences.insert(1, _first(ranking))
    sentences += ["The best of many looks better than it is.", _chosen(ranking, difference)]
    sentences.append(_band_sentence(ranking))
    return sentences


def _chosen(ranking: Ranking, difference: PairedDifference) -> str:
    """Say by how much the winner is better than the first setting, and how sure that is."""
    change = kind_of_unit(ranking.metric.unit).of_change
    if difference.warnings:
        return (
            f"Its difference from the first setting is {number(difference.difference, change)}, "
            f"without an interval, which would mislead: {'; '.join(difference.warnings)}."
        )
    return (
        f"Its difference from the first setting, {cell_text(interval_cell(difference), change)}, "
        f"has an interval for one setting alone, not corrected for the choice among "
        f"{count(ranking.tried)}."
    )


def _best(ranking: Ranking) -> str:
    """Return the winner with its value and cost, and who ties with it."""
    within = "" if ranking.cap is None else f" with {ranking.cap}"
    winner = ranking.winner
    text = f"Best{within}: {winner.point}, {ranking.metric.name} {_at_cost(ranking, winner)}."
    if ranking.ties:
        others = f"{count(ranking.ties)} other setting{'s tie' if ranking.ties > 1 else ' ties'}"
        text += f" {others} with it; ties go to {TIES}."
    return text


def _first(ranking: Ranking) -> str:
    """Return the setting that the others are compared with, with its value and cost."""
    first = ranking.of(ranking.first)
    text = f"First: {first.point}, {_at_cost(ranking, first)}"
    if not first.affordable:
        text += ", over the cap: what is compared with it is not at the same cost"
    return f"{text}."


def _at_cost(ranking: Ranking, setting: RankedSetting) -> str:
    """Return `77.1 % at 1,024.0 context_tokens`."""
    cost = number(setting.cost, kind_of_unit(metric_named(ranking.cost_measure).unit))
    return f"{_value(ranking.metric, setting.value.value)} at {cost} {ranking.cost_measure}"


def _value(metric: Metric, value: float | None) -> str:
    share = " %" if _is_share(metric) else ""
    return f"{number(value, kind_of_unit(metric.unit))}{share}"


def _is_share(metric: Metric) -> bool:
    return kind_of_unit(metric.unit) is Kind.SHARE


def _band_sentence(ranking: Ranking) -> str:
    if not ranking.banded:
        return (
            f"No band corrects for it: the difference in {ranking.metric.name} is not a mean over "
            "the same questions."
        )
    band, difference = ranking.winner.band, ranking.winner.difference
    if band is None:
        differing = 0 if difference is None else (difference.wins or 0) + (difference.losses or 0)
        if differing < FEW_PAIRS:
            return (
                f"No band corrects for it: it differs from the first setting in "
                f"{counted(differing, 'question')}, and over fewer than {FEW_PAIRS} a band is too "
                "narrow."
            )
        return "It differs from the first setting by the same amount everywhere, so it has no band."
    excludes = band.lower > _ROUNDING or band.upper < -_ROUNDING
    verdict = "zero is outside it" if excludes else "zero is inside it, so chance may have done it"
    text = limits(band.lower, band.upper, kind_of_unit(ranking.metric.unit).of_change)
    return f"The band that holds for all settings at once is {text}: {verdict}."


def survival_sentences(survival: Survival, rankings: Sequence[Ranking]) -> list[str]:
    """Return whether the best setting and the order of the settings survive, for each other
    recording."""
    names = [ranking.name for ranking in rankings]
    if survival.survivors:
        first = f"{listed(survival.survivors)}: first on {listed(names)}"
        sentences = [f"The best setting survives. {first}."]
    else:
        winners = [f"{winner.point} on {listed(winner.won_on)}" for winner in survival.winners]
        sentences = [f"The best setting does not survive: it is {listed(winners)}."]
        sentences += [_standing_sentence(winner, rankings) for winner in survival.winners]
    for pair in survival.agreements:
        sentences.append(
            f"Rank correlation (Kendall's tau-b) of {pair.one} and {pair.other}, "
            f"{counted(pair.settings, 'setting')} ranked on both: {number(pair.tau, Kind.RATIO)}."
        )
    return sentences


def _standing_sentence(winner: Winner, rankings: Sequence[Ranking]) -> str:
    metric = rankings[0].metric
    unit = "points" if _is_share(metric) else metric.unit
    parts = []
    for standing, ranking in zip(winner.standings, rankings, strict=True):
        if standing.recording in winner.won_on:
            continue
        where = f"on {standing.recording} it "
        if standing.setting.rank is None:
            parts.append(f"{where}is {_rank(_row(ranking, standing.setting))}")
            continue
        ranked = sum(setting.rank is not None for setting in ranking.settings)
        behind = number(standing.behind, kind_of_unit(metric.unit))
        parts.append(
            f"{where}ranks {count(standing.setting.rank)} of {count(ranked)}, {behind} {unit} "
            f"behind {ranking.winner.point}"
        )
    return f"{winner.point} wins on {listed(winner.won_on)}; {', '.join(parts)}."
