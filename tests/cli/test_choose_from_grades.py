"""`harness choose --grades`: accuracy and reported tokens of dev questions, over packs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.datasets.split import drawn_indices
from harness.trial.choice import Choice

from ..make.project import DEV_IDS, TEST_IDS, Project, make_project
from ..make.splits import json_lines, write_list, write_split

CHEAP, MIDDLE, DEAR = "count-curve(k=1)", "count-curve(k=2)", "count-curve(k=4)"
# of the project's four dev questions, and of the other pack's two
RIGHT = {CHEAP: (1, 2), MIDDLE: (3, 0), DEAR: (4, 2)}
TOKENS = {CHEAP: 100, MIDDLE: 500, DEAR: 1200}
OTHER = {f"p{index}": "private" for index in range(6)}
OTHER_DEV = [f"p{index}" for index in drawn_indices(3, 2, 6)]


def rows(ids: Any, right: int, tokens: int, **changes: Any) -> list[dict[str, Any]]:
    """Prompts of `tokens` on average: one of ten less, one of ten more, and so on."""
    return [
        {
            "question_id": name,
            "correct": place < right,
            "prompt_tokens": tokens + (10 if place % 2 else -10),
            **changes,
        }
        for place, name in enumerate(ids)
    ]


def folders(*points: str) -> list[str]:
    return [part for point in points for part in ("--grades", f"grades/{point}")]


def private(*points: str) -> list[str]:
    return [part for point in points for part in ("--grades", f"grades/private-{point}")]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(tmp_path)
    project = make_project(tmp_path, checkout=False)
    write_list(tmp_path / "other.jsonl", OTHER)
    write_split(tmp_path / "other.json", OTHER, seed=3, dev=2, dataset_sha256="cd" * 32)
    for point in RIGHT:
        project.grade(point, point, rows(DEV_IDS, RIGHT[point][0], TOKENS[point]), "--part", "dev")
        Path("log.jsonl").write_text(json_lines(rows(OTHER_DEV, RIGHT[point][1], TOKENS[point])))
        command = ["grades", "import", "log.jsonl", "--format", "jsonl", "--point", point]
        where = ["--split", "other.json", "--questions", "other.jsonl", "--part", "dev"]
        assert run([*command, *where, "--out", f"grades/private-{point}", "-q"]) == 0
    return project


def choose(*options: str) -> int:
    return run(["choose", *options])


BEST = ("--rule", "best-accuracy", "--cost", "prompt_tokens_api")


def test_the_best_accuracy_within_the_cap(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert choose(*folders(*RIGHT), *BEST, "--at-most", "1000") == 0
    assert capsys.readouterr().out == (
        "point               mean prompt tokens (API)  affordable      dev accuracy (%)  chosen\n"
        "----------------  --------------------------  ------------  ------------------  --------\n"
        "count-curve(k=1)                       100.0  yes                        25.00\n"
        "count-curve(k=2)                       500.0  yes                        75.00  yes\n"
        "count-curve(k=4)                     1,200.0  no                        100.00\n"
        "\n"
        "Chosen: count-curve(k=2)\n"
        "Rule: the point with the best accuracy on dev among those with a dev mean "
        "prompt_tokens_api of at most 1000; ties go to the lower cost, then the spelling.\n"
        "Over 4 dev questions.\n"
    )


@pytest.mark.parametrize(
    ("weights", "chosen", "accuracy"),
    [
        # cheap: (1/4, 2/2), middle: (3/4, 0/2)
        (("split.json=1", "other.json=1"), CHEAP, 5 / 8),
        (("split.json=3", "other.json=1"), MIDDLE, 9 / 16),
        (("split.json=2", "other.json=1"), CHEAP, 1 / 2),  # a tie: 1/2 and 1/2; the cheaper one
        (("split.json=100", "other.json=24.5"), MIDDLE, 75 / 124.5),
    ],
)
def test_packs_weigh_as_stated(
    project: Project, weights: tuple[str, ...], chosen: str, accuracy: float
) -> None:
    stated = [part for weight in weights for part in ("--weigh", weight)]
    options = ["--at-most", "1000", "--out", "choice.json"]
    given = [*folders(CHEAP, MIDDLE), *private(CHEAP, MIDDLE)]
    assert choose(*given, *stated, *BEST, *options) == 0
    choice = Choice.read(Path("choice.json"))
    assert choice.chosen == chosen
    row = next(row for row in choice.table if row.point == chosen)
    assert row.accuracy == pytest.approx(accuracy, abs=1e-15)
    assert choice.packs is not None
    assert [pack.questions for pack in choice.packs] == [4, 2]
    assert [pack.weight for pack in choice.packs] == [weight.split("=")[1] for weight in weights]
    assert (choice.run_sha256, choice.split_sha256, choice.questions) == (None, None, 6)
    assert "means are over packs that weigh: split.json" in choice.sentence


def test_costs_of_grades_serve_the_other_rules_too(project: Project) -> None:
    options = ("--cost", "prompt_tokens_api", "--out", "choice.json")
    assert choose(*folders(*RIGHT), "--rule", "max-cost", "--at-most", "1200", *options) == 0
    assert Choice.read(Path("choice.json")).chosen == DEAR
    aim = ("--rule", "closest-cost", "--to", DEAR, "--force")
    assert choose(*folders(*RIGHT), *aim, *options) == 0
    assert Choice.read(Path("choice.json")).chosen == MIDDLE


def test_a_registration_takes_a_choice_from_grades(project: Project) -> None:
    options = ("--at-most", "1000", "--out", "choice.json")
    assert choose(*folders(*RIGHT), *BEST, *options) == 0
    keys = {"point": MIDDLE, "control": DEAR}
    project.register("plan", False, **keys)
    registered = ["register", "plan.toml", "--choice", "choice.json", "--out", "r.json", "-q"]
    assert run(registered) == 0
    value = json.loads(Path("r.json").read_text())
    assert value["development"]["choice"]["packs"][0]["questions"] == 4


def faulty(project: Project, name: str) -> Mapping[str, list[str]]:
    return {
        "test": folders("test", CHEAP),
        "incomplete": folders("incomplete", CHEAP),
        "estimated": folders("estimated", CHEAP),
        "another reader": folders("another reader", CHEAP),
        "another judge": folders("another judge", CHEAP),
        "twice": [*folders(CHEAP), *folders("again")],
        "unweighed": [*folders(CHEAP), *private(CHEAP)],
        "one pack lacks a point": [*folders(CHEAP, MIDDLE), *private(CHEAP), "--weigh", "x=1"],
        "an unknown weight": [*folders(CHEAP), "--weigh", "splot.json=1"],
        "a weight of nothing": [*folders(CHEAP), "--weigh", "split.json=0"],
    }


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("test", "has the grades of part 'test', not of dev alone"),
        ("incomplete", "lacks 1 of 4 grades"),
        ("estimated", "has prompt_tokens_api of 0 of 4 questions"),
        ("another reader", "were answered by different ones: large and small"),
        ("another judge", "were judged by different ones: lenient and strict"),
        ("twice", "is of count-curve(k=1), as grades/count-curve(k=1) is"),
        ("unweighed", "it is not said what split.json and other.json weighs"),
        ("one pack lacks a point", "there are no grades of count-curve(k=2) on other.json"),
        ("an unknown weight", "no grades are of that split; did you mean 'split.json'?"),
        ("a weight of nothing", "a weight is a number above 0"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    project: Project, name: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    point = DEAR
    if name == "test":
        given = rows(TEST_IDS, 3, 90)
        project.grade("test", point, given, "--part", "test", "--exploratory")
    if name == "incomplete":
        project.grade("incomplete", point, rows(DEV_IDS[1:], 3, 90), "--part", "dev")
    if name == "estimated":
        estimates = [
            {"question_id": each, "correct": True, "prompt_tokens_estimated": 5} for each in DEV_IDS
        ]
        project.grade("estimated", point, estimates, "--part", "dev")
    if name.startswith("another "):
        who = {"reader": ("small", "large"), "judge": ("strict", "lenient")}[name.split()[1]]
        for folder, at, model in ((name, point, who[0]), (CHEAP, CHEAP, who[1])):
            said = [{**row, name.split()[1]: model} for row in rows(DEV_IDS, 2, 90)]
            project.grade(folder, at, said, "--part", "dev", "--force")
    if name == "twice":
        project.grade("again", CHEAP, rows(DEV_IDS, 2, 90), "--part", "dev")
    assert choose(*faulty(project, name)[name], *BEST, "--at-most", "5000") == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--rule", "max-cost", "--at-most", "5"), "Name a RUN with its --split, or --grades."),
        (("run", "--split", "split.json", *BEST, "--at-most", "5"), "needs --grades in place"),
        (
            ("run", *folders(CHEAP), *BEST, "--at-most", "5"),
            "--grades stands in place of RUN and --split",
        ),
        (
            (*folders(CHEAP), "--rule", "best", "--metric", "x", "--at-most", "5"),
            "--rule best needs RUN",
        ),
        ((*folders(CHEAP), *BEST, "--at-most", "5"), "the cheapest, count-curve(k=1), costs 100.0"),
        (
            (*folders(CHEAP), *BEST, "--at-most", "500", "-p", DEAR),
            f"there are no grades of {DEAR}",
        ),
    ],
)
def test_what_is_asked_for_in_vain(
    project: Project,
    options: tuple[str, ...],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert choose(*options) == 2
    assert message in capsys.readouterr().err
