"""The page of a sweep: settings ranked at a cost cap, and whether the ranking survives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.measure.sweeping import Ranking, Survival
from harness.measure.sweeping.ranking import RankedSetting
from harness.replay.run import Run
from harness.storage.generated_folder import ReportSubject, Written, write_folder
from harness.storage.hashing import sha256_of_json
from harness.words import code

from .markdown import Table, codes
from .numbers import MISSING, difference_text, excluded_text, heading, value_text
from .pages import rendered
from .provenance import Provenance, provenance_of
from .sweep_words import (
    band_text,
    cost_text,
    interval_sentence,
    rank_text,
    ranking_sentences,
    survival_sentences,
    tau_text,
    unit_of_differences,
)

PAGE = "sweep.md"
SWEPT_PART = "dev sweep"
"""Keeps the page from sharing a folder with the report of a run, each of which would remove the
other's files as its own of earlier."""


@dataclass(frozen=True, slots=True)
class RecordingSection:
    """One recording: what is said of its best setting, every setting, where it comes from."""

    ranking: Ranking
    provenance: Provenance
    sentences: tuple[str, ...]
    table: Table
    left_out: str


@dataclass(frozen=True, slots=True)
class SweepPage:
    """What the template `sweep.md.j2` shows.

    `misleading` says why marked intervals may mislead, or is empty. `survival` and its tables are
    None for one recording. `command` is the sweep's own, with its folders called RUN and REPORT.
    """

    sections: tuple[RecordingSection, ...]
    grids: tuple[str, ...]
    intervals: str
    unit: str
    misleading: str
    survival: tuple[str, ...] | None
    winners: Table | None
    agreements: Table | None
    command: str


def sweep_page(
    rankings: Sequence[Ranking],
    runs: Sequence[Run],
    survival: Survival | None,
    *,
    grids: Sequence[str],
    command: str,
) -> str:
    """The page of `rankings`, which stand on `runs`; `grids` as they were typed."""
    metric = rankings[0].metric
    page = SweepPage(
        sections=tuple(map(_section, rankings, runs)),
        grids=tuple(grids),
        intervals=interval_sentence(),
        unit=unit_of_differences(metric),
        misleading=_misleading(rankings),
        survival=None if survival is None else tuple(survival_sentences(survival, rankings)),
        winners=None if survival is None else _winners(survival, rankings),
        agreements=None if survival is None else _agreements(survival),
        command=command,
    )
    return rendered("sweep.md.j2", page=page)


def write_sweep_page(out: Path, page: str, runs: Sequence[Run], *, force: bool = False) -> Written:
    """Write `sweep.md` to the folder `out`, in place of an earlier one of the same recordings and
    split; see `harness.storage.generated_folder` for what is refused."""
    works = [run.manifest.work for run in runs]
    recordings = [work["recording"] for work in works]
    subject = ReportSubject(
        recording=recordings[0] if len(recordings) == 1 else sha256_of_json(recordings),
        part=SWEPT_PART,
        split_sha256=works[0]["split_sha256"],
        points=(),  # another grid replaces the page; its runs keep every point
        run_sha256=sha256_of_json([run.manifest.content_sha256 for run in runs]),
    )
    return write_folder(out, subject, {PAGE: page}, force=force)


def _section(ranking: Ranking, run: Run) -> RecordingSection:
    excluded = ranking.winner.value.excluded
    return RecordingSection(
        ranking=ranking,
        provenance=provenance_of(run),
        sentences=tuple(ranking_sentences(ranking)),
        table=_settings(ranking),
        left_out=excluded_text(excluded),
    )


def _settings(ranking: Ranking) -> Table:
    metric = ranking.metric
    aliased = any(setting.aliases for setting in ranking.settings)
    headings = ["setting", "rank", heading(metric), "less the first", "band of all"]
    headings += [ranking.cost_measure.replace("_", " "), *(["the same policy as"] * aliased)]
    rows = [
        (
            code(setting.point),
            rank_text(setting),
            _value(ranking, setting),
            _difference(ranking, setting),
            band_text(metric, setting.band),
            cost_text(ranking, setting),
            *([codes(setting.aliases)] * aliased),
        )
        for setting in ranking.settings
    ]
    return Table(tuple(headings), tuple(rows))


def _value(ranking: Ranking, setting: RankedSetting) -> str:
    """The value, with its own number of questions where settings differ in that."""
    text = value_text(ranking.metric, setting.value.value)
    scored = {each.value.scored for each in ranking.settings}
    return text if len(scored) == 1 else f"{text} (n={setting.value.scored:,})"


def _difference(ranking: Ranking, setting: RankedSetting) -> str:
    if setting.difference is None:
        return "the first"
    dagger = " †" if setting.difference.warnings else ""
    return difference_text(ranking.metric, setting.difference) + dagger


def _misleading(rankings: Sequence[Ranking]) -> str:
    """The reasons why any of the differences may mislead."""
    warnings = {
        warning: None
        for ranking in rankings
        for setting in ranking.settings
        if setting.difference is not None
        for warning in setting.difference.warnings
    }
    return "; ".join(warnings)


def _winners(survival: Survival, rankings: Sequence[Ranking]) -> Table:
    metric = rankings[0].metric
    headings = (
        "winner",
        "recording",
        "rank there",
        heading(metric),
        "behind the best",
        "less the first",
        "band of all",
        rankings[0].cost_measure.replace("_", " "),
    )
    rows = [
        (
            code(winner.point),
            standing.recording + (" (won)" if standing.recording in winner.won_on else ""),
            rank_text(standing.setting),
            _value(ranking, standing.setting),
            MISSING if standing.behind is None else value_text(metric, standing.behind),
            _difference(ranking, standing.setting),
            band_text(metric, standing.setting.band),
            cost_text(ranking, standing.setting),
        )
        for winner in survival.winners
        for standing, ranking in zip(winner.standings, rankings, strict=True)
    ]
    return Table(headings, tuple(rows), left=2)


def _agreements(survival: Survival) -> Table:
    rows = [
        (pair.one, pair.other, f"{pair.settings:,}", tau_text(pair.tau))
        for pair in survival.agreements
    ]
    headings = ("recording", "and recording", "settings ranked on both", "Kendall's tau-b")
    return Table(headings, tuple(rows), left=2)
