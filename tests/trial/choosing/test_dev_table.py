"""What a point is chosen from: dev questions alone, policies once, exact means."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from harness.datasets.split import read_split
from harness.errors import InputError
from harness.replay.run import Run
from harness.trial.choosing import DevTable, read_dev_table

from ...make.counted_run import counted_run, counted_split

COSTS = {
    "count-curve(k=1)": (10, 20, 31),
    "count-curve(k=2)": (40, 41, 42),
    "count-curve(k=full)": (90, 90, 90),
}


def read(folder: Path, split: Path, cost: str = "context_tokens") -> DevTable:
    run = Run.open(folder)
    return read_dev_table(run, read_split(split), run.points, cost=cost)


def test_means_are_over_dev_questions_and_exact(tmp_path: Path) -> None:
    split = counted_split(tmp_path / "split.json")
    table = read(counted_run(tmp_path / "run", COSTS), split)
    assert table.questions == 3
    assert [(one.point, one.cost) for one in table.candidates] == [
        ("count-curve(k=1)", Fraction(61, 3)),
        ("count-curve(k=2)", Fraction(41)),
        ("count-curve(k=full)", Fraction(90)),
    ]


def test_no_cost_of_a_test_question_changes_the_table(tmp_path: Path) -> None:
    split = counted_split(tmp_path / "split.json")
    high = read(counted_run(tmp_path / "high", COSTS, test_cost=10**6), split)
    low = read(counted_run(tmp_path / "low", COSTS, test_cost=0), split)
    assert high == low


def test_another_measure_of_cost(tmp_path: Path) -> None:
    split = counted_split(tmp_path / "split.json")
    table = read(counted_run(tmp_path / "run", COSTS), split, "prompt_tokens_estimated")
    assert [one.cost for one in table.candidates] == [1000 - Fraction(61, 3), 959, 910]


def test_spellings_of_one_policy_are_one_candidate(tmp_path: Path) -> None:
    table = read(counted_run(tmp_path / "run", COSTS), counted_split(tmp_path / "split.json"))
    assert [one.aliases for one in table.candidates] == [(), (), ("items",)]


def test_a_run_of_the_test_part_is_refused(tmp_path: Path) -> None:
    run = counted_run(tmp_path / "run", COSTS, part="test")
    with pytest.raises(InputError, match="replay of test questions"):
        read(run, counted_split(tmp_path / "split.json"))


def test_a_split_of_another_dataset_is_refused(tmp_path: Path) -> None:
    split = counted_split(tmp_path / "split.json", dataset_sha256="e" * 64)
    with pytest.raises(InputError, match="drawn for a dataset of sha256 eee"):
        read(counted_run(tmp_path / "run", COSTS), split)


def test_a_run_without_tokens_is_refused(tmp_path: Path) -> None:
    run = counted_run(tmp_path / "run", {"count-curve(k=1)": (1, None, 3)})
    with pytest.raises(InputError, match="replayed without context_tokens"):
        read(run, counted_split(tmp_path / "split.json"))
