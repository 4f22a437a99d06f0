"""Ranking settings, on a run whose costs and counts are made up."""

from __future__ import annotations

import numpy as np
import pytest

from harness.datasets.split import Split, read_split
from harness.errors import UsageError
from harness.evidence import metric_named
from harness.measure.ranking import (
    Ranking,
    rank_settings,
    ranking_metric,
    sweep_cap,
    tried_sentence,
)
from harness.points import Point, parse_points
from harness.replay.run import Run
from harness.show.printing import OutputFormat, print_as
from harness.show.sweep_tables import ranking_sentences, setting_rows, settings_table
from harness.statistics.bands import simultaneous_bands
from harness.trial.choosing import BestMetric, choose, read_dev_table

from ...make.counted_run import counted_run, counted_split

# dev means: 20, 41, 58, 90
COSTS = {
    "count-curve(k=1)": (10, 20, 30),
    "count-curve(k=2)": (40, 41, 42),
    "count-curve(k=4)": (57, 58, 59),
    "count-curve(k=full)": (90, 90, 90),
}
# of two answer sessions: shares of 1/3, 5/6, 5/6, 1
SHOWN = {
    "count-curve(k=1)": (1, 1, 0),
    "count-curve(k=2)": (2, 2, 1),
    "count-curve(k=4)": (2, 1, 2),
    "count-curve(k=full)": (2, 2, 2),
}
K1, K2, K4, FULL = COSTS
METRIC = metric_named("answer_sessions_shown")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("ranking") / "run"
    return Run.open(counted_run(folder, COSTS, shown=SHOWN, part="dev"))


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Split:
    return read_split(counted_split(tmp_path_factory.mktemp("split") / "split.json"))


def points(*spellings: str) -> list[Point]:
    return parse_points(spellings)


def ranking(run: Run, split: Split, *spellings: str, cap: str | None = None) -> Ranking:
    limit = None if cap is None else sweep_cap(cap)
    named = points(*(spellings or COSTS))
    return rank_settings("made", run, split, named, metric=METRIC, cap=limit)


def test_equal_values_share_a_rank_and_the_cheaper_comes_first(run: Run, split: Split) -> None:
    found = ranking(run, split)
    assert [(setting.point, setting.rank, setting.cost) for setting in found.settings] == [
        (FULL, 1, 90.0),
        (K2, 2, 41.0),
        (K4, 2, 58.0),
        (K1, 4, 20.0),
    ]
    assert found.winner.value.value == 1.0
    assert found.ties == 0


def test_what_is_over_the_cap_has_no_rank_and_cannot_win(run: Run, split: Split) -> None:
    found = ranking(run, split, cap="context_tokens <= 58")
    assert [(setting.point, setting.rank) for setting in found.settings] == [
        (K2, 1),
        (K4, 1),
        (K1, 3),
        (FULL, None),
    ]
    assert found.ties == 1
    assert not found.of(FULL).affordable
    assert found.of(FULL).difference is not None


def test_another_cost_than_the_context(run: Run, split: Split) -> None:
    # prompt_tokens_estimated is made up as 1000 less the context tokens
    found = ranking(run, split, cap="prompt_tokens_estimated <= 945")
    assert [(setting.point, setting.rank, setting.cost) for setting in found.settings] == [
        (FULL, 1, 910.0),
        (K4, 2, 942.0),
        (K2, None, 959.0),
        (K1, None, 980.0),
    ]


@pytest.mark.parametrize("cap", ["20", "41", "57.9", "58", "89.99", "90", "1000"])
def test_the_winner_is_what_choose_chooses(run: Run, split: Split, cap: str) -> None:
    table = read_dev_table(run, split, points(*COSTS), metric=METRIC.name)
    chosen = choose(BestMetric(METRIC.name, cap), table)
    assert ranking(run, split, cap=f"context_tokens <= {cap}").winner.point == chosen.point


