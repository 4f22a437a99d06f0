"""Whether rankings agree, on made-up runs and against a naive count of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import sqrt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.datasets.split import read_split
from harness.evidence import MetricValue, metric_named
from harness.measure.ranking import RankedSetting, Ranking, rank_settings, sweep_cap
from harness.measure.survival import survival_of
from harness.points import parse_points
from harness.replay.run import Run
from harness.show.sweep_tables import survival_sentences

from ...make.counted_run import counted_run, counted_split

K1, K2, K4 = "count-curve(k=1)", "count-curve(k=2)", "count-curve(k=4)"
METRIC = metric_named("answer_sessions_shown")
COSTS = {K1: (10, 10, 10), K2: (20, 20, 20), K4: (40, 40, 40)}
SHOWN = {K1: (1, 0, 0), K2: (2, 1, 1), K4: (2, 2, 1)}  # of two: 1/6, 4/6, 5/6


def made(
    folder: Path,
    name: str,
    shown: Mapping[str, Sequence[int]] = SHOWN,
    costs: Mapping[str, Sequence[int]] = COSTS,
) -> Ranking:
    split = read_split(counted_split(folder / "split.json"))
    run = Run.open(counted_run(folder / name, costs, shown=shown, part="dev"))
    cap = sweep_cap("context_tokens <= 50")
    return rank_settings(name, run, split, parse_points(costs), metric=METRIC, cap=cap)


def test_a_winner_that_survives(tmp_path: Path) -> None:
    other = {K1: (0, 0, 0), K2: (2, 2, 1), K4: (2, 2, 1)}  # K2 ties with K4, and is cheaper
    rankings = [made(tmp_path, "one"), made(tmp_path, "two", other)]
    found = survival_of(rankings)
    assert found.survivors == (K4,)
    assert [(winner.point, winner.won_on) for winner in found.winners] == [
        (K4, ("one",)),
        (K2, ("two",)),
    ]
    assert survival_sentences(found, rankings)[0] == (
        "The best setting survives. count-curve(k=4): first on one and two."
    )


def test_a_winner_that_does_not(tmp_path: Path) -> None:
    other = {K1: (2, 2, 2), K2: (2, 1, 1), K4: (1, 1, 1)}  # 1, 4/6, 3/6
    rankings = [made(tmp_path, "one"), made(tmp_path, "two", other)]
    found = survival_of(rankings)
    assert found.survivors == ()
    assert [
        (winner.point, [(each.setting.rank, each.behind) for each in winner.standings])
        for winner in found.winners
    ] == [
        (K4, [(1, 0.0), (3, pytest.approx(1 / 2))]),
        (K1, [(3, pytest.approx(4 / 6)), (1, 0.0)]),
    ]
    assert [(each.settings, each.tau) for each in found.agreements] == [(3, -1.0)]
    assert survival_sentences(found, rankings) == [
        "The best setting does not survive: it is count-curve(k=4) on one and count-curve(k=1) on "
        "two.",
        "count-curve(k=4) wins on one; on two it ranks 3 of 3, 50.0 points behind "
        "count-curve(k=1).",
        "count-curve(k=1) wins on two; on one it ranks 3 of 3, 66.7 points behind "
        "count-curve(k=4).",
        "Rank correlation (Kendall's tau-b) of one and two, 3 settings ranked on both: −1.00.",
    ]


def test_a_winner_that_costs_too_much_elsewhere(tmp_path: Path) -> None:
    dearer = {**COSTS, K4: (60, 60, 60)}
    rankings = [made(tmp_path, "one"), made(tmp_path, "two", costs=dearer)]
    found = survival_of(rankings)
    assert found.survivors == ()
    assert "on two it is over the cap" in survival_sentences(found, rankings)[1]
    (standing,) = (each for each in found.winners[0].standings if each.recording == "two")
    assert standing.behind == pytest.approx(-1 / 6)  # better than K2, which won within the cap
    assert found.agreements[0].settings == 2


def test_every_two_recordings_are_compared(tmp_path: Path) -> None:
    rankings = [made(tmp_path, name) for name in ("one", "two", "three")]
    found = survival_of(rankings)
    assert [(each.one, each.other, each.tau) for each in found.agreements] == [
        ("one", "two", 1.0),
        ("one", "three", 1.0),
        ("two", "three", 1.0),
    ]
    assert found.winners[0].won_on == ("one", "two", "three")


VALUES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=9)


@given(VALUES)
def test_the_correlation_counts_pairs(values: list[tuple[int, int]]) -> None:
    sides = [_ranking(f"r{side}", [pair[side] for pair in values]) for side in (0, 1)]
    (agreement,) = survival_of(sides).agreements
    expected = _tau_b(values)
    assert agreement.settings == len(values)
    assert agreement.tau == (None if expected is None else pytest.approx(expected, abs=1e-11))


def _tau_b(values: Sequence[tuple[int, int]]) -> float | None:
    """By the definition: concordant less discordant pairs, over the pairs not tied on each side."""
    signs = [((a > c) - (a < c), (b > d) - (b < d)) for (a, b), (c, d) in combinations(values, 2)]
    apart = [sum(sign[side] != 0 for sign in signs) for side in (0, 1)]
    if 0 in apart:
        return None
    return sum(one * other for one, other in signs) / sqrt(apart[0] * apart[1])


def _ranking(name: str, values: Sequence[int]) -> Ranking:
    """A ranking of settings of these values, in which only the values matter."""
    order = sorted(range(len(values)), key=lambda place: -values[place])
    settings = tuple(
        RankedSetting(
            point=f"p{place}",
            aliases=(),
            cost=1.0,
            affordable=True,
            value=MetricValue(METRIC.name, float(values[place]), None, None, 1, 1, {}),
            rank=1 + sum(other > values[place] for other in values),
            difference=None,
            band=None,
        )
        for place in order
    )
    return Ranking(name, METRIC, None, "context_tokens", "p0", settings, 1, 0, 1, 0, False)
