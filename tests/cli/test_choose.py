"""`harness choose`, on a run whose costs are made up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.datasets.split import read_split
from harness.replay.run import Run
from harness.trial.choice import Choice

from ..make.counted_run import counted_run, counted_split

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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("choosing")
    counted_split(folder / "split.json")
    counted_run(folder / "run", COSTS, shown=SHOWN)
    return folder


def choose(folder: Path, *options: str) -> int:
    return run(["choose", str(folder / "run"), "--split", str(folder / "split.json"), *options])


def test_closest_cost_prints_the_table_it_chose_from(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert choose(folder, "--rule", "closest-cost", "--to", "count-curve(k=4)") == 0
    assert capsys.readouterr().out == (
        "point                  mean context tokens    distance  chosen    the same policy as\n"
        "-------------------  ---------------------  ----------  --------  --------------------\n"
        "count-curve(k=1)                      20.0        38.0            –\n"
        "count-curve(k=2)                      41.0        17.0  yes       –\n"
        "count-curve(k=4)                      58.0         0.0            –\n"
        "count-curve(k=full)                   90.0        32.0            items\n"
        "\n"
        "Chosen: count-curve(k=2)\n"
        "Rule: the point whose dev mean context_tokens is closest to that of count-curve(k=4); "
        "ties go to the lower cost, then the spelling.\n"
        "Over 3 dev questions; test questions were left out.\n"
    )


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        (("--rule", "max-cost", "--at-most", "58"), "count-curve(k=4)"),
        (("--rule", "max-cost", "--at-most", "57.9"), "count-curve(k=2)"),
        (
            ("--rule", "max-cost", "--at-most", "960", "--cost", "prompt_tokens_estimated"),
            "count-curve(k=2)",
        ),
        (
            ("--rule", "best", "--metric", "answer_sessions_shown", "--at-most", "60"),
            "count-curve(k=2)",
        ),
        (
            ("--rule", "best", "--metric", "answer_sessions_shown", "--at-most", "100"),
            "count-curve(k=full)",
        ),
        (
            (
                *("--rule", "closest-cost", "--to", "items"),
                *("--point", "count-curve(k=1)", "--point", "count-curve(k=2)"),
            ),
            "count-curve(k=2)",
        ),
    ],
)
def test_each_rule(
    folder: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], chosen: str
) -> None:
    assert choose(folder, *options, "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["point"] for row in rows if row["chosen"]] == [chosen]


def test_an_alias_of_what_is_aimed_at_cannot_be_chosen(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--rule", "closest-cost", "--to", "items", "--point", "count-curve(k=full)")
    assert choose(folder, *options) == 2
    assert "no point to choose but count-curve(k=full) itself" in capsys.readouterr().err


def test_the_file_has_the_rule_the_table_and_what_they_came_from(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "choice.json"
    options = ("--rule", "max-cost", "--at-most", "58", "--out", str(out))
    assert choose(folder, *options) == 0
    choice = Choice.read(out)
    assert choice.text() == out.read_text(encoding="utf-8")
    assert (choice.rule, choice.at_most, choice.cost) == ("max-cost", "58", "context_tokens")
    assert choice.run_sha256 == Run.open(folder / "run").manifest.content_sha256
    assert choice.split_sha256 == read_split(folder / "split.json").sha256
    assert [(row.point, row.mean_cost, row.affordable) for row in choice.table] == [
        ("count-curve(k=1)", 20.0, True),
        ("count-curve(k=2)", 41.0, True),
        ("count-curve(k=4)", 58.0, True),
        ("count-curve(k=full)", 90.0, False),
    ]
    before = out.read_bytes()
    assert choose(folder, *options) == 0
    assert "holds this choice already" in capsys.readouterr().err
    assert choose(folder, *options[:3], "57", *options[4:]) == 2
    assert "holds something else" in capsys.readouterr().err
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--rule", "closest-cost"), "--rule closest-cost needs --to"),
        (("--rule", "best", "--at-most", "5"), "--rule best needs --metric"),
        (("--rule", "max-cost", "--at-most", "5", "--to", "items"), "--to does not belong to"),
        (("--rule", "max-cost", "--at-most", "1k"), "'1k' is not a number of tokens"),
        (("--rule", "max-cost", "--at-most", "5"), "no point costs at most 5 context_tokens"),
        (("--rule", "closest-cost", "--to", "whole(budget=2800)"), "has no point whole"),
        (
            ("--rule", "best", "--metric", "answer_session_shown", "--at-most", "90"),
            "did you mean 'answer_sessions_shown'?",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], message: str
) -> None:
    assert choose(folder, *options) == 2
    assert message in capsys.readouterr().err


def test_a_run_of_the_test_part_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counted_split(tmp_path / "split.json")
    counted_run(tmp_path / "run", COSTS, part="test")
    assert choose(tmp_path, "--rule", "max-cost", "--at-most", "58") == 2
    assert "which nothing is chosen from" in capsys.readouterr().err