def test_differences_are_to_the_setting_named_first(run: Run, split: Split) -> None:
    found = ranking(run, split, K2, K1, K4)
    assert found.first == K2
    assert found.of(K2).difference is None
    lower = found.of(K1).difference
    assert lower is not None
    assert lower.difference == pytest.approx(-1 / 2)
    assert (lower.wins, lower.losses, lower.ties) == (0, 3, 0)
    equal = found.of(K4).difference
    assert equal is not None
    assert (equal.difference, equal.wins, equal.losses, equal.ties) == (0.0, 1, 1, 1)


def test_bands_are_those_of_the_questions_differences(
    run: Run, split: Split, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.statistics.bands.FEW_PAIRS", 1)
    found = ranking(run, split)
    shares = np.array([SHOWN[point] for point in COSTS]).T / 2
    naive = simultaneous_bands(shares[:, 1:] - shares[:, :1], 0.95)
    assert naive.left_out == (0,)  # K2 is better by a half on every question
    assert found.of(K2).band is None
    for place, point in ((1, K4), (2, FULL)):
        band = found.of(point).band
        assert band is not None
        assert (band.lower, band.upper) == (naive.lower[place], naive.upper[place])
    assert found.of(K1).band is None


def test_of_few_questions_there_is_no_band(run: Run, split: Split) -> None:
    found = ranking(run, split)
    assert found.banded
    assert {setting.band for setting in found.settings} == {None}
    assert ranking_sentences(found)[-1] == (
        "No band corrects for it: it differs from the first setting in 3 questions, and over fewer "
        "than 10 a band is too narrow."
    )
    table = print_as(settings_table(found, setting_rows(found)), OutputFormat.TEXT)
    assert "none: 3 differ" in table


def test_a_metric_without_a_value_ranks_nothing(run: Run, split: Split) -> None:
    with pytest.raises(UsageError, match="first_item_rank has no value at any setting"):
        rank_settings("made", run, split, points(*COSTS), metric=metric_named("first_item_rank"))


def test_where_less_is_better_the_least_wins(run: Run, split: Split) -> None:
    tokens = metric_named("context_tokens")
    found = rank_settings("made", run, split, points(*COSTS), metric=tokens)
    assert [setting.point for setting in found.settings] == [K1, K2, K4, FULL]


def test_one_policy_counts_once_under_the_spelling_named_first(run: Run, split: Split) -> None:
    found = ranking(run, split, "items", K2, FULL)
    assert found.tried == 2
    assert found.tried_before == 2
    assert [(setting.point, setting.aliases) for setting in found.settings] == [
        ("items", (FULL,)),
        (K2, ()),
    ]
    assert found.first == "items"


def test_the_number_tried_is_said(run: Run, split: Split) -> None:
    assert tried_sentence(ranking(run, split)) == (
        "4 settings were tried on these 3 dev questions."
    )
    assert tried_sentence(ranking(run, split, K1, FULL, cap="context_tokens <= 20")) == (
        "2 settings were tried on these 3 dev questions; 1 costs at most the cap. The run holds 2 "
        "more, tried on the same questions."
    )


def test_no_setting_within_the_cap(run: Run, split: Split) -> None:
    with pytest.raises(UsageError, match=r"the cheapest, count-curve\(k=1\), costs 20\.0"):
        ranking(run, split, cap="context_tokens <= 19.9")


@pytest.mark.parametrize(
    ("cap", "message"),
    [
        ("1000", "is not spelled MEASURE <= TOKENS"),
        ("context_tokens < 1000", "a cap is written with <="),
        ("context_token <= 1000", "did you mean 'context_tokens'"),
        ("prompt_tokens_api <= 1000", "known only after a reader has answered"),
    ],
)
def test_what_is_no_cap(cap: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        sweep_cap(cap)
    assert message in str(refused.value)


def test_a_metric_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="did you mean 'evidence_turns_touched'"):
        ranking_metric("turns_touched")
