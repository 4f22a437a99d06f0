"""A sweep as it is printed: rows for JSON and CSV, tables and sentences for people."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import click

from harness.measure.sweeping import RankedSetting, Ranking, Survival
from harness.show.numbers import difference_text, heading, value_text
from harness.show.sweep_words import (
    band_text,
    cost_text,
    interval_sentence,
    rank_text,
    ranking_sentences,
    survival_sentences,
    unit_of_differences,
)

from .output import Column, OutputFormat, print_table, text_table

_OF_DIFFERENCE = ("difference", "lower", "upper", "pairs", "wins", "losses", "ties", "warnings")


def print_rankings(
    rankings: Sequence[Ranking], survival: Survival | None, form: OutputFormat
) -> None:
    """Print every setting of every recording, then what may be said of the best."""
    if form is not OutputFormat.TEXT:
        rows = [row for ranking in rankings for row in setting_rows(ranking, survival)]
        print_table(rows, (), form)
        return
    for ranking in rankings:
        if survival is not None:
            click.echo(f"{ranking.name}\n")
        click.echo(_table(ranking))
        click.echo()
        click.echo("\n".join([*ranking_sentences(ranking), *_absent(ranking)]))
        click.echo()
    if survival is not None:
        click.echo("\n".join(survival_sentences(survival, rankings)))
        click.echo()
    click.echo(_legend(rankings[0]))


def setting_rows(ranking: Ranking, survival: Survival | None) -> list[dict[str, Any]]:
    """A flat row a setting, best first, shares as fractions."""
    correlations: dict[str, float | None] = {}
    for pair in () if survival is None else survival.agreements:
        if ranking.name in (pair.one, pair.other):
            other = pair.other if pair.one == ranking.name else pair.one
            correlations[other] = pair.tau
    rows = []
    for setting in ranking.settings:
        row = {"recording": ranking.name} | _row(ranking, setting)
        if survival is not None:
            row["rank_correlations"] = correlations
        rows.append(row)
    return rows


def _row(ranking: Ranking, setting: RankedSetting) -> dict[str, Any]:
    lower, upper = setting.band or (None, None)
    return {
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
        **_difference(ranking, setting),
        "band_lower": lower,
        "band_upper": upper,
        f"mean_{ranking.cost_measure}": setting.cost,
    }


def _difference(ranking: Ranking, setting: RankedSetting) -> dict[str, Any]:
    found = setting.difference
    values = {name: None if found is None else getattr(found, name) for name in _OF_DIFFERENCE}
    return {"against": None if found is None else ranking.first, **values}


def _table(ranking: Ranking) -> str:
    metric = ranking.metric
    rows = [
        {
            "rank": rank_text(setting),
            "point": setting.point,
            "value": value_text(metric, setting.value.value),
            "difference": "(the first)"
            if setting.difference is None
            else difference_text(metric, setting.difference),
            "band": band_text(metric, setting.band),
            "cost": cost_text(ranking, setting),
            "aliases": ", ".join(setting.aliases),
        }
        for setting in ranking.settings
    ]
    columns = [
        Column("rank", "rank", numeric=True),
        Column("point", "setting"),
        Column("value", _broken(heading(metric)), numeric=True),
        Column("difference", "less the first", numeric=True),
        Column("band", "band of all", numeric=True),
        Column("cost", _broken(ranking.cost_measure.replace("_", " ")), numeric=True),
    ]
    if any(setting.aliases for setting in ranking.settings):
        columns.append(Column("aliases", "the same policy as"))
    return text_table(rows, columns)


def _broken(words: str) -> str:
    """The words one below the other, for a narrow column."""
    return words.replace(" ", "\n")


def _absent(ranking: Ranking) -> list[str]:
    if not ranking.absent:
        return []
    return [f"{ranking.absent:,} dev questions of the split are not in the recording."]


def _legend(ranking: Ranking) -> str:
    unit = unit_of_differences(ranking.metric)
    return f"Differences in {unit}. {interval_sentence()} Dev questions only."


def command_of(given: Mapping[str, Any]) -> str:
    """The sweep's command line, with its folders called RUN and REPORT and no path of a machine."""
    words = ["harness", "sweep", *(_shown(path) for path in given["recordings"])]
    for grid in given["grids"]:
        words += ["--point", grid]
    for name in ("split", "metric_name", "cap", "prompt_template", "reader_encoding"):
        if name in given:
            option = "--" + name.removesuffix("_name").replace("_", "-")
            words += [option, _shown(given[name]) if name in _PATHS else given[name]]
    return " ".join(shlex.quote(word) for word in [*words, "--out", "RUN", "--report", "REPORT"])


_PATHS = ("split", "prompt_template")


def _shown(path: Any) -> str:
    pure = PurePath(path)
    return pure.name if pure.is_absolute() else pure.as_posix()
